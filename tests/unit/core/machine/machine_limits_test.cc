// What a hostile session can do to the others: nothing (core/machine/limits.h).

#include <limits>

#include "absl/strings/match.h"
#include "core/machine/durations.h"
#include "core/machine/limits.h"
#include "gtest/gtest.h"
#include "tests/testing/machine_harness.h"

namespace ascend::core {
namespace {

// Small, so that they are reached at once.
constexpr SessionLimits kLimits = {.held_commands_max = 5000,
                                   .held_bytes_max = 100 * kInlineBytesMax,
                                   .requests_max = 100,
                                   .waits_max = 640,
                                   .allocations_max = 10};
constexpr Tick kHour = 3600 * kTicksPerSecond;

class MachineLimitsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    context_ = client_.CreateContext();
    stream_ = client_.default_stream;
  }
  // Moves the clock on by `lead` at a time, until it is `tick`.
  void DragTo(Tick tick) {
    while (harness_.machine->now() < tick) {
      client_.Send(MemInfo{DeviceId(0)},
                   std::min(harness_.machine->now() + kHour, tick));
      harness_.RunUntilQuiet();
      ASSERT_EQ(client_.Violation(), "");
    }
  }

  MachineHarness harness_{ExactSpec(), "fifo", 1, 1, kLimits};
  TestClient client_{harness_, 1};
  ContextHandle context_;
  StreamHandle stream_;
};

// --- Time --------------------------------------------------------------------

TEST_F(MachineLimitsTest, AStampMayBeAnHourAheadAndNoMore) {
  const Ticket ahead = client_.Send(MemInfo{DeviceId(0)}, kStampLeadMax);
  harness_.RunUntilQuiet();
  ASSERT_NE(client_.ReplyTo(ahead), nullptr);
  EXPECT_EQ(harness_.machine->now(), kStampLeadMax);
  client_.Send(MemInfo{DeviceId(0)}, 2 * kStampLeadMax + 1);
  harness_.RunUntilQuiet();
  EXPECT_TRUE(absl::StrContains(client_.Violation(), "ahead of the clock"));
  EXPECT_EQ(harness_.machine->now(), kStampLeadMax) << "the clock was dragged";
}

TEST_F(MachineLimitsTest, TheLeadCountsFromTheCommandBefore) {
  // A lane that pays much host time between calls is ahead of the clock, but
  // each of its calls is near the one before.
  Ticket last;
  for (int i = 1; i <= 10; ++i) {
    last = client_.Send(MemInfo{DeviceId(0)}, i * kHour);
  }
  harness_.RunUntilQuiet();
  EXPECT_EQ(client_.Violation(), "");
  EXPECT_EQ(client_.ReplyTo(last)->tick, 10 * kHour);
}

TEST_F(MachineLimitsTest, AStampInAQueueIsJudgedTooAndTheRestIsDropped) {
  client_.Launch(stream_, {.vector_ticks = Microseconds(10)});
  client_.Send(MemInfo{DeviceId(0)}, kTickMax);
  const Ticket behind = client_.Send(MemInfo{DeviceId(0)});
  harness_.RunUntilQuiet();
  EXPECT_NE(client_.Violation(), "");
  EXPECT_TRUE(client_.is_closed());
  EXPECT_EQ(client_.ReplyTo(behind), nullptr);
}

TEST_F(MachineLimitsTest, CostsOfAnyShapeAreDurations) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const TestKernelArgs shapes[] = {
      {.hbm_bytes = ~uint64_t{0}},
      {.l2_bytes = ~uint64_t{0}},
      {.flops = kInfinity},
      {.flops = -kInfinity},
      {.flops = std::numeric_limits<double>::quiet_NaN()},
      {.flops = -1e30},
      {.vector_ticks = kTickMax},
      {.vector_ticks = std::numeric_limits<Tick>::min()},
      {.hbm_bytes = ~uint64_t{0},
       .flops = kInfinity,
       .l2_bytes = ~uint64_t{0},
       .vector_ticks = kTickMax},
  };
  for (const TestKernelArgs& shape : shapes) {
    for (const uint32_t blocks : {1u, 32u, ~0u}) {
      const Tick start = harness_.machine->now();
      client_.Launch(stream_, shape, blocks);
      const Ticket done = client_.SynchronizeStream(stream_);
      harness_.RunUntilQuiet();
      ASSERT_NE(client_.ReplyTo(done), nullptr);
      const Tick took = client_.ReplyTo(done)->tick - start;
      EXPECT_GE(took, Nanoseconds(1500));
      // Body and tail; the units could pull a little more than there is.
      EXPECT_LE(took, 2 * kDurationMax + kDurationMax / 100);
    }
  }
}

