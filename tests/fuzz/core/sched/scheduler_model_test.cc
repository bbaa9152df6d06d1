// Random loads on Scheduler against a model that scans one list, for every
// policy. ASCEND_RTD_FUZZ_SEED=n runs the one seed n.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/sched/claim.h"
#include "core/sched/scheduler.h"
#include "core/sim/rng.h"
#include "gtest/gtest.h"

namespace ascend::core {
namespace {

constexpr Claim kDevice = {.cube = 8, .aiv = 8, .dma = 4};
constexpr Tick kLongestHold = Microseconds(300);
constexpr size_t kBacklogMax = 40;

// The rules of scheduler.h, word by word.
class ListScheduler {
 public:
  explicit ListScheduler(const Policy& policy) : policy_(policy) {}

  void Enqueue(const UnitRequest& request) {
    const auto place = std::find_if(
        waiting_.begin(), waiting_.end(), [&](const UnitRequest& other) {
          return policy_.Urgency(other) > policy_.Urgency(request);
        });
    waiting_.insert(place, request);
  }
  bool Withdraw(TaskId task) {
    return std::erase_if(waiting_, [&](const UnitRequest& request) {
             return request.task == task;
           }) == 1;
  }
  std::vector<TaskId> Dispatch(Claim free, Tick now) {
    std::vector<TaskId> granted;
    std::vector<UnitRequest> left;
    Claim reserved;
    for (const UnitRequest& request : waiting_) {
      const bool fits = Fits(request.claim, free);
      if (fits && !Compete(request.claim, reserved)) {
        free = free - request.claim;
        granted.push_back(request.task);
        continue;
      }
      left.push_back(request);
      const Tick waited = now - request.ready_tick;
      if (!fits && waited >= policy_.reserve_after_ticks() &&
          IsEmpty(reserved)) {
        reserved = request.claim;
      }
    }
    waiting_ = std::move(left);
    return granted;
  }

  const std::vector<UnitRequest>& waiting() const { return waiting_; }

 private:
  const Policy& policy_;
  std::vector<UnitRequest> waiting_;  // first to go first
};

class ModelRun {
 public:
  ModelRun(const Policy& policy, uint64_t seed)
      : policy_(policy), rng_(seed), scheduler_(policy), model_(policy) {
    arrival_gap_ = Microseconds(5) + Below(Microseconds(60));
  }

  void Go(int step_count) {
    for (int i = 0; i < step_count && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(absl::StrCat("step ", i));
      now_ += rng_.Below(3) == 0 ? 0 : Below(arrival_gap_);
      EndHoldsUntilNow();
      if (model_.waiting().size() < kBacklogMax) Arrive();
      if (rng_.Below(10) == 0) WithdrawSome();
      Pass();
    }
    while (!ends_.empty() && !::testing::Test::HasFailure()) {
      now_ = std::max(now_, ends_.begin()->first);
      EndHoldsUntilNow();
      Pass();
    }
    EXPECT_EQ(scheduler_.waiting_count(), 0u) << "left without a grant";
    EXPECT_EQ(free_, kDevice);
  }

 private:
  Tick Below(Tick bound) {
    return static_cast<Tick>(rng_.Below(static_cast<uint64_t>(bound)));
  }
  uint32_t Units(uint32_t bound) {
    return static_cast<uint32_t>(rng_.Below(bound + 1));
  }

  // A pass at the end of each hold, as the machine does.
  void EndHoldsUntilNow() {
    const Tick until = now_;
    while (!ends_.empty() && ends_.begin()->first <= until) {
      now_ = ends_.begin()->first;
      while (!ends_.empty() && ends_.begin()->first == now_) {
        free_ = free_ + ends_.begin()->second;
        ends_.erase(ends_.begin());
      }
      Pass();
    }
    now_ = until;
  }

  void Arrive() {
    UnitRequest request{
        .task = TaskId(next_task_++), .priority = Units(7), .ready_tick = now_};
    while (IsEmpty(request.claim)) {
      switch (rng_.Below(4)) {
        case 0:
          request.claim = {.cube = 0, .aiv = 0, .dma = 1};
          break;
        case 1:
          request.claim = {Units(8), Units(8), Units(4)};
          break;
        default:
          request.claim.cube = 1 + Units(7);
          request.claim.aiv = request.claim.cube;
      }
    }
    scheduler_.Enqueue(request);
    model_.Enqueue(request);
  }

  void WithdrawSome() {
    const TaskId task(static_cast<uint32_t>(rng_.Below(next_task_ + 1)));
    EXPECT_EQ(scheduler_.Withdraw(task), model_.Withdraw(task));
  }

  void Pass() {
    std::vector<UnitRequest> granted;
    scheduler_.Dispatch(free_, now_, &granted);
    std::vector<TaskId> tasks;
    for (const UnitRequest& request : granted) {
      ASSERT_TRUE(Fits(request.claim, free_)) << "more granted than free";
      free_ = free_ - request.claim;
      ends_.emplace(now_ + 1 + Below(kLongestHold), request.claim);
      tasks.push_back(request.task);
    }
    EXPECT_EQ(tasks, model_.Dispatch(FreeBefore(granted), now_));
    EXPECT_EQ(scheduler_.waiting_count(), model_.waiting().size());
    CheckStarvation(granted);
  }

  Claim FreeBefore(const std::vector<UnitRequest>& granted) const {
    Claim free = free_;
    for (const UnitRequest& request : granted) free = free + request.claim;
    return free;
  }

  // Who is first of all is so no longer than the policy promises.
  void CheckStarvation(const std::vector<UnitRequest>& granted) {
    if (model_.waiting().empty()) return;
    const UnitRequest& first = model_.waiting().front();
    const bool was_overtaken = std::any_of(
        granted.begin(), granted.end(), [&](const UnitRequest& request) {
          return policy_.Urgency(request) < policy_.Urgency(first);
        });
    if (was_overtaken || first_ != first.task) {
      first_ = first.task;
      first_since_ = now_;
    }
    const Tick aged = first.ready_tick + policy_.reserve_after_ticks();
    EXPECT_LE(now_, std::max(first_since_, aged) + kLongestHold)
        << "task " << first_.value() << " starves";
  }

  const Policy& policy_;
  Rng rng_;
  Scheduler scheduler_;
  ListScheduler model_;
  Tick now_ = 0;
  Tick arrival_gap_ = 0;
  Claim free_ = kDevice;
  std::multimap<Tick, Claim> ends_;
  uint32_t next_task_ = 0;
  TaskId first_{~0u};
  Tick first_since_ = 0;
};

class SchedulerModel : public ::testing::TestWithParam<absl::string_view> {};

TEST_P(SchedulerModel, RandomLoadsAgreeWithAList) {
  const std::unique_ptr<Policy> policy = MakePolicy(GetParam());
  uint64_t first = 1, last = 100;
  if (const char* one = std::getenv("ASCEND_RTD_FUZZ_SEED")) {
    first = last = std::strtoull(one, nullptr, 10);
  }
  for (uint64_t seed = first; seed <= last && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    ModelRun(*policy, seed).Go(1500);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, SchedulerModel,
    ::testing::ValuesIn(PolicyNames().begin(), PolicyNames().end()),
    [](const ::testing::TestParamInfo<absl::string_view>& param) {
      return std::string(param.param);
    });

}  // namespace
}  // namespace ascend::core
