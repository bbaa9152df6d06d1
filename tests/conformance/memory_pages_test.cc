// semantics 6: page policies, room, exhaustion.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/byte_sizes.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

uintptr_t AddressOf(const void* memory) {
  return reinterpret_cast<uintptr_t>(memory);
}

class MemoryPagesTest : public AclTest {
 protected:
  void TearDown() override {
    FreeAll();
    AclTest::TearDown();
  }

  // Allocates and remembers; null and `code_` when that fails.
  void* TryGet(size_t bytes, aclrtMemMallocPolicy policy) {
    void* memory = nullptr;
    code_ = aclrtMalloc(&memory, bytes, policy);
    if (code_ == ACL_SUCCESS) {
      live_.push_back(memory);
    } else {
      EXPECT_EQ(memory, nullptr);
      EXPECT_ACL_ERROR(207001, code_);
    }
    return memory;
  }
  void* Get(size_t bytes,
            aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST) {
    void* const memory = TryGet(bytes, policy);
    EXPECT_NE(memory, nullptr) << bytes << " bytes by policy " << policy;
    return memory;
  }
  size_t FillUp(size_t bytes, aclrtMemMallocPolicy policy) {
    const size_t before = live_.size();
    while (TryGet(bytes, policy) != nullptr) {
    }
    return live_.size() - before;
  }
  void FreeAll() {
    for (void* const memory : live_) EXPECT_ACL_OK(aclrtFree(memory));
    live_.clear();
  }
  size_t FreeBytes() {
    size_t free = 0;
    size_t total = 0;
    EXPECT_ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    return free;
  }

  std::vector<void*> live_;
  aclError code_ = ACL_SUCCESS;
};

// 6: "round up to 32 and add 32"; the granule is 128. "The pad is invisible to
// the user except in GetMemInfo".
TEST_F(MemoryPagesTest, MallocTakesRoomAndFreeGivesItBack) {
  const size_t before = FreeBytes();
  const struct {
    size_t asked;
    size_t reserved;
  } cases[] = {{1, 128},
               {96, 128},
               {97, 256},
               {kMiB, kMiB + 128},
               {kMiB + 1, kMiB + 128},
               {3 * kMiB - 32, 3 * kMiB}};
  for (const auto& c : cases) {
    const uint64_t held = CurrentHoldings().hbm_bytes;
    void* const memory = Get(c.asked);
    EXPECT_EQ(CurrentHoldings().hbm_bytes - held, c.reserved) << c.asked;
    EXPECT_LE(FreeBytes(), before - c.reserved);
    EXPECT_ACL_OK(aclrtFree(memory));
    live_.pop_back();
    EXPECT_EQ(CurrentHoldings().hbm_bytes, held);
  }
  EXPECT_EQ(FreeBytes(), before);
}

// 6 and the promise of the header: huge-first allocations above 1 MiB of one
// thread in a row, up to 1 GiB together, lie side by side: Q, K, V, O.
TEST_F(MemoryPagesTest, HugeFirstAllocationsInARowLieSideBySide) {
  for (const size_t bytes : {2 * kMiB, 3 * kMiB + 100, 255 * kMiB}) {
    const size_t reserved = ((bytes + 31) / 32 * 32 + 32 + 127) / 128 * 128;
    const uintptr_t q = AddressOf(Get(bytes));
    // What others do between does not matter.
    InThread([&] {
      EXPECT_ACL_OK(aclrtSetDevice(0));
      Get(4 * kMiB);
      EXPECT_ACL_OK(aclrtResetDevice(0));
    });
    Get(5 * kMiB, ACL_MEM_MALLOC_NORMAL_ONLY);
    for (int i = 1; i <= 3; ++i) {
      EXPECT_EQ(AddressOf(Get(bytes)), q + i * reserved) << bytes;
    }
    FreeAll();
  }
}

// 6: every policy 0..7 gives memory that works, and so do high bits; "unlisted
// policy: huge when >= 2 MiB else normal".
TEST_F(MemoryPagesTest, EveryPolicyGivesMemoryThatWorks) {
  std::vector<uint32_t> policies = {0, 1, 2, 3, 4, 5, 6, 7, 0x1000, 0x101, 77};
  for (const uint32_t policy : policies) {
    for (const size_t bytes : {size_t{100}, 3 * kMiB}) {
      void* const memory =
          Get(bytes, static_cast<aclrtMemMallocPolicy>(policy));
      const auto value = static_cast<int32_t>(policy % 251);
      ASSERT_ACL_OK(aclrtMemset(memory, bytes, value, bytes));
      std::vector<uint8_t> back(bytes);
      ASSERT_ACL_OK(aclrtMemcpy(back.data(), bytes, memory, bytes,
                                ACL_MEMCPY_DEVICE_TO_HOST));
      EXPECT_TRUE(back ==
                  std::vector<uint8_t>(bytes, static_cast<uint8_t>(value)));
      FreeAll();
    }
  }
}

