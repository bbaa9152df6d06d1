// Notifies, words of memory and functions of the host: what streams wait for
// besides work.

#include <cstring>
#include <string>

#include "core/base/error.h"
#include "gtest/gtest.h"
#include "tests/testing/machine_harness.h"

namespace ascend::core {
namespace {

class MachineSignalsTest : public ::testing::Test {
 protected:
  MachineSignalsTest() : client_(harness_, 1) {
    context_ = client_.CreateContext();
    waiting_ = client_.CreateStream(context_);
    other_ = client_.CreateStream(context_);
  }

  NotifyHandle CreateNotify() {
    const NotifyHandle notify{next_notify_++, 1};
    client_.Send(core::CreateNotify{notify, DeviceId(0)});
    return notify;
  }
  // Whether the stream has got through what is in it.
  bool IsThrough(StreamHandle stream) {
    const Ticket ticket = client_.SynchronizeStream(stream);
    harness_.RunUntilQuiet();
    const Reply* const reply = client_.ReplyTo(ticket);
    if (reply == nullptr) client_.Send(CancelWait{ticket});
    return reply != nullptr;
  }
  Reason SynchronizeReason(StreamHandle stream) {
    const Ticket ticket = client_.SynchronizeStream(stream);
    harness_.RunUntilQuiet();
    const Reply* const reply = client_.ReplyTo(ticket);
    EXPECT_NE(reply, nullptr);
    return reply == nullptr ? Reason::kInternal : ReasonOf(reply->status);
  }
  void SetWord(uint64_t address, uint64_t word) {
    std::string bytes(sizeof(word), '\0');
    std::memcpy(bytes.data(), &word, sizeof(word));
    harness_.runners.memory[address] = bytes;
  }

