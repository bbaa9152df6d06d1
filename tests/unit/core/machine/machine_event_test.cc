// Events that are reset, waits that expire, and what a query says of both.

#include "core/base/error.h"
#include "gtest/gtest.h"
#include "tests/testing/machine_harness.h"

namespace ascend::core {
namespace {

class MachineEventTest : public ::testing::Test {
 protected:
  void SetUp() override {
    context_ = client_.CreateContext();
    a_ = client_.default_stream;
    b_ = client_.CreateStream(context_);
    event_ = client_.CreateEvent();
  }
  // A kernel of `ticks` in all.
  void Work(StreamHandle stream, Tick ticks) {
    client_.Launch(stream, {.vector_ticks = ticks - kRamp});
  }
  void Record() { client_.Send(RecordEvent{event_, a_}); }
  void Wait(Tick timeout_ticks = 0) {
    client_.Send(WaitEvent{b_, event_, timeout_ticks});
  }
  // The event is not complete before this tick.
  void RecordAt(Tick tick) {
    Work(a_, tick - harness_.machine->now());
    Record();
  }
  EventReply Query() {
    const Ticket ticket = client_.Send(QueryEvent{event_});
    harness_.RunUntil(harness_.machine->now() + 1);
    const Reply* reply = client_.ReplyTo(ticket);
    EXPECT_NE(reply, nullptr);
    return reply == nullptr ? EventReply{}
                            : std::get<EventReply>(reply->payload);
  }
  Reason ResultOf(StreamHandle stream) {
    const Ticket ticket = client_.SynchronizeStream(stream);
    harness_.RunUntilQuiet();
    const Reply* reply = client_.ReplyTo(ticket);
    EXPECT_NE(reply, nullptr);
    return reply == nullptr ? Reason::kInternal : ReasonOf(reply->status);
  }

