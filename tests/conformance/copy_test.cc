// semantics 8: copies and fills.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/byte_sizes.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using CopyTest = AclTest;

// Around what travels inside a command, and around a chunk.
constexpr size_t kSizes[] = {
    1,        64 * kKiB - 1, 64 * kKiB,   64 * kKiB + 1,
    kMiB - 1, kMiB + 1,      5 * kMiB + 3};

Bytes MadeBytes(size_t count, uint32_t seed) {
  Bytes bytes(count);
  for (size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<uint8_t>(i * 37 + i / 251 + seed);
  }
  return bytes;
}

// 8: "direction is re-derived from the pointers": any plain kind does it.
TEST_F(CopyTest, BytesComeBackWhateverTheKind) {
  const aclrtMemcpyKind kinds[] = {
      ACL_MEMCPY_HOST_TO_DEVICE,        ACL_MEMCPY_DEFAULT,
      ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST,
      ACL_MEMCPY_DEVICE_TO_DEVICE,      ACL_MEMCPY_HOST_TO_HOST};
  uint32_t seed = 0;
  for (const size_t size : kSizes) {
    const aclrtMemcpyKind kind = kinds[seed % std::size(kinds)];
    const Bytes sent = MadeBytes(size, ++seed);
    const DeviceArray<uint8_t> first(size);
    const DeviceArray<uint8_t> second(size);
    Bytes got(size, 0);
    EXPECT_ACL_OK(aclrtMemcpy(first.data(), size, sent.data(), size, kind));
    EXPECT_ACL_OK(aclrtMemcpy(second.data(), size, first.data(), size, kind));
    EXPECT_ACL_OK(aclrtMemcpy(got.data(), size, second.data(), size, kind));
    EXPECT_TRUE(got == sent) << size << " bytes";
    std::fill(got.begin(), got.end(), 0);
    EXPECT_ACL_OK(aclrtMemcpy(got.data(), size, sent.data(), size, kind));
    EXPECT_TRUE(got == sent) << size << " bytes from host to host";
  }
}