  MachineHarness harness_;
  TestClient client_;
  ContextHandle context_;
  StreamHandle waiting_;
  StreamHandle other_;
  uint32_t next_notify_ = 0;
};

TEST_F(MachineSignalsTest, AWaitGoesOnAfterTheRecordAndResets) {
  const NotifyHandle notify = CreateNotify();
  client_.Send(WaitNotify{waiting_, notify});
  EXPECT_FALSE(IsThrough(waiting_));
  client_.Send(RecordNotify{notify, other_});
  EXPECT_TRUE(IsThrough(waiting_));
  // The flag was cleared by the first wait.
  client_.Send(WaitNotify{waiting_, notify});
  EXPECT_FALSE(IsThrough(waiting_));
  client_.Send(RecordNotify{notify, other_});
  EXPECT_TRUE(IsThrough(waiting_));
}

TEST_F(MachineSignalsTest, ARecordIsKeptForOneWait) {
  const NotifyHandle notify = CreateNotify();
  client_.Send(RecordNotify{notify, other_});
  client_.Send(RecordNotify{notify, other_});  // a flag, no count
  harness_.RunUntilQuiet();
  client_.Send(WaitNotify{waiting_, notify});
  EXPECT_TRUE(IsThrough(waiting_));
  client_.Send(WaitNotify{waiting_, notify});
  EXPECT_FALSE(IsThrough(waiting_));
}

TEST_F(MachineSignalsTest, ARecordFreesOneWaitInOrder) {
  const NotifyHandle notify = CreateNotify();
  const StreamHandle second = client_.CreateStream(context_);
  client_.Send(WaitNotify{waiting_, notify});
  harness_.RunUntilQuiet();
  client_.Send(WaitNotify{second, notify});
  harness_.RunUntilQuiet();
  client_.Send(RecordNotify{notify, other_});
  EXPECT_TRUE(IsThrough(waiting_));
  EXPECT_FALSE(IsThrough(second));
  client_.Send(RecordNotify{notify, other_});
  EXPECT_TRUE(IsThrough(second));
}

TEST_F(MachineSignalsTest, AWaitForANotifyExpires) {
  const NotifyHandle notify = CreateNotify();
  client_.Send(WaitNotify{waiting_, notify, Microseconds(5)});
  EXPECT_EQ(SynchronizeReason(waiting_), Reason::kEventSyncTimeout);
  // What expired waits no more: the record stays for the next.
  client_.Send(RecordNotify{notify, other_});
  client_.Send(WaitNotify{waiting_, notify});
  EXPECT_EQ(SynchronizeReason(waiting_), Reason::kNone);
}

TEST_F(MachineSignalsTest, TasksKeepANotifyThatIsDestroyed) {
  const NotifyHandle notify = CreateNotify();
  client_.Send(WaitNotify{waiting_, notify});
  client_.Launch(other_, {.vector_ticks = Microseconds(10)});
  client_.Send(RecordNotify{notify, other_});
  client_.Send(DestroyNotify{notify});
  // The place may be taken at once.
  client_.Send(core::CreateNotify{{notify.index, 2}, DeviceId(0)});
  EXPECT_TRUE(IsThrough(waiting_));
  EXPECT_EQ(client_.Violation(), "");
  client_.Send(WaitNotify{waiting_, notify});
  harness_.RunUntilQuiet();
  EXPECT_NE(client_.Violation().find("notify"), std::string::npos);
}

TEST_F(MachineSignalsTest, AStreamThatGoesLeavesTheNotifyToOthers) {
  const NotifyHandle notify = CreateNotify();
  client_.Send(WaitNotify{waiting_, notify});
  harness_.RunUntilQuiet();
  client_.Send(core::DestroyStream{waiting_, /*force=*/true});
  harness_.RunUntilQuiet();
  const StreamHandle second = client_.CreateStream(context_);
  client_.Send(WaitNotify{second, notify});
  client_.Send(RecordNotify{notify, other_});
  EXPECT_TRUE(IsThrough(second));
}

TEST_F(MachineSignalsTest, AWordIsLookedAtAgainAfterEachWrite) {
  const uint64_t word = client_.Malloc(64);
  SetWord(word, 1);
  client_.Send(WaitWord{waiting_, word, 3, WordCondition::kGreaterOrEqual});
  EXPECT_FALSE(IsThrough(waiting_));
  SetWord(word, 2);
  client_.Launch(other_);
  EXPECT_FALSE(IsThrough(waiting_));
  SetWord(word, 3);
  EXPECT_FALSE(IsThrough(waiting_));  // nothing of the device wrote
  client_.Send(
      core::Fill{.stream = other_, .address = word, .bytes = 8, .value = 0});
  EXPECT_TRUE(IsThrough(waiting_));
}

TEST_F(MachineSignalsTest, WordConditions) {
  const uint64_t word = client_.Malloc(64);
  const auto passes = [&](uint64_t value, uint64_t wanted,
                          WordCondition condition) {
    const StreamHandle stream = client_.CreateStream(context_);
    SetWord(word, value);
    client_.Send(WaitWord{stream, word, wanted, condition});
    const bool is_through = IsThrough(stream);
    client_.Send(core::DestroyStream{stream, /*force=*/true});
    harness_.RunUntilQuiet();
    return is_through;
  };
  EXPECT_TRUE(passes(5, 5, WordCondition::kGreaterOrEqual));
  // The difference is signed, so a counter may wrap around.
  EXPECT_TRUE(passes(1, ~uint64_t{0}, WordCondition::kGreaterOrEqual));
  EXPECT_FALSE(passes(4, 5, WordCondition::kGreaterOrEqual));
  EXPECT_TRUE(passes(5, 5, WordCondition::kEqual));
  EXPECT_FALSE(passes(6, 5, WordCondition::kEqual));
  EXPECT_TRUE(passes(6, 4, WordCondition::kAnd));
  EXPECT_FALSE(passes(6, 1, WordCondition::kAnd));
  EXPECT_TRUE(passes(6, 1, WordCondition::kNor));
  EXPECT_FALSE(passes(~uint64_t{1}, 1, WordCondition::kNor));
}

TEST_F(MachineSignalsTest, AWordOutsideOfMemoryFailsInItsTurn) {
  client_.Send(WaitWord{waiting_, 4096, 1});
  EXPECT_EQ(SynchronizeReason(waiting_), Reason::kInvalidArgument);
}

TEST_F(MachineSignalsTest, NoMallocWaitsWhileAStreamWaitsForACall) {
  const uint64_t quota = uint64_t{4} << 20;
  TestClient client(harness_, 2, 1, quota);
  const ContextHandle context = client.CreateContext();
  const StreamHandle stream = client.CreateStream(context);
  const uint64_t memory = client.Malloc(quota / 2 + 4096);
  ASSERT_NE(memory, 0u);
  const NotifyHandle notify{0, 1};
  client.Send(core::CreateNotify{notify, DeviceId(0)});
  client.Launch(stream);
  client.Send(WaitNotify{stream, notify});
  client.Send(core::Free{memory});
  // The kernel still runs, so this one waits for the quarantine.
  const Ticket waits = client.Send(core::Malloc{DeviceId(0), quota / 2 + 4096});
  harness_.machine->AdvanceTo(harness_.machine->now() + 1);
  EXPECT_EQ(client.ReplyTo(waits), nullptr);
  harness_.RunUntilQuiet();
  // Nothing says that the notify ever comes.
  ASSERT_NE(client.ReplyTo(waits), nullptr);
  EXPECT_EQ(ReasonOf(client.ReplyTo(waits)->status),
            Reason::kOutOfDeviceMemory);
  const Ticket refused =
      client.Send(core::Malloc{DeviceId(0), quota / 2 + 4096});
  harness_.RunUntilQuiet();
  ASSERT_NE(client.ReplyTo(refused), nullptr);
  EXPECT_EQ(ReasonOf(client.ReplyTo(refused)->status),
            Reason::kOutOfDeviceMemory);
}

TEST_F(MachineSignalsTest, AStreamWaitsForAHostFunction) {
  const Ticket function = client_.Send(HostFunction{waiting_});
  EXPECT_FALSE(IsThrough(waiting_));
  ASSERT_EQ(harness_.observer.due.size(), 1u);
  EXPECT_EQ(harness_.observer.due[0].second, function);
  client_.Send(HostFunctionDone{function});
  EXPECT_TRUE(IsThrough(waiting_));
  EXPECT_EQ(client_.Violation(), "");
  client_.Send(HostFunctionDone{function});
  harness_.RunUntilQuiet();
  EXPECT_NE(client_.Violation().find("not due"), std::string::npos);
}

TEST_F(MachineSignalsTest, AHostFunctionThatIsNotAwaitedHoldsNothingUp) {
  client_.Send(HostFunction{waiting_, /*is_awaited=*/false});
  EXPECT_TRUE(IsThrough(waiting_));
  EXPECT_EQ(harness_.observer.due.size(), 1u);
}

TEST_F(MachineSignalsTest, ASessionEndsUnderAHostFunctionAndAllWaits) {
  const NotifyHandle notify = CreateNotify();
  const uint64_t word = client_.Malloc(64);
  const StreamHandle third = client_.CreateStream(context_);
  client_.Send(HostFunction{waiting_});
  client_.Send(WaitNotify{other_, notify});
  client_.Send(WaitWord{third, word, 7, WordCondition::kEqual});
  harness_.RunUntilQuiet();
  harness_.machine->CloseSession(client_.session);
  harness_.RunUntilQuiet();
  EXPECT_TRUE(client_.is_closed());
}

TEST_F(MachineSignalsTest, UtilizationIsOfTheTimeSinceTheLastQuestion) {
  harness_.RunUntilQuiet();
  const auto ask = [&] {
    const Ticket ticket = client_.Send(QueryUtilization{DeviceId(0)});
    harness_.RunUntilQuiet();
    return std::get<UtilizationReply>(client_.ReplyTo(ticket)->payload);
  };
  ask();
  client_.Launch(other_, {.vector_ticks = Microseconds(50)}, 16);
  client_.SynchronizeStream(other_);
  harness_.RunUntilQuiet();
  // 16 blocks are 4 of the 8 units, all the time.
  const UtilizationReply busy = ask();
  EXPECT_EQ(busy.cube_percent, 50u);
  EXPECT_EQ(busy.aiv_percent, 50u);
  EXPECT_EQ(ask().aiv_percent, 0u);
}

}  // namespace
}  // namespace ascend::core
