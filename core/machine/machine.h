// Machine: all NPUs of the daemon, as one deterministic state machine.
//
// Commands go in, effects come out through Runners and Observer, time is a Tick
// that only AdvanceTo moves. There is one event queue and one clock for all
// devices, since a session may use several. The same calls in the same order
// give the same effects, to the tick.
//
// Life of a command. Submit puts it at the end of its lane's input; an Admit
// event stands for the first command of the session's lanes (lane_inputs.h) at
// max(its stamp, now), ordered among sessions by (tick, rank). Admission checks
// it against the session's handles. A request that needs no waiting is answered
// there; work becomes a Task at the end of its stream. A stream's head task is
// ready when the task before it has retired and its wait conditions hold; ready
// tasks that need units go to the scheduler, which grants claims all or nothing
// in policy order, once per instant, after all releases of that instant. A
// granted task starts: its job goes to a runner and its completion is due at a
// modelled tick. When the tick has come the units are free; when the job is
// done as well the task retires: the stream's fence rises, waiters are
// answered, the next task may go.
//
// A task that fails leaves its error in its stream; the next Synchronize that
// covers the stream reports it, once, and later tasks run all the same (failure
// mode "continue").
//
// Threading: thread-compatible; one caller at a time, on any thread.
// Ownership: owns sessions, streams, events, tasks and memory accounts; borrows
// runners, observer and backing, which outlive it.
#ifndef ASCEND_CORE_MACHINE_MACHINE_H_
#define ASCEND_CORE_MACHINE_MACHINE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "core/base/ids.h"
#include "core/command/command.h"
#include "core/command/reply.h"
#include "core/kernels/catalog.h"
#include "core/machine/limits.h"
#include "core/machine/observer.h"
#include "core/machine/runners.h"
#include "core/mem/hbm_backing.h"
#include "core/sched/policy.h"
#include "core/sim/tick.h"
#include "core/spec/device_spec.h"

namespace ascend::core {

// At most this many retirements of a stream go unreported (OnStreamProgress).
inline constexpr uint64_t kProgressInterval = 256;

class InputLogWriter;  // core/machine/input_log.h

// Who gets the units of a device, and how they are held.
struct DeviceScheduling {
  std::string policy = "strict_priority";         // one of PolicyNames()
  absl::optional<HoldMode> hold = absl::nullopt;  // none: the spec's
};

struct MachineOptions {
  DeviceSpec spec;  // of every device
  uint32_t device_count = 1;
  // By device; if it is only one, of every device.
  std::vector<DeviceScheduling> scheduling = {{}};
  PolicyOptions policy_options = {};  // of every device
  uint64_t seed = 1;                  // of jitter
  // Of the tenants of sessions that take part in a run, by the session's rank;
  // what is not here is 1.
  std::vector<uint32_t> rank_weights = {};
  // The clock stands still while a task whose modelled time is over is not
  // done: then nothing depends on how fast jobs are. Else only its stream is
  // late.
  bool waits_for_jobs = false;
  bool reports_trace = false;  // Observer::OnTaskSpan, OnDeviceSample
  // Is told of everything that the machine is told, if not null.
  InputLogWriter* input_log = nullptr;
  const Catalog* catalog = nullptr;
  SessionLimits limits = {};  // of every session

  // `device` is less than device_count.
  const DeviceScheduling& SchedulingOf(uint32_t device) const {
    return scheduling[scheduling.size() == 1 ? 0 : device];
  }
  HoldMode HoldOf(uint32_t device) const {
    return SchedulingOf(device).hold.value_or(spec.hold);
  }
};

struct SessionOptions {
  uint64_t rank = 0;             // breaks ties between sessions; unique
  uint64_t hbm_quota_bytes = 0;  // over all devices; 0: no bound
  TenantId tenant;               // who pays for units; 0: one of its own
  uint32_t weight = 1;           // of the tenant, where tenants share
};

// What a session used and holds; for the admin service.
struct SessionUsage {
  uint32_t context_count = 0;
  uint32_t stream_count = 0;
  uint32_t event_count = 0;
  uint64_t hbm_used_bytes = 0;  // over all devices, pads and pages included
  uint64_t hbm_peak_bytes = 0;
  uint64_t kernel_count = 0;  // retired
  uint64_t copy_count = 0;
  uint64_t copied_bytes = 0;
  uint64_t tasks_pending = 0;   // admitted, not retired
  UsageTicks kernel_ticks = 0;  // sum over kernels of start to end
  UsageTicks copy_ticks = 0;
  UsageTicks cube_unit_ticks = 0;  // units held x time
  UsageTicks aiv_unit_ticks = 0;
  UsageTicks dma_unit_ticks = 0;
};

// Commands that were submitted and wait for their stamp.
struct InputBacklog {
  uint64_t command_count = 0;
  uint64_t payload_bytes = 0;
};

struct DeviceUsage {
  uint64_t hbm_total_bytes = 0;
  uint64_t hbm_used_bytes = 0;
  uint64_t hbm_quarantined_bytes = 0;
  Claim units_held;
  uint64_t tasks_waiting = 0;  // ready, not granted
  UsageTicks cube_unit_ticks = 0;
  UsageTicks aiv_unit_ticks = 0;
  UsageTicks dma_unit_ticks = 0;
};

class Machine {
 public:
  // `options.spec` has passed ValidateSpec.
  Machine(MachineOptions options, HbmBacking& backing, Runners& runners,
          Observer& observer);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // `session` was never used before.
  void OpenSession(SessionId session, SessionOptions options);

  // Stops admission, drops what has not started, cancels its jobs, and frees
  // everything once running jobs are done; then OnSessionClosed. Commands that
  // still come for it are ignored. Unknown or closing sessions: no effect.
  void CloseSession(SessionId session);

  // Commands of one session must come in ticket order without gaps: 1, 2, ...;
  // anything else is a protocol violation, and so is passing one of the limits
  // that keep one session from harming the others (limits.h). Unknown sessions:
  // ignored.
  void Submit(SessionId session, Command command);

  // A job that a runner was given has ended.
  void OnJobDone(JobId job, JobResult result);

  // A timer that a runner was given has ended. Cancelled ones: ignored.
  void OnTimer(TimerId timer);

  // Carries out all events before `horizon` (kTickMax: all there are). The
  // clock never goes back.
  void AdvanceTo(Tick horizon);

  Tick now() const;
  // When the next event is due; none: nothing happens without new input.
  absl::optional<Tick> NextEventTime() const;

  // AdvanceTo does nothing before OnJobDone (MachineOptions::waits_for_jobs).
  bool WaitsForJob() const;

  // Whether the session was opened and has not let go of everything.
  bool HasSession(SessionId session) const;
  // Whether the job was started and has not ended.
  bool HasJob(JobId job) const;

  // Made of every task that has ended: what it was, when it began and ended.
  uint64_t trace_hash() const;
  // The run of lanes that have joined, as QueryClock tells it.
  ClockReply DescribeRun() const;
  uint64_t ended_task_count() const;

  // What waits to be admitted. Who submits no more while that is much keeps a
  // session that only is ahead of the clock away from its limits. Unknown or
  // closing sessions: nothing.
  InputBacklog GetBacklog(SessionId session) const;

  // For the admin service. False when the session is not there.
  bool GetSessionUsage(SessionId session, SessionUsage* usage) const;
  DeviceUsage GetDeviceUsage(DeviceId device) const;
  const MachineOptions& options() const;

 private:
  class Impl;
  InputLogWriter* log() const;

  std::unique_ptr<Impl> impl_;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_MACHINE_H_