// Parts of allocations, at any offset; what lies around stays.
TEST_F(CopyTest, PartsAreCopied) {
  constexpr size_t kSize = 3 * kMiB;
  const Bytes all = MadeBytes(kSize, 1);
  const DeviceArray<uint8_t> memory(all);
  Bytes expected = all;
  const Bytes part = MadeBytes(kMiB + 77, 200);
  for (const size_t offset : {size_t{1}, size_t{4095}, kSize - part.size()}) {
    EXPECT_ACL_OK(aclrtMemcpy(memory.data() + offset, kSize - offset,
                              part.data(), part.size(),
                              ACL_MEMCPY_HOST_TO_DEVICE));
    std::copy(part.begin(), part.end(), expected.begin() + offset);
    Bytes back(part.size());
    EXPECT_ACL_OK(aclrtMemcpy(back.data(), back.size(), memory.data() + offset,
                              back.size(), ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_TRUE(back == part);
  }
  EXPECT_TRUE(memory.Download() == expected);
}

// 8, 13: null 100000; INNER and INTER kinds 100000; count > destMax 107000
// ("message names the two"); a range that is not allocated 107000. Nothing is
// written then.
TEST_F(CopyTest, MisuseIsRefused) {
  const Bytes before = MadeBytes(4096, 1);
  const DeviceArray<uint8_t> memory(before);
  uint8_t* const device = memory.data();
  Bytes host = MadeBytes(8192, 2);
  const Bytes host_before = host;
  uint8_t* gone = nullptr;
  ASSERT_ACL_OK(aclrtMalloc(reinterpret_cast<void**>(&gone), 4096,
                            ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_ACL_OK(aclrtFree(gone));
  {
    const ExpectNothingChanges unchanged;
    for (const auto copy : {+[](void*dst, size_t max, const void*src,
                                size_t count, aclrtMemcpyKind kind) {
                              return aclrtMemcpy(dst, max, src, count, kind);
                            },
                            +[](void*dst, size_t max, const void*src,
                                size_t count, aclrtMemcpyKind kind) {
                              return aclrtMemcpyAsync(dst, max, src, count,
                                                      kind, nullptr);
                            }}) {
      const auto up = ACL_MEMCPY_HOST_TO_DEVICE;
      const auto down = ACL_MEMCPY_DEVICE_TO_HOST;
      const auto across = ACL_MEMCPY_DEVICE_TO_DEVICE;
      EXPECT_ACL_ERROR(100000, copy(nullptr, 64, host.data(), 64, up));
      EXPECT_ACL_ERROR(100000, copy(device, 64, nullptr, 64, up));
      for (const int kind : {6, 7, 8, 99, -1}) {
        EXPECT_ACL_ERROR(100000, copy(device, 64, host.data(), 64,
                                      static_cast<aclrtMemcpyKind>(kind)));
      }
      EXPECT_ACL_ERROR(107000, copy(device, 63, host.data(), 64, up));
      EXPECT_ACL_ERROR(107000, copy(host.data(), 63, device, 64, down));
      // Past the end, on either side.
      EXPECT_ACL_ERROR(107000, copy(device, 8192, host.data(), 4097, up));
      EXPECT_ACL_ERROR(107000, copy(device + 4000, 4096, host.data(), 97, up));
      EXPECT_ACL_ERROR(107000, copy(host.data(), 8192, device, 4097, down));
      EXPECT_ACL_ERROR(107000, copy(device, 4096, device + 1, 4096, across));
      EXPECT_ACL_ERROR(107000, copy(gone, 64, host.data(), 64, up));
      EXPECT_ACL_ERROR(107000, copy(host.data(), 64, gone, 64, down));
    }
    EXPECT_ACL_ERROR(100000, aclrtMemset(nullptr, 64, 0, 64));
    EXPECT_ACL_ERROR(100000, aclrtMemsetAsync(nullptr, 64, 0, 64, nullptr));
    EXPECT_ACL_ERROR(107000, aclrtMemset(device, 63, 0, 64));
    EXPECT_ACL_ERROR(107000, aclrtMemsetAsync(device, 63, 0, 64, nullptr));
    EXPECT_ACL_ERROR(107000, aclrtMemset(device, 8192, 0, 4097));
    EXPECT_ACL_ERROR(107000, aclrtMemsetAsync(device, 8192, 0, 4097, nullptr));
    EXPECT_ACL_ERROR(107000, aclrtMemset(gone, 64, 0, 64));
    EXPECT_ACL_ERROR(107000, aclrtMemsetAsync(gone, 64, 0, 64, nullptr));
    // "async needs device memory".
    EXPECT_ACL_ERROR(107000, aclrtMemsetAsync(host.data(), 64, 0, 64, nullptr));
  }
  EXPECT_EQ(aclrtMemcpy(device, 63, host.data(), 64, ACL_MEMCPY_DEFAULT),
            107000);
  const char* const text = aclGetRecentErrMsg();
  ASSERT_NE(text, nullptr);
  EXPECT_NE(std::string(text).find("64"), std::string::npos) << text;
  EXPECT_NE(std::string(text).find("63"), std::string::npos) << text;
  aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  EXPECT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_TRUE(memory.Download() == before);
  EXPECT_TRUE(host == host_before);
}

// 8: "count == 0: success without work; dst == src: success".
TEST_F(CopyTest, NothingToDoIsDone) {
  const DeviceArray<uint8_t> memory(MadeBytes(64, 1));
  Bytes host(64);
  EXPECT_ACL_OK(
      aclrtMemcpy(memory.data(), 0, host.data(), 0, ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_ACL_OK(aclrtMemcpyAsync(memory.data(), 0, host.data(), 0,
                                 ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  EXPECT_ACL_OK(aclrtMemcpy(memory.data(), 64, memory.data(), 64,
                            ACL_MEMCPY_DEVICE_TO_DEVICE));
  EXPECT_ACL_OK(aclrtMemset(memory.data(), 0, 9, 0));
  EXPECT_ACL_OK(aclrtMemsetAsync(memory.data(), 0, 9, 0, nullptr));
  EXPECT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_TRUE(memory.Download() == MadeBytes(64, 1));
}

// 8: memset "works on host too"; the low byte of the value counts.
TEST_F(CopyTest, FillsSetTheLowByte) {
  constexpr size_t kSize = 2 * kMiB + 5;
  const DeviceArray<uint8_t> memory(MadeBytes(kSize, 1));
  Bytes expected = MadeBytes(kSize, 1);
  EXPECT_ACL_OK(aclrtMemset(memory.data() + 3, kSize - 3, 0x1AB, kSize - 7));
  std::fill_n(expected.begin() + 3, kSize - 7, uint8_t{0xAB});
  EXPECT_TRUE(memory.Download() == expected);
  EXPECT_ACL_OK(aclrtMemsetAsync(memory.data(), kSize, -1, 100, nullptr));
  EXPECT_ACL_OK(aclrtSynchronizeStream(nullptr));
  std::fill_n(expected.begin(), 100, uint8_t{0xFF});
  EXPECT_TRUE(memory.Download() == expected);
  Bytes host(100, 1);
  EXPECT_ACL_OK(aclrtMemset(host.data(), 100, 7, 50));
  EXPECT_EQ(host[49], 7);
  EXPECT_EQ(host[50], 1);
}

// 8 rule 1: page-locked memory: "truly queued", in the order of the stream,
// and the direction corrected to the real one.
TEST_F(CopyTest, PinnedCopiesAreTasksOfTheStream) {
  const Ops ops;
  for (const size_t count : {size_t{1000}, size_t{300'000}}) {
    const DeviceArray<float> x(count);
    const DeviceArray<float> y(count);
    PinnedArray<float> in(count);
    PinnedArray<float> out(count);
    const std::vector<float> values = Ramp(count, 1, 0.5f);
    std::copy(values.begin(), values.end(), in.data());
    std::fill_n(out.data(), count, -1.0f);
    const OwnStream stream;
    // Wrong kinds: the pointers are known.
    ASSERT_ACL_OK(aclrtMemcpyAsync(x.data(), x.bytes(), in.data(), in.bytes(),
                                   ACL_MEMCPY_DEVICE_TO_HOST, stream));
    ASSERT_ACL_OK(ops.Add(x.data(), x.data(), y.data(), count, stream));
    ASSERT_ACL_OK(aclrtMemcpyAsync(x.data(), x.bytes(), y.data(), y.bytes(),
                                   ACL_MEMCPY_DEFAULT, stream));
    ASSERT_ACL_OK(aclrtMemcpyAsync(out.data(), out.bytes(), x.data(), x.bytes(),
                                   ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(out.values() == Ramp(count, 2, 1)) << count;
  }
}

// A queued download changes what a later upload of the same stream reads.
TEST_F(CopyTest, PinnedMemoryIsReadWhenItsTurnComes) {
  const Ops ops;
  for (const size_t count : {size_t{100}, size_t{300'000}}) {
    const DeviceArray<float> x(std::vector<float>(count, 5));
    const DeviceArray<float> y(std::vector<float>(count, 0));
    PinnedArray<float> host(count);
    std::fill_n(host.data(), count, 1.0f);
    const OwnStream stream;
    ASSERT_ACL_OK(ops.Add(x.data(), x.data(), x.data(), count, stream));
    ASSERT_ACL_OK(aclrtMemcpyAsync(host.data(), host.bytes(), x.data(),
                                   x.bytes(), ACL_MEMCPY_DEVICE_TO_HOST,
                                   stream));
    ASSERT_ACL_OK(aclrtMemcpyAsync(y.data(), y.bytes(), host.data(),
                                   host.bytes(), ACL_MEMCPY_HOST_TO_DEVICE,
                                   stream));
    ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(y.Download() == std::vector<float>(count, 10)) << count;
  }
}

// 8 rule 2: pageable memory must match the stated kind, else 107000; the call
// is ordered behind the stream and done when it returns. Rule 3: host to host
// 207000.
TEST_F(CopyTest, PageableCopiesBlockAndStayInOrder) {
  const Ops ops;
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> product(Ops::kBusyElements);
  std::vector<float> host(Ops::kBusyElements, 3);
  const size_t bytes = product.bytes();
  const OwnStream stream;
  {
    const ExpectNothingChanges unchanged;
    for (const auto wrong :
         {ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE,
          ACL_MEMCPY_HOST_TO_HOST}) {
      EXPECT_ACL_ERROR(
          107000, aclrtMemcpyAsync(product.data(), bytes, host.data(), bytes,
                                   wrong, stream));
    }
    for (const auto wrong :
         {ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_DEVICE,
          ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE}) {
      EXPECT_ACL_ERROR(
          107000, aclrtMemcpyAsync(host.data(), bytes, product.data(), bytes,
                                   wrong, stream));
    }
    std::vector<float> other(16);
    EXPECT_ACL_ERROR(207000, aclrtMemcpyAsync(other.data(), 64, host.data(), 64,
                                              ACL_MEMCPY_HOST_TO_HOST, stream));
    EXPECT_ACL_ERROR(207000, aclrtMemcpyAsync(other.data(), 64, host.data(), 64,
                                              ACL_MEMCPY_DEFAULT, stream));
  }
  ASSERT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), stream));
  ASSERT_ACL_OK(aclrtMemcpyAsync(host.data(), bytes, product.data(), bytes,
                                 ACL_MEMCPY_DEVICE_TO_HOST, stream));
  EXPECT_EQ(host, std::vector<float>(Ops::kBusyElements, Ops::kBusySide));
  ASSERT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), stream));
  std::fill(host.begin(), host.end(), 4.0f);
  ASSERT_ACL_OK(aclrtMemcpyAsync(product.data(), bytes, host.data(), bytes,
                                 ACL_MEMCPY_HOST_TO_DEVICE, stream));
  std::fill(host.begin(), host.end(), 0.0f);
  EXPECT_EQ(product.Download(), std::vector<float>(Ops::kBusyElements, 4));
}

// 8 rule 4: HOST_TO_BUF_TO_DEVICE "takes a private copy of the source before
// returning".
TEST_F(CopyTest, BufferedCopiesReadTheSourceAtOnce) {
  const Ops ops;
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> product(Ops::kBusyElements);
  const OwnStream stream;
  for (const size_t count : {size_t{16}, size_t{200'000}}) {
    const DeviceArray<float> x(count);
    PinnedArray<float> pinned(count);
    std::vector<float> pageable(count, 7);
    std::fill_n(pinned.data(), count, 7.0f);
    for (float* const source : {pinned.data(), pageable.data()}) {
      ASSERT_ACL_OK(aclrtMemset(x.data(), x.bytes(), 0, x.bytes()));
      ASSERT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), stream));
      ASSERT_ACL_OK(aclrtMemcpyAsync(x.data(), x.bytes(), source, x.bytes(),
                                     ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, stream));
      std::fill_n(source, count, 8.0f);
      ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
      EXPECT_TRUE(x.Download() == std::vector<float>(count, 7)) << count;
    }
  }
}

// What queued copies touch may be freed: it goes when they are done.
TEST_F(CopyTest, MemoryOfQueuedCopiesMayBeFreed) {
  const Ops ops;
  constexpr size_t kCount = 300'000;
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> product(Ops::kBusyElements);
  const DeviceArray<float> result(kCount);
  const OwnStream stream;
  ASSERT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), stream));
  {
    const DeviceArray<float> passing(kCount);
    PinnedArray<float> host(kCount);
    std::fill_n(host.data(), kCount, 2.0f);
    ASSERT_ACL_OK(aclrtMemcpyAsync(passing.data(), passing.bytes(), host.data(),
                                   host.bytes(), ACL_MEMCPY_HOST_TO_DEVICE,
                                   stream));
    ASSERT_ACL_OK(
        ops.Add(passing.data(), passing.data(), result.data(), kCount, stream));
  }
  // Somebody else's, which must not take the place of the freed ones early.
  const DeviceArray<float> other(std::vector<float>(kCount, 99));
  PinnedArray<float> other_host(kCount);
  std::fill_n(other_host.data(), kCount, 99.0f);
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_TRUE(result.Download() == std::vector<float>(kCount, 4));
  EXPECT_TRUE(other.Download() == std::vector<float>(kCount, 99));
}

// 8: "cross-device needs EnablePeerAccess in the direction used, else 107000".
TEST_F(CopyTest, DevicesAreApart) {
  const DeviceArray<uint8_t> here(MadeBytes(4096, 1));
  ASSERT_ACL_OK(aclrtSetDevice(1));
  const DeviceArray<uint8_t> there(MadeBytes(4096, 2));
  const ExpectNothingChanges unchanged;
  EXPECT_ACL_ERROR(107000, aclrtMemcpy(there.data(), 4096, here.data(), 4096,
                                       ACL_MEMCPY_DEVICE_TO_DEVICE));
  EXPECT_ACL_ERROR(107000,
                   aclrtMemcpyAsync(here.data(), 4096, there.data(), 4096,
                                    ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr));
  EXPECT_TRUE(here.Download() == MadeBytes(4096, 1));
  EXPECT_TRUE(there.Download() == MadeBytes(4096, 2));
}

// 13: no context in this thread.
TEST_F(CopyTest, CopiesNeedAContext) {
  const DeviceArray<uint8_t> memory(MadeBytes(64, 1));
  InThread([&] {
    Bytes host(64, 9);
    EXPECT_ACL_ERROR(107002, aclrtMemcpy(memory.data(), 64, host.data(), 64,
                                         ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_ACL_ERROR(107002,
                     aclrtMemcpyAsync(memory.data(), 64, host.data(), 64,
                                      ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
    EXPECT_ACL_ERROR(107002,
                     aclrtMemsetAsync(memory.data(), 64, 0, 64, nullptr));
  });
  EXPECT_TRUE(memory.Download() == MadeBytes(64, 1));
}

// Copies from many threads at once keep apart.
TEST_F(CopyTest, ThreadsCopyAtOnce) {
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t] {
      ASSERT_ACL_OK(aclrtSetDevice(0));
      for (int round = 0; round < 8; ++round) {
        const Bytes sent = MadeBytes(kMiB + 11, static_cast<uint32_t>(t * 8));
        const DeviceArray<uint8_t> memory(sent);
        EXPECT_TRUE(memory.Download() == sent);
      }
      EXPECT_ACL_OK(aclrtResetDevice(0));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// 8: the form that picks its way by what the memory is checks as the others.
TEST_F(CopyTest, TheFormWithConditionIsChecked) {
  const DeviceArray<char> x(64);
  char host[64] = {};
  const ExpectNothingChanges unchanged;
  const auto copy = [](void* to, size_t room, const void* from, size_t count) {
    return aclrtMemcpyAsyncWithCondition(to, room, from, count,
                                         ACL_MEMCPY_DEFAULT, nullptr);
  };
  EXPECT_ACL_ERROR(100000, copy(nullptr, 64, host, 64));
  EXPECT_ACL_ERROR(100000, copy(x.data(), 64, nullptr, 64));
  EXPECT_ACL_ERROR(107000, copy(x.data(), 63, host, 64));
  EXPECT_ACL_ERROR(
      107017, aclrtMemcpyAsyncWithCondition(x.data(), 64, host, 64,
                                            ACL_MEMCPY_DEFAULT, Garbage()));
}

}  // namespace
}  // namespace ascend::conformance
