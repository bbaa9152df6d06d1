#include "core/sim/rng.h"

#include "gtest/gtest.h"

namespace ascend::core {
namespace {

TEST(RngTest, GivesTheNumbersOfSplitMix64) {
  // The first outputs for seed 0 of the published generator.
  Rng rng(0);
  EXPECT_EQ(rng.Next(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(rng.Next(), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(rng.Next(), 0x06c45d188009454fu);
}

TEST(RngTest, BelowStaysBelowAndReachesEveryValue) {
  Rng rng(1);
  int counts[7] = {};
  for (int i = 0; i < 7000; ++i) {
    const uint64_t value = rng.Below(7);
    ASSERT_LT(value, 7u);
    ++counts[value];
  }
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(RngTest, UnitLiesInItsRangeWithMeanOneHalf) {
  Rng rng(2);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double value = rng.Unit();
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

TEST(RngTest, MixSeedDependsOnEveryPartAndOnTheirOrder) {
  const uint64_t seed = MixSeed({1, 2, 3, 4});
  EXPECT_EQ(seed, MixSeed({1, 2, 3, 4}));
  EXPECT_NE(seed, MixSeed({2, 2, 3, 4}));
  EXPECT_NE(seed, MixSeed({1, 2, 3, 5}));
  EXPECT_NE(seed, MixSeed({1, 3, 2, 4}));
  EXPECT_NE(seed, MixSeed({1, 2, 3}));
}

}  // namespace
}  // namespace ascend::core
