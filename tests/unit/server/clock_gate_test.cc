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

  ClockGate gate_{
      {kLookahead,
       {.patience = kPatience, .patience_least = microseconds(100)}}};
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
  gate_.OnReply(kA, kMain, ticket, 70'000, true, At(5));
  EXPECT_EQ(gate_.Horizon(1'000'000, At(5)), 70'000 + kLookahead);
}

TEST_F(ClockGateTest, OnlyTheAwaitedReplyUnblocks) {
  Launch(kA, kMain, 1000, 0);
  const Ticket ticket = Synchronize(kA, kMain, 2000, 0);
  gate_.OnReply(kA, kMain, Ticket(ticket.value() - 1), 70'000, true, At(5));
  gate_.OnReply(kB, kMain, ticket, 70'000, true, At(5));
  gate_.OnReply(kA, LaneId(2), ticket, 70'000, true, At(5));
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
  gate_.OnReply(kA, kMain, ticket, 10, true, At(0));
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
  gate_.OnReply(kA, kMain, ticket, 50'000, true, At(5000));
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
  EXPECT_EQ(gate_.counts().late, 1u);
  EXPECT_EQ(gate_.running_count(), 1u);
}

TEST_F(ClockGateTest, ALaneThatWasGivenUpButNotPassedIsNotLate) {
  Launch(kA, kMain, 1000, 0);
  EXPECT_EQ(gate_.Horizon(9000, At(1000)), kTickMax);
  Launch(kA, kMain, 9500, 2000, /*device_tick=*/9000);
  EXPECT_EQ(gate_.counts().late, 0u);
}

TEST_F(ClockGateTest, WhatALateLaneSubmitsBeginsNow) {
  Launch(kA, kMain, 1000, 0);
  EXPECT_EQ(gate_.Horizon(9000, At(1000)), kTickMax);
  Launch(kA, kMain, 4000, 2000, /*device_tick=*/50'000);
  EXPECT_EQ(gate_.Horizon(90'000, At(2000)), 50'000 + kLookahead);
}

class LearningGateTest : public ClockGateTest {
 protected:
  // Submits at `us` and is given up at the end of its patience.
  void WaitInVain(int64_t us) {
    Launch(kA, kMain, 1000, us);
    EXPECT_EQ(gate_.Horizon(kTickMax - 1, *gate_.PatienceEnd()), kTickMax);
  }
  int64_t PatienceAfterLaunch(int64_t us) {
    Launch(kA, kMain, 1000, us);
    return (*gate_.PatienceEnd() - At(us)) / microseconds(1);
  }
};

TEST_F(LearningGateTest, PatienceInVainIsHalvedDownToTheLeast) {
  for (const int64_t expected : {500, 250, 125, 100, 100, 100}) {
    WaitInVain(0);
    EXPECT_EQ(PatienceAfterLaunch(0), expected);
  }
}

TEST_F(LearningGateTest, PatienceThatWasNotInVainIsDoubledUpToTheModes) {
  for (int i = 0; i < 100; ++i) WaitInVain(0);
  for (const int64_t expected : {100, 125, 250, 500, 1000, 1000}) {
    EXPECT_EQ(PatienceAfterLaunch(0), expected);
    EXPECT_LT(gate_.Horizon(kTickMax - 1, At(50)), kTickMax);  // waits for it
  }
}

TEST_F(LearningGateTest, WhoHeldNothingBackShowsNothing) {
  WaitInVain(0);
  for (int i = 0; i < 10; ++i) Launch(kA, kMain, 1000, 0);
  EXPECT_EQ(PatienceAfterLaunch(0), 500);
}

TEST_F(LearningGateTest, PatienceBehindRepliesIsLearntApart) {
  Launch(kA, kMain, 1000, 0);
  for (int i = 0; i < 10; ++i) {
    const Ticket ticket = Synchronize(kA, kMain, 2000, 0);
    gate_.OnReply(kA, kMain, ticket, 2000, true, At(0));
    EXPECT_EQ(gate_.Horizon(kTickMax - 1, At(1000)), kTickMax);
  }
  EXPECT_EQ(PatienceAfterLaunch(0), 1000);
  const Ticket ticket = Synchronize(kA, kMain, 2000, 0);
  gate_.OnReply(kA, kMain, ticket, 2000, true, At(0));
  EXPECT_EQ(*gate_.PatienceEnd(), At(100));
}

TEST_F(ClockGateTest, ANewLaneIsNotLate) {
  Launch(kA, kMain, 10, 0, /*device_tick=*/9000);
  EXPECT_EQ(gate_.counts().late, 0u);
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

// Lanes in a run have patience of their own.
class RunGateTest : public ClockGateTest {
 protected:
  static constexpr auto kPatienceInRun = microseconds(50'000);
  RunGateTest() {
    gate_ =
        ClockGate({kLookahead,
                   {.patience = kPatience, .patience_in_run = kPatienceInRun}});
  }
  void Join(SessionId session, LaneId lane, uint32_t rank, int64_t us,
            Tick begin_tick, bool is_ok = true) {
    const Ticket ticket = NextTicket();
    gate_.OnCommand(session, Command{ticket, lane, 0, core::JoinClock{2, rank}},
                    0, At(us));
    gate_.OnReply(session, lane, ticket, begin_tick, is_ok, At(us));
  }
  void Leave(SessionId session, LaneId lane, bool for_good, int64_t us) {
    gate_.OnCommand(session,
                    Command{NextTicket(), lane, 0, core::LeaveClock{for_good}},
                    0, At(us));
  }
};

TEST_F(RunGateTest, AParticipantHoldsTheClockFromTheBeginningOn) {
  Join(kA, kMain, 0, 0, 5000);
  EXPECT_EQ(gate_.Horizon(1'000'000, At(1)), 5000 + kLookahead);
}

TEST_F(RunGateTest, AParticipantIsWaitedForLongerAndCountedWhenItIsNot) {
  Join(kA, kMain, 0, 0, 5000);
  EXPECT_EQ(gate_.Horizon(1'000'000, At(49'999)), 5000 + kLookahead);
  EXPECT_EQ(gate_.Horizon(1'000'000, At(50'000)), kTickMax);
  EXPECT_EQ(gate_.counts().evicted, 1u);
  EXPECT_EQ(gate_.counts().demoted, 0u);
}

TEST_F(RunGateTest, OtherLanesAreDemoted) {
  Launch(kA, kMain, 1000, 0);
  EXPECT_EQ(gate_.Horizon(9000, At(1000)), kTickMax);
  EXPECT_EQ(gate_.counts().demoted, 1u);
}

TEST_F(RunGateTest, OtherLanesOfTheSessionHoldNothingWhenItBegins) {
  Launch(kA, LaneId(7), 100, 0);
  Launch(kB, LaneId(7), 9000, 0);
  Join(kA, kMain, 0, 1, 5000);
  EXPECT_EQ(gate_.Horizon(1'000'000, At(2)), 5000 + kLookahead);
  EXPECT_EQ(gate_.running_count(), 2u);  // kB's is none of this session
  EXPECT_EQ(gate_.counts().demoted, 0u);
}

TEST_F(RunGateTest, WhoWasRefusedIsNoParticipant) {
  Join(kA, kMain, 0, 0, 5000, /*is_ok=*/false);
  EXPECT_EQ(gate_.Horizon(1'000'000, At(1000)), kTickMax);
  EXPECT_EQ(gate_.counts().evicted, 0u);
}

TEST_F(RunGateTest, ALaneThatLeavesHoldsNothing) {
  Join(kA, kMain, 0, 0, 5000);
  Leave(kA, kMain, /*for_good=*/true, 1);
  EXPECT_EQ(gate_.Horizon(1'000'000, At(1)), kTickMax);
  EXPECT_EQ(gate_.counts().evicted, 0u);
}

TEST_F(RunGateTest, ALaneThatIsBlockedElsewhereIsLateIfItWasPassed) {
  Join(kA, kMain, 0, 0, 5000);
  Leave(kA, kMain, /*for_good=*/false, 1);
  EXPECT_EQ(gate_.Horizon(1'000'000, At(1)), kTickMax);
  Launch(kA, kMain, 7000, 2, /*device_tick=*/6000);
  EXPECT_EQ(gate_.counts().late, 0u);
  Leave(kA, kMain, /*for_good=*/false, 3);
  Launch(kA, kMain, 9000, 4, /*device_tick=*/20'000);
  EXPECT_EQ(gate_.counts().late, 1u);
}

TEST_F(RunGateTest, WhoLeavesAgainIsNotLate) {
  Join(kA, kMain, 0, 0, 5000);
  Leave(kA, kMain, /*for_good=*/false, 1);
  gate_.OnCommand(kA, Command{NextTicket(), kMain, 0, core::LeaveClock{}},
                  /*device_tick=*/20'000, At(2));
  EXPECT_EQ(gate_.counts().late, 0u);
}

TEST_F(RunGateTest, AHolderThatCannotCallIsGivenUpBeforeItsPatienceEnds) {
  EXPECT_FALSE(gate_.HoldingSession().has_value());
  Join(kA, kMain, 0, 0, 5000);
  Launch(kB, kMain, 4000, 0);
  EXPECT_EQ(gate_.HoldingSession(), kB);
  gate_.GiveHolderUp();
  EXPECT_EQ(gate_.counts().demoted, 1u);
  EXPECT_EQ(gate_.HoldingSession(), kA);
  gate_.GiveHolderUp();
  EXPECT_EQ(gate_.counts().evicted, 1u);
  EXPECT_EQ(gate_.Horizon(1'000'000, At(1)), kTickMax);
}

TEST_F(RunGateTest, CountsBeginAnewWithARun) {
  Launch(kA, kMain, 1000, 0);
  EXPECT_EQ(gate_.Horizon(9000, At(1000)), kTickMax);
  EXPECT_EQ(gate_.counts().demoted, 1u);
  Join(kB, kMain, 0, 2000, 5000);
  EXPECT_EQ(gate_.counts().demoted, 0u);
}

TEST_F(ClockGateTest, AHostFunctionHoldsTheClockUntilItHasReturned) {
  gate_.OnHostFunctionDue(kA, Ticket(5), 3000, At(0));
  EXPECT_EQ(gate_.Horizon(9000, At(10)), 3000 + kLookahead);
  gate_.OnCommand(
      kA, Command{NextTicket(), kMain, 4000, core::HostFunctionDone{Ticket(5)}},
      0, At(20));
  EXPECT_EQ(gate_.Horizon(9000, At(20)), kTickMax);
}

TEST_F(ClockGateTest, WhoCalledAHostFunctionHoldsNothingAfterIt) {
  gate_.OnHostFunctionDue(kA, Ticket(5), 3000, At(0));
  Launch(kA, kMain, 3500, 5);  // from inside of it
  gate_.OnCommand(
      kA, Command{NextTicket(), kMain, 4000, core::HostFunctionDone{Ticket(5)}},
      0, At(20));
  EXPECT_EQ(gate_.Horizon(9000, At(20)), kTickMax);
}

TEST_F(ClockGateTest, AHostFunctionOfAnEndedSessionHoldsNothing) {
  gate_.OnHostFunctionDue(kA, Ticket(5), 3000, At(0));
  gate_.OnSessionEnded(kA);
  EXPECT_EQ(gate_.Horizon(9000, At(1)), kTickMax);
}

TEST(UngatedClockTest, WaitsForNobody) {
  ClockGate gate({kLookahead, {.is_gated = false}});
  gate.OnCommand(kA, Command{Ticket(1), kMain, 1000, core::Launch{}}, 0,
                 HostClock::TimePoint());
  EXPECT_EQ(gate.Horizon(9000, HostClock::TimePoint()), kTickMax);
}

TEST(PacedClockTest, KeepsBehindTheWallFromWhenItLastHadNothingToDo) {
  const auto at = [](int64_t us) {
    return HostClock::TimePoint(microseconds(us));
  };
  ClockGate gate({kLookahead, {.pace = 2}});
  // 100 us of device time take 50 us of the wall's.
  const Tick begin = core::Microseconds(1000);
  const Tick wanted = begin + core::Microseconds(100);
  EXPECT_EQ(gate.PaceEnd(begin, wanted, at(7)), at(57));
  EXPECT_EQ(gate.PaceEnd(begin, wanted, at(56)), at(57));
  EXPECT_FALSE(gate.PaceEnd(begin, wanted, at(57)).has_value());
  // Idle time of the wall is not caught up with.
  gate.OnNothingToDo();
  EXPECT_EQ(gate.PaceEnd(wanted, wanted + core::Microseconds(100), at(900)),
            at(950));
}

}  // namespace
}  // namespace ascend::server
