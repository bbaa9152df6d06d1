#include "core/machine/durations.h"

#include <limits>

#include "gtest/gtest.h"

namespace ascend::core {
namespace {

TEST(DurationsTest, AreWholeTicksRoundedUp) {
  EXPECT_EQ(TicksOf(1e-12), 1);
  EXPECT_EQ(TicksOf(1.5e-12), 2);
  EXPECT_EQ(TicksOf(0), 0);
}

TEST(DurationsTest, AreBoundedWhateverTheQuotient) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(TicksOf(SecondsOf(kDurationMax)), kDurationMax);
  EXPECT_EQ(TicksOf(1e30), kDurationMax);
  EXPECT_EQ(TicksOf(kInfinity), kDurationMax);
  EXPECT_EQ(TicksOf(-kInfinity), 0);
  EXPECT_EQ(TicksOf(-1), 0);
  // Volatile: what a cast of it gives is not decided while compiling.
  volatile double not_a_number = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(TicksOf(not_a_number), 0);
}

}  // namespace
}  // namespace ascend::core
