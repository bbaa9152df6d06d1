#include "server/wall_timers.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ascend::server {
namespace {

using core::TimerId;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr HostClock::TimePoint At(int64_t ns) {
  return HostClock::TimePoint(HostClock::Duration(ns));
}

TEST(WallTimersTest, EndInTheOrderOfTheirTimes) {
  WallTimers timers;
  EXPECT_EQ(timers.NextEnd(), std::nullopt);
  timers.Start(TimerId(1), core::Nanoseconds(300), At(0));
  timers.Start(TimerId(2), core::Nanoseconds(100), At(50));
  timers.Start(TimerId(3), core::Nanoseconds(900), At(0));
  EXPECT_EQ(timers.NextEnd(), At(150));
  EXPECT_THAT(timers.TakeEnded(At(149)), IsEmpty());
  EXPECT_THAT(timers.TakeEnded(At(300)), ElementsAre(TimerId(2), TimerId(1)));
  EXPECT_EQ(timers.NextEnd(), At(900));
  EXPECT_THAT(timers.TakeEnded(At(300)), IsEmpty());
}

TEST(WallTimersTest, ACancelledOneDoesNotEnd) {
  WallTimers timers;
  timers.Start(TimerId(1), core::Nanoseconds(100), At(0));
  timers.Start(TimerId(2), core::Nanoseconds(100), At(0));
  timers.Cancel(TimerId(1));
  timers.Cancel(TimerId(7));
  EXPECT_THAT(timers.TakeEnded(At(100)), ElementsAre(TimerId(2)));
  timers.Cancel(TimerId(2));
  EXPECT_EQ(timers.NextEnd(), std::nullopt);
}

}  // namespace
}  // namespace ascend::server
