#include "core/sim/event_queue.h"

#include <algorithm>
#include <tuple>

#include "core/base/check.h"

namespace ascend::core {
namespace {

constexpr size_t kArity = 4;

}  // namespace

bool EventQueue::Before(const Entry& a, const Entry& b) {
  if (a.event.tick != b.event.tick) return a.event.tick < b.event.tick;
  return std::tie(a.event.phase, a.event.tie, a.sequence) <
         std::tie(b.event.phase, b.event.tie, b.sequence);
}

bool EventQueue::IsLive(EventId id) const {
  return generations_[id.slot] == id.generation;
}

void EventQueue::Retire(EventId id) {
  // Generation 0 stays "no event" when the counter wraps.
  if (++generations_[id.slot] == 0) generations_[id.slot] = 1;
  free_slots_.push_back(id.slot);
  --live_count_;
}

EventId EventQueue::Push(const Event& event) {
  ASCEND_CHECK(event.tick >= 0) << "event at tick " << event.tick;
  EventId id;
  if (free_slots_.empty()) {
    id.slot = static_cast<uint32_t>(generations_.size());
    generations_.push_back(1);
  } else {
    id.slot = free_slots_.back();
    free_slots_.pop_back();
  }
  id.generation = generations_[id.slot];
  const Entry entry{event, next_sequence_++, id};
  heap_.push_back(entry);
  SiftUp(heap_.size() - 1, entry);
  ++live_count_;
  return id;
}

void EventQueue::Cancel(EventId id) {
  if (id.generation == 0 || !IsLive(id)) return;
  Retire(id);
}

bool EventQueue::Pop(Event* event) {
  DropCancelled();
  if (heap_.empty()) return false;
  *event = heap_.front().event;
  Retire(heap_.front().id);
  RemoveTop();
  return true;
}

const Event* EventQueue::Top() {
  DropCancelled();
  return heap_.empty() ? nullptr : &heap_.front().event;
}

Tick EventQueue::NextTick() {
  DropCancelled();
  return heap_.empty() ? kTickMax : heap_.front().event.tick;
}

void EventQueue::DropCancelled() {
  while (!heap_.empty() && !IsLive(heap_.front().id)) RemoveTop();
}

void EventQueue::RemoveTop() {
  const Entry last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) SiftDown(0, last);
}

void EventQueue::SiftUp(size_t hole, const Entry& entry) {
  while (hole > 0) {
    const size_t parent = (hole - 1) / kArity;
    if (!Before(entry, heap_[parent])) break;
    heap_[hole] = heap_[parent];
    hole = parent;
  }
  heap_[hole] = entry;
}

void EventQueue::SiftDown(size_t hole, const Entry& entry) {
  while (true) {
    const size_t first = hole * kArity + 1;
    if (first >= heap_.size()) break;
    size_t best = first;
    const size_t end = std::min(first + kArity, heap_.size());
    for (size_t child = first + 1; child < end; ++child) {
      if (Before(heap_[child], heap_[best])) best = child;
    }
    if (!Before(heap_[best], entry)) break;
    heap_[hole] = heap_[best];
    hole = best;
  }
  heap_[hole] = entry;
}

}  // namespace ascend::core
