// Lane: what the library knows of one thread of the program.
//
// A lane has a simulated clock. Each call that reaches the device first catches
// up with the objects it touches (Lamport stamps), then pays its modelled host
// cost; the result is the stamp of its command. A reply moves the clock to the
// tick at which it was decided, plus what waking up costs. So launches of one
// thread are spread over simulated time as on a real host, and a thread that
// uses an event after another recorded it is never earlier than the record.
// The daemon takes commands of different lanes in the order of their stamps,
// so what must be behind another lane's call touches something that it touched;
// calls whose objects do not tell, such as a free, touch Session::latest_stamp.
//
// Lane numbers are unique among the living threads; a thread that ends hands
// its number on, so that a program with many short threads stays bounded.
//
// Threading: a Lane belongs to its thread; CurrentLane may be called on any.
// Ownership: thread-local storage.
#ifndef ASCEND_CLIENT_RUNTIME_LANE_H_
#define ASCEND_CLIENT_RUNTIME_LANE_H_

#include <cstdint>
#include <initializer_list>

#include "core/base/ids.h"
#include "core/sim/tick.h"

namespace ascend::client {

class Lane {
 public:
  explicit Lane(core::LaneId id) : id_(id) {}

  core::LaneId id() const { return id_; }
  core::Tick clock() const { return clock_; }

  // Makes the clock that of the session `epoch`, which began at `start`. Epochs
  // are unique in the process, so a new session starts a new clock.
  void Attach(uint64_t epoch, core::Tick start);

  // Catches up with the objects that a call touches, pays `cost`, and leaves
  // the new time on them. Returns it.
  core::Tick Advance(core::Tick cost,
                     std::initializer_list<core::Tick*> touched);

  // The thread says that so much time has passed for it.
  void Skip(core::Tick ticks);
  // In all, since the last Advance: what the daemon has not heard of.
  core::Tick skipped_ticks() const { return skipped_ticks_; }

  // The number, in its stream, of the task that the thread posted last; 0: none
  // in this session.
  uint64_t last_task() const { return last_task_; }
  void set_last_task(uint64_t number) { last_task_ = number; }

  // Whether the lane takes part in a run (JoinClock).
  bool is_in_run() const { return is_in_run_; }
  void set_in_run(bool is_in_run) { is_in_run_ = is_in_run; }

  // Whether the last command of the lane was a LeaveClock, not for good.
  bool is_blocked() const { return is_blocked_; }
  void set_blocked(bool is_blocked) { is_blocked_ = is_blocked; }

  // Whether the daemon may wait for calls of the thread (clock_gate.h), which
  // therefore says so when it ends.
  bool is_expected() const { return is_in_run_ || last_task_ != 0; }

  // A reply was decided at `tick`, and acting on it costs `wake`.
  void Resume(core::Tick tick, core::Tick wake);

 private:
  core::LaneId id_;
  uint64_t epoch_ = 0;
  core::Tick clock_ = 0;
  core::Tick skipped_ticks_ = 0;
  uint64_t last_task_ = 0;
  bool is_in_run_ = false;
  bool is_blocked_ = false;
};

// Called by a thread that ends and whose lane is expected.
void SetLaneEndListener(void (*listener)());

// The system's number of the thread that has the lane, or had it last; all ones
// when no thread ever had.
uint32_t ThreadOfLane(core::LaneId lane);

// The lane of the calling thread.
Lane& CurrentLane();

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_LANE_H_
