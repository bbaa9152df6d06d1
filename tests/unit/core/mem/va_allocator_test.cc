#include "core/mem/va_allocator.h"

#include "gtest/gtest.h"

namespace ascend::core {
namespace {

TEST(VaAllocator, TakesTheSmallestRangeThatFitsAndTheLowestOfEquals) {
  VaAllocator va;
  va.Give(0x1000, 0x400);
  va.Give(0x2000, 0x200);
  va.Give(0x3000, 0x200);
  EXPECT_EQ(va.Take(0x180), 0x2000u);
  EXPECT_EQ(va.Take(0x200), 0x3000u);
  EXPECT_EQ(va.Take(0x200), 0x1000u);
  EXPECT_EQ(va.Take(0x400), std::nullopt);
  EXPECT_EQ(va.free_bytes(), 0x280u);
}

TEST(VaAllocator, MergesWithBothNeighbours) {
  VaAllocator va;
  va.Give(0x1000, 0x100);
  va.Give(0x1200, 0x100);
  EXPECT_EQ(va.LongestBytes(), 0x100u);
  va.Give(0x1100, 0x100);
  EXPECT_EQ(va.LongestBytes(), 0x300u);
  EXPECT_EQ(va.BeginOfRangeEndingAt(0x1300), 0x1000u);
  EXPECT_EQ(va.BeginOfRangeEndingAt(0x1200), 0x1200u);
}

TEST(VaAllocator, TakesAnExactRangeOrNothing) {
  VaAllocator va;
  va.Give(0x1000, 0x300);
  EXPECT_FALSE(va.TakeAt(0x1200, 0x200));
  EXPECT_FALSE(va.TakeAt(0xf00, 0x200));
  EXPECT_TRUE(va.TakeAt(0x1100, 0x100));
  EXPECT_EQ(va.RangeAround(0x1000),
            (std::pair<uint64_t, uint64_t>(0x1000, 0x1100)));
  EXPECT_EQ(va.RangeAround(0x1100),
            (std::pair<uint64_t, uint64_t>(0x1100, 0x1100)));
  EXPECT_EQ(va.RangeAround(0x1250),
            (std::pair<uint64_t, uint64_t>(0x1200, 0x1300)));
}

TEST(VaAllocatorDeathTest, GivingAFreeByteAgainIsABug) {
  VaAllocator va;
  va.Give(0x1000, 0x100);
  EXPECT_DEATH(va.Give(0x1080, 0x100), "free already");
  EXPECT_DEATH(va.Give(0xf80, 0x100), "free already");
}

}  // namespace
}  // namespace ascend::core
