#include "server/clock_gate.h"

#include <chrono>

#include "gtest/gtest.h"

namespace ascend::server {
namespace {

using core::Command;
using core::kTickMax;
using core::LaneId;
using core::SessionId;
using core::Tick;
using core::Ticket;
using std::chrono::microseconds;

constexpr Tick kLookahead = 1000;
constexpr auto kPatience = microseconds(1000);
constexpr SessionId kA{1};
constexpr SessionId kB{2};
constexpr LaneId kMain{1};

class ClockGateTest : public testing::Test {
 protected:
  static HostClock::TimePoint At(int64_t us) {
    return HostClock::TimePoint(microseconds(us));
  }

  void Launch(SessionId session, LaneId lane, Tick stamp, int64_t us,
              Tick device_tick = 0) {
    gate_.OnCommand(session, Command{NextTicket(), lane, stamp, core::Launch{}},
                    device_tick, At(us));
  }
  Ticket Synchronize(SessionId session, LaneId lane, Tick stamp, int64_t us) {
    const Ticket ticket = NextTicket();
    gate_.OnCommand(session, Command{ticket, lane, stamp, core::Synchronize{}},
                    0, At(us));
    return ticket;
  }
  Ticket NextTicket() { return Ticket(++last_ticket_); }

  ClockGate gate_{{kLookahead, kPatience}};
  uint64_t last_ticket_ = 0;
};

TEST_F(ClockGateTest, WithoutLanesTimeIsFree) {
  EXPECT_EQ(gate_.Horizon(0, At(0)), kTickMax);
  EXPECT_FALSE(gate_.PatienceEnd().has_value());
}

TEST_F(ClockGateTest, ARunningLaneHoldsTimeAtItsClockPlusLookahead) {
  Launch(kA, kMain, 5000, 0);
  EXPECT_EQ(gate_.Horizon(9000, At(10)), 5000 + kLookahead);
  Launch(kA, kMain, 8000, 20);
  EXPECT_EQ(gate_.Horizon(9000, At(30)), 8000 + kLookahead);
}

TEST_F(ClockGateTest, AStampThatStandsStillDoesNotHoldTimeForEver) {
  for (int i = 0; i < 10; ++i) Launch(kA, kMain, 0, i);
  EXPECT_EQ(gate_.Horizon(kTickMax - 1, At(10)), 11 * kLookahead);
}

TEST_F(ClockGateTest, TheSlowestOfSeveralLanesHoldsTime) {
  Launch(kA, kMain, 9000, 0);
  Launch(kA, LaneId(2), 3000, 0);
  Launch(kB, kMain, 5000, 0);
  EXPECT_EQ(gate_.Horizon(kTickMax - 1, At(0)), 3000 + kLookahead);
}

TEST_F(ClockGateTest, ABlockedLaneHoldsNothingUntilItsReply) {
  Launch(kA, kMain, 1000, 0);
  const Ticket ticket = Synchronize(kA, kMain, 2000, 0);
  EXPECT_EQ(gate_.Horizon(1'000'000, At(0)), kTickMax);
  gate_.OnReply(kA, kMain, ticket, 70'000, At(5));
  EXPECT_EQ(gate_.Horizon(1'000'000, At(5)), 70'000 + kLookahead);
}

TEST_F(ClockGateTest, OnlyTheAwaitedReplyUnblocks) {
  Launch(kA, kMain, 1000, 0);
  const Ticket ticket = Synchronize(kA, kMain, 2000, 0);
  gate_.OnReply(kA, kMain, Ticket(ticket.value() - 1), 70'000, At(5));
  gate_.OnReply(kB, kMain, ticket, 70'000, At(5));
  gate_.OnReply(kA, LaneId(2), ticket, 70'000, At(5));
  EXPECT_EQ(gate_.running_count(), 0u);
}

TEST_F(ClockGateTest, ALaneThatGivesUpWaitingRunsAgain) {
  Launch(kA, kMain, 1000, 0);
  const Ticket ticket = Synchronize(kA, kMain, 2000, 0);
  gate_.OnCommand(kA,
                  Command{NextTicket(), kMain, 3000, core::CancelWait{ticket}},
                  0, At(1));
  EXPECT_EQ(gate_.Horizon(1'000'000, At(1)), 3000 + kLookahead);
}

TEST_F(ClockGateTest, AskingAndAllocatingDoNotJoin) {
  gate_.OnCommand(kA, Command{NextTicket(), kMain, 10, core::CreateEvent{}}, 0,
                  At(0));
  const Ticket ticket = NextTicket();
  gate_.OnCommand(kA, Command{ticket, kMain, 10, core::Malloc{}}, 0, At(0));
  gate_.OnReply(kA, kMain, ticket, 10, At(0));
  EXPECT_EQ(gate_.Horizon(1'000'000, At(0)), kTickMax);
}

TEST_F(ClockGateTest, PatienceCountsFromTheHoldersLastInput) {
  Launch(kA, kMain, 1000, 0);
  Launch(kA, kMain, 2000, 600);
  ASSERT_TRUE(gate_.PatienceEnd().has_value());
  EXPECT_EQ(*gate_.PatienceEnd(), At(1600));
  EXPECT_EQ(gate_.Horizon(9000, At(1599)), 2000 + kLookahead);
  EXPECT_EQ(gate_.Horizon(9000, At(1600)), kTickMax);
  EXPECT_EQ(gate_.running_count(), 0u);
}

TEST_F(ClockGateTest, PatienceOfAReplyCountsFromTheReply) {
  Launch(kA, kMain, 1000, 0);
  const Ticket ticket = Synchronize(kA, kMain, 2000, 0);
  gate_.OnReply(kA, kMain, ticket, 50'000, At(5000));
  EXPECT_EQ(gate_.Horizon(90'000, At(5999)), 50'000 + kLookahead);
  EXPECT_EQ(gate_.Horizon(90'000, At(6000)), kTickMax);
}

TEST_F(ClockGateTest, OnlyLanesThatHoldTheNextEventAreGivenUp) {
  Launch(kA, kMain, 1000, 0);
  Launch(kB, kMain, 50'000, 0);
  // Both are silent for long, but only A's clock is in the way.
  EXPECT_EQ(gate_.Horizon(20'000, At(9000)), 50'000 + kLookahead);
  EXPECT_EQ(gate_.running_count(), 1u);
}

TEST_F(ClockGateTest, PatienceEndsWithTheNextHolder) {
  Launch(kA, kMain, 1000, 0);
  Launch(kB, kMain, 2000, 500);
  EXPECT_EQ(gate_.Horizon(9000, At(1000)), 2000 + kLookahead);
  EXPECT_EQ(*gate_.PatienceEnd(), At(1500));
}

TEST_F(ClockGateTest, ALaneThatWasGivenUpAndPassedIsLateOnce) {
  Launch(kA, kMain, 1000, 0);
  EXPECT_EQ(gate_.Horizon(9000, At(1000)), kTickMax);
  Launch(kA, kMain, 4000, 2000, /*device_tick=*/9000);
  Launch(kA, kMain, 5000, 2001, /*device_tick=*/9000);
  EXPECT_EQ(gate_.late_count(), 1u);
  EXPECT_EQ(gate_.running_count(), 1u);
}

TEST_F(ClockGateTest, ALaneThatWasGivenUpButNotPassedIsNotLate) {
  Launch(kA, kMain, 1000, 0);
  EXPECT_EQ(gate_.Horizon(9000, At(1000)), kTickMax);
  Launch(kA, kMain, 9500, 2000, /*device_tick=*/9000);
  EXPECT_EQ(gate_.late_count(), 0u);
}

TEST_F(ClockGateTest, ANewLaneIsNotLate) {
  Launch(kA, kMain, 10, 0, /*device_tick=*/9000);
  EXPECT_EQ(gate_.late_count(), 0u);
}

TEST_F(ClockGateTest, AnEndedSessionHoldsNothing) {
  Launch(kA, kMain, 1000, 0);
  Launch(kA, LaneId(2), 1500, 0);
  Launch(kB, kMain, 7000, 0);
  gate_.OnSessionEnded(kA);
  EXPECT_EQ(gate_.Horizon(1'000'000, At(0)), 7000 + kLookahead);
  gate_.OnSessionEnded(kB);
  gate_.OnSessionEnded(kB);
  EXPECT_EQ(gate_.Horizon(1'000'000, At(0)), kTickMax);
}

TEST_F(ClockGateTest, ASessionCannotFloodTheGateWithLanes) {
  for (uint32_t i = 0; i < 10'000; ++i) Launch(kA, LaneId(i), 1000, 0);
  EXPECT_EQ(gate_.running_count(), ClockGate::kLanesPerSessionMax);
  // Threads that went idle make room for new ones.
  EXPECT_EQ(gate_.Horizon(9000, At(1000)), kTickMax);
  Launch(kA, LaneId(20'000), 9000, 2000);
  EXPECT_EQ(gate_.running_count(), 1u);
}

TEST_F(ClockGateTest, TheHorizonSaturates) {
  Launch(kA, kMain, kTickMax - 1, 0);
  EXPECT_EQ(gate_.Horizon(0, At(0)), kTickMax);
}

}  // namespace
}  // namespace ascend::server
