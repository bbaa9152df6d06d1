#include "core/machine/machine.h"

#include <utility>

#include "core/base/check.h"
#include "core/machine/input_log.h"
#include "core/machine/machine_impl.h"

namespace ascend::core {

Machine::Impl::Impl(MachineOptions options, HbmBacking& backing,
                    Runners& runners, Observer& observer)
    : options_(std::move(options)),
      runners_(runners),
      observer_(observer),
      memory_({.devices = std::vector<DeviceSpec>(options_.device_count,
                                                  options_.spec)},
              backing) {
  ASCEND_CHECK(options_.catalog != nullptr) << "a machine needs a catalog";
  const size_t schedulings = options_.scheduling.size();
  ASCEND_CHECK(schedulings == 1 || schedulings == options_.device_count)
      << schedulings << " of " << options_.device_count << " devices";
  for (uint32_t i = 0; i < options_.device_count; ++i) {
    const std::string& name = options_.SchedulingOf(i).policy;
    std::unique_ptr<Policy> policy = MakePolicy(name, options_.policy_options);
    ASCEND_CHECK(policy != nullptr)
        << "no scheduling policy is named '" << name << "'";
    npus_.push_back(std::make_unique<Npu>(
        DeviceId(i), options_.spec, options_.HoldOf(i), std::move(policy)));
  }
}

Machine::Impl::~Impl() = default;

void Machine::Impl::OpenSession(SessionId session, SessionOptions options) {
  const size_t streams = size_t{options_.spec.streams_max} * npus_.size();
  const size_t events = size_t{options_.spec.events_max} * npus_.size();
  const size_t notifies = size_t{options_.spec.notifies_max} * npus_.size();
  const bool has_own_tenant = options.tenant == TenantId();
  if (has_own_tenant) options.tenant = TenantId(session.value());
  auto state = std::make_unique<SessionState>(session, options, streams, events,
                                              notifies);
  state->has_own_tenant = has_own_tenant;
  for (const auto& npu : npus_) {
    npu->scheduler.SetWeight(options.tenant, options.weight);
  }
  for (const auto& npu : npus_) {
    state->utilization.push_back({now_, npu->units.Integral(now_)});
  }
  const bool is_new = sessions_.emplace(session, std::move(state)).second;
  ASCEND_CHECK(is_new) << "session " << session.value() << " is open";
  memory_.OpenSession(session, options.hbm_quota_bytes);
}

void Machine::Impl::CloseSession(SessionId id) {
  SessionState* session = FindSession(id);
  if (session != nullptr && !session->is_closing) BeginClose(*session);
}

void Machine::Impl::OnJobDone(JobId job, JobResult result) {
  TaskRecord& record = tasks_.OfJob(job);
  record.is_job_running = false;
  record.result = std::move(result.status);
  record.payload = std::move(result.payload);
  // Of jobs that end within one instant, the order of reporting does not count.
  const uint64_t target = record.id.value();
  if (record.is.state == TaskState::kFetching) {
    --fetch_count_;
    Push(now_, Phase::kFence, EventKind::kFetched, target, target);
  } else if (record.is.state == TaskState::kLate) {
    Push(now_, Phase::kCompletion, EventKind::kTaskRetires, target, target);
  }
}

void Machine::Impl::AdvanceTo(Tick horizon) {
  while (events_.NextTick() < horizon) {
    if (WaitsForJob()) return;
    Event event;
    events_.Pop(&event);
    ASCEND_CHECK(event.tick >= now_)
        << "event at " << event.tick << " comes after " << now_;
    now_ = event.tick;
    Handle(event);
  }
}

absl::optional<Tick> Machine::Impl::NextEventTime() {
  const Tick tick = events_.NextTick();
  if (tick == kTickMax) return absl::nullopt;
  return tick;
}

bool Machine::Impl::WaitsForJob() {
  if (!options_.waits_for_jobs) return false;
  if (fetch_count_ > 0) return true;
  const Event* const next = events_.Top();
  if (next == nullptr ||
      static_cast<EventKind>(next->kind) != EventKind::kTaskEnds) {
    return false;
  }
  return tasks_.Get(TaskId(static_cast<uint32_t>(next->target))).is_job_running;
}

EventId Machine::Impl::Push(Tick tick, Phase phase, EventKind kind,
                            uint64_t target, uint64_t tie) {
  return events_.Push({.tick = tick,
                       .phase = phase,
                       .kind = static_cast<uint8_t>(kind),
                       .tie = tie,
                       .target = target});
}

void Machine::Impl::Handle(const Event& event) {
  const TaskId task(static_cast<uint32_t>(event.target));
  const DeviceId device(static_cast<uint32_t>(event.target));
  // Where a unit is the target: unit, device.
  const DeviceId device_of_unit(static_cast<uint32_t>(event.target >> 32));
  switch (static_cast<EventKind>(event.kind)) {
    case EventKind::kAdmit:
      AdmitFront(*FindSession(SessionId(event.target)));
      return;
    case EventKind::kHeadGoesOn: {
      TaskRecord& record = tasks_.Get(task);
      PumpStream(*record.stream);
      return;
    }
    case EventKind::kWaitExpires:
      return ExpireWait(tasks_.Get(task));
    case EventKind::kFetched:
      return OnFetched(tasks_.Get(task));
    case EventKind::kBodyBegins:
      return BeginBody(tasks_.Get(task));
    case EventKind::kBodyEnds:
      return EndBody(tasks_.Get(task));
    case EventKind::kSliceBegins:
      return BeginSlice(NpuOf(device_of_unit), task.value());
    case EventKind::kSliceEnds:
      return EndSlice(NpuOf(device_of_unit), task.value());
    case EventKind::kFlowEnds:
      return EndFlows(NpuOf(device));
    case EventKind::kTaskEnds:
      return EndTask(tasks_.Get(task));
    case EventKind::kTaskRetires:
      return Retire(tasks_.Get(task));
    case EventKind::kDispatch:
      return Dispatch(NpuOf(device));
    case EventKind::kSample:
      return Sample(NpuOf(device));
    case EventKind::kContextsStop: {
      SessionState* const session = FindSession(SessionId(event.target));
      if (session != nullptr && !session->is_closing) StopContexts(*session);
      return;
    }
  }
}

SessionState* Machine::Impl::FindSession(SessionId session) const {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? nullptr : found->second.get();
}

// The public face.

Machine::Machine(MachineOptions options, HbmBacking& backing, Runners& runners,
                 Observer& observer)
    : impl_(std::make_unique<Impl>(std::move(options), backing, runners,
                                   observer)) {}
Machine::~Machine() = default;

void Machine::OpenSession(SessionId session, SessionOptions options) {
  if (log() != nullptr) log()->OnOpenSession(session, options);
  impl_->OpenSession(session, options);
}
void Machine::CloseSession(SessionId session) {
  if (log() != nullptr) log()->OnCloseSession(session);
  impl_->CloseSession(session);
}
void Machine::Submit(SessionId session, Command command) {
  if (log() != nullptr) log()->OnSubmit(session, command);
  impl_->Submit(session, std::move(command));
}
void Machine::OnJobDone(JobId job, JobResult result) {
  if (log() != nullptr) log()->OnJobDone(job, result);
  impl_->OnJobDone(job, std::move(result));
}
void Machine::OnTimer(TimerId timer) {
  if (log() != nullptr) log()->OnTimer(timer);
  impl_->OnTimer(timer);
}
void Machine::AdvanceTo(Tick horizon) {
  if (log() != nullptr) log()->OnAdvance(horizon);
  impl_->AdvanceTo(horizon);
}
InputLogWriter* Machine::log() const { return options().input_log; }
bool Machine::HasSession(SessionId session) const {
  return impl_->HasSession(session);
}
bool Machine::HasJob(JobId job) const { return impl_->HasJob(job); }
ClockReply Machine::DescribeRun() const { return impl_->DescribeRun(); }
uint64_t Machine::trace_hash() const { return impl_->trace_hash(); }
uint64_t Machine::ended_task_count() const { return impl_->ended_task_count(); }
Tick Machine::now() const { return impl_->now(); }
absl::optional<Tick> Machine::NextEventTime() const {
  return impl_->NextEventTime();
}
bool Machine::WaitsForJob() const { return impl_->WaitsForJob(); }
InputBacklog Machine::GetBacklog(SessionId session) const {
  return impl_->GetBacklog(session);
}
bool Machine::GetSessionUsage(SessionId session, SessionUsage* usage) const {
  return impl_->GetSessionUsage(session, usage);
}
DeviceUsage Machine::GetDeviceUsage(DeviceId device) const {
  return impl_->GetDeviceUsage(device);
}
const MachineOptions& Machine::options() const { return impl_->options(); }

}  // namespace ascend::core
