// Random loads on Scheduler against a model that scans one list, for every
// policy: requests that come and are withdrawn, whole and sliced, priorities
// that change, tenants with weights. ASCEND_RTD_FUZZ_SEED=n runs the one seed
// n.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/sched/claim.h"
#include "core/sched/scheduler.h"
#include "core/sched/tenant_shares.h"
#include "core/sim/rng.h"
#include "gtest/gtest.h"

namespace ascend::core {
namespace {

constexpr Claim kDevice = {.cube = 8, .aiv = 8, .dma = 4};
constexpr Tick kLongestHold = Microseconds(300);
constexpr size_t kBacklogMax = 40;
constexpr uint64_t kTenantCount = 4;

// The rules of scheduler.h and tenant_shares.h, word by word: no queues, no
// counts; what is asked is looked for in the list of all requests.
class ListScheduler {
 public:
  explicit ListScheduler(const Policy& policy) : policy_(policy) {}

  void SetWeight(TenantId tenant, uint32_t weight) {
    weights_[tenant] = weight;
  }

  void Enqueue(const UnitRequest& request) {
    const TenantId tenant = request.tenant;
    for (size_t kind = 0; kind < 3; ++kind) {
      if (!Wants(request.claim, kind)) continue;
      const bool is_active =
          std::any_of(items_.begin(), items_.end(), [&](const Item& item) {
            return item.request().tenant == tenant &&
                   Wants(item.request().claim, kind);
          });
      if (is_active) continue;
      Advance(kind);
      times_[tenant] = std::max(times_[tenant], kind_times_[kind]);
    }
    Lift(request);
    items_.push_back(
        {.candidate = {.request = request, .slices_left = request.slice_count},
         .arrival = next_arrival_++});
  }

  bool Withdraw(TaskId task) {
    const auto item = Find(task);
    if (item == items_.end() || item->is_withdrawn) return false;
    Candidate& candidate = item->candidate;
    if (candidate.is_sliced() ? candidate.slices_left == 0 : item->is_granted) {
      return false;
    }
    if (item->Waits()) Unwait(*item);
    candidate.slices_left = 0;
    item->is_withdrawn = true;
    if (candidate.slices_running == 0) items_.erase(item);
    return true;
  }

  void SetPriority(TaskId task, uint32_t priority) {
    const auto item = Find(task);
    if (item == items_.end()) return;
    item->candidate.request.priority = priority;
  }

  std::vector<TaskId> Dispatch(Claim free, Tick now) {
    std::vector<TaskId> granted;
    Claim reserved;
    std::vector<Claim> refused;
    while (Item* item = NextToGrant(free, now, reserved, refused)) {
      free = free - item->request().claim;
      granted.push_back(item->request().task);
      if (!item->WaitsAfterGrant()) Unwait(*item);
      item->is_granted = true;
      if (!item->candidate.is_sliced()) continue;
      --item->candidate.slices_left;
      ++item->candidate.slices_running;
    }
    return granted;
  }

  // True: the request is gone.
  bool End(TaskId task, Tick ticks) {
    const auto item = Find(task);
    Charge(item->request(), ticks);
    if (item->candidate.is_sliced()) {
      const bool waited = item->Waits();
      --item->candidate.slices_running;
      if (!waited && item->Waits()) {
        ++item->candidate.slices_running;  // as before, for what Lift looks at
        Lift(item->request());
        --item->candidate.slices_running;
      }
      if (item->candidate.slices_left + item->candidate.slices_running > 0) {
        return false;
      }
    }
    items_.erase(item);
    return true;
  }

  size_t waiting_count() const {
    return static_cast<size_t>(
        std::count_if(items_.begin(), items_.end(),
                      [](const Item& item) { return item.Waits(); }));
  }

 private:
  struct Item {
    Candidate candidate;
    uint64_t arrival = 0;
    bool is_granted = false;
    bool is_withdrawn = false;

    const UnitRequest& request() const { return candidate.request; }
    bool Waits() const {
      if (is_withdrawn) return false;
      if (!candidate.is_sliced()) return !is_granted;
      return candidate.slices_left > 0 &&
             candidate.slices_running < request().slices_at_once;
    }
    bool WaitsAfterGrant() const {
      return candidate.slices_left > 1 &&
             candidate.slices_running + 1 < request().slices_at_once;
    }
  };

  static bool Wants(const Claim& claim, size_t kind) {
    return std::array{claim.cube, claim.aiv, claim.dma}[kind] > 0;
  }

  std::vector<Item>::iterator Find(TaskId task) {
    return std::find_if(items_.begin(), items_.end(), [&](const Item& item) {
      return item.request().task == task;
    });
  }

