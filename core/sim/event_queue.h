// EventQueue: what will happen, in the order in which it happens.
//
// Events are plain data, ordered by (tick, phase, tie, order of pushing). The
// phase settles what goes first within an instant: work that ends frees its
// units and wakes its waiters before new commands are admitted, and units are
// handed out once, after all of that. The tie is for events whose order may not
// depend on the order of pushing, such as commands of different sessions.
//
// A cancelled event is forgotten: it is neither popped nor seen by NextTick.
//
// A 4-ary heap of values; cancellation marks the event's slot and drops the
// entry when it comes to the top, so push and pop stay O(log n) with no search.
//
// Threading: thread-compatible. Ownership: owns its events.
#ifndef ASCEND_CORE_SIM_EVENT_QUEUE_H_
#define ASCEND_CORE_SIM_EVENT_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/sim/tick.h"

namespace ascend::core {

// Within one tick, in this order.
enum class Phase : uint8_t {
  kCompletion,  // work ends
  kFence,       // streams go on
  kAdmit,       // commands are taken in
  kSchedule,    // units are handed out
  kStats,       // samples are taken
};

struct Event {
  Tick tick = 0;
  Phase phase = Phase::kCompletion;
  uint8_t kind = 0;     // of the owner's choosing, with `target`
  uint64_t tie = 0;     // smaller first, within tick and phase
  uint64_t target = 0;  // what it happens to
};

// Names a pushed event until it is popped or cancelled.
struct EventId {
  uint32_t slot = 0;
  uint32_t generation = 0;  // 0: no event
};

class EventQueue {
 public:
  EventId Push(const Event& event);

  // No effect on an event that was popped or cancelled before.
  void Cancel(EventId id);

  // False when there is no event.
  bool Pop(Event* event);

  // The event that Pop would give; null when there is none.
  const Event* Top();

  // When the next event is due; kTickMax when there is none. Not const: drops
  // cancelled events that have come to the top.
  Tick NextTick();

  bool empty() const { return live_count_ == 0; }
  size_t size() const { return live_count_; }

 private:
  struct Entry {
    Event event;
    uint64_t sequence;
    EventId id;
  };

  static bool Before(const Entry& a, const Entry& b);
  bool IsLive(EventId id) const;
  void Retire(EventId id);
  void RemoveTop();
  void DropCancelled();
  void SiftUp(size_t hole, const Entry& entry);
  void SiftDown(size_t hole, const Entry& entry);

  std::vector<Entry> heap_;
  std::vector<uint32_t> generations_;  // by slot: of its live or next event
  std::vector<uint32_t> free_slots_;
  uint64_t next_sequence_ = 0;
  size_t live_count_ = 0;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_SIM_EVENT_QUEUE_H_
