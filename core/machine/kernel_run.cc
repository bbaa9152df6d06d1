// Kernels that run: bodies, slices, tails (compute_array.h tells which kernel
// has what).

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/machine/durations.h"
#include "core/machine/machine_impl.h"
#include "core/sched/claim.h"

namespace ascend::core {
namespace {

// Of an event that happens to a unit.
uint64_t UnitTarget(const Npu& npu, uint32_t unit) {
  return uint64_t{npu.id.value()} << 32 | unit;
}

}  // namespace

void Machine::Impl::StartKernel(TaskRecord& record, KernelWork& kernel) {
  const ComputeArray& compute = NpuOf(record.what.device).compute;
  const Tick body_tick = now_ + compute.RampTicks(record.what.claim);
  record.floor_end_tick =
      body_tick + compute.FloorTicks(kernel.cost, record.what.claim);
  if (kernel.cost.hbm_bytes > 0) {
    Push(body_tick, Phase::kCompletion, EventKind::kBodyBegins,
         record.id.value());
  } else {
    PushBodyEnd(record, kernel, body_tick);
  }
  StartKernelJob(record, kernel);
}

void Machine::Impl::StartKernelJob(TaskRecord& record, KernelWork& kernel) {
  if (kernel.is_timing_only) return;
  runners_.StartKernel({.id = tasks_.StartJob(record),
                        .session = record.session->id,
                        .kernel = kernel.kernel,
                        .num_blocks = kernel.num_blocks,
                        .args = std::move(kernel.args),
                        .ranges = std::move(kernel.ranges)});
}

void Machine::Impl::PushBodyEnd(TaskRecord& record, const KernelWork& kernel,
                                Tick flow_end_tick) {
  const Tick body_end = std::max(flow_end_tick, record.floor_end_tick);
  if (IsEmpty(kernel.plan.tail_claim)) {
    Push(body_end + TailTicks(record), Phase::kCompletion, EventKind::kTaskEnds,
         record.id.value());
    return;
  }
  Push(body_end, Phase::kCompletion, EventKind::kBodyEnds, record.id.value());
}

Tick Machine::Impl::TailTicks(const TaskRecord& record) const {
  const KernelCost& cost = std::get<KernelWork>(record.what.work).cost;
  const Tick ticks = std::clamp<Tick>(cost.vector_ticks, 0, kDurationMax);
  if (cost.tail_jitter == 0) return ticks;
  return static_cast<Tick>(
      std::llround(static_cast<double>(ticks) *
                   JitterOf(record, cost.tail_jitter, Draw::kTail)));
}

void Machine::Impl::BeginBody(TaskRecord& record) {
  const auto& kernel = std::get<KernelWork>(record.what.work);
  StartFlow(NpuOf(record.what.device), FlowOfTask(record.id), kernel.cost,
            record.what.claim, kernel.plan.flow_share);
}

void Machine::Impl::EndBody(TaskRecord& record) {
  Npu& npu = NpuOf(record.what.device);
  GiveUnits(npu, record);
  BeginTail(record);
}

void Machine::Impl::BeginTail(TaskRecord& record) {
  const auto& kernel = std::get<KernelWork>(record.what.work);
  if (IsEmpty(kernel.plan.tail_claim)) return EndAfter(record, 0);
  Npu& npu = NpuOf(record.what.device);
  record.is_in_tail = true;
  UnitRequest request = RequestOf(record, kernel.plan.tail_claim);
  request.expected_ticks = TailTicks(record);
  npu.scheduler.Enqueue(request);
  ScheduleDispatch(npu);
}

void Machine::Impl::StartFlow(Npu& npu, FlowId flow, const KernelCost& cost,
                              const Claim& held, double flow_share) {
  const double cap = npu.compute.FlowCap(held) * flow_share;
  npu.hbm.StartFlow(flow,
                    std::min(static_cast<double>(cost.hbm_bytes),
                             cap * SecondsOf(kDurationMax)),
                    cap, now_);
  ScheduleFlowEnd(npu);
}

void Machine::Impl::EndFlows(Npu& npu) {
  ended_flows_.clear();
  npu.hbm.TakeEnded(now_, &ended_flows_);
  for (const FlowId flow : ended_flows_) {
    const auto index = static_cast<uint32_t>(flow.value());
    if (IsUnitFlow(flow)) {
      PushSliceEnd(npu, index, now_);
      continue;
    }
    TaskRecord& record = tasks_.Get(TaskId(index));
    PushBodyEnd(record, std::get<KernelWork>(record.what.work), now_);
  }
  ScheduleFlowEnd(npu);
}

void Machine::Impl::ScheduleFlowEnd(Npu& npu) {
  ScheduleSample(npu);
  events_.Cancel(npu.flow_event);
  npu.flow_event = {};
  const Tick tick = npu.hbm.NextEnd();
  if (tick == kTickMax) return;
  npu.flow_event =
      Push(tick, Phase::kCompletion, EventKind::kFlowEnds, npu.id.value());
}

void Machine::Impl::StartSlice(Npu& npu, TaskRecord& record) {
  auto& kernel = std::get<KernelWork>(record.what.work);
  if (record.run == 0) {
    record.run = ++npu.run_count;
    BeginTask(record);
    StartKernelJob(record, kernel);
  }
  npu.units.Take(record.what.claim, now_);
  const uint32_t index = npu.PickUnit(record.run);
  CubeUnit& unit = npu.cube_units[index];
  const bool turns = unit.last_run != record.run;
  unit = {.is_busy = true,
          .task = record.id,
          .last_run = record.run,
          .start_tick = now_};
  const Tick begin_tick =
      now_ + (turns ? npu.compute.RampTicks(record.what.claim) : 0);
  const KernelCost cost =
      ComputeArray::SliceOf(kernel.cost, kernel.plan.slice_count);
  unit.floor_end_tick =
      begin_tick + npu.compute.FloorTicks(cost, record.what.claim);
  if (cost.hbm_bytes == 0) return PushSliceEnd(npu, index, begin_tick);
  Push(begin_tick, Phase::kCompletion, EventKind::kSliceBegins,
       UnitTarget(npu, index));
}

void Machine::Impl::BeginSlice(Npu& npu, uint32_t unit) {
  const TaskRecord& record = tasks_.Get(npu.cube_units[unit].task);
  const auto& kernel = std::get<KernelWork>(record.what.work);
  StartFlow(npu, FlowOfUnit(unit),
            ComputeArray::SliceOf(kernel.cost, kernel.plan.slice_count),
            record.what.claim, kernel.plan.flow_share);
}

void Machine::Impl::PushSliceEnd(const Npu& npu, uint32_t unit,
                                 Tick flow_end_tick) {
  Push(std::max(flow_end_tick, npu.cube_units[unit].floor_end_tick),
       Phase::kCompletion, EventKind::kSliceEnds, UnitTarget(npu, unit));
}

void Machine::Impl::EndSlice(Npu& npu, uint32_t index) {
  CubeUnit& unit = npu.cube_units[index];
  unit.is_busy = false;
  TaskRecord& record = tasks_.Get(unit.task);
  const Claim& claim = record.what.claim;
  npu.units.Give(claim, now_);
  record.session->unit_ticks.Add(claim, now_ - unit.start_tick);
  const bool is_last =
      npu.scheduler.EndSlice(record.id, now_ - unit.start_tick);
  ScheduleDispatch(npu);
  if (is_last) BeginTail(record);
}

uint32_t Npu::PickUnit(uint64_t run) const {
  uint32_t pick = 0;
  bool has_pick = false;
  for (uint32_t i = 0; i < cube_units.size(); ++i) {
    if (cube_units[i].is_busy) continue;
    if (cube_units[i].last_run == run) return i;
    if (!has_pick) pick = i;
    has_pick = true;
  }
  return pick;
}

}  // namespace ascend::core
