#include "core/sched/scheduler.h"

#include "core/base/check.h"
#include "core/sched/claim.h"

namespace ascend::core {

void Scheduler::Enqueue(const UnitRequest& request) {
  ASCEND_CHECK(!IsEmpty(request.claim)) << "a request for no units";
  ASCEND_CHECK(Fits(request.claim, capacity_))
      << "a request for more than the device";
  ASCEND_CHECK(request.slice_count == 0 || request.slices_at_once > 0)
      << "a sliced request for no slices";
  const size_t index = request.task.value();
  if (index >= places_.size()) places_.resize(index + 1);
  Place& place = places_[index];
  ASCEND_CHECK(place.line == kNone)
      << "task " << index << " has a request already";
  place.candidate = {.request = request, .slices_left = request.slice_count};
  place.arrival = next_arrival_++;
  place.line = LineOf(request);
  ++lines_[place.line].user_count;
  if (policy_.shares_among_tenants()) {
    const UsageTicks before = shares_.VirtualTime(request.tenant);
    shares_.Enter(request.tenant, request.claim);
    MoveTurns(request.tenant, before);
  }
  StartWaiting(place);
}

bool Scheduler::Withdraw(TaskId task) {
  Place* const place = Find(task);
  if (place == nullptr) return false;
  if (place->is_waiting) {
    StopWaiting(*place);
  } else if (place->candidate.slices_left == 0) {
    return false;
  }
  place->candidate.slices_left = 0;
  if (place->candidate.slices_running > 0) return true;
  Leave(place->candidate.request.tenant, place->candidate.request.claim);
  Forget(*place);
  return true;
}

void Scheduler::SetPriority(TaskId task, uint32_t priority) {
  Place* const place = Find(task);
  if (place == nullptr) return;
  place->candidate.request.priority = priority;
  if (place->is_waiting) Reorder(*place);
}

void Scheduler::Dispatch(Claim free, Tick now, std::vector<TaskId>* granted) {
  if (waiting_count_ == 0) return;
  for (Queue& queue : queues_) queue.is_passed = false;
  Claim reserved;  // what an aged request keeps from those behind it
  while (Queue* queue = First()) {
    Place& place = *Find(FrontOf(*queue).task);
    const bool fits = Fits(queue->claim, free);
    if (fits && !Compete(queue->claim, reserved)) {
      free = free - queue->claim;
      granted->push_back(place.candidate.request.task);
      Grant(place);
      continue;
    }
    const bool is_aged = now - place.candidate.request.ready_tick >=
                         policy_.reserve_after_ticks();
    if (!fits && is_aged && IsEmpty(reserved)) reserved = queue->claim;
    queue->is_passed = true;
  }
}

void Scheduler::EndWhole(TenantId tenant, const Claim& held, Tick ticks) {
  Charge(tenant, held, ticks);
  Leave(tenant, held);
}

bool Scheduler::EndSlice(TaskId task, Tick ticks) {
  Place* const place = Find(task);
  ASCEND_CHECK(place != nullptr && place->candidate.slices_running > 0)
      << "no slice of task " << task.value() << " runs";
  Candidate& candidate = place->candidate;
  Charge(candidate.request.tenant, candidate.request.claim, ticks);
  --candidate.slices_running;
  if (candidate.slices_left > 0) {
    place->is_waiting ? Reorder(*place) : StartWaiting(*place);
    return false;
  }
  if (candidate.slices_running > 0) return false;
  Leave(candidate.request.tenant, candidate.request.claim);
  Forget(*place);
  return true;
}

Scheduler::Place* Scheduler::Find(TaskId task) {
  if (task.value() >= places_.size()) return nullptr;
  Place& place = places_[task.value()];
  return place.line == kNone ? nullptr : &place;
}

uint32_t Scheduler::LineOf(const UnitRequest& request) {
  const TenantId tenant =
      policy_.shares_among_tenants() ? request.tenant : TenantId();
  std::vector<uint32_t>& lines = lines_of_tenants_[tenant];
  for (const uint32_t line : lines) {
    if (queues_[lines_[line].queue].claim == request.claim) return line;
  }
  if (free_lines_.empty()) {
    free_lines_.push_back(static_cast<uint32_t>(lines_.size()));
    lines_.emplace_back();
  }
  const uint32_t line = free_lines_.back();
  free_lines_.pop_back();
  lines_[line].tenant = tenant;
  lines_[line].queue = QueueOf(request.claim);
  ++queues_[lines_[line].queue].line_count;
  lines.push_back(line);
  return line;
}

uint32_t Scheduler::QueueOf(const Claim& claim) {
  uint32_t unused = kNone;
  for (uint32_t i = 0; i < queues_.size(); ++i) {
    if (queues_[i].claim == claim) return i;
    if (unused == kNone && queues_[i].line_count == 0) unused = i;
  }
  // A queue that nobody uses is used anew, so that there are never more queues
  // than claims at one time.
  if (unused == kNone) {
    unused = static_cast<uint32_t>(queues_.size());
    queues_.emplace_back();
  }
  queues_[unused].claim = claim;
  return unused;
}

Scheduler::Turn Scheduler::TurnOf(uint32_t line) const {
  const TenantId tenant = lines_[line].tenant;
  return {.virtual_time = shares_.VirtualTime(tenant),
          .tenant = tenant,
          .line = line};
}

const Scheduler::Entry& Scheduler::FrontOf(const Queue& queue) const {
  return *lines_[queue.turns.begin()->line].waiting.begin();
}

Scheduler::Queue* Scheduler::First() {
  Queue* first = nullptr;
  for (Queue& queue : queues_) {
    if (queue.is_passed || queue.turns.empty()) continue;
    if (first == nullptr) {
      first = &queue;
      continue;
    }
    const Turn& turn = *queue.turns.begin();
    const Turn& first_turn = *first->turns.begin();
    const bool is_before = turn.tenant == first_turn.tenant
                               ? FrontOf(queue) < FrontOf(*first)
                               : turn < first_turn;
    if (is_before) first = &queue;
  }
  return first;
}

Scheduler::Entry Scheduler::EntryOf(const Place& place) {
  return {.rank = place.rank,
          .arrival = place.arrival,
          .task = place.candidate.request.task};
}

void Scheduler::StartWaiting(Place& place) {
  Line& line = lines_[place.line];
  Queue& queue = queues_[line.queue];
  if (policy_.shares_among_tenants()) {
    const UsageTicks before = shares_.VirtualTime(line.tenant);
    shares_.StartWaiting(line.tenant, queue.claim);
    MoveTurns(line.tenant, before);
  }
  if (line.waiting.empty()) queue.turns.insert(TurnOf(place.line));
  place.rank = policy_.RankOf(place.candidate);
  line.waiting.insert(EntryOf(place));
  place.is_waiting = true;
  ++waiting_count_;
}

void Scheduler::StopWaiting(Place& place) {
  Line& line = lines_[place.line];
  Queue& queue = queues_[line.queue];
  line.waiting.erase(EntryOf(place));
  if (line.waiting.empty()) queue.turns.erase(TurnOf(place.line));
  if (policy_.shares_among_tenants()) {
    shares_.StopWaiting(line.tenant, queue.claim);
  }
  place.is_waiting = false;
  --waiting_count_;
}

void Scheduler::Reorder(Place& place) {
  const Rank rank = policy_.RankOf(place.candidate);
  if (rank == place.rank) return;
  Line& line = lines_[place.line];
  line.waiting.erase(EntryOf(place));
  place.rank = rank;
  line.waiting.insert(EntryOf(place));
}

void Scheduler::Grant(Place& place) {
  Candidate& candidate = place.candidate;
  if (!candidate.is_sliced()) {
    StopWaiting(place);
    Forget(place);
    return;
  }
  --candidate.slices_left;
  ++candidate.slices_running;
  if (candidate.slices_left > 0 &&
      candidate.slices_running < candidate.request.slices_at_once) {
    Reorder(place);
  } else {
    StopWaiting(place);
  }
}

void Scheduler::Forget(Place& place) {
  const uint32_t index = place.line;
  place.line = kNone;
  Line& line = lines_[index];
  if (--line.user_count > 0) return;
  --queues_[line.queue].line_count;
  free_lines_.push_back(index);
  const auto lines = lines_of_tenants_.find(line.tenant);
  std::erase(lines->second, index);
  if (lines->second.empty()) lines_of_tenants_.erase(lines);
}

void Scheduler::Leave(TenantId tenant, const Claim& claim) {
  if (policy_.shares_among_tenants()) shares_.Leave(tenant, claim);
}

void Scheduler::Charge(TenantId tenant, const Claim& held, Tick ticks) {
  if (!policy_.shares_among_tenants()) return;
  const UsageTicks before = shares_.VirtualTime(tenant);
  shares_.Charge(tenant, held, ticks);
  MoveTurns(tenant, before);
}

void Scheduler::MoveTurns(TenantId tenant, UsageTicks before) {
  if (shares_.VirtualTime(tenant) == before) return;
  const auto lines = lines_of_tenants_.find(tenant);
  if (lines == lines_of_tenants_.end()) return;
  for (const uint32_t line : lines->second) {
    if (lines_[line].waiting.empty()) continue;
    absl::btree_set<Turn>& turns = queues_[lines_[line].queue].turns;
    turns.erase({.virtual_time = before, .tenant = tenant, .line = line});
    turns.insert(TurnOf(line));
  }
}

}  // namespace ascend::core