  MachineHarness harness_;
  TestClient client_{harness_, 1};
  ContextHandle context_;
  StreamHandle a_, b_;
  EventHandle event_;
};

TEST_F(MachineEventTest, AResetTakesTheRecordBackWhenItsTurnHasCome) {
  Record();
  harness_.RunUntilQuiet();
  Work(b_, Microseconds(100));
  client_.Send(ResetEvent{event_, b_});
  harness_.RunUntil(harness_.machine->now() + Microseconds(50));
  EXPECT_TRUE(Query().complete);
  harness_.RunUntilQuiet();
  EXPECT_FALSE(Query().recorded);
  EXPECT_FALSE(Query().complete);
  Record();
  EXPECT_TRUE(Query().recorded);
  harness_.RunUntilQuiet();
  EXPECT_TRUE(Query().complete);
}

TEST_F(MachineEventTest, ARecordBehindAResetStays) {
  Record();
  Work(b_, Microseconds(100));
  client_.Send(ResetEvent{event_, b_});
  Record();
  harness_.RunUntilQuiet();
  EXPECT_TRUE(Query().recorded);
  EXPECT_TRUE(Query().complete);
}

TEST_F(MachineEventTest, AWaitBehindAResetWaitsForNothing) {
  RecordAt(Microseconds(500));
  client_.Send(ResetEvent{event_, b_});
  Wait();
  const Ticket after = client_.SynchronizeStream(b_);
  harness_.RunUntilQuiet();
  EXPECT_LT(client_.ReplyTo(after)->tick, Microseconds(100));
}

TEST_F(MachineEventTest, AQueryTellsOfWaits) {
  EXPECT_FALSE(Query().is_awaited);
  RecordAt(Microseconds(100));
  Wait();
  Wait();
  harness_.RunUntil(Microseconds(50));
  EXPECT_TRUE(Query().is_awaited);
  harness_.RunUntilQuiet();
  EXPECT_FALSE(Query().is_awaited);
}

TEST_F(MachineEventTest, AWaitThatIsDroppedIsNoWaitAnyMore) {
  RecordAt(Microseconds(100));
  Work(b_, Microseconds(10));
  Wait(Microseconds(500));
  harness_.RunUntil(Microseconds(50));
  EXPECT_TRUE(Query().is_awaited);
  client_.Send(DestroyStream{b_, /*force=*/true});
  harness_.RunUntil(Microseconds(60));
  EXPECT_FALSE(Query().is_awaited);
  EXPECT_TRUE(harness_.runners.timers.empty());
}

TEST_F(MachineEventTest, AWaitExpiresAndLaterTasksRun) {
  RecordAt(Milliseconds(10));
  Wait(Milliseconds(3));
  Work(b_, Microseconds(50));
  const Ticket after = client_.SynchronizeStream(b_);
  harness_.RunUntilQuiet();
  const Reply* reply = client_.ReplyTo(after);
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(ReasonOf(reply->status), Reason::kEventSyncTimeout);
  EXPECT_EQ(reply->tick, Milliseconds(3) + Microseconds(50));
  EXPECT_EQ(ResultOf(b_), Reason::kNone) << "reported once";
  EXPECT_FALSE(Query().is_awaited);
}

TEST_F(MachineEventTest, AWaitThatEndsInItsLastInstantHasNotExpired) {
  const Tick record_end = Microseconds(100) + Microseconds(1);
  RecordAt(Microseconds(100));
  Wait(record_end);
  EXPECT_EQ(ResultOf(b_), Reason::kNone);
  EXPECT_TRUE(Query().complete);
}

TEST_F(MachineEventTest, ATimeOutBeginsWhenTheWaitIsAtTheHead) {
  RecordAt(Microseconds(500));
  Work(b_, Microseconds(450));
  Wait(Microseconds(100));
  EXPECT_EQ(ResultOf(b_), Reason::kNone);
}

TEST_F(MachineEventTest, AWaitDoesNotExpireBeforeTheHostsClockAgrees) {
  harness_.runners.ends_timers = false;
  const StreamHandle c = client_.CreateStream(context_);
  RecordAt(Milliseconds(10));
  Wait(Milliseconds(3));
  Work(c, Milliseconds(8));
  harness_.RunUntil(Milliseconds(9));
  EXPECT_TRUE(Query().is_awaited);
  ASSERT_EQ(harness_.runners.timers.size(), 1u);
  EXPECT_EQ(harness_.runners.timers.begin()->second, Milliseconds(3));
  harness_.runners.EndTimers(*harness_.machine);
  EXPECT_FALSE(Query().is_awaited);
  EXPECT_EQ(ResultOf(b_), Reason::kEventSyncTimeout);
}

TEST_F(MachineEventTest, AWaitThatIsOverNeedsItsTimerNoMore) {
  harness_.runners.ends_timers = false;
  RecordAt(Microseconds(100));
  Wait(Milliseconds(3));
  harness_.RunUntil(Microseconds(50));
  const auto timers = harness_.runners.timers;
  EXPECT_EQ(timers.size(), 1u);
  harness_.RunUntilQuiet();
  EXPECT_TRUE(harness_.runners.timers.empty());
  // One that was on its way when it was cancelled.
  for (const auto& [timer, ticks] : timers) harness_.machine->OnTimer(timer);
  EXPECT_EQ(ResultOf(b_), Reason::kNone);
}

// The kernel would have ended long ago if the host were not so slow with it.
TEST_F(MachineEventTest, AWaitDoesNotExpireOfTheHostsLateness) {
  harness_.runners.ends_timers = false;
  Work(a_, Microseconds(10));
  Record();
  Wait(Milliseconds(3));
  harness_.machine->AdvanceTo(Microseconds(20));
  harness_.runners.EndTimers(*harness_.machine);
  harness_.machine->AdvanceTo(kTickMax);
  EXPECT_GE(harness_.machine->now(), Milliseconds(3));
  EXPECT_EQ(harness_.runners.timers.size(), 1u) << "it starts anew";
  EXPECT_EQ(ResultOf(b_), Reason::kNone);
  EXPECT_TRUE(harness_.runners.timers.empty());
}

TEST_F(MachineEventTest, ATimeOutBeyondTheEndOfTheClockIsNone) {
  RecordAt(Microseconds(100));
  Wait(kTickMax);
  harness_.RunUntil(Microseconds(50));
  EXPECT_TRUE(harness_.runners.timers.empty());
  EXPECT_EQ(ResultOf(b_), Reason::kNone);
}

TEST_F(MachineEventTest, ASessionThatClosesLeavesNoTimer) {
  harness_.runners.ends_timers = false;
  RecordAt(Milliseconds(10));
  Wait(Milliseconds(30));
  harness_.RunUntil(Milliseconds(1));
  EXPECT_EQ(harness_.runners.timers.size(), 1u);
  harness_.machine->CloseSession(client_.session);
  EXPECT_TRUE(harness_.runners.timers.empty());
}

TEST_F(MachineEventTest, AResetOfWhatIsNotThereEndsTheSession) {
  client_.Send(ResetEvent{EventHandle{7, 1}, a_});
  harness_.RunUntilQuiet();
  EXPECT_NE(client_.Violation().find("ResetEvent"), std::string::npos);
  TestClient other(harness_, 2, 1);
  other.CreateContext();
  const EventHandle event = other.CreateEvent();
  other.Send(ResetEvent{event, StreamHandle{9, 1}});
  harness_.RunUntilQuiet();
  EXPECT_NE(other.Violation().find("ResetEvent"), std::string::npos);
}

TEST_F(MachineEventTest, ANegativeTimeOutEndsTheSession) {
  Wait(-1);
  harness_.RunUntilQuiet();
  EXPECT_NE(client_.Violation().find("time-out"), std::string::npos);
}

}  // namespace
}  // namespace ascend::core
