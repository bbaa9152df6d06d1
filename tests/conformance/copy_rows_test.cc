// semantics 8: copies of rows, fills of words; 6: allocation without a pad.
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"
#include "tests/conformance/fresh_process.h"

namespace ascend::conformance {
namespace {

using CopyRowsTest = AclTest;
using FillWordsTest = AclTest;

constexpr uint8_t kGap = 0xee;

// A block of rows: `pitch` bytes each, of which the first `width` matter.
struct Shape {
  size_t width, height, pitch;
  size_t bytes() const { return pitch * height; }
};

std::vector<uint8_t> Counting(const Shape& shape) {
  std::vector<uint8_t> bytes(shape.bytes());
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(i * 7 + i / 251);
  }
  return bytes;
}

// What `target`, full of kGap, holds after a copy of `source`.
std::vector<uint8_t> Expected(const Shape& target, const Shape& source,
                              const std::vector<uint8_t>& from) {
  std::vector<uint8_t> bytes(target.bytes(), kGap);
  for (size_t row = 0; row < target.height; ++row) {
    std::copy_n(from.begin() + row * source.pitch, source.width,
                bytes.begin() + row * target.pitch);
  }
  return bytes;
}

struct Shapes {
  Shape target, source;
};

// Inline ones, one that is streamed in chunks, rows without gaps, one row.
const Shapes kShapes[] = {
    {{3, 5, 8}, {3, 5, 11}},
    {{64, 16, 64}, {64, 16, 100}},
    {{1000, 1500, 1024}, {1000, 1500, 1001}},
    {{100'000, 30, 100'000}, {100'000, 30, 131'072}},
    {{77, 1, 100}, {77, 1, 80}},
};

template <typename Copy>
void CopyThereAndBack(const Shapes& shapes, bool is_pinned, Copy copy) {
  const auto& [there, here] = shapes;
  SCOPED_TRACE(there.width);
  const std::vector<uint8_t> bytes = Counting(here);
  const DeviceArray<uint8_t> device(std::vector<uint8_t>(there.bytes(), kGap));
  const DeviceArray<uint8_t> second(std::vector<uint8_t>(here.bytes(), kGap));
  PinnedArray<uint8_t> pinned(here.bytes());
  std::vector<uint8_t> pageable(here.bytes());
  uint8_t* const host = is_pinned ? pinned.data() : pageable.data();
  std::copy(bytes.begin(), bytes.end(), host);
  copy(device.data(), there.pitch, host, here.pitch, ACL_MEMCPY_HOST_TO_DEVICE);
  EXPECT_TRUE(device.Download() == Expected(there, here, bytes));
  copy(second.data(), here.pitch, device.data(), there.pitch,
       ACL_MEMCPY_DEVICE_TO_DEVICE);
  EXPECT_TRUE(second.Download() == Expected(here, here, bytes));
  std::fill(host, host + here.bytes(), kGap);
  copy(host, here.pitch, device.data(), there.pitch, ACL_MEMCPY_DEVICE_TO_HOST);
  EXPECT_TRUE(std::equal(host, host + here.bytes(),
                         Expected(here, here, bytes).begin()));
}

TEST_F(CopyRowsTest, RowsArriveAndGapsStay) {
  for (const Shapes& shapes : kShapes) {
    CopyThereAndBack(shapes, /*is_pinned=*/false,
                     [&](void* dst, size_t dpitch, const void* src,
                         size_t spitch, aclrtMemcpyKind kind) {
                       EXPECT_ACL_OK(aclrtMemcpy2d(dst, dpitch, src, spitch,
                                                   shapes.source.width,
                                                   shapes.source.height, kind));
                     });
  }
}

TEST_F(CopyRowsTest, TheSameInAStream) {
  const OwnStream stream;
  for (const bool is_pinned : {true, false}) {
    for (const Shapes& shapes : kShapes) {
      CopyThereAndBack(shapes, is_pinned,
                       [&](void* dst, size_t dpitch, const void* src,
                           size_t spitch, aclrtMemcpyKind kind) {
                         EXPECT_ACL_OK(aclrtMemcpy2dAsync(
                             dst, dpitch, src, spitch, shapes.source.width,
                             shapes.source.height, kind, stream));
                         EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
                       });
    }
  }
}

// Each row would fit into a reply, all of them do not; and no copy before has
// made way for them.
FRESH_PROCESS_TEST(CopyRowsFirst, RowsComeToAProcessThatCopiedNothingElse) {
  constexpr size_t kWidth = 1000;
  constexpr size_t kHeight = 1500;
  ASSERT_ACL_OK(aclInit(nullptr));
  ASSERT_ACL_OK(aclrtSetDevice(0));
  void* device = nullptr;
  ASSERT_ACL_OK(
      aclrtMalloc(&device, kWidth * kHeight, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_ACL_OK(aclrtMemset(device, kWidth * kHeight, 0x5A, kWidth * kHeight));
  std::vector<uint8_t> host(kWidth * kHeight);
  ASSERT_ACL_OK(aclrtMemcpy2d(host.data(), kWidth, device, kWidth, kWidth,
                              kHeight, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(host, std::vector<uint8_t>(kWidth * kHeight, 0x5A));
  ASSERT_ACL_OK(aclrtFree(device));
  ASSERT_ACL_OK(aclFinalize());
}

// The rows need not end where a whole pitch would.
TEST_F(CopyRowsTest, TheLastRowNeedsNoGapBehindIt) {
  const DeviceArray<uint8_t> device(std::vector<uint8_t>(8 + 3, kGap));
  const std::vector<uint8_t> host = {1, 2, 3, 4, 5, 6};
  ASSERT_ACL_OK(aclrtMemcpy2d(device.data(), 8, host.data(), 3, 3, 2,
                              ACL_MEMCPY_DEFAULT));
  EXPECT_EQ(device.Download(), (std::vector<uint8_t>{1, 2, 3, kGap, kGap, kGap,
                                                     kGap, kGap, 4, 5, 6}));
}

TEST_F(CopyRowsTest, NothingToDoIsDone) {
  const DeviceArray<uint8_t> device(std::vector<uint8_t>(16, kGap));
  uint8_t host[16] = {};
  EXPECT_ACL_OK(aclrtMemcpy2d(device.data(), 4, host, 4, 0, 4,
                              ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_ACL_OK(aclrtMemcpy2d(device.data(), 4, host, 4, 4, 0,
                              ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_ACL_OK(aclrtMemcpy2dAsync(device.data(), 4, host, 4, 0, 4,
                                   ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  EXPECT_EQ(device.Download(), std::vector<uint8_t>(16, kGap));
}

TEST_F(CopyRowsTest, MisuseIsRefused) {
  const OwnStream stream;
  const DeviceArray<uint8_t> device(std::vector<uint8_t>(16, kGap));
  uint8_t host[64] = {};
  const auto refuse = [&](aclError code, void* dst, size_t dpitch,
                          const void* src, size_t spitch, size_t width,
                          size_t height, aclrtMemcpyKind kind) {
    EXPECT_ACL_ERROR(
        code, aclrtMemcpy2d(dst, dpitch, src, spitch, width, height, kind));
    EXPECT_ACL_ERROR(code, aclrtMemcpy2dAsync(dst, dpitch, src, spitch, width,
                                              height, kind, stream));
  };
  {
    const ExpectNothingChanges nothing;
    constexpr auto kKind = ACL_MEMCPY_HOST_TO_DEVICE;
    refuse(100000, nullptr, 4, host, 4, 4, 4, kKind);
    refuse(100000, device.data(), 4, nullptr, 4, 4, 4, kKind);
    refuse(107000, device.data(), 3, host, 4, 4, 4, kKind);
    refuse(107000, device.data(), 4, host, 3, 4, 4, kKind);
    refuse(107000, device.data(), ~size_t{0}, host, 4, 4, 4, kKind);
    refuse(107000, device.data(), 5'000'001, host, 5'000'001, 5'000'001, 1,
           kKind);
    refuse(107000, device.data(), 1, host, 1, 1, 5 * 1024 * 1024 + 1, kKind);
    // Beyond the allocation.
    refuse(107000, device.data(), 4, host, 4, 4, 5, kKind);
    for (const int kind : {0, 5, 6, 7, 99}) {
      refuse(107000, device.data(), 4, host, 4, 4, 4,
             static_cast<aclrtMemcpyKind>(kind));
    }
    EXPECT_ACL_ERROR(107017, aclrtMemcpy2dAsync(device.data(), 4, host, 4, 4, 4,
                                                kKind, Garbage()));
  }
  EXPECT_EQ(device.Download(), std::vector<uint8_t>(16, kGap));
}

TEST_F(FillWordsTest, WordsAreFilled) {
  constexpr size_t kCount = 300'000;  // more than a slice of the daemon's
  const DeviceArray<uint32_t> device(std::vector<uint32_t>(kCount + 2, 7));
  ASSERT_ACL_OK(
      aclrtMemsetD32(device.data() + 1, kCount * 4, 0x01020304, kCount));
  std::vector<uint32_t> expected(kCount + 2, 0x01020304);
  expected.front() = expected.back() = 7;
  EXPECT_TRUE(device.Download() == expected);
  const OwnStream stream;
  ASSERT_ACL_OK(
      aclrtMemsetD32Async(device.data(), device.bytes(), 9, 3, stream));
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  std::fill_n(expected.begin(), 3, 9u);
  EXPECT_TRUE(device.Download() == expected);
  uint32_t host[3] = {};
  ASSERT_ACL_OK(aclrtMemsetD32(host, sizeof(host), 0xdeadbeef, 2));
  EXPECT_EQ(host[1], 0xdeadbeefu);
  EXPECT_EQ(host[2], 0u);
  EXPECT_ACL_OK(aclrtMemsetD32(device.data(), 0, 1, 0));
}

TEST_F(FillWordsTest, MisuseIsRefused) {
  const OwnStream stream;
  const DeviceArray<uint32_t> device(std::vector<uint32_t>(4, 7));
  void* const odd = reinterpret_cast<std::byte*>(device.data()) + 2;
  {
    const ExpectNothingChanges nothing;
    EXPECT_ACL_ERROR(100000, aclrtMemsetD32(nullptr, 16, 1, 4));
    EXPECT_ACL_ERROR(107000, aclrtMemsetD32(odd, 8, 1, 1));
    EXPECT_ACL_ERROR(107000, aclrtMemsetD32(device.data(), 15, 1, 4));
    EXPECT_ACL_ERROR(107000,
                     aclrtMemsetD32(device.data(), 16, 1, ~size_t{0} / 2));
    EXPECT_ACL_ERROR(107000, aclrtMemsetD32(device.data(), 20, 1, 5));
    EXPECT_ACL_ERROR(100000, aclrtMemsetD32Async(nullptr, 16, 1, 4, stream));
    EXPECT_ACL_ERROR(107000, aclrtMemsetD32Async(odd, 8, 1, 1, stream));
    EXPECT_ACL_ERROR(107000,
                     aclrtMemsetD32Async(device.data(), 20, 1, 5, stream));
    EXPECT_ACL_ERROR(107017,
                     aclrtMemsetD32Async(device.data(), 16, 1, 4, Garbage()));
  }
  EXPECT_EQ(device.Download(), std::vector<uint32_t>(4, 7));
}

// 6: aclrtMalloc rounds "up to 32 and add 32", MallocAlign32 "round only".
TEST_F(FillWordsTest, AnAllocationMayGoWithoutItsPad) {
  const auto used = [] {
    size_t free = 0;
    size_t total = 0;
    EXPECT_ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    return total - free;
  };
  const size_t before = used();
  void* padded = nullptr;
  ASSERT_ACL_OK(aclrtMalloc(&padded, 128, ACL_MEM_MALLOC_NORMAL_ONLY));
  const size_t with_pad = used() - before;
  void* bare = nullptr;
  ASSERT_ACL_OK(aclrtMallocAlign32(&bare, 128, ACL_MEM_MALLOC_NORMAL_ONLY));
  EXPECT_EQ(with_pad, 256u);
  EXPECT_EQ(used() - before - with_pad, 128u);
  ASSERT_ACL_OK(aclrtFree(bare));
  ASSERT_ACL_OK(aclrtFree(padded));
  EXPECT_ACL_ERROR(
      100000, aclrtMallocAlign32(nullptr, 128, ACL_MEM_MALLOC_NORMAL_ONLY));
  void* none = nullptr;
  EXPECT_ACL_ERROR(100000,
                   aclrtMallocAlign32(&none, 0, ACL_MEM_MALLOC_NORMAL_ONLY));
  EXPECT_EQ(none, nullptr);
}

}  // namespace
}  // namespace ascend::conformance
