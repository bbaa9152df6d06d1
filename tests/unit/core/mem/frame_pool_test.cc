#include "core/mem/frame_pool.h"

#include <set>

#include "gtest/gtest.h"

namespace ascend::core {
namespace {

HbmGeometry Ascend910() { return HbmGeometry::FromSpec(Ascend910Spec()); }

// 4 banks of 8 blocks.
HbmGeometry Small() {
  DeviceSpec spec = Ascend910Spec();
  spec.hbm_bytes = 64 << 20;
  spec.hbm_banks = 4;
  return HbmGeometry::FromSpec(spec);
}

uint32_t FirstBlock(const FrameGrant& grant) {
  return grant.extents.front().first_run / kRunsPerBlock;
}

TEST(HbmGeometry, BankGroupsAreTwoNeighboursOnAscend910) {
  const HbmGeometry g = Ascend910();
  EXPECT_EQ(g.bank_count, 32u);
  EXPECT_EQ(g.bank_bytes, uint64_t{1} << 30);
  EXPECT_EQ(g.blocks_per_group, 1024u);
  EXPECT_EQ(Small().blocks_per_group, 32u);
}

TEST(FramePool, ScatteredRunsVisitEveryBankAndNeverTouch) {
  FramePool pool(Ascend910());
  const auto grant = pool.TakeScattered(64);
  ASSERT_TRUE(grant);
  std::set<uint32_t> banks;
  for (size_t i = 0; i < 32; ++i) {
    const RunExtent& extent = grant->extents[i];
    EXPECT_EQ(extent.run_count, 1u);
    banks.insert(extent.first_run / (512 * kRunsPerBlock));
  }
  EXPECT_EQ(banks.size(), 32u);
  for (size_t i = 1; i < 64; ++i) {
    EXPECT_NE(grant->extents[i].first_run, grant->extents[i - 1].first_run + 1);
  }
  pool.CheckInvariants();
}

TEST(FramePool, ScatteredRunsOfOneBankAreNotContiguousEither) {
  DeviceSpec spec = Ascend910Spec();
  spec.hbm_bytes = 8 << 20;
  spec.hbm_banks = 1;
  FramePool pool(HbmGeometry::FromSpec(spec));
  const auto grant = pool.TakeScattered(128);
  ASSERT_TRUE(grant);
  for (size_t i = 1; i < 128; ++i) {
    EXPECT_NE(grant->extents[i].first_run, grant->extents[i - 1].first_run + 1);
  }
  EXPECT_FALSE(pool.TakeScattered(1));
}

TEST(FramePool, BlocksOfAWindowFollowOneAnother) {
  FramePool pool(Ascend910());
  const WindowId a = pool.NewWindowId();
  const WindowId b = pool.NewWindowId();
  const auto a1 = pool.TakeBlocks(3, a);
  const auto b1 = pool.TakeBlocks(5, b);
  const auto c = pool.TakeBlocks(7, 0);
  const auto a2 = pool.TakeBlocks(509, a);
  ASSERT_TRUE(a1 && b1 && c && a2);
  EXPECT_EQ(FirstBlock(*a2), FirstBlock(*a1) + 3);
  EXPECT_EQ(a2->extents.size(), 1u);
  EXPECT_EQ(FirstBlock(*a1) / 1024, (FirstBlock(*a2) + 508) / 1024)
      << "1 GiB stays in a bank group";
  pool.CheckInvariants();
}

TEST(FramePool, TheOtherPoliciesSpareTheWindows) {
  FramePool pool(Small());
  const WindowId a = pool.NewWindowId();
  ASSERT_TRUE(pool.TakeBlocks(1, a));  // keeps all the rest
  const WindowId b = pool.NewWindowId();
  const auto b1 = pool.TakeBlocks(1, b);  // takes half of it
  ASSERT_TRUE(b1);
  EXPECT_EQ(FirstBlock(*b1), 17u);
  const auto a2 = pool.TakeBlocks(4, a);
  ASSERT_TRUE(a2);
  EXPECT_EQ(FirstBlock(*a2), 1u);
  pool.CloseWindow(a);
  const auto runs = pool.TakeScattered(4);
  ASSERT_TRUE(runs);
  for (const RunExtent& extent : runs->extents) {
    const uint32_t block = extent.first_run / kRunsPerBlock;
    if (block / 8 == 1) {
      EXPECT_LT(block, 17u);
    }
  }
}

TEST(FramePool, TakesFromWindowsRatherThanRefuse) {
  FramePool pool(Small());
  ASSERT_TRUE(pool.TakeBlocks(1, pool.NewWindowId()));
  const auto rest = pool.TakeBlocks(31, 0);
  ASSERT_TRUE(rest);
  EXPECT_FALSE(pool.TakeBlocks(1, 0));
  EXPECT_EQ(pool.free_bytes(), 0u);
  pool.Return(rest->extents);
  EXPECT_TRUE(pool.TakeScattered(31 * kRunsPerBlock));
  pool.CheckInvariants();
}

TEST(FramePool, ScatteredBlocksServeWhenNothingIsContiguous) {
  FramePool pool(Small());
  std::vector<FrameGrant> grants;
  for (int i = 0; i < 32; ++i) grants.push_back(*pool.TakeBlocks(1, 0));
  for (int i = 0; i < 32; i += 2) pool.Return(grants[i].extents);
  const auto grant = pool.TakeBlocks(16, 0);
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->extents.size(), 16u);
  EXPECT_FALSE(pool.TakeBlocks(1, 0));
  pool.CheckInvariants();
}

TEST(FramePool, UndoRestoresFramesWindowsAndTurn) {
  FramePool pool(Small());
  const WindowId a = pool.NewWindowId();
  const WindowId b = pool.NewWindowId();
  ASSERT_TRUE(pool.TakeBlocks(2, a));
  pool.Undo(*pool.TakeBlocks(2, b));  // shrank the window of a
  const auto a2 = pool.TakeBlocks(30, a);
  ASSERT_TRUE(a2);
  EXPECT_EQ(FirstBlock(*a2), 2u);
  pool.Return(a2->extents);
  const auto runs = pool.TakeScattered(3);
  pool.Undo(*runs);
  EXPECT_EQ(pool.TakeScattered(3)->extents[0].first_run,
            runs->extents[0].first_run);
}

TEST(FramePool, GigaBlocksAreAlignedAndWhole) {
  FramePool pool(Ascend910());
  ASSERT_TRUE(pool.TakeScattered(1));  // breaks one bank
  const auto grant = pool.TakeGiga(31);
  ASSERT_TRUE(grant);
  for (const RunExtent& extent : grant->extents) {
    EXPECT_EQ(extent.first_run % (512 * kRunsPerBlock), 0u);
  }
  EXPECT_FALSE(pool.TakeGiga(1));
  pool.CheckInvariants();
}

TEST(FramePoolDeathTest, ReturningFreeFramesIsABug) {
  FramePool pool(Small());
  const auto grant = pool.TakeScattered(1);
  pool.Return(grant->extents);
  EXPECT_DEATH(pool.Return(grant->extents), "free already");
}

}  // namespace
}  // namespace ascend::core
