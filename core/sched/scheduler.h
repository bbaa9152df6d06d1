// Scheduler: hands the units of one device to waiting requests.
//
// The owner keeps the units; it asks for one Dispatch pass per instant, after
// everything of that instant that ends has given its units back. A pass walks
// the requests in the policy's order and grants each one that fits into what is
// left, all or nothing. A request that has waited too long and still does not
// fit keeps the kinds of unit it wants from those behind it (policy.h).
//
// A sliced request stays until all of its slices have ended, and takes part in
// each pass while it has slices to be granted and may run one more.
//
// Requests of one claim wait in one queue, in their order: if its first does
// not fit, no other of them does. So a pass looks at the fronts of a few
// queues, however many requests wait, and each of its steps costs no more than
// the logarithm of their number. Of the requests of one claim only the first
// keeps units from others. Under a policy that shares among tenants, each
// tenant has a line of its own in a queue, and the lines go by what tenants
// have had.
//
// Threading: thread-compatible; deterministic. Ownership: borrows the policy.
#ifndef ASCEND_CORE_SCHED_SCHEDULER_H_
#define ASCEND_CORE_SCHED_SCHEDULER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/container/btree_set.h"
#include "core/sched/policy.h"
#include "core/sched/tenant_shares.h"
#include "core/sched/unit_request.h"
#include "core/sim/tick.h"

namespace ascend::core {

class Scheduler {
 public:
  // `capacity` is what the device has.
  Scheduler(const Policy& policy, const Claim& capacity)
      : policy_(policy), capacity_(capacity), shares_(capacity) {}

  // `request.claim` is not empty and not larger than the device; its task has
  // no request yet.
  void Enqueue(const UnitRequest& request);

  // No further grants for the task; false when there are none to come. A sliced
  // request with slices that run stays until they have ended.
  bool Withdraw(TaskId task);

  // The priority of a request has changed; no effect on tasks without one.
  void SetPriority(TaskId task, uint32_t priority);

  // Appends the tasks that get their claim, or one more slice, in the order of
  // granting; the claims together fit `free`.
  void Dispatch(Claim free, Tick now, std::vector<TaskId>* granted);

  // The claim of a whole request was given back, after so long.
  void EndWhole(TenantId tenant, const Claim& held, Tick ticks);

  // A slice of the task has given its claim back, after so long. True: it was
  // the last, the request is gone.
  bool EndSlice(TaskId task, Tick ticks);

  // 1 for tenants of whom nothing was said. `weight` is not 0.
  void SetWeight(TenantId tenant, uint32_t weight) {
    shares_.SetWeight(tenant, weight);
  }

  // As if tenants had had nothing yet; no effect while one waits.
  void ForgetUse() {
    if (waiting_count_ == 0) shares_.ForgetUse();
  }
  // Nothing is known of the tenant any more. It has no request.
  void ForgetTenant(TenantId tenant) { shares_.Forget(tenant); }

  // Requests that a pass would look at.
  size_t waiting_count() const { return waiting_count_; }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Entry {
    Rank rank;
    uint64_t arrival = 0;
    TaskId task;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  // Requests of one claim and, if tenants share, of one tenant.
  struct Line {
    TenantId tenant;
    uint32_t queue = 0;
    absl::btree_set<Entry> waiting;
    size_t user_count = 0;  // requests, waiting or not
  };
  struct Turn {
    UsageTicks virtual_time = 0;  // of the tenant
    TenantId tenant;
    uint32_t line = 0;
    friend auto operator<=>(const Turn&, const Turn&) = default;
  };
  // Requests of one claim.
  struct Queue {
    Claim claim;
    absl::btree_set<Turn> turns;  // of the lines in which somebody waits
    size_t line_count = 0;
    bool is_passed = false;  // in this pass: nothing of it fits any more
  };
  struct Place {
    Candidate candidate;
    Rank rank;  // while it waits
    uint64_t arrival = 0;
    uint32_t line = kNone;  // kNone: there is no request
    bool is_waiting = false;
  };

  Place* Find(TaskId task);
  uint32_t LineOf(const UnitRequest& request);
  uint32_t QueueOf(const Claim& claim);
  Turn TurnOf(uint32_t line) const;
  const Entry& FrontOf(const Queue& queue) const;
  Queue* First();
  static Entry EntryOf(const Place& place);
  void StartWaiting(Place& place);
  void StopWaiting(Place& place);
  // The candidate has changed while it waits.
  void Reorder(Place& place);
  // Counts the grant; the place waits on if it may run one more slice.
  void Grant(Place& place);
  void Forget(Place& place);
  void Leave(TenantId tenant, const Claim& claim);
  void Charge(TenantId tenant, const Claim& held, Tick ticks);
  // The virtual time of the tenant was another.
  void MoveTurns(TenantId tenant, UsageTicks before);

  const Policy& policy_;
  const Claim capacity_;
  TenantShares shares_;  // used if the policy shares among tenants
  std::vector<Queue> queues_;
  std::vector<Line> lines_;
  std::vector<uint32_t> free_lines_;
  std::map<TenantId, std::vector<uint32_t>> lines_of_tenants_;
  std::vector<Place> places_;  // by task
  uint64_t next_arrival_ = 0;
  size_t waiting_count_ = 0;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_SCHED_SCHEDULER_H_
