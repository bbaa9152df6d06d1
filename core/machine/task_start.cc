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
namespace {

// Streams that wait for each other in a row, of which the last hands its
// priority to the first.
constexpr int kInheritanceDepthMax = 16;

}  // namespace

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

double Machine::Impl::JitterOf(const TaskRecord& record, double share,
                               Draw draw) const {
  if (share == 0) return 1;
  // Drawn by name, not in order, so that it does not depend on what else runs.
  Rng rng(MixSeed({options_.seed, record.session->options.rank,
                   record.stream->number,
                   record.stream->NumberInRun(record.is.value),
                   static_cast<uint64_t>(draw)}));
  return 1 + share * (2 * rng.Unit() - 1);
}

Tick Machine::Impl::GapOf(const TaskRecord& record) const {
  const auto& kernel = std::get<KernelWork>(record.what.work);
  if (!kernel.kernel->has_dispatch_gap) return 0;
  return static_cast<Tick>(std::llround(
      static_cast<double>(options_.spec.dispatch_ticks) *
      JitterOf(record, options_.spec.dispatch_jitter, Draw::kGap)));
}

FenceWaiter Machine::Impl::WaiterOf(const TaskRecord& record) {
  return {.kind = FenceWaiter::Kind::kStream,
          .session = record.session->id,
          .key = record.stream->handle.ToBits()};
}

void Machine::Impl::AwaitFence(TaskRecord& record) {
  const WaitCondition& condition = record.what.condition;
  fences_.AddWaiter(condition.fence, condition.value, WaiterOf(record));
  InheritPriority(record);
  StartWaitTimer(record);
}

void Machine::Impl::StartFetch(TaskRecord& record, uint64_t address,
                               uint64_t bytes) {
  record.is.state = TaskState::kFetching;
  record.stream->queue.BeginHead();
  ++record.session->in_flight_count;
  ++fetch_count_;
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
  record.is.state = TaskState::kReady;
  record.is.ready_tick = now_;
  UnitRequest request = RequestOf(record, record.what.claim);
  if (const auto* kernel = std::get_if<KernelWork>(&record.what.work)) {
    request.expected_ticks =
        NpuOf(record.what.device).compute.AloneTicks(record.what);
    request.slice_count = kernel->plan.slice_count;
    request.slices_at_once = kernel->plan.slices_at_once;
  }
  Npu& npu = NpuOf(record.what.device);
  npu.scheduler.Enqueue(request);
  ScheduleDispatch(npu);
}

uint32_t Machine::Impl::InheritedPriority(const StreamState& stream,
                                          int depth) const {
  uint32_t priority = stream.priority;
  if (priority == 0 || depth == kInheritanceDepthMax) return priority;
  fences_.ForEachWaiter(stream.queue.fence(), [&](const FenceWaiter& waiter) {
    if (waiter.kind != FenceWaiter::Kind::kStream || priority == 0) return;
    const SessionState* const session = FindSession(waiter.session);
    const StreamState* const waiting =
        session->streams.Find(StreamHandle::FromBits(waiter.key));
    priority = std::min(priority, InheritedPriority(*waiting, depth + 1));
  });
  return priority;
}

void Machine::Impl::InheritPriority(const TaskRecord& waiter) {
  const TaskRecord* head = &waiter;
  for (int depth = 0; depth < kInheritanceDepthMax; ++depth) {
    const auto* const wait = std::get_if<WaitWork>(&head->what.work);
    if (wait == nullptr) return;
    StreamState* const stream = head->session->streams.Find(wait->recorded_in);
    if (stream == nullptr || !stream->queue.has_head()) return;
    head = &tasks_.Get(stream->queue.head());
    if (head->is.state != TaskState::kReady && !head->is_in_tail) continue;
    NpuOf(head->what.device)
        .scheduler.SetPriority(head->id, InheritedPriority(*stream));
  }
}

UnitRequest Machine::Impl::RequestOf(const TaskRecord& record,
                                     const Claim& claim) const {
  return {.task = record.id,
          .claim = claim,
          .tenant = record.session->options.tenant,
          .priority =
              record.stream == nullptr ? 0 : InheritedPriority(*record.stream),
          .ready_tick = now_};
}

void Machine::Impl::ScheduleSample(Npu& npu) {
  if (!options_.reports_trace || npu.is_sample_pending) return;
  npu.is_sample_pending = true;
  Push(now_, Phase::kStats, EventKind::kSample, npu.id.value());
}

void Machine::Impl::Sample(Npu& npu) {
  npu.is_sample_pending = false;
  observer_.OnDeviceSample({.device = npu.id,
                            .tick = now_,
                            .held = npu.units.held(),
                            .waiting_count = npu.scheduler.waiting_count(),
                            .hbm_bytes_per_second = npu.hbm.rate()});
}

void Machine::Impl::ScheduleDispatch(Npu& npu) {
  ScheduleSample(npu);
  if (npu.is_dispatch_pending || npu.scheduler.waiting_count() == 0) return;
  npu.is_dispatch_pending = true;
  Push(now_, Phase::kSchedule, EventKind::kDispatch, npu.id.value());
}

void Machine::Impl::Dispatch(Npu& npu) {
  npu.is_dispatch_pending = false;
  granted_.clear();
  npu.scheduler.Dispatch(npu.units.free(), now_, &granted_);
  for (const TaskId task : granted_) {
    TaskRecord& record = tasks_.Get(task);
    if (record.is_in_tail) {
      TakeUnits(npu, record,
                std::get<KernelWork>(record.what.work).plan.tail_claim);
      EndAfter(record, TailTicks(record));
    } else if (IsSliced(record.what)) {
      StartSlice(npu, record);
    } else {
      TakeUnits(npu, record, record.what.claim);
      Start(record);
    }
  }
}

void Machine::Impl::TakeUnits(Npu& npu, TaskRecord& record,
                              const Claim& claim) {
  npu.units.Take(claim, now_);
  record.held = claim;
  record.hold_start_tick = now_;
}

void Machine::Impl::BeginTask(TaskRecord& record) {
  StopWaitTimer(record);
  record.is.state = TaskState::kRunning;
  record.is.start_tick = now_;
  if (record.stream != nullptr) record.stream->queue.BeginHead();
  ++record.session->in_flight_count;
}

void Machine::Impl::Start(TaskRecord& record) {
  BeginTask(record);
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
    if (!fill->is_timing_only) StartFillJob(record, *fill);
  } else if (std::holds_alternative<HostWork>(record.what.work)) {
    return StartHostFunction(record);
  } else {
    duration = IsWait(record.what.work) ? options_.spec.event_wait_ticks
                                        : options_.spec.event_record_ticks;
  }
  EndAfter(record, duration);
}

void Machine::Impl::StartFillJob(TaskRecord& record, const FillWork& fill) {
  runners_.StartFill({.id = tasks_.StartJob(record),
                      .session = record.session->id,
                      .address = fill.address,
                      .bytes = fill.bytes,
                      .value = fill.value,
                      .value_bytes = fill.value_bytes});
}

void Machine::Impl::EndAfter(TaskRecord& record, Tick ticks) {
  Push(now_ + ticks, Phase::kCompletion, EventKind::kTaskEnds,
       record.id.value());
}

}  // namespace ascend::core