  bool Goes(const Item& a, const Item& b) {
    const TenantId tenant_a = a.request().tenant;
    const TenantId tenant_b = b.request().tenant;
    if (policy_.shares_among_tenants() && tenant_a != tenant_b) {
      return std::make_tuple(times_[tenant_a], tenant_a) <
             std::make_tuple(times_[tenant_b], tenant_b);
    }
    return std::make_tuple(policy_.RankOf(a.candidate), a.arrival) <
           std::make_tuple(policy_.RankOf(b.candidate), b.arrival);
  }

  // Null when nothing more is granted. What was refused in this pass, and what
  // is kept for it, stays so.
  Item* NextToGrant(const Claim& free, Tick now, Claim& reserved,
                    std::vector<Claim>& refused) {
    std::vector<Item*> order;
    for (Item& item : items_) {
      if (item.Waits()) order.push_back(&item);
    }
    std::sort(order.begin(), order.end(),
              [&](const Item* a, const Item* b) { return Goes(*a, *b); });
    for (Item* item : order) {
      const Claim& claim = item->request().claim;
      const bool was_refused =
          std::find(refused.begin(), refused.end(), claim) != refused.end();
      if (was_refused) continue;
      const bool fits = Fits(claim, free);
      if (fits && !Compete(claim, reserved)) return item;
      const Tick waited = now - item->request().ready_tick;
      if (!fits && IsEmpty(reserved) &&
          waited >= policy_.reserve_after_ticks()) {
        reserved = claim;
      }
      refused.push_back(claim);
    }
    return nullptr;
  }

  // `skipped`: counts as not waiting.
  bool HasWaiting(TenantId tenant, size_t kind, const Item* skipped) const {
    return std::any_of(items_.begin(), items_.end(), [&](const Item& item) {
      return &item != skipped && item.Waits() &&
             item.request().tenant == tenant &&
             Wants(item.request().claim, kind);
    });
  }

  void Advance(size_t kind) {
    UsageTicks least = -1;
    for (const Item& item : items_) {
      if (!item.Waits() || !Wants(item.request().claim, kind)) continue;
      const UsageTicks time = times_[item.request().tenant];
      if (least < 0 || time < least) least = time;
    }
    kind_times_[kind] = std::max(kind_times_[kind], least);
  }

  // A request of that kind is about to wait.
  void Lift(const UnitRequest& request) {
    UsageTicks& time = times_[request.tenant];
    UsageTicks lifted = time;
    for (size_t kind = 0; kind < 3; ++kind) {
      if (!Wants(request.claim, kind)) continue;
      if (HasWaiting(request.tenant, kind, nullptr)) continue;
      Advance(kind);
      lifted = std::max(lifted, kind_times_[kind] - TenantShares::kCredit);
    }
    time = lifted;
  }

  // `item` waits, and is about not to.
  void Unwait(const Item& item) {
    for (size_t kind = 0; kind < 3; ++kind) {
      if (!Wants(item.request().claim, kind)) continue;
      if (HasWaiting(item.request().tenant, kind, &item)) continue;
      Advance(kind);
    }
  }

  void Charge(const UnitRequest& request, Tick ticks) {
    const Claim& held = request.claim;
    const auto part = [](uint32_t units, uint32_t all) {
      return (UsageTicks{units} << 32) / all;
    };
    const UsageTicks dominant =
        std::max({part(held.cube, kDevice.cube), part(held.aiv, kDevice.aiv),
                  part(held.dma, kDevice.dma)});
    UsageTicks& time = times_[request.tenant];
    time += dominant * ticks / weights_[request.tenant];
    for (size_t kind = 0; kind < 3; ++kind) {
      if (!Wants(held, kind)) continue;
      const bool is_wanted =
          std::any_of(items_.begin(), items_.end(), [&](const Item& item) {
            return item.Waits() && Wants(item.request().claim, kind);
          });
      if (!is_wanted) kind_times_[kind] = std::max(kind_times_[kind], time);
    }
  }

  const Policy& policy_;
  std::vector<Item> items_;  // that wait or hold units
  std::map<TenantId, uint32_t> weights_;
  std::map<TenantId, UsageTicks> times_;
  std::array<UsageTicks, 3> kind_times_ = {};
  uint64_t next_arrival_ = 0;
};

class ModelRun {
 public:
  ModelRun(const Policy& policy, Rng& rng)
      : rng_(rng), scheduler_(policy, kDevice), model_(policy) {
    arrival_gap_ = Microseconds(5) + Below(Microseconds(60));
    for (uint64_t i = 0; i < kTenantCount; ++i) {
      const uint32_t weight = 1 + Units(3);
      scheduler_.SetWeight(TenantId(i), weight);
      model_.SetWeight(TenantId(i), weight);
    }
  }

