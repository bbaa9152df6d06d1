// Machine::Impl: the state of the machine and the steps that change it.
//
// One class, because one event may touch a session, a stream, a device and the
// memory at once; its sources are split by what sets a step off:
//   machine.cc          calls from outside, the event loop
//   admission.cc        commands: order, contexts, streams, events, queries
//   memory_commands.cc  commands: malloc, free
//   work_commands.cc    commands that become tasks: copies, kernels, records
//   task_start.cc       a task's way from its stream to its start
//   kernel_run.cc       kernels: bodies, slices, tails
//   task_end.cc         a task's end, the gate, retirement
//   timed_waits.cc      tasks whose wait may expire
//   clock_run.cc        runs of lanes that have joined the clock
//   signals.cc          notifies, words of memory, functions of the host
//   stopping.cc         abort, failures that stop a context, dropping
//   waiting.cc          requests that wait: synchronise, destroy, cancel
//   session_end.cc      closing
//   queries.cc          usage
//
// Steps never recurse into themselves: whatever follows from a step at a later
// moment of the same instant goes through the event queue.
#ifndef ASCEND_CORE_MACHINE_MACHINE_IMPL_H_
#define ASCEND_CORE_MACHINE_MACHINE_IMPL_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/machine/clock_run.h"
#include "core/machine/machine.h"
#include "core/machine/npu.h"
#include "core/machine/session_state.h"
#include "core/machine/task_pool.h"
#include "core/mem/memory_manager.h"
#include "core/sched/fence.h"
#include "core/sched/policy.h"
#include "core/sim/event_queue.h"

namespace ascend::core {

class Machine::Impl {
 public:
  Impl(MachineOptions options, HbmBacking& backing, Runners& runners,
       Observer& observer);
  ~Impl();

  void OpenSession(SessionId session, SessionOptions options);
  void CloseSession(SessionId session);
  void Submit(SessionId session, Command command);
  void OnJobDone(JobId job, JobResult result);
  void OnTimer(TimerId timer);
  void AdvanceTo(Tick horizon);

  Tick now() const { return now_; }
  absl::optional<Tick> NextEventTime();
  bool WaitsForJob();
  bool HasSession(SessionId session) const {
    return FindSession(session) != nullptr;
  }
  bool HasJob(JobId job) const { return tasks_.HasJob(job); }
  ClockReply DescribeRun() const { return run_.Report(); }
  uint64_t trace_hash() const { return trace_.hash(); }
  uint64_t ended_task_count() const { return trace_.task_count(); }
  InputBacklog GetBacklog(SessionId session) const;
  bool GetSessionUsage(SessionId session, SessionUsage* usage) const;
  DeviceUsage GetDeviceUsage(DeviceId device) const;
  const MachineOptions& options() const { return options_; }

 private:
  // What an event does; its target is named behind it.
  enum class EventKind : uint8_t {
    kAdmit,         // session
    kHeadGoesOn,    // task: the gap before it is over
    kWaitExpires,   // task: its wait has lasted too long
    kFetched,       // task: its argument block has been read
    kBodyBegins,    // task: its ramp is over
    kBodyEnds,      // task: its tail is to follow
    kSliceBegins,   // unit: its ramp is over
    kSliceEnds,     // unit
    kFlowEnds,      // device: a memory flow ends
    kTaskEnds,      // task: its modelled time is over
    kTaskRetires,   // task: it was late, and its job is done
    kDispatch,      // device
    kContextsStop,  // session
    kSample,        // device
  };

  // machine.cc
  EventId Push(Tick tick, Phase phase, EventKind kind, uint64_t target,
               uint64_t tie = 0);
  void Handle(const Event& event);
  SessionState* FindSession(SessionId session) const;
  Npu& NpuOf(DeviceId device) { return *npus_[device.value()]; }

  // admission.cc. A status that is not ok is a protocol violation.
  void AdmitFront(SessionState& session);
  void ScheduleAdmission(SessionState& session);
  // Whether the session still is within its limits (limits.h).
  absl::Status CheckLimits(const SessionState& session) const;
  void Violate(SessionState& session, absl::Status why);
  void Answer(SessionState& session, Ticket ticket, LaneId lane,
              absl::Status status, ReplyPayload payload = {});
  void Answer(SessionState& session, const Command& command,
              absl::Status status, ReplyPayload payload = {});
  absl::Status Execute(SessionState& session, Command& command);
  absl::Status Do(SessionState&, const Command&, const CreateContext&);
  absl::Status Do(SessionState&, const Command&, const CreateStream&);
  absl::Status Do(SessionState&, const Command&, const QueryStream&);
  absl::Status Do(SessionState&, const Command&, const CreateEvent&);
  absl::Status Do(SessionState&, const Command&, const DestroyEvent&);
  absl::Status Do(SessionState&, const Command&, const QueryEvent&);
  absl::Status Do(SessionState&, const Command&, const LoadPackage&);
  absl::Status Do(SessionState&, const Command&, const QueryUtilization&);
  bool HasStreamLeft(DeviceId device) const;
  bool AddStream(SessionState& session, StreamHandle handle,
                 ContextHandle context_handle, ContextState& context,
                 uint32_t priority, bool is_default);

