// Task: one piece of work of a session, as plain data.
//
// A task has two parts. The template says what is to be done and is not changed
// once the task was admitted, except that an argument block in device memory
// fills in what depends on it. The instance says where the task stands. There
// are no closures, so a task can be logged, captured and replayed.
//
// Threading: value types.
#ifndef ASCEND_CORE_SCHED_TASK_H_
#define ASCEND_CORE_SCHED_TASK_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "core/base/handle.h"
#include "core/base/ids.h"
#include "core/command/command.h"
#include "core/kernels/descriptor.h"
#include "core/sched/wait_condition.h"
#include "core/sim/tick.h"

namespace ascend::core {

// How a kernel holds units (core/machine/compute_array.h): first the claim of
// its template, for the body or for a slice of it, then the claim of the tail.
struct KernelPlan {
  Claim tail_claim;          // empty: the tail runs under the first claim
  uint32_t slice_count = 0;  // 0: the body is not cut
  uint32_t slices_at_once = 0;
  // Of the rate at which the units can pull memory, for where it lies.
  double flow_share = 1;
};

struct KernelWork {
  const KernelDescriptor* kernel = nullptr;
  uint32_t num_blocks = 0;
  std::string args;
  // Not 0: the argument block is these bytes of device memory, and `args`,
  // `ranges` and `cost` are filled in when they have been fetched.
  uint64_t args_address = 0;
  uint64_t args_bytes = 0;
  std::vector<DeviceRange> ranges;
  KernelCost cost;
  KernelPlan plan;
  bool is_timing_only = false;  // time passes, nothing is computed
};

struct CopyWork {
  CopyKind kind = CopyKind::kHostToDevice;
  uint64_t target = 0;
  uint64_t source = 0;
  uint64_t bytes = 0;  // of a row
  uint64_t rows = 1;
  uint64_t target_pitch = 0;
  uint64_t source_pitch = 0;
  bool is_by_cpu = false;
  std::string inline_data;
  Tick duration_ticks = 0;
};

struct FillWork {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint32_t value = 0;
  uint32_t value_bytes = 1;
  bool is_timing_only = false;
  Tick duration_ticks = 0;
};

struct RecordWork {
  EventHandle event;
};

struct ResetWork {
  EventHandle event;
};

// Work in the stream starts after the template's condition, which is a record
// of this event.
struct WaitWork {
  EventHandle event;
  StreamHandle recorded_in;  // null: was not
};

// A record of the notify, or work in the stream starts after its condition.
struct NotifyWork {
  NotifyHandle notify;
  bool is_record = false;
};

// Work in the stream starts once the word meets the template's condition.
struct WordWork {
  uint64_t address = 0;
};

// The client calls a function.
struct HostWork {
  bool is_awaited = true;
};

using TaskWork =
    std::variant<KernelWork, CopyWork, FillWork, RecordWork, ResetWork,
                 WaitWork, NotifyWork, WordWork, HostWork>;

// Whether it is there to hold its stream up.
inline bool IsWait(const TaskWork& work) {
  const auto* const notify = std::get_if<NotifyWork>(&work);
  return std::holds_alternative<WaitWork>(work) ||
         std::holds_alternative<WordWork>(work) ||
         (notify != nullptr && !notify->is_record);
}

struct TaskTemplate {
  TaskWork work;
  DeviceId device;
  Claim claim;  // held from the start, all or nothing; see KernelPlan
  WaitCondition condition;
  // Not ok: the task was refused. It keeps its place in the stream and fails
  // with this when its turn comes, without claim or job.
  absl::Status refusal;

  bool is_kernel() const { return std::holds_alternative<KernelWork>(work); }
};

inline bool IsSliced(const TaskTemplate& what) {
  const auto* const kernel = std::get_if<KernelWork>(&what.work);
  return kernel != nullptr && kernel->plan.slice_count > 0;
}

enum class TaskState : uint8_t {
  kQueued,    // behind others of its stream, or held by NextStep's rules
  kFetching,  // its argument block is being read
  kReady,     // waits for units
  kRunning,   // holds its claim
  kLate,      // gave its claim back, its job goes on
};

struct TaskInstance {
  Ticket ticket;  // of the command
  LaneId lane;
  uint64_t number = 0;  // in the session, from 1: for quarantine
  uint64_t value = 0;   // of the stream's fence when it has ended; 0: no stream
  TaskState state = TaskState::kQueued;
  Tick admit_tick = 0;
  Tick ready_tick = 0;  // when it began to wait for units
  Tick start_tick = 0;
  Tick end_tick = 0;  // when the last claim was given back
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_SCHED_TASK_H_
