// SessionState: everything the machine keeps of one session.
//
// Threading: thread-compatible. Ownership: the machine owns sessions; a session
// owns its contexts, streams and events. Tasks point back to their session and
// stream, which are kept until the last of them has retired.
#ifndef ASCEND_CORE_MACHINE_SESSION_STATE_H_
#define ASCEND_CORE_MACHINE_SESSION_STATE_H_

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "absl/status/status.h"
#include "core/base/handle.h"
#include "core/base/ids.h"
#include "core/command/command.h"
#include "core/machine/lane_inputs.h"
#include "core/machine/launch_cache.h"
#include "core/machine/machine.h"
#include "core/machine/unit_ledger.h"
#include "core/sched/stream.h"
#include "core/sim/event_queue.h"

namespace ascend::core {

// A task that failed, as no Synchronize has reported it.
struct StreamError {
  absl::Status status;  // ok: there is none
  uint64_t value = 0;   // of the task in its stream
  uint64_t number = 0;  // its place among all errors of the session
};

struct StreamState {
  StreamState(StreamHandle h, FenceId fence) : handle(h), queue(fence) {}

  const StreamHandle handle;
  // Its place in the session's order of creating streams, in simulated time.
  // Its name where runs are compared: which of two threads gets its handle
  // first is for the host's scheduler to say.
  uint64_t number = 0;
  // How many tasks it had when the latest run began; they do not count there.
  uint64_t tasks_before_run = 0;
  // The name of a task where runs are compared.
  uint64_t NumberInRun(uint64_t value) const {
    return value - tasks_before_run;
  }
  Stream queue;
  DeviceId device;
  ContextHandle context;
  uint32_t priority = 0;
  bool is_default = false;
  bool is_closing = false;     // takes no commands; goes when it has drained
  bool stops_context = false;  // when a task of it fails
  // What has not started of the tasks up to this one will not; they end with
  // `dropped_why`.
  uint64_t dropped_value = 0;
  absl::Status dropped_why;
  uint64_t reported_retired = 0;  // of the last OnStreamProgress

  // The first and the last one. What is between them says less than the first,
  // which is likely the cause; the last one is what is left for those who wait
  // for more than a Synchronize of an event covered.
  StreamError first_error;
  StreamError last_error;
};

struct ContextState {
  DeviceId device;
  absl::Status failure;  // not ok: stopped; every task ends with it
  bool is_closing = false;
  std::vector<StreamHandle> streams;  // in order of creation
};

struct EventState {
  bool is_recorded = false;  // ever
  bool is_complete = false;  // the latest record
  FenceId fence;             // of the latest record, with `value`
  uint64_t value = 0;
  StreamHandle stream;
  Tick record_tick = 0;

  // The latest record is to be taken back by this task.
  bool is_reset = false;
  StreamHandle reset_stream;
  uint64_t reset_value = 0;

  uint32_t wait_count = 0;  // tasks that wait for it, not ended
};

struct NotifyState {
  bool is_set = false;
  uint32_t task_count = 0;     // records and waits that have not ended
  std::deque<TaskId> waiters;  // at the head of their streams, in order
};

// How busy a device was until a session last asked.
struct UtilizationMark {
  Tick tick = 0;
  UnitTicks unit_ticks;
};

// A request whose answer is not yet known.
struct PendingRequest {
  enum class Kind : uint8_t {
    kCopy,  // a copy or fill; answered when its task retires
    kMalloc,
    kSynchronize,
    kDestroyStream,
    kDestroyContext,
    kAbortStream,
    kProgress,
  };
  Kind kind = Kind::kCopy;
  LaneId lane;
  bool is_cancelled = false;  // goes on, but is not answered
  uint32_t fences_left = 0;   // until it is done
  Malloc malloc;
  Synchronize synchronize;  // for an event: `stream` is the recorded one
  // Of that stream: the tasks up to this one are waited for. Of a context or a
  // device: all.
  uint64_t covered_value = std::numeric_limits<uint64_t>::max();
  StreamHandle stream;
  ContextHandle context;
};

// Which tasks of a session have retired, as one number: all up to `watermark`.
// Takes no more room than there are tasks that have not, however many retire
// behind one that does not.
class RetireWatermark {
 public:
  // The number of the next task: 1, 2, ...
  uint64_t Submit();
  // True when the watermark rose.
  bool Retire(uint64_t number);

