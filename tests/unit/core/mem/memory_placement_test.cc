// Where allocations land: pages, banks, neighbours, segments.
#include <set>

#include "tests/unit/core/mem/mem_test_support.h"

namespace ascend::core {
namespace {

TEST(MemoryPlacement, QueryKeyValueOutputLieSideBySide) {
  for (const uint64_t bytes : {2 * kMiB, 4 * kMiB, 100 * kMiB, 255 * kMiB}) {
    Fixture f;
    const uint64_t reserved = bytes + 128;
    const uint64_t q = f.Get(bytes, kHugeFirst);
    const uint64_t other = f.Get(bytes, kHugeFirst, kAlice, kOther);
    const uint64_t k = f.Get(bytes, kHugeFirst);
    f.Get(bytes, kHugeFirst, kBob);
    f.Get(bytes, kNormalOnly);
    const uint64_t v = f.Get(bytes, kHugeFirst);
    const uint64_t o = f.Get(bytes, kHugeFirst);
    EXPECT_EQ(k, q + reserved);
    EXPECT_EQ(v, k + reserved);
    EXPECT_EQ(o, v + reserved);
    EXPECT_TRUE(other < q || other >= o + reserved);

    // Physically one piece per bank, in at most two neighbouring banks.
    std::set<uint32_t> groups;
    uint64_t next_frame = f.Extents(q, 1)[0].first_frame;
    for (const uint64_t va : {q, k, v, o}) {
      for (const PhysicalExtent& extent : f.Extents(va, bytes)) {
        EXPECT_LE(extent.first_frame, next_frame);
        EXPECT_GE(extent.first_frame + 1, next_frame);
        next_frame = extent.first_frame + extent.bytes / kFrameBytes + 1;
        groups.insert(extent.bank / 2);
      }
    }
    EXPECT_EQ(groups.size(), 1u) << bytes;
    f.manager.CheckInvariants();
  }
}

TEST(MemoryPlacement, ManyOfAGroupUpToOneGibibyteLieSideBySide) {
  Fixture f;
  uint64_t next = f.Get(3 * kMiB, kHugeFirst);
  for (int i = 0; i < 340; ++i) {  // 341 * 3 MiB = 1023 MiB
    next += 3 * kMiB + 128;
    ASSERT_EQ(f.Get(3 * kMiB, kHugeFirst), next) << i;
  }
  EXPECT_LT(f.backing.live.size(), 60u) << "slabs grow with the group";
  next += 3 * kMiB + 128;
  EXPECT_NE(f.Get(3 * kMiB, kHugeFirst), next);
  f.manager.CheckInvariants();
}

TEST(MemoryPlacement, AFreeByTheLaneEndsItsGroupAndByAnotherDoesNot) {
  Fixture f;
  const uint64_t q = f.Get(4 * kMiB, kHugeFirst);
  const uint64_t other = f.Get(4 * kMiB, kHugeFirst, kAlice, kOther);
  f.Drop(other, kAlice, kOther);
  const uint64_t k = f.Get(4 * kMiB, kHugeFirst);
  EXPECT_EQ(k, q + 4 * kMiB + 128);
  f.Drop(q);
  f.Drop(k);
  // A new group begins, on the warm memory of the old one.
  const int create_count = f.backing.create_count;
  EXPECT_EQ(f.Get(4 * kMiB, kHugeFirst), q);
  EXPECT_EQ(f.backing.create_count, create_count);
}

TEST(MemoryPlacement, AGroupAfterAFreeIsWholeToo) {
  Fixture f;
  for (int i = 0; i < 20; ++i) {
    f.Get(4 * kMiB, kHugeFirst);
    f.Drop(f.Get(6 * kMiB, kHugeFirst));
    uint64_t next = f.Get(200 * kMiB, kHugeFirst);
    const uint64_t first_frame = f.Extents(next, 1)[0].first_frame;
    for (uint64_t k = 1; k < 4; ++k) {
      next += 200 * kMiB + 128;
      ASSERT_EQ(f.Get(200 * kMiB, kHugeFirst), next);
      EXPECT_EQ(f.Extents(next, 1)[0].first_frame,
                first_frame + k * (200 * kMiB + 128) / kFrameBytes);
    }
  }
  f.manager.CheckInvariants();
}

TEST(MemoryPlacement, NormalPagesScatterInRunsOverTheBanks) {
  Fixture f;
  const uint64_t va = f.Get(4 * kMiB, kNormalOnly);
  const auto extents = f.Extents(va, 4 * kMiB);
  EXPECT_EQ(extents.size(), 64u);
  std::set<uint32_t> banks;
  for (const PhysicalExtent& extent : extents) {
    EXPECT_LE(extent.bytes, kRunBytes);
    banks.insert(extent.bank);
  }
  EXPECT_EQ(banks.size(), 32u);
}

TEST(MemoryPlacement, SmallHugeFirstSharesNormalPagesAtTheNextGranule) {
  Fixture f;
  const uint64_t a = f.Get(1000, kHugeFirst);
  const uint64_t b = f.Get(100, kNormalOnly);
  const uint64_t c = f.Get(kMiB, kHugeFirst);
  EXPECT_EQ(b, a + 1152);
  EXPECT_EQ(c, b + 256);
  EXPECT_EQ(f.manager.FindAllocation(kAlice, c)->placement, Placement::kNormal);
  EXPECT_EQ(f.backing.live.size(), 1u);
  EXPECT_EQ(f.backing.LiveBytes(), 2 * kMiB);
}

TEST(MemoryPlacement, PeerReachableAllocationsShareNoSegmentWithOthers) {
  Fixture f;
  const uint64_t a = f.Get(1000, 2);
  const uint64_t b = f.Get(1000, 5);
  EXPECT_NE(f.manager.Locate(kAlice, a, 1, Reach::kLive)->at(0).segment,
            f.manager.Locate(kAlice, b, 1, Reach::kLive)->at(0).segment);
}

TEST(MemoryPlacement, LargeOnesHaveASegmentOfTheirOwn) {
  Fixture f;
  const uint64_t small = f.Get(kMiB, kNormalOnly);
  const uint64_t large = f.Get(64 * kMiB, kNormalOnly);
  const auto slices = *f.manager.Locate(kAlice, large, 64 * kMiB, Reach::kLive);
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices[0].offset, 0u);
  EXPECT_EQ(f.backing.live.at(slices[0].segment).bytes, 66 * kMiB);
  EXPECT_NE(f.manager.Locate(kAlice, small, 1, Reach::kLive)->at(0).segment,
            slices[0].segment);
  EXPECT_EQ(large % 512, 0u);
}

TEST(MemoryPlacement, LocateAgreesWithTheWindowsOfSegments) {
  Fixture f;
  f.Get(kMiB + 5000, kHugeFirst);
  const uint64_t va = f.Get(9 * kMiB, kHugeFirst);
  const auto slices =
      *f.manager.Locate(kAlice, va + 77, 9 * kMiB - 77, Reach::kLive);
  EXPECT_GT(slices.size(), 1u);
  uint64_t next = va + 77;
  for (const SegmentSlice& slice : slices) {
    const SegmentWindow& window = f.backing.live.at(slice.segment);
    EXPECT_EQ(window.va + slice.offset, next);
    EXPECT_LE(slice.offset + slice.bytes, window.bytes);
    next += slice.bytes;
  }
  EXPECT_EQ(next, va + 9 * kMiB);
}

TEST(MemoryPlacement, GigaPagesTakeWholeOnesWithoutPadding) {
  Fixture f;
  const uint64_t va = f.Get(uint64_t{2} << 30, kHuge1g);
  const auto extents = f.Extents(va, uint64_t{2} << 30);
  ASSERT_EQ(extents.size(), 2u);
  for (const PhysicalExtent& extent : extents) {
    EXPECT_EQ(extent.bytes, uint64_t{1} << 30);
    EXPECT_EQ(extent.first_frame % (1 << 18), 0u);
  }
  EXPECT_EQ(f.manager.GetUsage(kAlice, kNpu0).reserved_bytes,
            uint64_t{2} << 30);
}

// Leaves 2 MiB free in runs, and no block whole.
void BreakEveryBlock(Fixture& f) {
  std::vector<uint64_t> vas;
  while (true) {
    const auto result = f.Try(2 * kMiB - 32, kNormalOnly, kBob);
    if (!result.status.ok()) break;
    vas.push_back(result.va);
  }
  EXPECT_EQ(vas.size(), 32u);
  f.Drop(vas[0], kBob);
  EXPECT_EQ(f.manager.GetDeviceUsage(kNpu0).pool_bytes, 2 * kMiB);
}

TEST(MemoryPlacement, HugeFirstFallsBackAndHugeOnlyFails) {
  Fixture f({SmallSpec(64 * kMiB, 4)}, 0);
  BreakEveryBlock(f);
  const AllocationResult huge = f.Try(2 * kMiB, kHugeOnly);
  EXPECT_EQ(ReasonOf(huge.status), Reason::kOutOfDeviceMemory);
  EXPECT_FALSE(huge.may_succeed_after_retire);
  const uint64_t va = f.Get(kMiB + 1, kHugeFirst);
  EXPECT_EQ(f.manager.FindAllocation(kAlice, va)->placement,
            Placement::kNormal);
  f.manager.CheckInvariants();
}

TEST(MemoryPlacement, HolesServeWhenNothingElseDoes) {
  Fixture f({SmallSpec(64 * kMiB, 4)}, 0);
  std::vector<uint64_t> vas;
  while (true) {
    const AllocationResult result = f.Try(6 * kMiB, kHugeFirst);
    if (!result.status.ok()) break;
    vas.push_back(result.va);
  }
  EXPECT_EQ(vas.size(), 10u);
  f.Drop(vas[3]);
  EXPECT_EQ(f.Get(6 * kMiB, kHugeFirst), vas[3]);
  f.manager.CheckInvariants();
}

TEST(MemoryPlacement, TheSameCallsGiveTheSamePlaces) {
  std::vector<uint64_t> first;
  for (int round = 0; round < 2; ++round) {
    Fixture f;
    std::vector<uint64_t> places;
    for (uint64_t i = 1; i < 200; ++i) {
      const uint64_t bytes = (i * 7919) % (5 * kMiB) + 1;
      const uint64_t va = f.Get(bytes, i % 3);
      places.push_back(va);
      for (const auto& extent : f.Extents(va, bytes)) {
        places.push_back(extent.first_frame);
      }
      if (i % 5 == 0) f.Drop(va);
    }
    if (round == 0) first = places;
    EXPECT_EQ(places, first);
  }
}

}  // namespace
}  // namespace ascend::core
