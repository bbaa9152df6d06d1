#include "core/sched/scheduler.h"

#include <vector>

#include "core/sched/policies/drfq.h"
#include "core/sched/policies/fair.h"
#include "core/sched/policies/fifo.h"
#include "core/sched/policies/srf.h"
#include "core/sched/policies/strict_priority.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/core/sched/device_and_tenants.h"

namespace ascend::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Claim kUnit = {.cube = 1, .aiv = 1};

constexpr Claim UnitsFree(uint32_t units) {
  return {.cube = units, .aiv = units};
}

UnitRequest Units(uint32_t task, uint32_t units, uint32_t priority = 0,
                  Tick ready = 0) {
  return {.task = TaskId(task),
          .claim = {.cube = units, .aiv = units},
          .priority = priority,
          .ready_tick = ready};
}

UnitRequest Slices(uint32_t task, uint32_t count, uint32_t at_once = 8,
                   uint32_t priority = 0, Tick ready = 0) {
  return {.task = TaskId(task),
          .claim = kUnit,
          .priority = priority,
          .ready_tick = ready,
          .expected_ticks = 1,
          .slice_count = count,
          .slices_at_once = at_once};
}

UnitRequest OfTenant(uint64_t tenant, UnitRequest request) {
  request.tenant = TenantId(tenant);
  return request;
}

UnitRequest Lasting(Tick ticks, UnitRequest request) {
  request.expected_ticks = ticks;
  return request;
}

std::vector<uint32_t> Dispatch(Scheduler& scheduler, Claim free, Tick now = 0) {
  std::vector<TaskId> granted;
  scheduler.Dispatch(free, now, &granted);
  std::vector<uint32_t> tasks;
  for (const TaskId task : granted) tasks.push_back(task.value());
  return tasks;
}

TEST(SchedulerTest, GrantsAllOrNothing) {
  const FifoPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Units(1, 2));
  EXPECT_THAT(Dispatch(scheduler, {.cube = 8, .aiv = 1}), IsEmpty());
  EXPECT_EQ(scheduler.waiting_count(), 1u);
  EXPECT_THAT(Dispatch(scheduler, UnitsFree(2)), ElementsAre(1));
  EXPECT_EQ(scheduler.waiting_count(), 0u);
}

TEST(SchedulerTest, GrantsInOnePassNoMoreThanWhatIsFree) {
  const FifoPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  for (uint32_t i = 1; i <= 5; ++i) scheduler.Enqueue(Units(i, 2));
  EXPECT_THAT(Dispatch(scheduler, {.cube = 6, .aiv = 7}), ElementsAre(1, 2, 3));
}

TEST(SchedulerTest, LaterRequestsThatFitPassOneThatDoesNot) {
  const FifoPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Units(1, 4));
  scheduler.Enqueue(Units(2, 1));
  EXPECT_THAT(Dispatch(scheduler, UnitsFree(2)), ElementsAre(2));
}

TEST(SchedulerTest, ARequestThatWaitedTooLongKeepsItsKindsOfUnit) {
  const FifoPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Units(1, 4));
  scheduler.Enqueue(Units(2, 1));
  scheduler.Enqueue({.task = TaskId(3), .claim = {.dma = 1}});
  const Tick aged = policy.reserve_after_ticks();
  EXPECT_THAT(Dispatch(scheduler, {.cube = 2, .aiv = 2, .dma = 1}, aged),
              ElementsAre(3));
  EXPECT_THAT(Dispatch(scheduler, UnitsFree(5), aged), ElementsAre(1, 2));
}

TEST(SchedulerTest, ARequestThatWaitedShorterKeepsNothing) {
  const FifoPolicy policy({.reserve_after_ticks = 100});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Units(1, 4, 0, /*ready=*/10));
  scheduler.Enqueue(Units(2, 1, 0, /*ready=*/10));
  scheduler.Enqueue(Units(3, 1, 0, /*ready=*/10));
  EXPECT_THAT(Dispatch(scheduler, UnitsFree(1), 109), ElementsAre(2));
  EXPECT_THAT(Dispatch(scheduler, UnitsFree(1), 110), IsEmpty());
}

TEST(SchedulerTest, AReservationDoesNotHinderThoseInFrontOfIt) {
  const StrictPriorityPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Units(1, 4, /*priority=*/5));
  const Tick aged = policy.reserve_after_ticks();
  scheduler.Enqueue(Units(2, 1, /*priority=*/0, aged));
  scheduler.Enqueue(Units(3, 1, /*priority=*/7, aged));
  EXPECT_THAT(Dispatch(scheduler, UnitsFree(3), aged), ElementsAre(2));
}