// 13: exhausted 207001; then everything works again.
TEST_F(MemoryPagesTest, MemoryRunsOutAndComesBack) {
  const size_t all = FreeBytes();
  EXPECT_EQ(TryGet(all + 1, ACL_MEM_MALLOC_HUGE_FIRST), nullptr);
  EXPECT_EQ(TryGet(SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST), nullptr);
  EXPECT_EQ(TryGet(SIZE_MAX - 63, ACL_MEM_MALLOC_NORMAL_ONLY), nullptr);
  EXPECT_EQ(TryGet(size_t{1} << 63, ACL_MEM_MALLOC_HUGE1G_ONLY), nullptr);
  EXPECT_EQ(FreeBytes(), all);
  for (int round = 0; round < 2; ++round) {
    EXPECT_GE(FillUp(kGiB, ACL_MEM_MALLOC_HUGE_FIRST), 31u);
    FillUp(64 * kMiB, ACL_MEM_MALLOC_HUGE_FIRST);
    FillUp(2 * kMiB, ACL_MEM_MALLOC_HUGE_FIRST);
    FillUp(kMiB + 64 * kKiB, ACL_MEM_MALLOC_HUGE_FIRST);
    FillUp(64 * kKiB, ACL_MEM_MALLOC_NORMAL_ONLY);
    // Less than a huge page at the end of each large block.
    EXPECT_LT(FreeBytes(), 64 * kMiB);
    // What there is can be used still.
    ASSERT_ACL_OK(aclrtMemset(live_.front(), kGiB, 5, kMiB));
    ASSERT_ACL_OK(aclrtMemset(live_.back(), 64 * kKiB, 6, 64 * kKiB));
    // The other device has its own.
    ASSERT_ACL_OK(aclrtSetDevice(1));
    EXPECT_EQ(FreeBytes(), all);
    { const DeviceArray<char> there(kGiB); }
    ASSERT_ACL_OK(aclrtSetDevice(0));
    FreeAll();
    EXPECT_EQ(FreeBytes(), all);
  }
  // Streams and kernels were never harmed.
  const Ops ops;
  const DeviceArray<float> x(std::vector<float>(16, 1));
  EXPECT_ACL_OK(ops.Add(x.data(), x.data(), x.data(), 16, nullptr));
  EXPECT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(x.Download(), std::vector<float>(16, 2));
}

// A malloc waits while what was freed is only held up by tasks that will end.
TEST_F(MemoryPagesTest, MallocWaitsForTasksThatHoldWhatWasFreed) {
  const Ops ops;
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> product(Ops::kBusyElements);
  FillUp(kGiB, ACL_MEM_MALLOC_HUGE_FIRST);
  FillUp(2 * kMiB, ACL_MEM_MALLOC_HUGE_FIRST);
  ASSERT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), nullptr));
  FreeAll();
  for (int i = 0; i < 30; ++i) Get(kGiB);
  EXPECT_ACL_OK(aclrtSynchronizeStream(nullptr));
}

// 6: HUGE_ONLY is "2 MiB or fail", HUGE_FIRST "falls back to 4 KiB". Small
// pages come from everywhere: when every other block of them is freed, there is
// much room, but none of 2 MiB in one piece.
TEST_F(MemoryPagesTest, HugePagesRunOutBeforeSmallOnes) {
  constexpr size_t kBlock = 32 * kMiB - 64;
  FillUp(kBlock, ACL_MEM_MALLOC_NORMAL_ONLY);
  std::vector<void*> kept;
  for (size_t i = 0; i < live_.size(); ++i) {
    if (i % 2 == 0) {
      kept.push_back(live_[i]);
    } else {
      EXPECT_ACL_OK(aclrtFree(live_[i]));
    }
  }
  live_ = std::move(kept);
  EXPECT_GT(FreeBytes(), 8 * kGiB);
  for (size_t i = 0; i < 200; ++i) {
    if (TryGet(2 * kMiB - 64, ACL_MEM_MALLOC_HUGE_ONLY) == nullptr) break;
  }
  EXPECT_EQ(TryGet(2 * kMiB - 64, ACL_MEM_MALLOC_HUGE_ONLY), nullptr);
  EXPECT_EQ(TryGet(64 * kMiB, ACL_MEM_MALLOC_HUGE_ONLY), nullptr);
  Get(64 * kMiB);
  Get(2 * kMiB - 64);
  // At most 1 MiB never asks for huge pages.
  Get(kMiB);
}

// 6: HUGE1G_ONLY: 1 GiB or fail.
TEST_F(MemoryPagesTest, GigaPagesRunOutFirst) {
  const size_t all = FreeBytes();
  Get(2 * kMiB - 64, ACL_MEM_MALLOC_HUGE_ONLY);
  const size_t count = FillUp(kGiB - 64, ACL_MEM_MALLOC_HUGE1G_ONLY);
  EXPECT_GE(count, all / kGiB - 2);
  EXPECT_LT(count, all / kGiB);
  Get(100 * kMiB, ACL_MEM_MALLOC_HUGE_ONLY);
  Get(100 * kMiB, ACL_MEM_MALLOC_NORMAL_ONLY);
}

}  // namespace
}  // namespace ascend::conformance
