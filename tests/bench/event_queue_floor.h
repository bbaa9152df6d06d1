// The event queue alone: one push and one pop, with a number of events in it
// that stays the same. What every task pays, whatever else it costs.
//
// Threading: thread-compatible. Ownership: owns its events.
#ifndef ASCEND_TESTS_BENCH_EVENT_QUEUE_FLOOR_H_
#define ASCEND_TESTS_BENCH_EVENT_QUEUE_FLOOR_H_

#include <chrono>
#include <cstdint>

#include "core/sim/event_queue.h"
#include "core/sim/rng.h"
#include "core/sim/tick.h"

namespace ascend::core {

class EventQueueFloor {
 public:
  explicit EventQueueFloor(int64_t event_count) {
    for (int64_t i = 0; i < event_count; ++i) Push();
  }

  void Step() {
    Push();
    Event event;
    events_.Pop(&event);
    now_ = event.tick;
  }

  // Of a Step, in wall time.
  double Nanoseconds() {
    constexpr int kSteps = 1'000'000;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kSteps; ++i) Step();
    return std::chrono::duration<double, std::nano>(
               std::chrono::steady_clock::now() - begin)
               .count() /
           kSteps;
  }

 private:
  void Push() {
    events_.Push(
        {.tick = now_ + static_cast<Tick>(rng_.Below(Microseconds(200)))});
  }

  EventQueue events_;
  Rng rng_{1};
  Tick now_ = 0;
};

}  // namespace ascend::core

#endif  // ASCEND_TESTS_BENCH_EVENT_QUEUE_FLOOR_H_