TEST_F(MachineLimitsTest, AtTheEndOfTheClockTasksFailAndNothingHangs) {
  DragTo(kClockEnd);
  const uint64_t address = client_.Malloc(kMib);
  const EventHandle event = client_.CreateEvent();
  const StreamHandle other = client_.CreateStream(context_);
  client_.Launch(stream_, {.vector_ticks = kTickMax});
  client_.Send(RecordEvent{event, stream_});
  client_.Send(WaitEvent{other, event});
  client_.Launch(other);
  const Ticket copy = client_.Send(Copy{.kind = CopyKind::kHostToDevice,
                                        .target = address,
                                        .bytes = kMib,
                                        .wants_reply = true});
  const Ticket done = client_.SynchronizeStream(other);
  harness_.RunUntilQuiet();
  EXPECT_EQ(client_.Violation(), "");
  for (const Ticket ticket : {copy, done}) {
    ASSERT_NE(client_.ReplyTo(ticket), nullptr);
    EXPECT_EQ(ReasonOf(client_.ReplyTo(ticket)->status),
              Reason::kDeviceAborted);
  }
  EXPECT_EQ(harness_.runners.started_count, 0u);
  // Stamps do not move it on.
  client_.Send(MemInfo{DeviceId(0)}, kClockEnd + kHour);
  harness_.RunUntilQuiet();
  EXPECT_EQ(harness_.machine->now(), kClockEnd);
  harness_.machine->CloseSession(client_.session);
  EXPECT_TRUE(client_.is_closed());
}

TEST_F(MachineLimitsTest, WhatStartsJustBeforeTheEndOfTheClockEnds) {
  DragTo(kClockEnd - 1);
  client_.Launch(stream_,
                 {.hbm_bytes = ~uint64_t{0}, .vector_ticks = kTickMax});
  client_.Launch(stream_);
  const Ticket done = client_.SynchronizeStream(stream_);
  harness_.RunUntilQuiet();
  ASSERT_NE(client_.ReplyTo(done), nullptr);
  EXPECT_EQ(ReasonOf(client_.ReplyTo(done)->status), Reason::kDeviceAborted);
  EXPECT_EQ(client_.Usage().kernel_count, 2u);
  EXPECT_EQ(harness_.runners.started_count, 1u);
}

// --- Memory ------------------------------------------------------------------

TEST_F(MachineLimitsTest, CommandsOnTheirWayAreBounded) {
  for (uint64_t i = 1; i < kLimits.held_commands_max; ++i) {
    client_.Send(MemInfo{DeviceId(0)}, kHour);
  }
  EXPECT_EQ(client_.Violation(), "");
  client_.Send(MemInfo{DeviceId(0)}, kHour);
  EXPECT_TRUE(absl::StrContains(client_.Violation(), "on their way"));
  EXPECT_TRUE(client_.is_closed());
}

TEST_F(MachineLimitsTest, BytesOnTheirWayAreBoundedAndComeBack) {
  const uint64_t address = client_.Malloc(kMib);
  const auto send = [&](Tick stamp) {
    client_.Send(Copy{.stream = stream_,
                      .kind = CopyKind::kHostToDevice,
                      .target = address,
                      .bytes = kInlineBytesMax,
                      .inline_data = std::string(kInlineBytesMax, 'x')},
                 stamp);
  };
  // Many times the limit, one after the other.
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 90; ++i) send(0);
    harness_.RunUntilQuiet();
    harness_.runners.copies.clear();
  }
  EXPECT_EQ(client_.Violation(), "");
  for (uint64_t i = 0; i < kLimits.held_bytes_max / kInlineBytesMax; ++i)
    send(kHour);
  EXPECT_EQ(client_.Violation(), "");
  send(kHour);
  EXPECT_TRUE(absl::StrContains(client_.Violation(), "on their way"));
}

