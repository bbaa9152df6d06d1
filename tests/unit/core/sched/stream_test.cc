#include "core/sched/stream.h"

#include "core/base/error.h"
#include "gtest/gtest.h"

namespace ascend::core {
namespace {

constexpr Tick kGap = Microseconds(10);

TaskTemplate Kernel() {
  TaskTemplate what;
  what.work = KernelWork{};
  what.claim = {.cube = 1, .aiv = 1};
  return what;
}

TaskTemplate CopyTask() {
  TaskTemplate what;
  what.work = CopyWork{};
  what.claim = {.dma = 1};
  return what;
}

class StreamTest : public ::testing::Test {
 protected:
  HeadStep Step(const TaskTemplate& head, Tick now) {
    return stream_.NextStep(head, kGap, fences_, now);
  }
  void RunHead() {
    stream_.BeginHead();
    stream_.RetireHead();
  }

  FenceTable fences_;
  Stream stream_{fences_.Create()};
};

TEST_F(StreamTest, NumbersItsTasksAndGoesThroughThemInOrder) {
  EXPECT_EQ(stream_.Append(TaskId(7)), 1u);
  EXPECT_EQ(stream_.Append(TaskId(5)), 2u);
  EXPECT_EQ(stream_.head(), TaskId(7));
  RunHead();
  EXPECT_EQ(stream_.head(), TaskId(5));
  EXPECT_EQ(stream_.retired(), 1u);
  RunHead();
  EXPECT_FALSE(stream_.has_head());
  EXPECT_EQ(stream_.pending(), 0u);
}

TEST_F(StreamTest, AHeadInFlightNeedsNothing) {
  EXPECT_EQ(Step(Kernel(), 0), HeadStep::kNone);
  stream_.Append(TaskId(1));
  EXPECT_EQ(Step(Kernel(), 0), HeadStep::kClaim);
  stream_.BeginHead();
  EXPECT_EQ(Step(Kernel(), 0), HeadStep::kNone);
  stream_.PauseHead();
  EXPECT_EQ(Step(Kernel(), 0), HeadStep::kClaim);
}

TEST_F(StreamTest, OnlyKernelsKeepTheGapAfterDeviceWork) {
  stream_.Append(TaskId(1));
  stream_.NoteDeviceWorkEnd(100);
  EXPECT_EQ(Step(Kernel(), 100), HeadStep::kAwaitGap);
  EXPECT_EQ(stream_.GapEnd(kGap), 100 + kGap);
  EXPECT_EQ(Step(Kernel(), 100 + kGap - 1), HeadStep::kAwaitGap);
  EXPECT_EQ(Step(Kernel(), 100 + kGap), HeadStep::kClaim);
  EXPECT_EQ(Step(CopyTask(), 100), HeadStep::kClaim);
}

TEST_F(StreamTest, TheFirstKernelOfAStreamKeepsNoGap) {
  stream_.Append(TaskId(1));
  EXPECT_EQ(Step(Kernel(), 0), HeadStep::kClaim);
}

TEST_F(StreamTest, AConditionComesFirst) {
  const FenceId other = fences_.Create();
  TaskTemplate wait;
  wait.work = WaitWork{};
  wait.condition = {
      .kind = WaitCondition::Kind::kFence, .fence = other, .value = 2};
  stream_.Append(TaskId(1));
  EXPECT_EQ(Step(wait, 0), HeadStep::kAwaitFence);
  std::vector<FenceWaiter> woken;
  fences_.Raise(other, 2, &woken);
  EXPECT_EQ(Step(wait, 0), HeadStep::kStart);
}

TEST_F(StreamTest, ARefusedTaskStartsAtOnceToFailInItsPlace) {
  stream_.Append(TaskId(1));
  stream_.NoteDeviceWorkEnd(100);
  TaskTemplate kernel = Kernel();
  kernel.refusal = MakeError(Reason::kInvalidArgument, "no");
  EXPECT_EQ(Step(kernel, 100), HeadStep::kStart);
}

TEST_F(StreamTest, AnArgumentBlockInDeviceMemoryIsFetchedAfterTheGap) {
  stream_.Append(TaskId(1));
  stream_.NoteDeviceWorkEnd(0);
  TaskTemplate kernel = Kernel();
  kernel.work = KernelWork{.args_address = 64, .args_bytes = 8};
  EXPECT_EQ(Step(kernel, 0), HeadStep::kAwaitGap);
  EXPECT_EQ(Step(kernel, kGap), HeadStep::kFetch);
}

TEST_F(StreamTest, DropsFromTheBackButNotWhatIsInFlight) {
  stream_.Append(TaskId(1));
  stream_.Append(TaskId(2));
  stream_.Append(TaskId(3));
  stream_.BeginHead();
  TaskId dropped;
  ASSERT_TRUE(stream_.DropLast(&dropped));
  EXPECT_EQ(dropped, TaskId(3));
  ASSERT_TRUE(stream_.DropLast(&dropped));
  EXPECT_EQ(dropped, TaskId(2));
  EXPECT_FALSE(stream_.DropLast(&dropped));
  EXPECT_EQ(stream_.pending(), 1u);
  stream_.RetireHead();
  EXPECT_EQ(stream_.retired(), stream_.submitted());
}

}  // namespace
}  // namespace ascend::core
