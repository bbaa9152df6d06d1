// Priorities that are inherited: who holds up an urgent stream is urgent.

#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/machine_harness.h"

namespace ascend::core {
namespace {

class InheritedPriorityTest : public ::testing::Test {
 protected:
  InheritedPriorityTest() : client_(harness_, 1) {
    context_ = client_.CreateContext();
  }

  StreamHandle NewStream(uint32_t priority) {
    return client_.CreateStream(context_, priority);
  }
  void LaunchWhole(StreamHandle stream, Tick ticks, Tick stamp = 0) {
    client_.Launch(stream, {.vector_ticks = ticks}, 32, kTestMix, stamp);
  }
  EventHandle Record(StreamHandle stream) {
    const EventHandle event = client_.CreateEvent();
    client_.Send(RecordEvent{event, stream});
    return event;
  }
  void Wait(StreamHandle stream, EventHandle event) {
    client_.Send(WaitEvent{.stream = stream, .event = event});
  }
  Tick EndOf(StreamHandle stream) {
    const Ticket ticket = client_.SynchronizeStream(stream);
    harness_.RunUntilQuiet();
    return client_.ReplyTo(ticket)->tick;
  }

  MachineHarness harness_;
  TestClient client_;
  ContextHandle context_;
};

// A kernel runs; behind it wait one of priority 3 and, of priority 7, one that
// an urgent stream waits for.
TEST_F(InheritedPriorityTest,
       AStreamThatIsWaitedForGoesWithTheWaitersPriority) {
  const StreamHandle running = NewStream(0);
  const StreamHandle middle = NewStream(3);
  const StreamHandle low = NewStream(7);
  const StreamHandle urgent = NewStream(0);
  LaunchWhole(running, Microseconds(100));
  LaunchWhole(middle, Microseconds(100));
  LaunchWhole(low, Microseconds(100));
  Wait(urgent, Record(low));
  EXPECT_LT(EndOf(urgent), 2 * (kRamp + Microseconds(100)) + Microseconds(5));
}

TEST_F(InheritedPriorityTest, WithoutTheWaitItDoesNot) {
  const StreamHandle running = NewStream(0);
  const StreamHandle middle = NewStream(3);
  const StreamHandle low = NewStream(7);
  LaunchWhole(running, Microseconds(100));
  LaunchWhole(middle, Microseconds(100));
  LaunchWhole(low, Microseconds(100));
  EXPECT_GT(EndOf(low), 3 * (kRamp + Microseconds(100)) - 1);
}

TEST_F(InheritedPriorityTest, IsHandedOnThroughAChainOfWaits) {
  const StreamHandle running = NewStream(0);
  const StreamHandle middle = NewStream(3);
  const StreamHandle low = NewStream(7);
  const StreamHandle between = NewStream(6);
  const StreamHandle urgent = NewStream(0);
  LaunchWhole(running, Microseconds(100));
  LaunchWhole(middle, Microseconds(100));
  LaunchWhole(low, Microseconds(100));
  Wait(between, Record(low));
  Wait(urgent, Record(between));
  EXPECT_LT(EndOf(urgent), 2 * (kRamp + Microseconds(100)) + Microseconds(9));
}

TEST_F(InheritedPriorityTest, LaterTasksOfTheStreamInheritToo) {
  const StreamHandle middle = NewStream(3);
  const StreamHandle low = NewStream(7);
  const StreamHandle urgent = NewStream(0);
  // The record stands behind two kernels of the low stream.
  LaunchWhole(low, Microseconds(100));
  LaunchWhole(low, Microseconds(100));
  Wait(urgent, Record(low));
  for (int i = 0; i < 5; ++i) {
    LaunchWhole(middle, Microseconds(100));
  }
  // At most one of the middle's is in between, while the low stream pauses.
  EXPECT_LT(EndOf(urgent), 3 * (kRamp + Microseconds(110)) + Microseconds(9));
}

TEST_F(InheritedPriorityTest, APriorityThatIsSetMovesAKernelThatWaits) {
  const StreamHandle running = NewStream(0);
  const StreamHandle middle = NewStream(3);
  const StreamHandle low = NewStream(7);
  LaunchWhole(running, Microseconds(100));
  LaunchWhole(middle, Microseconds(100));
  LaunchWhole(low, Microseconds(100));
  client_.Send(SetStreamPriority{low, 0}, Microseconds(50));
  EXPECT_EQ(EndOf(low), 2 * (kRamp + Microseconds(100)));
}

}  // namespace
}  // namespace ascend::core