  uint64_t submitted() const { return submitted_; }
  uint64_t watermark() const {
    return tasks_.empty() ? submitted_ : tasks_.front().number - 1;
  }
  size_t entry_count() const { return tasks_.size(); }

 private:
  struct Task {
    uint64_t number;
    bool is_retired;
  };

  uint64_t submitted_ = 0;
  size_t retired_count_ = 0;  // in tasks_
  std::deque<Task> tasks_;    // by number; the first has not retired
};

// A Free that commands with smaller tickets, of other lanes, come before.
struct EarlyFree {
  LaneId lane;
  Free free;
};

struct SessionState {
  // `stream_capacity` bounds contexts too, since each has a stream.
  SessionState(SessionId session, SessionOptions session_options,
               size_t stream_capacity, size_t event_capacity,
               size_t notify_capacity)
      : id(session),
        options(session_options),
        contexts(stream_capacity),
        streams(stream_capacity),
        events(event_capacity),
        notifies(notify_capacity) {}

  // The stream if it is live and takes commands, else null.
  StreamState* FindStream(StreamHandle handle) const;
  ContextState* FindContext(ContextHandle handle) const;

  const SessionId id;
  SessionOptions options;
  bool is_closing = false;
  bool has_own_tenant = false;
  bool is_in_run = false;  // a lane of it has joined the latest run

  LaneInputs input;     // not admitted
  EventId admit_event;  // stands for the first of `input`
  uint64_t last_ticket = 0;
  // Taken, but commands that were submitted before them are not.
  std::map<Ticket, EarlyFree> early_frees;
  uint64_t streams_created = 0;  // ever

  HandleTable<ContextHandle, ContextState> contexts;
  HandleTable<StreamHandle, StreamState> streams;
  HandleTable<EventHandle, EventState> events;
  HandleTable<NotifyHandle, NotifyState> notifies;
  // Those that still have tasks.
  std::map<NotifyHandle, std::unique_ptr<NotifyState>> destroyed_notifies;
  std::map<Ticket, PendingRequest> pending;
  std::deque<Ticket> waiting_mallocs;  // of `pending`

  LaunchCache launches;

  RetireWatermark tasks;
  bool has_quarantine = false;  // something freed waits for tasks
  uint64_t last_free_number =
      0;                         // the last task submitted before the last free
  std::set<TaskId> loose_tasks;  // of no stream
  uint64_t in_flight_count = 0;  // tasks that hold units or run a job
  uint64_t late_count = 0;       // of those: tasks whose modelled time is over
  uint64_t tasks_pending = 0;    // admitted, not retired
  uint64_t held_bytes = 0;  // that came with commands of `input` and with tasks
  uint64_t wait_count = 0;  // sum of fences_left
  uint64_t allocation_count = 0;  // quarantined ones too
  uint64_t error_count = 0;       // of tasks, ever

  std::vector<TaskId> word_waits;  // heads that wait for a word to change
  uint64_t write_count = 0;        // tasks that may have changed one, ever
  std::map<Ticket, TaskId> due_functions;  // awaited ones
  // Tasks that wait for what only a further call may bring (signals.cc).
  uint64_t parked_count = 0;
  std::vector<ContextHandle> stopping_contexts;  // until kContextsStop
  std::vector<UtilizationMark> utilization;      // by device

  uint64_t kernel_count = 0;
  uint64_t copy_count = 0;
  uint64_t copied_bytes = 0;
  UsageTicks kernel_ticks = 0;
  UsageTicks copy_ticks = 0;
  UnitTicks unit_ticks;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_SESSION_STATE_H_