TEST_F(MachineLimitsTest, RequestsWithoutAnAnswerAreBounded) {
  client_.Launch(stream_, {.vector_ticks = Milliseconds(10)});
  for (size_t i = 0; i < kLimits.requests_max; ++i)
    client_.SynchronizeStream(stream_);
  harness_.RunUntil(Microseconds(1));
  EXPECT_EQ(client_.Violation(), "");
  client_.SynchronizeStream(stream_);
  harness_.RunUntil(Microseconds(2));
  EXPECT_TRUE(absl::StrContains(client_.Violation(), "replies"));
}

TEST_F(MachineLimitsTest, CopiesWithoutStreamAreRequestsToo) {
  const uint64_t address = client_.Malloc(kMib);
  for (size_t i = 0; i <= kLimits.requests_max; ++i) {
    client_.Send(Copy{.kind = CopyKind::kDeviceToHost,
                      .source = address,
                      .bytes = kMib,
                      .wants_reply = true});
    client_.Send(CancelWait{Ticket(1)});
  }
  harness_.machine->AdvanceTo(harness_.machine->now() + 1);
  EXPECT_TRUE(absl::StrContains(client_.Violation(), "replies"));
  harness_.RunUntilQuiet();
  EXPECT_TRUE(client_.is_closed());
}

TEST_F(MachineLimitsTest, WhoGivesUpAgainAndAgainIsNotCounted) {
  client_.Launch(stream_, {.vector_ticks = Milliseconds(10)});
  for (size_t i = 0; i < 3 * kLimits.requests_max; ++i) {
    client_.Send(CancelWait{client_.SynchronizeStream(stream_)});
  }
  const Ticket last = client_.SynchronizeStream(stream_);
  harness_.RunUntilQuiet();
  EXPECT_EQ(client_.Violation(), "");
  EXPECT_NE(client_.ReplyTo(last), nullptr);
}

TEST_F(MachineLimitsTest, StreamsThatRequestsWaitForAreBounded) {
  constexpr uint64_t kStreams = 64;
  while (client_.default_stream.index + 1 < kStreams) client_.CreateContext();
  for (uint32_t i = 0; i < kStreams; ++i) {
    client_.Launch(StreamHandle{i, 1}, {.vector_ticks = Milliseconds(10)});
  }
  const Synchronize device{.target = Synchronize::Target::kDevice};
  Ticket last;
  for (uint64_t i = 0; i < kLimits.waits_max / kStreams; ++i) {
    last = client_.Send(device);
  }
  // One that is given up makes room for another.
  client_.Send(CancelWait{last});
  client_.Send(device);
  harness_.RunUntil(Microseconds(1));
  EXPECT_EQ(client_.Violation(), "");
  client_.Send(device);
  harness_.RunUntil(Microseconds(2));
  EXPECT_TRUE(absl::StrContains(client_.Violation(), "streams in all"));
}

TEST_F(MachineLimitsTest, WaitsThatEndedDoNotCount) {
  for (int round = 0; round < 10; ++round) {
    client_.Launch(stream_, {.vector_ticks = Microseconds(10)});
    for (int i = 0; i < 90; ++i) client_.SynchronizeStream(stream_);
    harness_.RunUntilQuiet();
    ASSERT_EQ(client_.Violation(), "");
  }
}

TEST_F(MachineLimitsTest, AllocationsAreBoundedAndQuarantineCounts) {
  uint64_t address = 0;
  for (uint64_t i = 0; i < kLimits.allocations_max; ++i) {
    address = client_.Malloc(64);
    ASSERT_NE(address, 0u);
  }
  const Ticket refused = client_.Send(Malloc{DeviceId(0), 64, 0});
  client_.Launch(stream_, {.vector_ticks = Microseconds(50)});
  client_.Send(Free{address});
  const Ticket waits = client_.Send(Malloc{DeviceId(0), 64, 0});
  harness_.RunUntil(Microseconds(20));
  ASSERT_NE(client_.ReplyTo(refused), nullptr);
  EXPECT_EQ(ReasonOf(client_.ReplyTo(refused)->status),
            Reason::kOutOfDeviceMemory);
  EXPECT_EQ(client_.ReplyTo(waits), nullptr);
  harness_.RunUntilQuiet();
  ASSERT_NE(client_.ReplyTo(waits), nullptr);
  EXPECT_TRUE(client_.ReplyTo(waits)->status.ok());
}

}  // namespace
}  // namespace ascend::core
