// semantics 8: copies and fills around the sizes where 31 and 32 bits end, and
// copies whose ends overlap.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/byte_sizes.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

// What each byte costs: sanitizers keep notes about it.
#if defined(__SANITIZE_THREAD__)
constexpr size_t kBytesPerByte = 5;
#elif defined(__SANITIZE_ADDRESS__)
constexpr size_t kBytesPerByte = 2;
#else
constexpr size_t kBytesPerByte = 1;
#endif

// What the system can still give, or 0.
size_t AvailableBytes() {
  std::ifstream meminfo("/proc/meminfo");
  std::string word;
  size_t kibibytes = 0;
  while (meminfo >> word) {
    if (word == "MemAvailable:" && meminfo >> kibibytes) break;
  }
  return kibibytes * 1024;
}

// Of which each piece is another, so that none can stand for a second.
class Pattern {
 public:
  Pattern() : piece_(kMiB) {
    for (size_t i = 0; i < kMiB; ++i) {
      piece_[i] = static_cast<uint8_t>(i * 131 + i / 256);
    }
  }
  void Write(uint8_t* bytes, size_t count) {
    for (size_t at = 0; at < count; at += kMiB) {
      Stamp(at);
      std::memcpy(bytes + at, piece_.data(), std::min(kMiB, count - at));
    }
  }
  // The first piece that differs, or `count`.
  size_t FindOther(const uint8_t* bytes, size_t count) {
    for (size_t at = 0; at < count; at += kMiB) {
      Stamp(at);
      if (std::memcmp(bytes + at, piece_.data(), std::min(kMiB, count - at)) !=
          0) {
        return at;
      }
    }
    return count;
  }

 private:
  void Stamp(size_t at) {
    const uint64_t number = at / kMiB;
    std::memcpy(piece_.data(), &number, sizeof(number));
    piece_[0] = static_cast<uint8_t>(number * 29 + 1);
  }

  std::vector<uint8_t> piece_;
};

class CopySizeTest : public AclTest,
                     public ::testing::WithParamInterface<size_t> {};

TEST_P(CopySizeTest, EveryByteArrives) {
  const size_t size = GetParam();
  // Host and device hold it, and the way between them some.
  const size_t needed = 2 * size * kBytesPerByte + kGiB;
  if (AvailableBytes() < needed) {
    GTEST_SKIP() << "needs " << needed / kMiB << " MiB of memory, and "
                 << AvailableBytes() / kMiB << " MiB are available";
  }
  Pattern pattern;
  PinnedArray<uint8_t> host(size);
  const DeviceArray<uint8_t> device(size);
  ASSERT_ACL_OK(aclrtMemset(device.data(), size, 0x5A, size));
  uint8_t last = 0;
  ASSERT_ACL_OK(aclrtMemcpy(&last, 1, device.data() + size - 1, 1,
                            ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(last, 0x5A);
  pattern.Write(host.data(), size);
  ASSERT_ACL_OK(aclrtMemcpy(device.data(), size, host.data(), size,
                            ACL_MEMCPY_HOST_TO_DEVICE));
  std::memset(host.data(), 0, size);
  ASSERT_ACL_OK(aclrtMemcpyAsync(host.data(), size, device.data(), size,
                                 ACL_MEMCPY_DEVICE_TO_HOST, nullptr));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(pattern.FindOther(host.data(), size), size);
}

// 13: "count > destMax: 107000", also by one at these sizes. Nothing is moved.
TEST_P(CopySizeTest, OneByteTooMuchIsRefused) {
  const size_t size = GetParam();
  const DeviceArray<uint8_t> device(size);
  uint8_t byte = 7;
  const ExpectNothingChanges unchanged;
  EXPECT_ACL_ERROR(107000, aclrtMemcpy(device.data(), size - 1, &byte, size,
                                       ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_ACL_ERROR(107000, aclrtMemcpy(device.data() + 1, size, device.data(),
                                       size, ACL_MEMCPY_DEVICE_TO_DEVICE));
  EXPECT_ACL_ERROR(107000, aclrtMemcpy(&byte, size + 1, device.data(), size + 1,
                                       ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_ACL_ERROR(107000, aclrtMemset(device.data() + 1, size, 0, size));
  EXPECT_EQ(byte, 7);
}

INSTANTIATE_TEST_SUITE_P(AroundTheEndOfANumber, CopySizeTest,
                         ::testing::Values(2 * kGiB - 1, 2 * kGiB,
                                           4 * kGiB + 1));

// A copy within one range moves it as if all were read first.
using CopyOverlapTest = AclTest;

TEST_F(CopyOverlapTest, BytesMoveAsIfReadFirst) {
  for (const size_t size : {size_t{100}, size_t{102401}, 9 * kMiB + 3}) {
    std::vector<uint8_t> bytes(2 * size);
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<uint8_t>(i * 13 + i / 255);
    }
    for (const size_t distance : {size_t{1}, size / 2, size - 1, size}) {
      const DeviceArray<uint8_t> memory(bytes);
      std::vector<uint8_t> expected = bytes;
      uint8_t* const low = memory.data();
      uint8_t* const high = low + distance;
      EXPECT_ACL_OK(
          aclrtMemcpy(high, size, low, size, ACL_MEMCPY_DEVICE_TO_DEVICE));
      std::memmove(expected.data() + distance, expected.data(), size);
      EXPECT_TRUE(memory.Download() == expected) << size << " " << distance;
      EXPECT_ACL_OK(aclrtMemcpyAsync(low, size, high, size,
                                     ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr));
      EXPECT_ACL_OK(aclrtSynchronizeStream(nullptr));
      std::memmove(expected.data(), expected.data() + distance, size);
      EXPECT_TRUE(memory.Download() == expected) << size << " " << distance;
      std::vector<uint8_t> host = bytes;
      EXPECT_ACL_OK(aclrtMemcpy(host.data() + distance, size, host.data(), size,
                                ACL_MEMCPY_HOST_TO_HOST));
      expected = bytes;
      std::memmove(expected.data() + distance, expected.data(), size);
      EXPECT_TRUE(host == expected) << size << " " << distance;
    }
  }
}

}  // namespace
}  // namespace ascend::conformance