TEST(SchedulerTest, AWithdrawnRequestIsNotGranted) {
  const FifoPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Units(1, 1));
  scheduler.Enqueue(Units(2, 1));
  EXPECT_TRUE(scheduler.Withdraw(TaskId(1)));
  EXPECT_FALSE(scheduler.Withdraw(TaskId(1)));
  EXPECT_FALSE(scheduler.Withdraw(TaskId(7)));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(2));
  EXPECT_FALSE(scheduler.Withdraw(TaskId(2)));
}

TEST(SchedulerTest, ATaskMayAskAgainWhenItsRequestIsGone) {
  const FifoPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Units(1, 1));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(1));
  scheduler.EndWhole(TenantId(), kUnit, 5);
  scheduler.Enqueue(Slices(1, 1));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(1));
  EXPECT_TRUE(scheduler.EndSlice(TaskId(1), 5));
  scheduler.Enqueue(Units(1, 2));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(1));
}

TEST(SchedulerTest, ASlicedRequestIsGrantedSliceBySlice) {
  const FifoPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Slices(1, /*count=*/4, /*at_once=*/2));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(1, 1));
  EXPECT_EQ(scheduler.waiting_count(), 0u) << "as many run as may";
  EXPECT_THAT(Dispatch(scheduler, kDevice), IsEmpty());
  EXPECT_FALSE(scheduler.EndSlice(TaskId(1), 1));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(1));
  EXPECT_FALSE(scheduler.EndSlice(TaskId(1), 1));
  EXPECT_FALSE(scheduler.EndSlice(TaskId(1), 1));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(1));
  EXPECT_TRUE(scheduler.EndSlice(TaskId(1), 1));
  EXPECT_EQ(scheduler.waiting_count(), 0u);
}

TEST(SchedulerTest, AWithdrawnSlicedRequestStaysUntilItsSlicesHaveEnded) {
  const FifoPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Slices(1, /*count=*/9, /*at_once=*/2));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(1, 1));
  EXPECT_TRUE(scheduler.Withdraw(TaskId(1)));
  EXPECT_FALSE(scheduler.Withdraw(TaskId(1)));
  EXPECT_FALSE(scheduler.EndSlice(TaskId(1), 1));
  EXPECT_THAT(Dispatch(scheduler, kDevice), IsEmpty());
  EXPECT_TRUE(scheduler.EndSlice(TaskId(1), 1));
}

TEST(SchedulerTest, AWithdrawnSlicedRequestIsGoneAtOnceWhenNoSliceRuns) {
  const FifoPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Slices(1, 3));
  EXPECT_THAT(Dispatch(scheduler, kUnit), ElementsAre(1));
  EXPECT_FALSE(scheduler.EndSlice(TaskId(1), 1));
  EXPECT_TRUE(scheduler.Withdraw(TaskId(1)));
  EXPECT_EQ(scheduler.waiting_count(), 0u);
  scheduler.Enqueue(Units(1, 1));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(1));
}

TEST(SchedulerTest, APriorityThatChangesMovesTheRequest) {
  const StrictPriorityPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Units(1, 8, /*priority=*/3));
  scheduler.Enqueue(Units(2, 8, /*priority=*/5));
  scheduler.SetPriority(TaskId(2), 1);
  scheduler.SetPriority(TaskId(9), 1);  // nobody
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(2));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(1));
}

// While it runs as many slices as may, it is in no queue.
TEST(SchedulerTest, APriorityThatChangesWhileSlicesRunCountsAtTheBlockEdge) {
  const StrictPriorityPolicy policy({.preempts = true});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Slices(1, 4, /*at_once=*/1, /*priority=*/0));
  EXPECT_THAT(Dispatch(scheduler, kUnit), ElementsAre(1));
  scheduler.Enqueue(Slices(2, 4, /*at_once=*/1, /*priority=*/3));
  scheduler.SetPriority(TaskId(1), 7);
  scheduler.EndSlice(TaskId(1), 1);
  EXPECT_THAT(Dispatch(scheduler, kUnit), ElementsAre(2));
}

TEST(FifoTest, PaysNoHeedToPriority) {
  const FifoPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Units(1, 8, /*priority=*/7));
  scheduler.Enqueue(Units(2, 8, /*priority=*/0));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(1));
}

