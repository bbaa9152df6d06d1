// Stream: tasks in order, and the rules for its head.
//
// Only the head of a stream can be in flight; the task behind it becomes head
// when it has retired. NextStep says what the head needs next; the owner acts
// on it and asks again when that has come true.
//
// Between two device tasks the task scheduler of the chip needs time: a kernel
// starts no sooner than the gap after the end of the latest kernel, copy or
// fill of its stream. Records and waits neither need the gap nor renew it.
//
// Threading: thread-compatible. Ownership: borrows its tasks, by id.
#ifndef ASCEND_CORE_SCHED_STREAM_H_
#define ASCEND_CORE_SCHED_STREAM_H_

#include <cstdint>
#include <deque>

#include "core/base/typed_int.h"
#include "core/sched/fence.h"
#include "core/sched/task.h"
#include "core/sim/tick.h"

namespace ascend::core {

// Names a task of the owner's.
using TaskId = TypedInt<struct TaskIdTag, uint32_t>;

// What the head of a stream needs.
enum class HeadStep : uint8_t {
  kNone,         // there is no head, or it is in flight
  kAwaitFence,   // its condition's fence
  kAwaitNotify,  // its notify
  kReadWord,     // to be told the word that it waits for
  kAwaitGap,     // time to pass
  kFetch,        // its argument block
  kClaim,        // units
  kStart,        // nothing: it starts now, without units
};

class Stream {
 public:
  // `fence` counts the tasks of this stream that have ended.
  explicit Stream(FenceId fence) : fence_(fence) {}

  FenceId fence() const { return fence_; }
  uint64_t submitted() const { return submitted_; }
  uint64_t retired() const { return retired_; }
  uint64_t pending() const { return submitted_ - retired_; }

  // Returns the task's value: the fence has it when the task has ended.
  uint64_t Append(TaskId task);

  bool has_head() const { return !tasks_.empty(); }
  TaskId head() const { return tasks_.front(); }

  // The head is in flight from here until RetireHead or PauseHead, which makes
  // it wait for its next step again.
  void BeginHead() { head_in_flight_ = true; }
  void PauseHead() { head_in_flight_ = false; }
  bool head_in_flight() const { return head_in_flight_; }
  void RetireHead();

  // Removes the last task that is not in flight; false when there is none. It
  // counts as ended, so retired() rises.
  bool DropLast(TaskId* task);

  // When a kernel whose gap is `gap_ticks` may start.
  Tick GapEnd(Tick gap_ticks) const;
  // The claim of a task of this stream was given back at `tick`.
  void NoteDeviceWorkEnd(Tick tick) { device_work_end_ = tick; }

  // As if it had done nothing yet.
  void ForgetDeviceWork() { device_work_end_ = kNever; }

  // `head` describes the head; `gap_ticks` is its gap (0 if not a kernel).
  HeadStep NextStep(const TaskTemplate& head, Tick gap_ticks,
                    const FenceTable& fences, Tick now) const;

 private:
  static constexpr Tick kNever = -1;

  const FenceId fence_;
  std::deque<TaskId> tasks_;
  uint64_t submitted_ = 0;
  uint64_t retired_ = 0;
  bool head_in_flight_ = false;
  Tick device_work_end_ = kNever;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_SCHED_STREAM_H_