  // memory_commands.cc
  absl::Status Do(SessionState&, const Command&, const Malloc&);
  absl::Status Do(SessionState&, const Command&, const Free&);
  absl::Status FreeNow(SessionState& session, LaneId lane, const Free& free);
  // Those that no command waits before any more.
  absl::Status DoEarlyFrees(SessionState& session);
  absl::Status Do(SessionState&, const Command&, const MemInfo&);
  AllocationResult TryMalloc(SessionState& session, LaneId lane,
                             const Malloc& malloc);
  // Tasks up to the session's watermark have retired.
  void RetireMemory(SessionState& session);

  // work_commands.cc
  absl::Status Do(SessionState&, const Command&, Copy&);
  absl::Status Do(SessionState&, const Command&, const Fill&);
  absl::Status Do(SessionState&, const Command&, Launch&);
  absl::Status Do(SessionState&, const Command&, const RecordEvent&);
  absl::Status Do(SessionState&, const Command&, const ResetEvent&);
  absl::Status Do(SessionState&, const Command&, const WaitEvent&);
  absl::Status CheckRange(const SessionState& session, uint64_t address,
                          uint64_t bytes, Reach reach) const;
  // Sets the duration, or returns why the copy is refused.
  absl::Status PrepareCopy(const SessionState& session, CopyWork& copy) const;
  absl::Status PrepareFill(const SessionState& session, FillWork& fill) const;
  // Sets claim, ranges and cost from the argument block in `what`, or returns
  // the fault that the kernel ends with.
  absl::Status PrepareKernel(const SessionState& session, TaskTemplate& what,
                             Reach reach) const;
  // The same on live memory, without finding out again what the session's
  // launches have in common. A timing-only kernel, which has no body to be told
  // about them, gets no ranges.
  absl::Status PrepareLaunch(SessionState& session, TaskTemplate& what) const;
  absl::Status AddTransfer(SessionState& session, const Command& command,
                           StreamHandle stream, uint64_t device_address,
                           bool wants_reply, TaskTemplate&& what);
  absl::Status AddToStream(SessionState& session, const Command& command,
                           StreamHandle stream, TaskTemplate&& what);
  TaskRecord& NewTask(SessionState& session, const Command& command,
                      StreamState* stream, TaskTemplate&& what);

  // task_start.cc
  void PumpStream(StreamState& stream);
  Tick GapOf(const TaskRecord& record) const;
  static FenceWaiter WaiterOf(const TaskRecord& record);
  void AwaitFence(TaskRecord& record);
  void StartFetch(TaskRecord& record, uint64_t address, uint64_t bytes);
  void OnFetched(TaskRecord& record);
  void RequestUnits(TaskRecord& record);
  // The smallest of the stream's own and of those of streams that wait for it,
  // directly or through others.
  uint32_t InheritedPriority(const StreamState& stream, int depth = 0) const;
  // The head of `stream` waits for `fence`: who holds it up inherits.
  void InheritPriority(const TaskRecord& waiter);
  UnitRequest RequestOf(const TaskRecord& record, const Claim& claim) const;
  void ScheduleDispatch(Npu& npu);
  // What the device does has changed in this instant.
  void ScheduleSample(Npu& npu);
  void Sample(Npu& npu);
  void Dispatch(Npu& npu);
  void TakeUnits(Npu& npu, TaskRecord& record, const Claim& claim);
  // It is in flight from now on.
  void BeginTask(TaskRecord& record);
  void Start(TaskRecord& record);
  void StartFillJob(TaskRecord& record, const FillWork& fill);
  // The task's modelled end comes after so many ticks.
  void EndAfter(TaskRecord& record, Tick ticks);
  // What is drawn for a task; the numbers are part of replayed runs.
  enum class Draw : uint64_t { kGap = 1, kTail = 2 };
  // 1 +- at most `share`.
  double JitterOf(const TaskRecord& record, double share, Draw draw) const;

  // kernel_run.cc
  void StartKernel(TaskRecord& record, KernelWork& kernel);
  void StartKernelJob(TaskRecord& record, KernelWork& kernel);
  void PushBodyEnd(TaskRecord& record, const KernelWork& kernel,
                   Tick flow_end_tick);
  Tick TailTicks(const TaskRecord& record) const;
  void BeginBody(TaskRecord& record);
  void EndBody(TaskRecord& record);
  // The tail, or the end of the kernel if it has none.
  void BeginTail(TaskRecord& record);
  void StartFlow(Npu& npu, FlowId flow, const KernelCost& cost,
                 const Claim& held, double flow_share);
  void EndFlows(Npu& npu);
  void ScheduleFlowEnd(Npu& npu);
  void StartSlice(Npu& npu, TaskRecord& record);
  void BeginSlice(Npu& npu, uint32_t unit);
  void PushSliceEnd(const Npu& npu, uint32_t unit, Tick flow_end_tick);
  void EndSlice(Npu& npu, uint32_t unit);

