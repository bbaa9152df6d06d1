#include "core/sched/scheduler.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/sched/claim.h"

namespace ascend::core {

void Scheduler::Enqueue(const UnitRequest& request) {
  ASCEND_CHECK(!IsEmpty(request.claim)) << "a request for no units";
  Queue& queue = QueueOf(request.claim, policy_.Urgency(request));
  queue.waiting.push_back({request, next_arrival_++});
  ++waiting_count_;
}

bool Scheduler::Withdraw(TaskId task) {
  for (Queue& queue : queues_) {
    const auto found = std::find_if(
        queue.waiting.begin(), queue.waiting.end(),
        [task](const Waiting& w) { return w.request.task == task; });
    if (found == queue.waiting.end()) continue;
    queue.waiting.erase(found);
    --waiting_count_;
    return true;
  }
  return false;
}

void Scheduler::Dispatch(Claim free, Tick now,
                         std::vector<UnitRequest>* granted) {
  if (waiting_count_ == 0) return;
  for (Queue& queue : queues_) queue.is_passed = false;
  Claim reserved;  // what an aged request keeps from those behind it
  while (Queue* queue = First()) {
    const UnitRequest& request = queue->waiting.front().request;
    const bool fits = Fits(queue->claim, free);
    if (fits && !Compete(queue->claim, reserved)) {
      free = free - queue->claim;
      granted->push_back(request);
      queue->waiting.pop_front();
      --waiting_count_;
      continue;
    }
    const bool is_aged =
        now - request.ready_tick >= policy_.reserve_after_ticks();
    if (!fits && is_aged && IsEmpty(reserved)) reserved = queue->claim;
    queue->is_passed = true;
  }
}

Scheduler::Queue& Scheduler::QueueOf(const Claim& claim, uint32_t urgency) {
  for (Queue& queue : queues_) {
    if (queue.claim == claim && queue.urgency == urgency) return queue;
  }
  // A queue that ran empty is used anew, so that there are never more queues
  // than kinds of request that wait at one time.
  for (Queue& queue : queues_) {
    if (!queue.waiting.empty()) continue;
    queue.claim = claim;
    queue.urgency = urgency;
    return queue;
  }
  Queue& queue = queues_.emplace_back();
  queue.claim = claim;
  queue.urgency = urgency;
  return queue;
}

Scheduler::Queue* Scheduler::First() {
  Queue* first = nullptr;
  for (Queue& queue : queues_) {
    if (queue.is_passed || queue.waiting.empty()) continue;
    if (first == nullptr || queue.urgency < first->urgency ||
        (queue.urgency == first->urgency &&
         queue.waiting.front().arrival < first->waiting.front().arrival)) {
      first = &queue;
    }
  }
  return first;
}

}  // namespace ascend::core