TEST(FifoTest, GivesTheOldestSlicedKernelAllUnitsItCanUse) {
  const FifoPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Slices(1, 9, /*at_once=*/3));
  scheduler.Enqueue(Slices(2, 9));
  EXPECT_THAT(Dispatch(scheduler, UnitsFree(5)), ElementsAre(1, 1, 1, 2, 2));
  scheduler.EndSlice(TaskId(2), 1);
  scheduler.EndSlice(TaskId(1), 1);
  EXPECT_THAT(Dispatch(scheduler, UnitsFree(2)), ElementsAre(1, 2));
}

TEST(StrictPriorityTest, PutsSmallerNumbersFirst) {
  const StrictPriorityPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Units(1, 8, /*priority=*/7));
  scheduler.Enqueue(Units(2, 8, /*priority=*/0));
  scheduler.Enqueue(Units(3, 8, /*priority=*/0));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(2));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(3));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(1));
}

TEST(StrictPriorityTest, AStartedKernelKeepsItsUnits) {
  const StrictPriorityPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Slices(1, 20, /*at_once=*/8, /*priority=*/7));
  EXPECT_EQ(Dispatch(scheduler, kDevice).size(), 8u);
  scheduler.Enqueue(Slices(2, 20, /*at_once=*/8, /*priority=*/0));
  scheduler.Enqueue(Units(3, 1, /*priority=*/0));
  for (int edge = 0; edge < 12; ++edge) {
    scheduler.EndSlice(TaskId(1), 1);
    EXPECT_THAT(Dispatch(scheduler, kUnit), ElementsAre(1)) << edge;
  }
  scheduler.EndSlice(TaskId(1), 1);
  EXPECT_THAT(Dispatch(scheduler, kUnit), ElementsAre(2));
}

TEST(StrictPriorityTest, WithPreemptionEachUnitAtABlockEdgeGoesToTheUrgent) {
  const StrictPriorityPolicy policy({.preempts = true});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Slices(1, 20, /*at_once=*/8, /*priority=*/7));
  EXPECT_EQ(Dispatch(scheduler, kDevice).size(), 8u);
  scheduler.Enqueue(Slices(2, 6, /*at_once=*/4, /*priority=*/0));
  for (int edge = 0; edge < 4; ++edge) {
    scheduler.EndSlice(TaskId(1), 1);
    EXPECT_THAT(Dispatch(scheduler, kUnit), ElementsAre(2)) << edge;
  }
  scheduler.EndSlice(TaskId(1), 1);
  EXPECT_THAT(Dispatch(scheduler, kUnit), ElementsAre(1))
      << "2 is at its limit";
  scheduler.EndSlice(TaskId(2), 1);
  scheduler.EndSlice(TaskId(2), 1);
  EXPECT_THAT(Dispatch(scheduler, UnitsFree(2)), ElementsAre(2, 2));
  scheduler.EndSlice(TaskId(2), 1);
  EXPECT_THAT(Dispatch(scheduler, kUnit), ElementsAre(1)) << "2 has no more";
}

TEST(StrictPriorityTest, WithAgeingAWaitIsWorthALevel) {
  const StrictPriorityPolicy policy({.ageing_ticks = 100});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Units(1, 8, /*priority=*/2, /*ready=*/0));
  scheduler.Enqueue(Units(2, 8, /*priority=*/0, /*ready=*/199));
  scheduler.Enqueue(Units(3, 8, /*priority=*/0, /*ready=*/201));
  scheduler.Enqueue(Units(4, 8, /*priority=*/1, /*ready=*/50));
  EXPECT_THAT(Dispatch(scheduler, kDevice, 201), ElementsAre(4));
  EXPECT_THAT(Dispatch(scheduler, kDevice, 201), ElementsAre(2));
  EXPECT_THAT(Dispatch(scheduler, kDevice, 201), ElementsAre(1));
  EXPECT_THAT(Dispatch(scheduler, kDevice, 201), ElementsAre(3));
}

TEST(FairTest, SlicedKernelsShareTheUnitsEvenly) {
  const FairPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Slices(1, 20));
  EXPECT_EQ(Dispatch(scheduler, kDevice).size(), 8u);
  scheduler.Enqueue(Slices(2, 20));
  for (int edge = 0; edge < 4; ++edge) {
    scheduler.EndSlice(TaskId(1), 1);
    EXPECT_THAT(Dispatch(scheduler, kUnit), ElementsAre(2)) << edge;
  }
  scheduler.EndSlice(TaskId(1), 1);
  scheduler.EndSlice(TaskId(2), 1);
  EXPECT_THAT(Dispatch(scheduler, UnitsFree(2)), ElementsAre(1, 2));
}

