// Abort, and failures that stop a context.

#include "core/base/error.h"
#include "gtest/gtest.h"
#include "tests/testing/machine_harness.h"

namespace ascend::core {
namespace {

class MachineStoppingTest : public ::testing::Test {
 protected:
  MachineStoppingTest() : client_(harness_, 1) {
    context_ = client_.CreateContext();
    first_ = client_.CreateStream(context_);
    second_ = client_.CreateStream(context_);
    harness_.RunUntilQuiet();
  }

  Reason ReasonOfReply(Ticket ticket) {
    const Reply* const reply = client_.ReplyTo(ticket);
    EXPECT_NE(reply, nullptr) << ticket.value();
    return reply == nullptr ? Reason::kInternal : ReasonOf(reply->status);
  }
  Reason SynchronizeReason(StreamHandle stream) {
    const Ticket ticket = client_.SynchronizeStream(stream);
    harness_.RunUntilQuiet();
    return ReasonOfReply(ticket);
  }
  // A copy that fails when its turn comes.
  void Fail(StreamHandle stream) {
    client_.Send(core::Copy{.stream = stream,
                            .kind = CopyKind::kDeviceToDevice,
                            .target = 4096,
                            .source = 8192,
                            .bytes = 64});
  }

  MachineHarness harness_;
  TestClient client_;
  ContextHandle context_;
  StreamHandle first_;
  StreamHandle second_;
};

TEST_F(MachineStoppingTest, AbortDropsWhatHasNotStarted) {
  client_.Launch(first_);
  for (int i = 0; i < 5; ++i) client_.Launch(first_);
  const Ticket concurrent = client_.SynchronizeStream(first_);
  harness_.machine->AdvanceTo(harness_.machine->now() + 1);
  ASSERT_EQ(harness_.runners.started_count, 1u);
  const Ticket abort = client_.Send(AbortStream{first_});
  harness_.machine->AdvanceTo(harness_.machine->now() + 1);
  // The task that runs is waited for.
  EXPECT_EQ(client_.ReplyTo(abort), nullptr);
  harness_.RunUntilQuiet();
  EXPECT_EQ(harness_.runners.started_count, 1u);
  EXPECT_EQ(ReasonOfReply(abort), Reason::kNone);
  EXPECT_EQ(ReasonOfReply(concurrent), Reason::kStreamAborted);
  // Said once, and the stream is of use again.
  EXPECT_EQ(SynchronizeReason(first_), Reason::kNone);
  client_.Launch(first_);
  EXPECT_EQ(SynchronizeReason(first_), Reason::kNone);
  EXPECT_EQ(harness_.runners.started_count, 2u);
}

TEST_F(MachineStoppingTest, TheNextSynchronizeHearsOfAnAbort) {
  const Ticket abort = client_.Send(AbortStream{first_});
  harness_.RunUntilQuiet();
  EXPECT_EQ(ReasonOfReply(abort), Reason::kNone);
  EXPECT_EQ(SynchronizeReason(first_), Reason::kStreamAborted);
  EXPECT_EQ(SynchronizeReason(first_), Reason::kNone);
}

TEST_F(MachineStoppingTest, AbortFreesWhoWaitsForTheStream) {
  const NotifyHandle notify{0, 1};
  client_.Send(core::CreateNotify{notify, DeviceId(0)});
  const EventHandle event = client_.CreateEvent();
  client_.Send(WaitNotify{first_, notify});
  client_.Send(RecordEvent{event, first_});
  client_.Send(WaitEvent{second_, event});
  const Ticket done = client_.SynchronizeStream(second_);
  harness_.RunUntilQuiet();
  EXPECT_EQ(client_.ReplyTo(done), nullptr);
  client_.Send(AbortStream{first_});
  harness_.RunUntilQuiet();
  EXPECT_EQ(ReasonOfReply(done), Reason::kNone);
}

TEST_F(MachineStoppingTest, TheFirstFailureIsTold) {
  Fail(first_);
  Fail(first_);
  harness_.RunUntilQuiet();
  ASSERT_EQ(harness_.observer.failures.size(), 1u);
  const TaskFailure& failure = harness_.observer.failures[0].second;
  EXPECT_EQ(failure.stream, first_);
  EXPECT_EQ(failure.lane, LaneId(1));
  EXPECT_EQ(failure.task, 1u);
  EXPECT_EQ(ReasonOf(failure.status), Reason::kInvalidArgument);
  EXPECT_FALSE(failure.stops_context);
  // Once it was reported the next one is told again.
  SynchronizeReason(first_);
  SynchronizeReason(first_);
  Fail(first_);
  harness_.RunUntilQuiet();
  EXPECT_EQ(harness_.observer.failures.size(), 2u);
}

TEST_F(MachineStoppingTest, ByDefaultLaterTasksRun) {
  Fail(first_);
  client_.Launch(first_);
  EXPECT_EQ(SynchronizeReason(first_), Reason::kInvalidArgument);
  EXPECT_EQ(harness_.runners.started_count, 1u);
}

TEST_F(MachineStoppingTest, AFailureStopsAllStreamsOfTheContext) {
  client_.Send(StopContextOnFailure{first_});
  const NotifyHandle notify{0, 1};
  client_.Send(core::CreateNotify{notify, DeviceId(0)});
  client_.Send(WaitNotify{second_, notify});
  client_.Launch(second_);
  const Ticket second_done = client_.SynchronizeStream(second_);
  harness_.RunUntilQuiet();
  Fail(first_);
  client_.Launch(first_);
  EXPECT_EQ(SynchronizeReason(first_), Reason::kInvalidArgument);
  EXPECT_EQ(ReasonOfReply(second_done), Reason::kInvalidArgument);
  ASSERT_EQ(harness_.observer.failures.size(), 1u);
  EXPECT_TRUE(harness_.observer.failures[0].second.stops_context);
  // It stays so.
  client_.Launch(first_);
  client_.Launch(second_);
  client_.Launch(client_.default_stream);
  EXPECT_EQ(SynchronizeReason(second_), Reason::kInvalidArgument);
  EXPECT_EQ(SynchronizeReason(client_.default_stream),
            Reason::kInvalidArgument);
  EXPECT_EQ(harness_.runners.started_count, 0u);
}

TEST_F(MachineStoppingTest, OtherContextsGoOn) {
  client_.Send(StopContextOnFailure{first_});
  Fail(first_);
  harness_.RunUntilQuiet();
  client_.CreateContext();
  client_.Launch(client_.default_stream);
  EXPECT_EQ(SynchronizeReason(client_.default_stream), Reason::kNone);
}

TEST_F(MachineStoppingTest, AStoppedContextCanBeDestroyed) {
  client_.Send(StopContextOnFailure{first_});
  Fail(first_);
  client_.Launch(second_);
  const Ticket gone = client_.Send(core::DestroyContext{context_});
  harness_.RunUntilQuiet();
  EXPECT_EQ(ReasonOfReply(gone), Reason::kNone);
}

TEST_F(MachineStoppingTest, PriorityChangesForTasksToCome) {
  client_.Send(SetStreamPriority{first_, 7});
  client_.Launch(client_.default_stream, {}, 32);
  client_.Launch(first_, {}, 32);
  const Ticket first = client_.SynchronizeStream(first_);
  client_.Launch(second_, {}, 32);
  const Ticket second = client_.SynchronizeStream(second_);
  harness_.RunUntilQuiet();
  EXPECT_LT(client_.ReplyTo(second)->tick, client_.ReplyTo(first)->tick);
}

}  // namespace
}  // namespace ascend::core