  // timed_waits.cc
  void StartWaitTimer(TaskRecord& record);
  // The wait is over, or its task is dropped.
  void StopWaitTimer(TaskRecord& record);
  void ExpireWait(TaskRecord& record);

  // task_end.cc
  void EndTask(TaskRecord& record);
  void GiveUnits(Npu& npu, TaskRecord& record);
  void Account(TaskRecord& record);
  void Retire(TaskRecord& record);
  void SettleResult(TaskRecord& record);
  void ReportSpan(const TaskRecord& record);
  // The effect of an event's task on its event.
  void SettleEvent(TaskRecord& record);
  void ReportProgress(SessionState& session, StreamState& stream);
  void SettleNotify(TaskRecord& record);
  // The task is out of its stream; forgets it.
  void ReleaseTask(TaskRecord& record);

  // signals.cc
  absl::Status Do(SessionState&, const Command&, const CreateNotify&);
  absl::Status Do(SessionState&, const Command&, const DestroyNotify&);
  absl::Status Do(SessionState&, const Command&, const RecordNotify&);
  absl::Status Do(SessionState&, const Command&, const WaitNotify&);
  absl::Status Do(SessionState&, const Command&, const WaitWord&);
  absl::Status Do(SessionState&, const Command&, const HostFunction&);
  absl::Status Do(SessionState&, const Command&, const HostFunctionDone&);
  // The notify of a NotifyWork, live or not.
  NotifyState& NotifyOf(const TaskRecord& record);
  void AwaitNotify(TaskRecord& record);
  void SetNotify(TaskRecord& record);
  void LeaveNotify(TaskRecord& record);
  void ReadWord(TaskRecord& record);
  void OnWordRead(TaskRecord& record);
  // A task that may have changed a word has ended.
  void NoteWrite(SessionState& session);
  void StartHostFunction(TaskRecord& record);
  void EndHostFunction(TaskRecord& record);
  // One more task waits for what only a further call may bring.
  void NoteParked(SessionState& session);
  // The task waits no more, if it did.
  void Unpark(TaskRecord& record);

  // clock_run.cc
  absl::Status Do(SessionState&, const Command&, const JoinClock&);
  absl::Status Do(SessionState&, const Command&, const LeaveClock&);
  absl::Status Do(SessionState&, const Command&, const QueryClock&);
  void BeginRun();
  // The task has retired.
  void NoteInTrace(const TaskRecord& record);

  // stopping.cc
  absl::Status Do(SessionState&, const Command&, const AbortStream&);
  absl::Status Do(SessionState&, const Command&, const SetStreamPriority&);
  absl::Status Do(SessionState&, const Command&, const StopContextOnFailure&);
  // The error of the task is the stream's first since one was reported.
  void NoteFailure(const TaskRecord& record);
  void StopContexts(SessionState& session);
  void DropQueued(SessionState& session, StreamState& stream,
                  const absl::Status& why);
  void DropTask(TaskRecord& record, const absl::Status& why);

  // waiting.cc
  absl::Status Do(SessionState&, const Command&, const Synchronize&);
  absl::Status Do(SessionState&, const Command&, const AwaitProgress&);
  absl::Status Do(SessionState&, const Command&, const CancelWait&);
  absl::Status Do(SessionState&, const Command&, const DestroyStream&);
  absl::Status Do(SessionState&, const Command&, const DestroyContext&);
  // Streams whose work `target` stands for; closing ones too.
  std::vector<StreamState*> StreamsOf(const SessionState& session,
                                      const Synchronize& target) const;
  void RaiseFence(StreamState& stream);
  void Wake(const std::vector<FenceWaiter>& woken);
  void AwaitStream(SessionState& session, Ticket ticket, StreamState& stream,
                   uint64_t value);
  static FenceWaiter WaiterOf(const SessionState& session, Ticket ticket);
  // Forgets a synchronisation that still waits.
  void DropSynchronize(SessionState& session, Ticket ticket);
  void AnswerPending(SessionState& session, Ticket ticket, absl::Status status,
                     ReplyPayload payload = {});
  void FinishRequest(SessionState& session, Ticket ticket);
  absl::Status TakeError(SessionState& session, const PendingRequest& request);
  void EraseStream(SessionState& session, StreamHandle handle);

  // session_end.cc
  void BeginClose(SessionState& session);
  void FinishCloseIfIdle(SessionState& session);

  const MachineOptions options_;
  Runners& runners_;
  Observer& observer_;
  MemoryManager memory_;
  std::vector<std::unique_ptr<Npu>> npus_;
  EventQueue events_;
  FenceTable fences_;
  TaskPool tasks_;
  // Looked up only; never walked.
  absl::flat_hash_map<SessionId, std::unique_ptr<SessionState>> sessions_;
  // Looked up only; never walked.
  absl::flat_hash_map<TimerId, TaskId> timers_;
  uint64_t last_timer_ = 0;
  TraceHash trace_;  // of all tasks
  ClockRun run_;
  uint64_t fetch_count_ = 0;  // under way
  Tick now_ = 0;
  std::vector<TaskId> granted_;      // scratch of Dispatch
  std::vector<FlowId> ended_flows_;  // scratch of EndFlows
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_MACHINE_IMPL_H_
