// Tickets, stamps and the throttle.
#include <atomic>
#include <thread>

#include "tests/unit/client/runtime/runtime_fixture.h"

namespace ascend::client {
namespace {

using core::Microseconds;
using core::Reason;
using OrderTest = RuntimeTest;

TEST_F(OrderTest, TicketsArriveInOrderWhateverTheThreads) {
  void* const function = AddFunction();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      ASSERT_TRUE(runtime_.SetDevice(0).ok());
      void* const stream = NewStream();
      void* const event = NewEvent();
      for (int n = 0; n < 200; ++n) {
        ASSERT_TRUE(Launch(stream, function).ok());
        if (n % 10 == 0) {
          ASSERT_TRUE(runtime_.SynchronizeStream(stream, {}).ok());
        }
      }
      ASSERT_TRUE(runtime_.DestroyEvent(event).ok());
      ASSERT_TRUE(runtime_.DestroyStream(stream, false).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  uint64_t expected = 1;
  for (const core::Command& command : daemon_.commands()) {
    ASSERT_EQ(command.ticket.value(), expected++);
  }
  EXPECT_GT(expected, 800u);
}

TEST_F(OrderTest, AStampIsTheLanesClockAfterPaying) {
  void* const function = AddFunction();
  void* const fast = runtime_.CreateStream({0, ACL_STREAM_FAST_LAUNCH}).value();
  ASSERT_TRUE(Launch(nullptr, function).ok());
  ASSERT_TRUE(Launch(nullptr, function).ok());
  ASSERT_TRUE(Launch(fast, function).ok());
  ASSERT_TRUE(Launch(fast, function).ok());
  const auto launches = Posted<core::Launch>();
  ASSERT_EQ(launches.size(), 4u);
  EXPECT_EQ(launches[1].stamp - launches[0].stamp, Microseconds(6));
  EXPECT_EQ(launches[3].stamp - launches[2].stamp, Microseconds(3));
  EXPECT_GT(launches[0].stamp, daemon_.description.tick);
}

TEST_F(OrderTest, WaitingCostsTheWakeUp) {
  void* const function = AddFunction();
  ASSERT_TRUE(runtime_.SynchronizeStream(nullptr, {}).ok());
  ASSERT_TRUE(Launch(nullptr, function).ok());
  const auto syncs = Posted<core::Synchronize>();
  const auto launches = Posted<core::Launch>();
  // The fake daemon decides a request at its stamp.
  EXPECT_EQ(launches[0].stamp - syncs[0].stamp, Microseconds(30 + 6));
}

TEST_F(OrderTest, AThreadThatUsesAnEventIsNotEarlierThanItsRecord) {
  void* const function = AddFunction();
  void* const event = NewEvent();
  void* const stream = NewStream();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(Launch(stream, function).ok());
  ASSERT_TRUE(runtime_.RecordEvent(event, stream).ok());
  std::thread([&] {
    ASSERT_TRUE(runtime_.SetDevice(0).ok());
    ASSERT_TRUE(runtime_.WaitEvent(nullptr, event).ok());
  }).join();
  const core::Command record = Posted<core::RecordEvent>()[0];
  const core::Command wait = Posted<core::WaitEvent>()[0];
  EXPECT_NE(record.lane, wait.lane);
  EXPECT_GT(wait.stamp, record.stamp);
}

TEST_F(OrderTest, AnAllocationCarriesItsTimeToOtherThreads) {
  void* const memory = Allocate(64);
  void* const function = AddFunction();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(Launch(nullptr, function).ok());
  ASSERT_TRUE(runtime_.Fill(memory, 64, {0}).ok());
  std::thread([&] {
    ASSERT_TRUE(runtime_.SetDevice(0).ok());
    ASSERT_TRUE(runtime_.Free(memory).ok());
  }).join();
  EXPECT_GT(Posted<core::Free>()[0].stamp, Posted<core::Fill>()[0].stamp);
}

// How far another thread is must not show in the clock of one in a run.
TEST_F(OrderTest, InARunAThreadsClockIsItsOwn) {
  void* const function = AddFunction();
  void* const stream = NewStream();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(Launch(stream, function).ok());
  const core::Tick ahead = Posted<core::Launch>().back().stamp;
  core::Tick begin = 0;
  std::thread([&] {
    ASSERT_TRUE(runtime_.SetDevice(0).ok());
    ASSERT_TRUE(runtime_.JoinRun(1, 0).ok());
    begin = runtime_.Clock().value();
    std::thread([&] {
      ASSERT_TRUE(runtime_.SetDevice(0).ok());
      for (int i = 0; i < 100; ++i) ASSERT_TRUE(Launch(stream, function).ok());
    }).join();
    void* const memory = Allocate(64);
    NewStream();
    ASSERT_TRUE(runtime_.Free(memory).ok());
    ASSERT_TRUE(runtime_.MemoryInfo().ok());
  }).join();
  EXPECT_GE(begin, ahead);
  EXPECT_EQ(Posted<core::Malloc>().back().stamp, begin + Microseconds(5));
  EXPECT_EQ(Posted<core::CreateStream>().back().stamp, begin + Microseconds(6));
  EXPECT_EQ(Posted<core::Free>().back().stamp, begin + Microseconds(11));
  EXPECT_EQ(Posted<core::MemInfo>().back().stamp, begin + Microseconds(12));
}

TEST_F(OrderTest, InARunAFullStreamIsKnownByWhatWasAwaited) {
  void* const function = AddFunction();
  void* const stream = NewStream();
  const uint32_t depth = daemon_.description.stream_depth;
  std::thread([&] {
    ASSERT_TRUE(runtime_.SetDevice(0).ok());
    for (uint32_t i = 0; i < depth; ++i) {
      ASSERT_TRUE(Launch(stream, function).ok());
    }
    // The fake daemon has retired all of them, and said so.
    ASSERT_TRUE(runtime_.SynchronizeStream(stream, {}).ok());
    ASSERT_TRUE(Launch(stream, function).ok());
    EXPECT_TRUE(Posted<core::AwaitProgress>().empty());
    ASSERT_TRUE(runtime_.JoinRun(1, 0).ok());
    for (uint32_t i = 0; i < depth; ++i) {
      ASSERT_TRUE(Launch(stream, function).ok());
    }
    EXPECT_FALSE(Posted<core::AwaitProgress>().empty());
  }).join();
}

TEST_F(OrderTest, ABlockedThreadSaysSoOnce) {
  void* const function = AddFunction();
  ASSERT_TRUE(Launch(nullptr, function).ok());
  const core::Tick before = runtime_.Clock().value();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(runtime_.LeaveClock(/*for_good=*/false).ok());
  }
  EXPECT_EQ(Posted<core::LeaveClock>().size(), 1u);
  EXPECT_EQ(runtime_.Clock().value(), before + Microseconds(1));
  ASSERT_TRUE(Launch(nullptr, function).ok());
  ASSERT_TRUE(runtime_.LeaveClock(/*for_good=*/false).ok());
  EXPECT_EQ(Posted<core::LeaveClock>().size(), 2u);
  ASSERT_TRUE(runtime_.LeaveClock(/*for_good=*/true).ok());
  EXPECT_EQ(Posted<core::LeaveClock>().size(), 3u);
}

TEST_F(OrderTest, AFullStreamHoldsItsCallerBeforeTheTicket) {
  daemon_.RetireByHand();
  void* const function = AddFunction();
  void* const stream = NewStream();
  const uint32_t depth = daemon_.description.stream_depth;
  for (uint32_t i = 0; i < depth; ++i) {
    ASSERT_TRUE(Launch(stream, function).ok());
  }
  std::atomic<bool> is_posted{false};
  std::thread blocked([&] {
    ASSERT_TRUE(runtime_.SetDevice(0).ok());
    ASSERT_TRUE(Launch(stream, function).ok());
    is_posted = true;
  });
  // Other streams go on meanwhile, and their tickets have no gap.
  for (uint32_t i = 0; i < depth; ++i) {
    ASSERT_TRUE(Launch(nullptr, function).ok());
  }
  EXPECT_FALSE(is_posted);
  EXPECT_EQ(Posted<core::Launch>().size(), 2 * depth);
  const core::StreamHandle core_stream =
      testing::As<core::Launch>(Posted<core::Launch>()[0])->stream;
  daemon_.Retire(core_stream, 1);
  blocked.join();
  EXPECT_EQ(Posted<core::Launch>().size(), 2 * depth + 1);
}

TEST_F(OrderTest, DestroyingAFullStreamFreesTheCallerThatWaits) {
  daemon_.RetireByHand();
  void* const function = AddFunction();
  void* const stream = NewStream();
  for (uint32_t i = 0; i < daemon_.description.stream_depth; ++i) {
    ASSERT_TRUE(Launch(stream, function).ok());
  }
  absl::Status status;
  std::thread blocked([&] {
    ASSERT_TRUE(runtime_.SetDevice(0).ok());
    status = Launch(stream, function);
  });
  ASSERT_TRUE(runtime_.DestroyStream(stream, true).ok());
  blocked.join();
  EXPECT_EQ(ReasonOf(status), Reason::kStaleHandle);
}

TEST_F(OrderTest, AnExpiredWaitIsTakenBack) {
  daemon_.HoldBack(testing::Is<core::Synchronize>);
  EXPECT_EQ(ReasonOf(runtime_.SynchronizeStream(nullptr,
                                                std::chrono::milliseconds(1))),
            Reason::kStreamSyncTimeout);
  void* const event = NewEvent();
  ASSERT_TRUE(runtime_.RecordEvent(event, nullptr).ok());
  EXPECT_EQ(
      ReasonOf(runtime_.SynchronizeEvent(event, std::chrono::milliseconds(1))),
      Reason::kEventSyncTimeout);
  const auto cancels = Posted<core::CancelWait>();
  const auto syncs = Posted<core::Synchronize>();
  ASSERT_EQ(cancels.size(), 2u);
  EXPECT_EQ(testing::As<core::CancelWait>(cancels[0])->ticket, syncs[0].ticket);
  daemon_.Release();  // late replies are dropped
  EXPECT_TRUE(runtime_.SynchronizeStream(nullptr, {}).ok());
}

TEST_F(OrderTest, RepliesAreMatchedByTicketNotByOrder) {
  daemon_.HoldBack(testing::Is<core::Synchronize>);
  std::thread waits([&] {
    ASSERT_TRUE(runtime_.SetDevice(0).ok());
    EXPECT_TRUE(runtime_.SynchronizeStream(nullptr, {}).ok());
  });
  daemon_.Await(testing::Is<core::Synchronize>);
  EXPECT_EQ(runtime_.MemoryInfo()->total_bytes, 2000u);
  daemon_.Release();
  waits.join();
}

TEST_F(OrderTest, EventsBecomeKnownToTheDaemonAtTheirFirstRecord) {
  void* events[5];
  for (void*& event : events) event = NewEvent();
  EXPECT_TRUE(runtime_.WaitEvent(nullptr, events[0]).ok());
  EXPECT_EQ(runtime_.QueryEvent(events[0])->state, EventState::kNeverRecorded);
  EXPECT_TRUE(runtime_.SynchronizeEvent(events[0], {}).ok());
  EXPECT_TRUE(Posted<core::CreateEvent>().empty());
  EXPECT_TRUE(Posted<core::WaitEvent>().empty());
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(runtime_.RecordEvent(events[i], nullptr).ok());
    EXPECT_TRUE(runtime_.RecordEvent(events[i], nullptr).ok());
  }
  EXPECT_EQ(Posted<core::CreateEvent>().size(), 4u);
  EXPECT_EQ(ReasonOf(runtime_.RecordEvent(events[4], nullptr)),
            Reason::kEventsExhausted);
  EXPECT_TRUE(runtime_.DestroyEvent(events[0]).ok());
  EXPECT_TRUE(runtime_.RecordEvent(events[4], nullptr).ok());
}

TEST_F(OrderTest, AClassicEventIsRecordedOnceUntilItIsReset) {
  void* const event =
      runtime_.CreateEvent({.flags = 1, .is_rerecordable = false}).value();
  EXPECT_TRUE(runtime_.ResetEvent(event, nullptr).ok());
  EXPECT_TRUE(Posted<core::ResetEvent>().empty());
  EXPECT_TRUE(runtime_.RecordEvent(event, nullptr).ok());
  EXPECT_EQ(ReasonOf(runtime_.RecordEvent(event, nullptr)),
            Reason::kUnsupportedCombination);
  EXPECT_EQ(Posted<core::RecordEvent>().size(), 1u);
  EXPECT_TRUE(runtime_.ResetEvent(event, nullptr).ok());
  EXPECT_EQ(Posted<core::ResetEvent>().size(), 1u);
  EXPECT_TRUE(runtime_.RecordEvent(event, nullptr).ok());
  EXPECT_EQ(Posted<core::RecordEvent>().size(), 2u);
}

TEST_F(OrderTest, WaitsCarryTheirTimeOut) {
  void* const event = NewEvent();
  EXPECT_TRUE(runtime_.RecordEvent(event, nullptr).ok());
  EXPECT_TRUE(runtime_.WaitEvent(nullptr, event).ok());
  runtime_.SetWaitSeconds(3);
  EXPECT_TRUE(runtime_.WaitEvent(nullptr, event).ok());
  EXPECT_TRUE(runtime_.WaitEvent(nullptr, event, 0).ok());
  EXPECT_TRUE(runtime_.WaitEvent(nullptr, event, 7).ok());
  EXPECT_TRUE(runtime_.WaitEvent(nullptr, event, UINT32_MAX).ok());
  std::vector<core::Tick> ticks;
  for (const core::Command& command : Posted<core::WaitEvent>()) {
    ticks.push_back(std::get<core::WaitEvent>(command.operation).timeout_ticks);
  }
  const core::Tick second = core::kTicksPerSecond;
  EXPECT_EQ(ticks, (std::vector<core::Tick>{0, 3 * second, 0, 7 * second,
                                            core::kTickMax}));
}

}  // namespace
}  // namespace ascend::client
