// Life of an allocation, quarantine, quotas, errors, sessions.
#include "core/mem/memory_manager.h"

#include "gmock/gmock.h"
#include "tests/unit/core/mem/mem_test_support.h"

namespace ascend::core {
namespace {

using ::testing::HasSubstr;

TEST(MemoryManager, AnAddressTellsItsDevice) {
  Fixture f;
  const uint64_t a = f.Get(100, kNormalOnly);
  const uint64_t b = f.Get(100, kNormalOnly, kAlice, kMain, kNpu1);
  EXPECT_EQ(DeviceOfVa(a, 2), kNpu0);
  EXPECT_EQ(DeviceOfVa(b, 2), kNpu1);
  EXPECT_EQ(DeviceOfVa(b, 1), std::nullopt);
  EXPECT_EQ(f.manager.FindAllocation(kAlice, b)->device, kNpu1);
  EXPECT_EQ(a % 128, 0u);
}

TEST(MemoryManager, SessionsHaveAddressSpacesOfTheirOwn) {
  Fixture f;
  const uint64_t a = f.Get(100, kNormalOnly, kAlice);
  const uint64_t b = f.Get(100, kNormalOnly, kBob);
  EXPECT_EQ(a, b);
  EXPECT_NE(f.Extents(a, 100, kAlice), f.Extents(b, 100, kBob));
  f.Drop(a, kAlice);
  EXPECT_TRUE(f.manager.FindAllocation(kBob, b).ok());
  EXPECT_FALSE(f.manager.FindAllocation(kAlice, a).ok());
}

TEST(MemoryManager, FindsTheAllocationOfAnInteriorAddress) {
  Fixture f;
  const uint64_t va = f.Get(1000, 2 | 0x1000);
  const AllocationInfo info = *f.manager.FindAllocation(kAlice, va + 999);
  EXPECT_EQ(info.base_va, va);
  EXPECT_EQ(info.bytes, 1000u);
  EXPECT_EQ(info.policy, 2u | 0x1000);
  EXPECT_FALSE(f.manager.FindAllocation(kAlice, va + 1000).ok());
}

TEST(MemoryManager, RefusesBadArgumentsAndChangesNothing) {
  Fixture f;
  const uint64_t va = f.Get(1000, kNormalOnly);
  const MemoryRoom before = f.Info();
  EXPECT_EQ(ReasonOf(f.Try(0, 0).status), Reason::kNullArgument);
  EXPECT_EQ(ReasonOf(f.Try(1, 0, kAlice, kMain, DeviceId(2)).status),
            Reason::kUnknownDevice);
  EXPECT_EQ(ReasonOf(f.Try(UINT64_MAX, 0).status), Reason::kOutOfDeviceMemory);
  EXPECT_EQ(ReasonOf(f.Try(uint64_t{33} << 30, 2).status),
            Reason::kOutOfDeviceMemory);
  const auto free = [&](uint64_t bad) {
    return ReasonOf(f.manager.Free(kAlice, kMain, bad, 0));
  };
  EXPECT_EQ(free(0), Reason::kNullArgument);
  EXPECT_EQ(free(1), Reason::kInvalidArgument);
  EXPECT_EQ(free(UINT64_MAX), Reason::kInvalidArgument);
  EXPECT_EQ(free(va + 128), Reason::kInvalidArgument);
  EXPECT_EQ(free(DeviceWindowVa(kNpu1)), Reason::kInvalidArgument);
  EXPECT_EQ(ReasonOf(f.manager.Free(kBob, kMain, va, 0)),
            Reason::kInvalidArgument);
  EXPECT_EQ(f.Info().free_bytes, before.free_bytes);
  EXPECT_EQ(f.manager.GetUsage(kAlice, kNpu0).used_bytes, 1000u);
  f.Drop(va);
  EXPECT_EQ(free(va), Reason::kInvalidArgument) << "double free";
  EXPECT_EQ(f.manager.GetUsage(kAlice, kNpu0).used_bytes, 0u);
  f.manager.CheckInvariants();
}

TEST(MemoryManager, CountsWhatASessionFreed) {
  Fixture f;
  const auto freed = [&] {
    return std::pair(f.manager.FreeCount(kAlice), f.manager.FreeCount(kBob));
  };
  const uint64_t a = f.Get(100, kNormalOnly, kAlice);
  const uint64_t b = f.Get(100, kNormalOnly, kBob);
  EXPECT_FALSE(f.manager.Free(kAlice, kMain, a + 128, 0).ok());
  EXPECT_EQ(freed(), std::pair(uint64_t{0}, uint64_t{0}));
  // When it is freed, not when it leaves quarantine.
  ASSERT_TRUE(f.manager.Free(kAlice, kMain, a, 5).ok());
  EXPECT_EQ(freed(), std::pair(uint64_t{1}, uint64_t{0}));
  f.manager.RetireUpTo(kAlice, 5);
  EXPECT_EQ(freed(), std::pair(uint64_t{1}, uint64_t{0}));
  f.Drop(b, kBob);
  EXPECT_EQ(freed(), std::pair(uint64_t{1}, uint64_t{1}));
}

TEST(MemoryManager, TranslateCoversExactlyTheAskedBytes) {
  Fixture f;
  const uint64_t va = f.Get(5 * kMiB + 3, kNormalOnly);
  for (const auto& [offset, bytes] : std::vector<std::pair<uint64_t, uint64_t>>{
           {0, 5 * kMiB + 3}, {5, 70000}, {65535, 2}, {5 * kMiB, 3}, {9, 0}}) {
    uint64_t sum = 0;
    for (const auto& extent : f.Extents(va + offset, bytes))
      sum += extent.bytes;
    EXPECT_EQ(sum, bytes);
  }
  const auto translate = [&](uint64_t at, uint64_t bytes) {
    return ReasonOf(
        f.manager.Translate(kAlice, at, bytes, Reach::kLive).status());
  };
  EXPECT_EQ(translate(va, 5 * kMiB + 4), Reason::kInvalidArgument);
  EXPECT_EQ(translate(va + 1, UINT64_MAX), Reason::kInvalidArgument);
  EXPECT_EQ(translate(va - 1, 2), Reason::kInvalidArgument);
}

TEST(MemoryManager, AFreedRangeStaysUntilEarlierSubmissionsRetired) {
  Fixture f;
  const uint64_t va = f.Get(1000, kNormalOnly);
  const auto extents = f.Extents(va, 1000);
  ASSERT_TRUE(f.manager.Free(kAlice, kMain, va, 7).ok());
  EXPECT_FALSE(f.manager.Translate(kAlice, va, 1000, Reach::kLive).ok());
  EXPECT_EQ(*f.manager.Translate(kAlice, va, 1000, Reach::kLiveAndQuarantined),
            extents);
  EXPECT_NE(f.Get(1000, kNormalOnly), va);
  EXPECT_EQ(f.manager.GetUsage(kAlice, kNpu0).quarantined_bytes, 1152u);
  EXPECT_EQ(f.manager.RetireUpTo(kAlice, 6).allocation_count, 0u);
  const RetireResult retired = f.manager.RetireUpTo(kAlice, 7);
  EXPECT_EQ(retired.allocation_count, 1u);
  EXPECT_EQ(retired.bytes, 1152u);
  EXPECT_EQ(f.manager.GetUsage(kAlice, kNpu0).quarantined_bytes, 0u);
  EXPECT_EQ(f.Get(1000, kNormalOnly), va);
  // Everything submitted has retired: nothing to wait for.
  ASSERT_TRUE(f.manager.Free(kAlice, kMain, va, 7).ok());
  EXPECT_EQ(f.Get(1000, kNormalOnly), va);
}

TEST(MemoryManager, TellsWhetherWaitingForTheQuarantineHelps) {
  Fixture f({SmallSpec(64 * kMiB, 4)});
  const uint64_t va = f.Get(40 * kMiB, kNormalOnly);
  AllocationResult result = f.Try(40 * kMiB, kNormalOnly);
  EXPECT_EQ(ReasonOf(result.status), Reason::kOutOfDeviceMemory);
  EXPECT_FALSE(result.may_succeed_after_retire);
  ASSERT_TRUE(f.manager.Free(kAlice, kMain, va, 1).ok());
  result = f.Try(40 * kMiB, kNormalOnly);
  EXPECT_TRUE(result.may_succeed_after_retire);
  EXPECT_FALSE(f.Try(70 * kMiB, kNormalOnly).may_succeed_after_retire);
  f.manager.RetireUpTo(kAlice, 1);
  EXPECT_EQ(f.Get(40 * kMiB, kNormalOnly), va);
}

TEST(MemoryManager, QuotaIsExactAndNamesItsNumbers) {
  Fixture f({Ascend910Spec(), Ascend910Spec()}, 256 * kMiB, 64 * kMiB);
  EXPECT_EQ(f.Info().total_bytes, 64 * kMiB);
  EXPECT_EQ(f.Info().free_bytes, 64 * kMiB);
  EXPECT_EQ(f.Info(kBob).total_bytes, uint64_t{32} << 30);
  const uint64_t va = f.Get(40 * kMiB - 32, kHugeFirst);
  f.Get(8 * kMiB - 32, kNormalOnly, kAlice, kMain, kNpu1);
  EXPECT_EQ(f.Info().free_bytes, 16 * kMiB) << "one quota for all devices";
  const AllocationResult refused = f.Try(16 * kMiB, kNormalOnly);
  EXPECT_EQ(ReasonOf(refused.status), Reason::kOutOfDeviceMemory);
  EXPECT_FALSE(refused.may_succeed_after_retire);
  EXPECT_THAT(std::string(refused.status.message()),
              ::testing::AllOf(HasSubstr("session 1"), HasSubstr("67108864"),
                               HasSubstr("50331648"), HasSubstr("16777216")));
  const uint64_t last = f.Get(16 * kMiB - 32, kNormalOnly);
  EXPECT_EQ(f.Info().free_bytes, 0u);
  EXPECT_FALSE(f.Try(1, kNormalOnly).status.ok());

  ASSERT_TRUE(f.manager.Free(kAlice, kMain, va, 5).ok());
  const AllocationResult later = f.Try(30 * kMiB, kHugeOnly);
  EXPECT_FALSE(later.status.ok()) << "quarantine counts";
  EXPECT_TRUE(later.may_succeed_after_retire);
  f.manager.RetireUpTo(kAlice, 5);
  f.Get(30 * kMiB, kHugeOnly);
  f.Drop(last);
  f.manager.CheckInvariants();
}

TEST(MemoryManager, AQuotaBoundsPhysicalMemoryInSpiteOfHoles) {
  Fixture f({Ascend910Spec()}, 256 * kMiB, 64 * kMiB);
  // Pins a granule in each slab, of every class and of many lanes.
  for (int round = 0; round < 300; ++round) {
    std::vector<uint64_t> vas;
    while (true) {
      const auto lane = LaneId(static_cast<uint32_t>(round));
      const auto result = f.Try(kMiB + 1000, vas.size() % 3, kAlice, lane);
      if (!result.status.ok()) break;
      vas.push_back(result.va);
    }
    ASSERT_FALSE(vas.empty());
    for (size_t i = 0; i < vas.size(); ++i) {
      if (round < 30 && i % 9 == 0) continue;
      f.Drop(vas[i], kAlice, LaneId(static_cast<uint32_t>(round)));
    }
    ASSERT_LE(f.backing.LiveBytes(), (64 + 16) * kMiB);
    if (f.Info().free_bytes < 8 * kMiB) break;
  }
  f.manager.CheckInvariants();
}

TEST(MemoryManager, FreeMemoryFallsByWhatIsReserved) {
  Fixture f;
  const MemoryRoom before = f.Info();
  EXPECT_EQ(before.free_bytes, uint64_t{32} << 30);
  const uint64_t a = f.Get(1000, kNormalOnly);
  const uint64_t b = f.Get(7 * kMiB, kHugeFirst);
  const uint64_t c = f.Get(700 * kMiB, kNormalOnly);
  EXPECT_EQ(f.Info().free_bytes,
            before.free_bytes - 1152 - 7 * kMiB - 128 - 700 * kMiB - 128);
  for (const uint64_t va : {a, b, c}) f.Drop(va);
  EXPECT_EQ(f.Info().free_bytes, before.free_bytes);
  EXPECT_EQ(f.Info(kBob).free_bytes, before.free_bytes) << "warm is free";
}

TEST(MemoryManager, WarmMemoryIsBoundedAndOthersGetItOnDemand) {
  Fixture f({SmallSpec(256 * kMiB, 4)}, 64 * kMiB);
  const uint64_t a = f.Get(30 * kMiB, kNormalOnly);
  f.Drop(a);
  EXPECT_EQ(f.backing.LiveBytes(), 32 * kMiB);
  EXPECT_EQ(f.Get(30 * kMiB, kNormalOnly), a);
  EXPECT_EQ(f.backing.create_count, 1);
  const uint64_t b = f.Get(100 * kMiB, kNormalOnly);
  f.Drop(a);
  f.Drop(b);
  EXPECT_LE(f.backing.LiveBytes(), 64 * kMiB);
  f.Get(255 * kMiB, kNormalOnly, kBob);
  f.manager.CheckInvariants();
}

TEST(MemoryManager, HolesInLiveSegmentsAreScrubbedPastTheWarmLimit) {
  Fixture f({Ascend910Spec()}, 4 * kMiB);
  const uint64_t q = f.Get(40 * kMiB, kHugeFirst);
  const uint64_t k = f.Get(100 * kMiB, kHugeFirst);
  f.Drop(q);  // k begins in its segment
  EXPECT_EQ(f.backing.scrubbed_bytes, 40 * kMiB);
  f.Drop(k);
  EXPECT_LE(f.backing.LiveBytes(), 4 * kMiB);
  f.manager.CheckInvariants();
}

TEST(MemoryManager, AFailureOfTheBackingChangesNothing) {
  for (const uint32_t policy : {kHugeFirst, kHugeOnly, kNormalOnly, kHuge1g}) {
    for (const uint64_t bytes : {3 * kMiB, 90 * kMiB}) {
      for (int failing = 1; failing <= 3; ++failing) {
        Fixture plain, f;
        f.backing.failing_create = failing;
        std::vector<uint64_t> expected, vas;
        int failure_count = 0;
        for (int i = 0; i < 8; ++i) {
          expected.push_back(plain.Get(bytes, policy));
          const DeviceMemoryUsage before = f.manager.GetDeviceUsage(kNpu0);
          AllocationResult result = f.Try(bytes, policy);
          if (!result.status.ok()) {
            ++failure_count;
            EXPECT_THAT(std::string(result.status.message()),
                        HasSubstr("the host has no memory"));
            const DeviceMemoryUsage after = f.manager.GetDeviceUsage(kNpu0);
            EXPECT_EQ(after.pool_bytes, before.pool_bytes);
            EXPECT_EQ(after.sessions.reserved_bytes,
                      before.sessions.reserved_bytes);
            EXPECT_EQ(after.sessions.idle_bytes, before.sessions.idle_bytes);
            f.manager.CheckInvariants();
            result = f.Try(bytes, policy);
          }
          ASSERT_TRUE(result.status.ok());
          vas.push_back(result.va);
          EXPECT_EQ(f.Extents(vas.back(), bytes),
                    plain.Extents(expected.back(), bytes));
        }
        EXPECT_EQ(failure_count, 1);
        EXPECT_EQ(vas, expected) << "policy " << policy << " call " << failing;
      }
    }
  }
}

TEST(MemoryManager, ClosingASessionReturnsEverything) {
  Fixture f;
  for (uint32_t i = 0; i < 60; ++i) {
    const uint64_t va = f.Get((i * i + 1) * 9000, i % 4, kAlice, LaneId(i % 3),
                              DeviceId(i % 2));
    if (i % 3 == 0) {
      ASSERT_TRUE(f.manager.Free(kAlice, kMain, va, i).ok());
    }
  }
  f.Get(1000, kNormalOnly, kBob);
  f.manager.CloseSession(kAlice);
  EXPECT_FALSE(f.manager.IsOpen(kAlice));
  EXPECT_EQ(f.backing.LiveBytes(), 2 * kMiB);
  EXPECT_EQ(f.manager.GetDeviceUsage(kNpu0).pool_bytes,
            (uint64_t{32} << 30) - 2 * kMiB);
  EXPECT_EQ(f.manager.GetDeviceUsage(kNpu1).pool_bytes, uint64_t{32} << 30);
  f.manager.CheckInvariants();
}

TEST(MemoryManager, PeaksAreKept) {
  Fixture f;
  f.Drop(f.Get(10 * kMiB, kNormalOnly));
  f.Get(kMiB, kNormalOnly, kBob);
  EXPECT_EQ(f.manager.GetUsage(kAlice, kNpu0).reserved_bytes_max,
            10 * kMiB + 128);
  EXPECT_EQ(f.manager.GetUsage(kAlice, kNpu0).reserved_bytes, 0u);
  EXPECT_EQ(f.manager.GetDeviceUsage(kNpu0).sessions.reserved_bytes_max,
            10 * kMiB + 128);
}

TEST(MemoryManager, AHundredThousandAllocationsLive) {
  Fixture f;
  std::vector<uint64_t> vas;
  for (int i = 0; i < 100000; ++i) vas.push_back(f.Get(4096, kNormalOnly));
  EXPECT_LT(f.backing.live.size(), 80u);
  for (size_t i = 0; i < vas.size(); i += 2) f.Drop(vas[i]);
  for (size_t i = 0; i < vas.size(); i += 2) f.Get(4096, kNormalOnly);
  EXPECT_EQ(f.manager.GetUsage(kAlice, kNpu0).allocation_count, 100000u);
  f.manager.CheckInvariants();
}

TEST(MemoryManagerDeathTest, ASessionThatIsNotOpenIsABugOfTheCaller) {
  Fixture f;
  EXPECT_DEATH(f.Try(1, 0, SessionId(9)), "session 9 is not open");
  EXPECT_DEATH(f.manager.OpenSession(kAlice, 0), "open already");
}

}  // namespace
}  // namespace ascend::core