  void Go(int step_count) {
    for (int i = 0; i < step_count && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(absl::StrCat("step ", i));
      now_ += rng_.Below(3) == 0 ? 0 : Below(arrival_gap_);
      EndHoldsUntilNow();
      // Now and then nobody comes for a while.
      if (i % 400 < 350 && model_.waiting_count() < kBacklogMax) Arrive();
      if (rng_.Below(10) == 0) WithdrawSome();
      if (rng_.Below(5) == 0) ChangeAPriority();
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
  TaskId SomeTask() {
    // Mostly one of the latest, which may still be there.
    const uint64_t back = rng_.Below(60);
    return TaskId(next_task_ > back ? next_task_ - static_cast<uint32_t>(back)
                                    : 0);
  }

  // A pass at the end of each hold, as the machine does.
  void EndHoldsUntilNow() {
    const Tick until = now_;
    while (!ends_.empty() && ends_.begin()->first <= until) {
      now_ = ends_.begin()->first;
      while (!ends_.empty() && ends_.begin()->first == now_) {
        End(ends_.begin()->second);
        ends_.erase(ends_.begin());
      }
      Pass();
    }
    now_ = until;
  }

  struct Hold {
    TaskId task;
    Tick ticks;
  };

  void End(const Hold& hold) {
    const UnitRequest& request = requests_.at(hold.task);
    free_ = free_ + request.claim;
    const bool is_gone = model_.End(hold.task, hold.ticks);
    if (request.slice_count > 0) {
      EXPECT_EQ(scheduler_.EndSlice(hold.task, hold.ticks), is_gone);
    } else {
      scheduler_.EndWhole(request.tenant, request.claim, hold.ticks);
    }
  }

  void Arrive() {
    UnitRequest request{.task = TaskId(next_task_++),
                        .tenant = TenantId(rng_.Below(kTenantCount)),
                        .priority = Units(7),
                        .ready_tick = now_,
                        .expected_ticks = Below(kLongestHold)};
    while (IsEmpty(request.claim)) {
      switch (rng_.Below(5)) {
        case 0:
          request.claim.dma = 1;
          break;
        case 1:
          request.claim = {Units(8), Units(8), Units(4)};
          break;
        case 2:
          request.claim.cube = 1 + Units(7);
          request.claim.aiv = request.claim.cube;
          break;
        default:
          request.claim.cube = 1;
          request.claim.aiv = Units(1);
          request.slice_count = 1 + Units(20);
          request.slices_at_once = 1 + Units(7);
      }
    }
    requests_.emplace(request.task, request);
    scheduler_.Enqueue(request);
    model_.Enqueue(request);
  }

  void WithdrawSome() {
    const TaskId task = SomeTask();
    EXPECT_EQ(scheduler_.Withdraw(task), model_.Withdraw(task));
  }

  void ChangeAPriority() {
    const TaskId task = SomeTask();
    const uint32_t priority = Units(7);
    scheduler_.SetPriority(task, priority);
    model_.SetPriority(task, priority);
  }

  void Pass() {
    std::vector<TaskId> granted;
    scheduler_.Dispatch(free_, now_, &granted);
    EXPECT_EQ(granted, model_.Dispatch(free_, now_));
    EXPECT_EQ(scheduler_.waiting_count(), model_.waiting_count());
    for (const TaskId task : granted) {
      const Claim& claim = requests_.at(task).claim;
      ASSERT_TRUE(Fits(claim, free_)) << "more granted than free";
      free_ = free_ - claim;
      const Tick ticks = 1 + Below(kLongestHold);
      ends_.emplace(now_ + ticks, Hold{task, ticks});
    }
  }

  Rng& rng_;
  Scheduler scheduler_;
  ListScheduler model_;
  Tick now_ = 0;
  Tick arrival_gap_ = 0;
  Claim free_ = kDevice;
  std::multimap<Tick, Hold> ends_;
  std::map<TaskId, UnitRequest> requests_;  // all that ever came
  uint32_t next_task_ = 0;
};

class SchedulerModel : public ::testing::TestWithParam<absl::string_view> {};

TEST_P(SchedulerModel, RandomLoadsAgreeWithAList) {
  uint64_t first = 1, last = 60;
  if (const char* one = std::getenv("ASCEND_RTD_FUZZ_SEED")) {
    first = last = std::strtoull(one, nullptr, 10);
  }
  for (uint64_t seed = first; seed <= last && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Rng rng(seed);
    const PolicyOptions options = {
        .reserve_after_ticks =
            Microseconds(static_cast<int64_t>(100 + rng.Below(1500))),
        .ageing_ticks =
            rng.Below(2) == 0
                ? 0
                : Microseconds(static_cast<int64_t>(100 + rng.Below(1000))),
        .preempts = rng.Below(2) == 0};
    ModelRun(*MakePolicy(GetParam(), options), rng).Go(1500);
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
