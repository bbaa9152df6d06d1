// Sessions that end, in every state, and what their neighbours see of it.

#include <functional>

#include "gtest/gtest.h"
#include "tests/testing/machine_harness.h"

namespace ascend::core {
namespace {

class MachineCloseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    context_ = client_.CreateContext();
    stream_ = client_.default_stream;
    address_ = client_.Malloc(kMib);
  }
  void Step() { harness_.machine->AdvanceTo(harness_.machine->now() + 1); }
  void Close() { harness_.machine->CloseSession(client_.session); }
  DeviceUsage Device() const {
    return harness_.machine->GetDeviceUsage(DeviceId(0));
  }
  // Closed, and nothing is left of it.
  void ExpectGone() {
    EXPECT_TRUE(client_.is_closed());
    EXPECT_TRUE(harness_.backing.live.empty());
    EXPECT_EQ(Device().hbm_used_bytes, 0u);
    EXPECT_EQ(Device().units_held, Claim{});
    EXPECT_EQ(Device().tasks_waiting, 0u);
    EXPECT_FALSE(harness_.machine->NextEventTime().has_value());
    SessionUsage usage;
    EXPECT_FALSE(harness_.machine->GetSessionUsage(client_.session, &usage));
  }

  MachineHarness harness_;
  TestClient client_{harness_, 1};
  ContextHandle context_;
  StreamHandle stream_;
  uint64_t address_ = 0;
};

TEST_F(MachineCloseTest, AnIdleSessionIsClosedAtOnce) {
  Close();
  ExpectGone();
  EXPECT_EQ(harness_.runners.cancelled.count(client_.session), 1u);
  Close();  // again: no effect
}

TEST_F(MachineCloseTest, CommandsThatWaitForTheirStampAreForgotten) {
  const Ticket later = client_.Send(MemInfo{DeviceId(0)}, Microseconds(90));
  Close();
  ExpectGone();
  client_.Send(MemInfo{DeviceId(0)});
  harness_.RunUntilQuiet();
  EXPECT_EQ(client_.ReplyTo(later), nullptr);
}

TEST_F(MachineCloseTest, QueuedTasksAreDroppedAndTheRunningOneIsWaitedFor) {
  for (int i = 0; i < 3; ++i) {
    client_.Launch(stream_, {.vector_ticks = Microseconds(10)});
  }
  const Ticket waits = client_.SynchronizeStream(stream_);
  Step();
  Close();
  EXPECT_FALSE(client_.is_closed());
  EXPECT_FALSE(harness_.backing.live.empty()) << "the kernel may touch it";
  harness_.RunUntilQuiet();
  ExpectGone();
  EXPECT_EQ(client_.ReplyTo(waits), nullptr);
  EXPECT_EQ(harness_.runners.started_count, 1u);
  EXPECT_EQ(harness_.observer.closed.at(client_.session).kernel_count, 1u);
}

TEST_F(MachineCloseTest, ALateJobIsWaitedFor) {
  client_.Launch(stream_, {.vector_ticks = Microseconds(10)});
  harness_.machine->AdvanceTo(Milliseconds(1));
  Close();
  harness_.machine->AdvanceTo(Milliseconds(2));
  EXPECT_FALSE(client_.is_closed());
  harness_.RunUntilQuiet();
  ExpectGone();
}

TEST_F(MachineCloseTest, AJobMayEndBetweenItsReportAndItsRetirement) {
  client_.Launch(stream_, {.vector_ticks = Microseconds(10)});
  harness_.machine->AdvanceTo(Milliseconds(1));
  harness_.runners.FinishAll(*harness_.machine);
  Close();
  EXPECT_FALSE(client_.is_closed());
  harness_.RunUntilQuiet();
  ExpectGone();
}

TEST_F(MachineCloseTest, AFetchIsWaitedForAndItsKernelNeverStarts) {
  client_.Send(Launch{.stream = stream_,
                      .kernel = kTestMix,
                      .num_blocks = 1,
                      .args_address = address_,
                      .args_bytes = sizeof(TestKernelArgs)});
  Step();
  ASSERT_EQ(harness_.runners.running.size(), 1u);
  Close();
  EXPECT_FALSE(client_.is_closed());
  harness_.RunUntilQuiet();
  ExpectGone();
  EXPECT_EQ(harness_.runners.started_count, 1u);
}

TEST_F(MachineCloseTest, TasksThatWaitForUnitsAreWithdrawn) {
  TestClient other(harness_, 2, 2);
  other.CreateContext();
  other.Launch(other.default_stream, {.vector_ticks = Microseconds(50)}, 32);
  Step();
  client_.Launch(stream_, {}, 32);
  Step();
  EXPECT_EQ(Device().tasks_waiting, 1u);
  Close();
  EXPECT_TRUE(client_.is_closed());
  EXPECT_EQ(Device().tasks_waiting, 0u);
  harness_.RunUntilQuiet();
  EXPECT_EQ(harness_.runners.started_count, 1u);
}

