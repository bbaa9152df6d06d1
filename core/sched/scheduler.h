// Scheduler: hands the units of one device to waiting requests.
//
// The owner keeps the units; it asks for one Dispatch pass per instant, after
// everything of that instant that ends has given its units back. A pass walks
// the requests in the policy's order and grants each one that fits into what is
// left, all or nothing. A request that has waited too long and still does not
// fit keeps the kinds of unit it wants from those behind it (policy.h).
//
// Requests of one claim and one urgency wait in one queue, oldest first: if its
// front does not fit, no other of them does. So a pass looks at the fronts of a
// few queues, however many requests wait.
//
// Threading: thread-compatible; deterministic. Ownership: borrows the policy.
#ifndef ASCEND_CORE_SCHED_SCHEDULER_H_
#define ASCEND_CORE_SCHED_SCHEDULER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/sched/policy.h"

namespace ascend::core {

class Scheduler {
 public:
  explicit Scheduler(const Policy& policy) : policy_(policy) {}

  // `request.claim` is not empty and not larger than the device.
  void Enqueue(const UnitRequest& request);

  // The request goes away without a grant; false when it does not wait.
  bool Withdraw(TaskId task);

  // Appends the granted requests to `granted`, in the order of granting; their
  // claims together fit `free`.
  void Dispatch(Claim free, Tick now, std::vector<UnitRequest>* granted);

  size_t waiting_count() const { return waiting_count_; }

 private:
  struct Waiting {
    UnitRequest request;
    uint64_t arrival;
  };
  // The requests of one claim and urgency.
  struct Queue {
    Claim claim;
    uint32_t urgency = 0;
    std::deque<Waiting> waiting;
    bool is_passed = false;  // in this pass: nothing of it fits any more
  };

  Queue& QueueOf(const Claim& claim, uint32_t urgency);
  Queue* First();

  const Policy& policy_;
  std::vector<Queue> queues_;
  uint64_t next_arrival_ = 0;
  size_t waiting_count_ = 0;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_SCHED_SCHEDULER_H_
