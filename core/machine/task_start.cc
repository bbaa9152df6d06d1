// A task's way from its stream to its start.

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/machine/durations.h"
#include "core/machine/limits.h"
#include "core/machine/machine_impl.h"
#include "core/machine/violation.h"
#include "core/sim/rng.h"

namespace ascend::core {

void Machine::Impl::PumpStream(StreamState& stream) {
  if (!stream.queue.has_head() || stream.queue.head_in_flight()) return;
  TaskRecord& head = tasks_.Get(stream.queue.head());
  const ContextState& context = *head.session->contexts.Find(stream.context);
  if (!context.failure.ok()) {
    head.what.refusal = context.failure;
    head.what.claim = {};
  }
  const Tick gap_ticks = head.what.is_kernel() ? GapOf(head) : 0;
  switch (stream.queue.NextStep(head.what, gap_ticks, fences_, now_)) {
    case HeadStep::kNone:
      return;
    case HeadStep::kAwaitFence:
      return AwaitFence(head);
    case HeadStep::kAwaitGap:
      head.event = Push(stream.queue.GapEnd(gap_ticks), Phase::kFence,
                        EventKind::kHeadGoesOn, head.id.value());
      return;
    case HeadStep::kAwaitNotify:
      return AwaitNotify(head);
    case HeadStep::kReadWord:
      return ReadWord(head);
    case HeadStep::kFetch: {
      const auto& kernel = std::get<KernelWork>(head.what.work);
      return StartFetch(head, kernel.args_address, kernel.args_bytes);
    }
    case HeadStep::kClaim:
      return RequestUnits(head);
    case HeadStep::kStart:
      return Start(head);
  }
}

Tick Machine::Impl::GapOf(const TaskRecord& record) const {
  // Drawn by name, not in order, so that it does not depend on what else runs.
  Rng rng(MixSeed({options_.seed, record.session->options.rank,
                   record.stream->handle.ToBits(), record.is.value}));
  const double share = 1 + options_.spec.dispatch_jitter * (2 * rng.Unit() - 1);
  return static_cast<Tick>(
      std::llround(static_cast<double>(options_.spec.dispatch_ticks) * share));
}

FenceWaiter Machine::Impl::WaiterOf(const TaskRecord& record) {
  return {.kind = FenceWaiter::Kind::kStream,
          .session = record.session->id,
          .key = record.stream->handle.ToBits()};
}

void Machine::Impl::AwaitFence(TaskRecord& record) {
  const WaitCondition& condition = record.what.condition;
  fences_.AddWaiter(condition.fence, condition.value, WaiterOf(record));
  StartWaitTimer(record);
}

void Machine::Impl::StartFetch(TaskRecord& record, uint64_t address,
                               uint64_t bytes) {
  record.is.state = TaskState::kFetching;
  record.stream->queue.BeginHead();
  ++record.session->in_flight_count;
  runners_.StartFetch({.id = tasks_.StartJob(record),
                       .session = record.session->id,
                       .address = address,
                       .bytes = bytes});
}

void Machine::Impl::OnFetched(TaskRecord& record) {
  SessionState& session = *record.session;
  if (session.is_closing || record.is.value <= record.stream->dropped_value) {
    record.payload.clear();
    record.result = record.stream->dropped_why;
    return Retire(record);
  }
  record.is.state = TaskState::kQueued;
  record.stream->queue.PauseHead();
  --session.in_flight_count;
  if (std::holds_alternative<WordWork>(record.what.work)) {
    return OnWordRead(record);
  }
  auto& kernel = std::get<KernelWork>(record.what.work);
  kernel.args = std::move(record.payload);
  kernel.args_address = 0;
  record.payload.clear();
  // The kernel was submitted before whatever was freed since then.
  record.what.refusal =
      record.result.ok()
          ? PrepareKernel(session, record.what, Reach::kLiveAndQuarantined)
          : record.result;
  PumpStream(*record.stream);
}

void Machine::Impl::RequestUnits(TaskRecord& record) {
  Npu& npu = NpuOf(record.what.device);
  record.is.state = TaskState::kReady;
  npu.scheduler.Enqueue(
      {.task = record.id,
       .claim = record.what.claim,
       .priority = record.stream == nullptr ? 0 : record.stream->priority,
       .ready_tick = now_});
  ScheduleDispatch(npu);
}

void Machine::Impl::ScheduleDispatch(Npu& npu) {
  if (npu.is_dispatch_pending || npu.scheduler.waiting_count() == 0) return;
  npu.is_dispatch_pending = true;
  Push(now_, Phase::kSchedule, EventKind::kDispatch, npu.id.value());
}

void Machine::Impl::Dispatch(Npu& npu) {
  npu.is_dispatch_pending = false;
  granted_.clear();
  npu.scheduler.Dispatch(npu.units.free(), now_, &granted_);
  for (const UnitRequest& request : granted_) {
    TaskRecord& record = tasks_.Get(request.task);
    npu.units.Take(record.what.claim, now_);
    Start(record);
  }
}

void Machine::Impl::Start(TaskRecord& record) {
  StopWaitTimer(record);
  record.is.state = TaskState::kRunning;
  record.is.start_tick = now_;
  if (record.stream != nullptr) record.stream->queue.BeginHead();
  ++record.session->in_flight_count;
  Tick duration = 0;
  if (now_ >= kClockEnd) {
    record.result = ClockEndedError();
  } else if (!record.what.refusal.ok()) {
    record.result = record.what.refusal;
  } else if (auto* kernel = std::get_if<KernelWork>(&record.what.work)) {
    return StartKernel(record, *kernel);
  } else if (auto* copy = std::get_if<CopyWork>(&record.what.work)) {
    duration = copy->duration_ticks;
    runners_.StartCopy({.id = tasks_.StartJob(record),
                        .session = record.session->id,
                        .ticket = record.is.ticket,
                        .kind = copy->kind,
                        .target = copy->target,
                        .source = copy->source,
                        .bytes = copy->bytes,
                        .rows = copy->rows,
                        .target_pitch = copy->target_pitch,
                        .source_pitch = copy->source_pitch,
                        .inline_data = std::move(copy->inline_data)});
  } else if (auto* fill = std::get_if<FillWork>(&record.what.work)) {
    duration = fill->duration_ticks;
    runners_.StartFill({.id = tasks_.StartJob(record),
                        .session = record.session->id,
                        .address = fill->address,
                        .bytes = fill->bytes,
                        .value = fill->value,
                        .value_bytes = fill->value_bytes});
  } else if (std::holds_alternative<HostWork>(record.what.work)) {
    return StartHostFunction(record);
  } else {
    duration = IsWait(record.what.work) ? options_.spec.event_wait_ticks
                                        : options_.spec.event_record_ticks;
  }
  EndAfter(record, duration);
}

void Machine::Impl::EndAfter(TaskRecord& record, Tick ticks) {
  Push(now_ + ticks, Phase::kCompletion, EventKind::kTaskEnds,
       record.id.value());
}

void Machine::Impl::StartKernel(TaskRecord& record, KernelWork& kernel) {
  const ComputeArray& compute = NpuOf(record.what.device).compute;
  const Tick body_tick = now_ + compute.ramp_ticks();
  record.floor_end_tick =
      body_tick + compute.FloorTicks(kernel.cost, record.what.claim);
  if (kernel.cost.hbm_bytes > 0) {
    Push(body_tick, Phase::kCompletion, EventKind::kBodyBegins,
         record.id.value());
  } else {
    PushKernelEnd(record, kernel, body_tick);
  }
  runners_.StartKernel({.id = tasks_.StartJob(record),
                        .session = record.session->id,
                        .kernel = kernel.kernel,
                        .num_blocks = kernel.num_blocks,
                        .args = std::move(kernel.args),
                        .ranges = std::move(kernel.ranges)});
}

void Machine::Impl::PushKernelEnd(TaskRecord& record, const KernelWork& kernel,
                                  Tick flow_end_tick) {
  const Tick body_end = std::max(flow_end_tick, record.floor_end_tick);
  const Tick tail = std::clamp<Tick>(kernel.cost.vector_ticks, 0, kDurationMax);
  Push(body_end + tail, Phase::kCompletion, EventKind::kTaskEnds,
       record.id.value());
}

void Machine::Impl::BeginBody(TaskRecord& record) {
  Npu& npu = NpuOf(record.what.device);
  const auto& kernel = std::get<KernelWork>(record.what.work);
  const double cap = npu.compute.FlowCap(record.what.claim);
  npu.hbm.StartFlow(record.id,
                    std::min(static_cast<double>(kernel.cost.hbm_bytes),
                             cap * SecondsOf(kDurationMax)),
                    cap, now_);
  ScheduleFlowEnd(npu);
}

void Machine::Impl::EndFlows(Npu& npu) {
  ended_flows_.clear();
  npu.hbm.TakeEnded(now_, &ended_flows_);
  for (const TaskId id : ended_flows_) {
    TaskRecord& record = tasks_.Get(id);
    PushKernelEnd(record, std::get<KernelWork>(record.what.work), now_);
  }
  ScheduleFlowEnd(npu);
}

void Machine::Impl::ScheduleFlowEnd(Npu& npu) {
  events_.Cancel(npu.flow_event);
  npu.flow_event = {};
  const Tick tick = npu.hbm.NextEnd();
  if (tick == kTickMax) return;
  npu.flow_event =
      Push(tick, Phase::kCompletion, EventKind::kFlowEnds, npu.id.value());
}

}  // namespace ascend::core
