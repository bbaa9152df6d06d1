// TaskPool: the machine's tasks, named by dense ids that are used again.
//
// Threading: thread-compatible. Ownership: owns its records; a pointer to one
// stays valid until Release.
#ifndef ASCEND_CORE_MACHINE_TASK_POOL_H_
#define ASCEND_CORE_MACHINE_TASK_POOL_H_

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/machine/runners.h"
#include "core/sched/stream.h"
#include "core/sched/task.h"
#include "core/sim/event_queue.h"

namespace ascend::core {

struct SessionState;
struct StreamState;

// A task and how far the machine is with it.
struct TaskRecord {
  TaskId id;
  TaskTemplate what;
  TaskInstance is;
  SessionState* session = nullptr;
  StreamState* stream = nullptr;  // null: a task of no stream
  bool wants_reply = false;
  uint64_t held_bytes = 0;  // that came with the command

  EventId event;           // that moves it on, while it is not in flight
  TimerId timer;           // of its wait; 0: none runs
  Tick wait_end_tick = 0;  // when that expires
  // While it runs.
  Claim held;
  Tick hold_start_tick = 0;
  Tick floor_end_tick = 0;
  bool is_in_tail = false;
  uint64_t run = 0;          // its number among all kernels of the device
  uint64_t writes_seen = 0;  // SessionState::write_count when a word was read

  // Its job, if one was started: the last one for a task that fetched first.
  bool is_job_running = false;
  absl::Status result;
  std::string payload;
};

class TaskPool {
 public:
  // A fresh record; only `id` is set.
  TaskRecord& Acquire();
  void Release(TaskRecord& record);
  TaskRecord& Get(TaskId id);

  // The name of the next job of `record`, and the record whose running job
  // has that name. A job id is never used twice on one record.
  JobId StartJob(TaskRecord& record);
  TaskRecord& OfJob(JobId job);
  bool HasJob(JobId job) const;

  size_t live_count() const { return slots_.size() - free_.size(); }

 private:
  struct Slot {
    TaskRecord record;
    uint32_t job_count = 0;  // ever
  };

  std::deque<Slot> slots_;
  std::vector<uint32_t> free_;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_TASK_POOL_H_
