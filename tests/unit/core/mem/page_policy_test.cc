#include "core/mem/page_policy.h"

#include "core/mem/hbm_geometry.h"
#include "gtest/gtest.h"

namespace ascend::core {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

TEST(PagePolicy, HugeFirstTurnsHugeAboveOneMebibyte) {
  for (const uint32_t policy : {0u, 3u}) {
    EXPECT_EQ(ClassifyRequest(policy, kMiB).placement, Placement::kNormal);
    const PlacementRequest huge = ClassifyRequest(policy, kMiB + 1);
    EXPECT_EQ(huge.placement, Placement::kHuge);
    EXPECT_TRUE(huge.may_fall_back);
    EXPECT_TRUE(huge.is_grouped);
    EXPECT_EQ(huge.is_peer_reachable, policy == 3);
  }
}

TEST(PagePolicy, OnlyPoliciesNeverFallBack) {
  for (const uint32_t policy : {1u, 2u, 4u, 5u, 6u, 7u}) {
    EXPECT_FALSE(ClassifyRequest(policy, 1).may_fall_back) << policy;
    EXPECT_FALSE(ClassifyRequest(policy, 8 * kMiB).is_grouped) << policy;
  }
  EXPECT_EQ(ClassifyRequest(1, 1).placement, Placement::kHuge);
  EXPECT_EQ(ClassifyRequest(4, 1).placement, Placement::kHuge);
  EXPECT_EQ(ClassifyRequest(2, 8 * kMiB).placement, Placement::kNormal);
  EXPECT_EQ(ClassifyRequest(5, 8 * kMiB).placement, Placement::kNormal);
  EXPECT_EQ(ClassifyRequest(6, 1).placement, Placement::kGiga);
  EXPECT_EQ(ClassifyRequest(7, 1).placement, Placement::kGiga);
}

TEST(PagePolicy, UnlistedOnesAreHugeFromTwoMebibytes) {
  EXPECT_EQ(ClassifyRequest(99, 2 * kMiB - 1).placement, Placement::kNormal);
  EXPECT_EQ(ClassifyRequest(99, 2 * kMiB).placement, Placement::kHuge);
}

TEST(PagePolicy, FlagBitsDoNotChangeThePlacement) {
  EXPECT_EQ(ClassifyRequest(2 | 0x100 | 0x1000 | 0x100000, 8 * kMiB).placement,
            Placement::kNormal);
  EXPECT_EQ(ClassifyRequest(6 | 0x1000, 1).placement, Placement::kGiga);
}

TEST(ReserveBytes, RoundsPadsAndFillsGranules) {
  EXPECT_EQ(ReserveBytes(1, true, Placement::kNormal), 128u);
  EXPECT_EQ(ReserveBytes(96, true, Placement::kNormal), 128u);
  EXPECT_EQ(ReserveBytes(97, true, Placement::kNormal), 256u);
  EXPECT_EQ(ReserveBytes(128, true, Placement::kHuge), 256u);
  EXPECT_EQ(ReserveBytes(128, false, Placement::kHuge), 128u);
  EXPECT_EQ(ReserveBytes(1, true, Placement::kGiga), uint64_t{1} << 30);
  EXPECT_EQ(ReserveBytes(UINT64_MAX, true, Placement::kNormal), std::nullopt);
}

}  // namespace
}  // namespace ascend::core