TEST(SrfTest, ShortKernelsSlipThroughBetweenTheSlicesOfALongOne) {
  const SrfPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(Lasting(10, Slices(1, 20, /*at_once=*/8)));
  EXPECT_EQ(Dispatch(scheduler, kDevice).size(), 8u);
  scheduler.Enqueue(Lasting(5, Slices(2, 3, /*at_once=*/8)));
  scheduler.Enqueue(Lasting(12, Units(3, 1)));
  scheduler.EndSlice(TaskId(1), 10);
  EXPECT_THAT(Dispatch(scheduler, UnitsFree(5)), ElementsAre(2, 2, 2, 3, 1));
}

TEST(SrfTest, ALongKernelIsPassedForItsPatienceAtMost) {
  const SrfPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  const UnitRequest lengthy = Lasting(100, Units(1, 8));
  scheduler.Enqueue(lengthy);
  const Tick patience = policy.OvertakenFor(lengthy).value();
  EXPECT_EQ(patience, SrfPolicy::kPatience * 100);
  scheduler.Enqueue(Lasting(0, Units(2, 8, 0, /*ready=*/patience + 1)));
  scheduler.Enqueue(Lasting(0, Units(3, 8, 0, /*ready=*/patience - 1)));
  EXPECT_THAT(Dispatch(scheduler, kDevice, patience + 1), ElementsAre(3));
  EXPECT_THAT(Dispatch(scheduler, kDevice, patience + 1), ElementsAre(1));
}

TEST(DrfqTest, TheTenantThatHasHadTheLeastGoesFirst) {
  const DrfqPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  // Both active, so nobody is lifted.
  scheduler.Enqueue(OfTenant(1, Units(1, 8)));
  scheduler.Enqueue(OfTenant(2, Units(2, 1)));
  scheduler.Enqueue(OfTenant(2, Units(3, 8)));
  scheduler.Enqueue(OfTenant(1, Units(4, 8)));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(1));
  scheduler.EndWhole(TenantId(1), UnitsFree(8), 10);
  EXPECT_THAT(Dispatch(scheduler, kUnit), ElementsAre(2));
  scheduler.EndWhole(TenantId(2), kUnit, 10);
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(3));
  scheduler.EndWhole(TenantId(2), UnitsFree(8), 10);
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(4));
}

TEST(DrfqTest, PriorityCountsInsideATenantOnly) {
  const DrfqPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(OfTenant(1, Units(1, 8, /*priority=*/7)));
  scheduler.Enqueue(OfTenant(1, Units(2, 8, /*priority=*/5)));
  scheduler.Enqueue(OfTenant(2, Units(3, 8, /*priority=*/0)));
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(2));
  scheduler.EndWhole(TenantId(1), UnitsFree(8), 10);
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(3));
  scheduler.EndWhole(TenantId(2), UnitsFree(8), 20);
  EXPECT_THAT(Dispatch(scheduler, kDevice), ElementsAre(1));
}

TEST(DrfqTest, SlicedKernelsOfOneTenantShareTheUnits) {
  const DrfqPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  scheduler.Enqueue(OfTenant(1, Slices(1, 20)));
  scheduler.Enqueue(OfTenant(1, Slices(2, 20)));
  EXPECT_THAT(Dispatch(scheduler, UnitsFree(4)), ElementsAre(1, 2, 1, 2));
}

using SchedulerDeathTest = ::testing::Test;

TEST(SchedulerDeathTest, RefusesRequestsThatMakeNoSense) {
  const FifoPolicy policy(PolicyOptions{});
  Scheduler scheduler(policy, kDevice);
  EXPECT_DEATH(scheduler.Enqueue({.task = TaskId(1)}), "no units");
  EXPECT_DEATH(scheduler.Enqueue(Units(1, 9)), "more than the device");
  EXPECT_DEATH(scheduler.Enqueue(Slices(1, 4, /*at_once=*/0)), "no slices");
  scheduler.Enqueue(Units(1, 1));
  EXPECT_DEATH(scheduler.Enqueue(Units(1, 1)), "has a request already");
  EXPECT_DEATH(scheduler.EndSlice(TaskId(1), 1), "no slice of task 1 runs");
}

}  // namespace
}  // namespace ascend::core