TEST_F(MachineCloseTest, CopiesWithoutStreamAreDroppedOrWaitedFor) {
  for (int i = 0; i < 6; ++i) {
    client_.Send(Copy{.kind = CopyKind::kDeviceToHost,
                      .source = address_,
                      .bytes = kMib,
                      .wants_reply = true});
  }
  Step();
  EXPECT_EQ(Device().units_held.dma, 4u);
  EXPECT_EQ(Device().tasks_waiting, 2u);
  Close();
  EXPECT_EQ(Device().tasks_waiting, 0u);
  harness_.RunUntilQuiet();
  ExpectGone();
  EXPECT_TRUE(harness_.observer.host_data.empty());
}

TEST_F(MachineCloseTest, AStreamBlockedOnAnothersEventGoesToo) {
  const StreamHandle other = client_.CreateStream(context_);
  const EventHandle event = client_.CreateEvent();
  client_.Launch(stream_, {.vector_ticks = Microseconds(10)});
  client_.Send(RecordEvent{event, stream_});
  client_.Send(WaitEvent{other, event});
  client_.Launch(other);
  Step();
  Close();
  harness_.RunUntilQuiet();
  ExpectGone();
  EXPECT_EQ(harness_.runners.started_count, 1u);
}

TEST_F(MachineCloseTest, AStreamThatKeepsItsGapGoesAtOnce) {
  client_.Launch(stream_);
  client_.Launch(stream_);
  harness_.RunUntil(Microseconds(5));
  Close();
  ExpectGone();
}

TEST_F(MachineCloseTest, PendingDestructionsGoWithTheSession) {
  const StreamHandle other = client_.CreateStream(context_);
  client_.Launch(other, {.vector_ticks = Microseconds(10)});
  client_.Send(DestroyStream{other, true});
  client_.Send(DestroyContext{context_});
  Step();
  Close();
  harness_.RunUntilQuiet();
  ExpectGone();
}

TEST_F(MachineCloseTest, QuarantineGoesWithTheSession) {
  client_.Launch(stream_, {.address = address_, .bytes = kMib});
  client_.Send(Free{address_});
  Step();
  EXPECT_GT(Device().hbm_quarantined_bytes, 0u);
  Close();
  harness_.RunUntilQuiet();
  ExpectGone();
  EXPECT_EQ(Device().hbm_quarantined_bytes, 0u);
}

TEST_F(MachineCloseTest, AViolationEndsTheSessionLikeAClose) {
  client_.Launch(stream_, {.vector_ticks = Microseconds(10)});
  Step();
  client_.Send(Free{1});
  Step();
  EXPECT_NE(client_.Violation(), "");
  EXPECT_FALSE(client_.is_closed()) << "a job runs";
  client_.Send(MemInfo{DeviceId(0)});
  harness_.RunUntilQuiet();
  ExpectGone();
}

// What a well-behaved session sees does not depend on what becomes of another
// one that shares no unit with it: the same transcript, to the tick.
TEST(MachineIsolationTest, NothingThatASessionDoesShowsInAnother) {
  using Trouble = std::function<void(MachineHarness&, TestClient&)>;
  const auto transcript = [](const Trouble& trouble) {
    MachineHarness harness;
    TestClient victim(harness, 1, 1);
    victim.CreateContext();
    const uint64_t address = victim.Malloc(kMib);
    const EventHandle event = victim.CreateEvent();
    TestClient troubled(harness, 2, 2);
    troubled.CreateContext();
    troubled.Malloc(kMib);
    trouble(harness, troubled);
    for (int i = 0; i < 5; ++i) {
      victim.Launch(victim.default_stream, {.vector_ticks = Microseconds(20),
                                            .address = address,
                                            .bytes = kMib});
      victim.Send(RecordEvent{event, victim.default_stream});
      victim.SynchronizeStream(victim.default_stream);
      victim.Send(QueryEvent{event}, Microseconds(40 * i));
    }
    harness.RunUntilQuiet();
    std::vector<std::string> own;
    for (const std::string& line : harness.observer.log) {
      if (line.substr(0, 3) == "s1 ") own.push_back(line);
    }
    EXPECT_EQ(victim.Violation(), "");
    return own;
  };
  const auto quiet = transcript([](MachineHarness&, TestClient&) {});
  EXPECT_GT(quiet.size(), 10u);
  const Trouble troubles[] = {
      [](MachineHarness&, TestClient& client) { client.Send(Free{1}); },
      [](MachineHarness&, TestClient& client) {
        client.Launch(client.default_stream, {.is_legal = 0});
        client.SynchronizeStream(client.default_stream);
      },
      [](MachineHarness& harness, TestClient& client) {
        client.Launch(client.default_stream, {.vector_ticks = Microseconds(9)});
        harness.machine->CloseSession(client.session);
      },
      [](MachineHarness&, TestClient& client) {
        client.Send(MemInfo{DeviceId(0)}, kTickMax);
      },
      [](MachineHarness&, TestClient& client) {
        client.SkipTicket();
        client.Send(MemInfo{DeviceId(0)});
      },
  };
  for (const Trouble& trouble : troubles) {
    EXPECT_EQ(transcript(trouble), quiet);
  }
}

}  // namespace
}  // namespace ascend::core
