#include "core/sched/scheduler.h"

#include <vector>

#include "core/sched/policies/fifo.h"
#include "core/sched/policies/strict_priority.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ascend::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Claim kDevice = {.cube = 8, .aiv = 8, .dma = 4};

UnitRequest Units(uint32_t task, uint32_t units, uint32_t priority = 0,
                  Tick ready = 0) {
  return {.task = TaskId(task),
          .claim = {.cube = units, .aiv = units},
          .priority = priority,
          .ready_tick = ready};
}

std::vector<uint32_t> Dispatch(Scheduler& scheduler, Claim free, Tick now = 0) {
  std::vector<UnitRequest> granted;
  scheduler.Dispatch(free, now, &granted);
  std::vector<uint32_t> tasks;
  for (const UnitRequest& request : granted) {
    tasks.push_back(request.task.value());
  }
  return tasks;
}

TEST(SchedulerTest, GrantsAllOrNothing) {
  const FifoPolicy policy;
  Scheduler scheduler(policy);
  scheduler.Enqueue({.task = TaskId(1), .claim = {.cube = 2, .aiv = 2}});
  EXPECT_THAT(Dispatch(scheduler, {.cube = 8, .aiv = 1}), IsEmpty());
  EXPECT_EQ(scheduler.waiting_count(), 1u);
  EXPECT_THAT(Dispatch(scheduler, {.cube = 2, .aiv = 2}), ElementsAre(1));
  EXPECT_EQ(scheduler.waiting_count(), 0u);
}

TEST(SchedulerTest, GrantsInOneClaimNoMoreThanWhatIsFree) {
  const FifoPolicy policy;
  Scheduler scheduler(policy);
  for (uint32_t i = 1; i <= 5; ++i) scheduler.Enqueue(Units(i, 2));
  EXPECT_THAT(Dispatch(scheduler, {.cube = 6, .aiv = 7}), ElementsAre(1, 2, 3));
}

TEST(SchedulerTest, LaterRequestsThatFitPassOneThatDoesNot) {
  const FifoPolicy policy;
  Scheduler scheduler(policy);
  scheduler.Enqueue(Units(1, 4));
  scheduler.Enqueue(Units(2, 1));
  EXPECT_THAT(Dispatch(scheduler, {.cube = 2, .aiv = 2}), ElementsAre(2));
}

TEST(SchedulerTest, ARequestThatWaitedTooLongKeepsItsKindsOfUnit) {
  const FifoPolicy policy;
  Scheduler scheduler(policy);
  scheduler.Enqueue(Units(1, 4));
  scheduler.Enqueue(Units(2, 1));
  scheduler.Enqueue({.task = TaskId(3), .claim = {.dma = 1}});
  const Tick aged = policy.reserve_after_ticks();
  EXPECT_THAT(Dispatch(scheduler, {.cube = 2, .aiv = 2, .dma = 1}, aged),
              ElementsAre(3));
  EXPECT_THAT(Dispatch(scheduler, {.cube = 5, .aiv = 5}, aged),
              ElementsAre(1, 2));
}

TEST(SchedulerTest, AReservationDoesNotHinderThoseInFrontOfIt) {
  const StrictPriorityPolicy policy;
  Scheduler scheduler(policy);
  scheduler.Enqueue(Units(1, 4, /*priority=*/5));
  const Tick aged = policy.reserve_after_ticks();
  scheduler.Enqueue(Units(2, 1, /*priority=*/0, aged));
  scheduler.Enqueue(Units(3, 1, /*priority=*/7, aged));
  EXPECT_THAT(Dispatch(scheduler, {.cube = 3, .aiv = 3}, aged), ElementsAre(2));
}

TEST(SchedulerTest, StrictPriorityPutsSmallerNumbersFirst) {
  const StrictPriorityPolicy policy;
  Scheduler scheduler(policy);
  scheduler.Enqueue(Units(1, 8, /*priority=*/7));
  scheduler.Enqueue(Units(2, 8, /*priority=*/0));
  scheduler.Enqueue(Units(3, 8, /*priority=*/0));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(2));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(3));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(1));
}

TEST(SchedulerTest, FifoPaysNoHeedToPriority) {
  const FifoPolicy policy;
  Scheduler scheduler(policy);
  scheduler.Enqueue(Units(1, 8, /*priority=*/7));
  scheduler.Enqueue(Units(2, 8, /*priority=*/0));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(1));
}

TEST(SchedulerTest, AWithdrawnRequestIsNotGranted) {
  const FifoPolicy policy;
  Scheduler scheduler(policy);
  scheduler.Enqueue(Units(1, 1));
  scheduler.Enqueue(Units(2, 1));
  EXPECT_TRUE(scheduler.Withdraw(TaskId(1)));
  EXPECT_FALSE(scheduler.Withdraw(TaskId(1)));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(2));
}

}  // namespace
}  // namespace ascend::core
