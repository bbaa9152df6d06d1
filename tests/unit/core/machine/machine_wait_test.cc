// Events, synchronisation, destruction of what has work, and giving up.

#include "gtest/gtest.h"
#include "tests/testing/machine_harness.h"

namespace ascend::core {
namespace {

constexpr Tick kRecord = Microseconds(1);

class MachineWaitTest : public ::testing::Test {
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
  Ticket Synchronize(core::Synchronize target) { return client_.Send(target); }
  Ticket SynchronizeEvent() {
    return client_.Send(core::Synchronize{
        .target = core::Synchronize::Target::kEvent, .event = event_});
  }
  EventReply Query() {
    const Ticket ticket = client_.Send(QueryEvent{event_});
    harness_.RunUntil(harness_.machine->now() + 1);
    const Reply* reply = client_.ReplyTo(ticket);
    EXPECT_NE(reply, nullptr);
    return reply == nullptr ? EventReply{}
                            : std::get<EventReply>(reply->payload);
  }
  Tick TickOf(Ticket ticket) {
    const Reply* reply = client_.ReplyTo(ticket);
    return reply == nullptr ? -1 : reply->tick;
  }

  MachineHarness harness_;
  TestClient client_{harness_, 1};
  ContextHandle context_;
  StreamHandle a_, b_;
  EventHandle event_;
};

TEST_F(MachineWaitTest, AnEventThatWasNeverRecordedBlocksNobody) {
  EXPECT_FALSE(Query().recorded);
  const Ticket synchronised = SynchronizeEvent();
  client_.Send(WaitEvent{b_, event_});
  const Ticket after = client_.SynchronizeStream(b_);
  harness_.RunUntilQuiet();
  EXPECT_EQ(TickOf(synchronised), 0);
  EXPECT_EQ(TickOf(after), Microseconds(1));  // the wait's own cost
}

TEST_F(MachineWaitTest, AnEventIsCompleteWhenItsRecordRetires) {
  Work(a_, Microseconds(10));
  client_.Send(RecordEvent{event_, a_});
  const EventReply before = Query();
  EXPECT_TRUE(before.recorded);
  EXPECT_FALSE(before.complete);
  harness_.RunUntilQuiet();
  const EventReply after = Query();
  EXPECT_TRUE(after.complete);
  EXPECT_EQ(after.record_tick, Microseconds(10) + kRecord);
}

TEST_F(MachineWaitTest, TheTimeBetweenTwoEventsIsTheWorkBetweenThem) {
  const EventHandle end = client_.CreateEvent();
  client_.Send(RecordEvent{event_, a_});
  Work(a_, Microseconds(40));
  client_.Send(RecordEvent{end, a_});
  harness_.RunUntilQuiet();
  const Tick begin_tick = Query().record_tick;
  event_ = end;
  EXPECT_EQ(Query().record_tick - begin_tick, Microseconds(40) + kRecord);
}

TEST_F(MachineWaitTest, ANewRecordReplacesTheOldOne) {
  client_.Send(RecordEvent{event_, a_});
  harness_.RunUntilQuiet();
  EXPECT_TRUE(Query().complete);
  Work(b_, Microseconds(30));
  client_.Send(RecordEvent{event_, b_});
  EXPECT_FALSE(Query().complete);
  const Ticket synchronised = SynchronizeEvent();
  harness_.RunUntilQuiet();
  EXPECT_EQ(TickOf(synchronised), Query().record_tick);
}

TEST_F(MachineWaitTest, ARecordThatWasReplacedDoesNotCompleteTheEvent) {
  Work(b_, Microseconds(100));
  client_.Send(RecordEvent{event_, a_});
  client_.Send(RecordEvent{event_, b_});
  harness_.RunUntil(Microseconds(50));
  EXPECT_FALSE(Query().complete);
  harness_.RunUntilQuiet();
  EXPECT_TRUE(Query().complete);
}

TEST_F(MachineWaitTest, NorDoesAnEarlierRecordInTheSameStream) {
  client_.Send(RecordEvent{event_, a_});
  Work(a_, Microseconds(50));
  client_.Send(RecordEvent{event_, a_});
  harness_.RunUntil(Microseconds(20));
  EXPECT_FALSE(Query().complete);
  harness_.RunUntilQuiet();
  EXPECT_EQ(Query().record_tick, Microseconds(50) + 2 * kRecord);
}

TEST_F(MachineWaitTest, AWaitKeepsWhatItWaitedForWhenTheEventIsRecordedAnew) {
  Work(a_, Microseconds(20));
  client_.Send(RecordEvent{event_, a_});
  client_.Send(WaitEvent{b_, event_});
  Work(a_, Microseconds(500));
  client_.Send(RecordEvent{event_, a_});
  const Ticket after = client_.SynchronizeStream(b_);
  harness_.RunUntilQuiet();
  EXPECT_EQ(TickOf(after), Microseconds(20) + kRecord + Microseconds(1));
}

TEST_F(MachineWaitTest, AWaitOutlivesItsEventAndTheStreamOfTheRecord) {
  Work(b_, Microseconds(20));
  client_.Send(RecordEvent{event_, b_});
  client_.Send(WaitEvent{a_, event_});
  client_.Send(DestroyEvent{event_});
  client_.Send(DestroyStream{b_});
  const Ticket after = client_.SynchronizeStream(a_);
  harness_.RunUntilQuiet();
  EXPECT_EQ(TickOf(after), Microseconds(20) + kRecord + Microseconds(1));
  EXPECT_EQ(client_.Usage().event_count, 0u);
}

TEST_F(MachineWaitTest, AnEventOfAStreamThatIsGoneIsComplete) {
  client_.Send(RecordEvent{event_, b_});
  client_.Send(DestroyStream{b_});
  harness_.RunUntilQuiet();
  EXPECT_TRUE(Query().complete);
  client_.Send(WaitEvent{a_, event_});
  const Ticket synchronised = SynchronizeEvent();
  const Ticket after = client_.SynchronizeStream(a_);
  harness_.RunUntilQuiet();
  EXPECT_NE(TickOf(synchronised), -1);
  EXPECT_NE(TickOf(after), -1);
}

TEST_F(MachineWaitTest, AStreamMayWaitForItsOwnRecord) {
  client_.Send(RecordEvent{event_, a_});
  client_.Send(WaitEvent{a_, event_});
  const Ticket after = client_.SynchronizeStream(a_);
  harness_.RunUntilQuiet();
  EXPECT_EQ(TickOf(after), kRecord + Microseconds(1));
}

TEST_F(MachineWaitTest, SynchroniseCoversItsTargetAndNoMore) {
  const ContextHandle other = client_.CreateContext();
  const StreamHandle c = client_.default_stream;
  using Target = core::Synchronize::Target;
  Work(a_, Microseconds(10));
  Work(b_, Microseconds(20));
  Work(c, Microseconds(30));
  const Ticket stream = client_.SynchronizeStream(a_);
  const Ticket context =
      Synchronize({.target = Target::kContext, .context = context_});
  const Ticket second =
      Synchronize({.target = Target::kContext, .context = other});
  const Ticket device =
      Synchronize({.target = Target::kDevice, .device = DeviceId(0)});
  // What comes later is not covered.
  Work(a_, Microseconds(200));
  harness_.RunUntilQuiet();
  EXPECT_EQ(TickOf(stream), Microseconds(10));
  EXPECT_EQ(TickOf(context), Microseconds(20));
  EXPECT_EQ(TickOf(second), Microseconds(30));
  EXPECT_EQ(TickOf(device), Microseconds(30));
}

TEST_F(MachineWaitTest, SynchroniseOfWhatIsIdleIsAnsweredAtOnce) {
  using Target = core::Synchronize::Target;
  const Ticket stream = client_.SynchronizeStream(a_);
  const Ticket context =
      Synchronize({.target = Target::kContext, .context = context_});
  const Ticket device =
      Synchronize({.target = Target::kDevice, .device = DeviceId(0)});
  harness_.RunUntilQuiet();
  EXPECT_EQ(TickOf(stream), 0);
  EXPECT_EQ(TickOf(context), 0);
  EXPECT_EQ(TickOf(device), 0);
}

TEST_F(MachineWaitTest, DestroyOfAStreamWaitsForItsWork) {
  Work(b_, Microseconds(10));
  Work(b_, Microseconds(10));
  const Ticket destroyed = client_.Send(DestroyStream{b_});
  harness_.RunUntilQuiet();
  EXPECT_EQ(TickOf(destroyed), Microseconds(30));  // with the gap of 10
  EXPECT_EQ(client_.Usage().stream_count, 1u);
  EXPECT_EQ(client_.Usage().kernel_count, 2u);
}

TEST_F(MachineWaitTest, ForcedDestroyWaitsForWhatRunsAndDropsTheRest) {
  Work(b_, Microseconds(10));
  Work(b_, Microseconds(10));
  client_.Send(RecordEvent{event_, b_});
  client_.Send(WaitEvent{a_, event_});
  harness_.machine->AdvanceTo(Microseconds(5));
  const Ticket destroyed = client_.Send(DestroyStream{b_, /*force=*/true});
  const Ticket after = client_.SynchronizeStream(a_);
  harness_.RunUntilQuiet();
  EXPECT_EQ(TickOf(destroyed), Microseconds(10));
  // Who waited for work that was dropped goes on.
  EXPECT_EQ(TickOf(after), Microseconds(11));
  EXPECT_EQ(client_.Usage().kernel_count, 1u);
}

TEST_F(MachineWaitTest, ForcedDestroyDropsAWaitingHeadAtOnce) {
  // For units, for the gap, for a fence, for a fetched block.
  client_.Launch(a_, {.vector_ticks = Microseconds(100)}, 32);
  const StreamHandle units = client_.CreateStream(context_);
  const StreamHandle fence = client_.CreateStream(context_);
  client_.Launch(units, {}, 32);
  client_.Send(RecordEvent{event_, a_});
  client_.Send(WaitEvent{fence, event_});
  harness_.RunUntil(Microseconds(5));
  EXPECT_EQ(harness_.machine->GetDeviceUsage(DeviceId(0)).tasks_waiting, 1u);
  for (const StreamHandle stream : {units, fence}) {
    const Ticket destroyed =
        client_.Send(DestroyStream{stream, true}, Microseconds(6));
    harness_.RunUntil(Microseconds(7));
    EXPECT_EQ(TickOf(destroyed), Microseconds(6));
  }
  EXPECT_EQ(harness_.machine->GetDeviceUsage(DeviceId(0)).tasks_waiting, 0u);
  harness_.RunUntilQuiet();
  EXPECT_EQ(client_.Usage().kernel_count, 1u);
}

TEST_F(MachineWaitTest, ForcedDestroyDropsAHeadThatKeepsTheGap) {
  Work(b_, Microseconds(10));
  Work(b_, Microseconds(10));
  harness_.RunUntil(Microseconds(12));  // the first is done, the gap lasts
  const Ticket destroyed =
      client_.Send(DestroyStream{b_, true}, Microseconds(13));
  harness_.RunUntilQuiet();
  EXPECT_EQ(TickOf(destroyed), Microseconds(13));
  EXPECT_EQ(client_.Usage().kernel_count, 1u);
}

TEST_F(MachineWaitTest, ForcedDestroyAnswersTheCopyThatItDrops) {
  const uint64_t address = client_.Malloc(4096);
  Work(b_, Microseconds(50));
  const Ticket copy = client_.Send(Copy{.stream = b_,
                                        .kind = CopyKind::kHostToDevice,
                                        .target = address,
                                        .bytes = 4,
                                        .inline_data = "data",
                                        .wants_reply = true});
  client_.Send(DestroyStream{b_, true});
  harness_.RunUntilQuiet();
  ASSERT_NE(client_.ReplyTo(copy), nullptr);
  EXPECT_EQ(ReasonOf(client_.ReplyTo(copy)->status), Reason::kStreamAborted);
  EXPECT_TRUE(harness_.runners.copies.empty());
}

TEST_F(MachineWaitTest, DestroyOfAContextWaitsForAllItsStreams) {
  Work(a_, Microseconds(10));
  Work(b_, Microseconds(30));
  const Ticket destroyed = client_.Send(DestroyContext{context_});
  harness_.RunUntilQuiet();
  EXPECT_EQ(TickOf(destroyed), Microseconds(30));
  EXPECT_EQ(client_.Usage().context_count, 0u);
  EXPECT_EQ(client_.Usage().stream_count, 0u);
}

TEST_F(MachineWaitTest, AStreamMayBeOnItsWayOutWhenItsContextGoes) {
  Work(b_, Microseconds(30));
  const Ticket stream = client_.Send(DestroyStream{b_});
  const Ticket context = client_.Send(DestroyContext{context_, true});
  harness_.RunUntilQuiet();
  EXPECT_NE(TickOf(stream), -1);
  EXPECT_NE(TickOf(context), -1);
  EXPECT_EQ(client_.Usage().stream_count, 0u);
}

TEST_F(MachineWaitTest, ACancelledSynchroniseIsNotAnswered) {
  Work(a_, Microseconds(30));
  const Ticket given_up = client_.SynchronizeStream(a_);
  const Ticket kept = client_.SynchronizeStream(a_);
  client_.Send(CancelWait{given_up});
  harness_.RunUntilQuiet();
  EXPECT_EQ(TickOf(given_up), -1);
  EXPECT_EQ(TickOf(kept), Microseconds(30));
}

TEST_F(MachineWaitTest, ACancelledSynchroniseLeavesTheErrorForTheNext) {
  client_.Launch(a_, {.is_legal = 0});
  Work(a_, Microseconds(30));
  const Ticket given_up = client_.SynchronizeStream(a_);
  client_.Send(CancelWait{given_up});
  const Ticket next = client_.SynchronizeStream(a_);
  harness_.RunUntilQuiet();
  EXPECT_EQ(ReasonOf(client_.ReplyTo(next)->status), Reason::kCubeFault);
}

TEST_F(MachineWaitTest, ACancelledCopyOrDestroyIsCarriedOutAllTheSame) {
  const uint64_t address = client_.Malloc(4096);
  const Ticket copy = client_.Send(Copy{.kind = CopyKind::kDeviceToHost,
                                        .source = address,
                                        .bytes = 4096,
                                        .wants_reply = true});
  Work(b_, Microseconds(30));
  const Ticket destroyed = client_.Send(DestroyStream{b_});
  client_.Send(CancelWait{copy});
  client_.Send(CancelWait{destroyed});
  harness_.RunUntilQuiet();
  EXPECT_EQ(TickOf(copy), -1);
  EXPECT_EQ(TickOf(destroyed), -1);
  EXPECT_EQ(client_.Usage().copy_count, 1u);
  EXPECT_EQ(client_.Usage().stream_count, 1u);
}

TEST_F(MachineWaitTest, CancellingWhatIsAnsweredOrWasNeverAskedDoesNothing) {
  const Ticket done = client_.SynchronizeStream(a_);
  client_.Send(CancelWait{done});
  client_.Send(CancelWait{Ticket(12345)});
  harness_.RunUntilQuiet();
  EXPECT_EQ(TickOf(done), 0);
  EXPECT_EQ(client_.Violation(), "");
}

TEST_F(MachineWaitTest, ProgressIsToldWhenAStreamRunsDryAndInBetween) {
  for (int i = 0; i < 600; ++i) client_.Send(RecordEvent{event_, a_});
  harness_.RunUntilQuiet();
  std::vector<std::string> told;
  for (const std::string& line : harness_.observer.log) {
    if (line.find("progress") != std::string::npos) told.push_back(line);
  }
  const std::string prefix = "s1 progress " + std::to_string(a_.ToBits()) + " ";
  EXPECT_EQ(told, (std::vector<std::string>{prefix + "256", prefix + "512",
                                            prefix + "600"}));
}

}  // namespace
}  // namespace ascend::core
