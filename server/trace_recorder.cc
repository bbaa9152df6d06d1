#include "server/trace_recorder.h"

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/kernels/descriptor.h"
#include "core/sched/task.h"

namespace ascend::server {
namespace {

using core::TraceKind;
using core::TraceUnits;

// A task makes about so many samples: units are taken and given back.
constexpr size_t kSamplesPerSpan = 2;
// Ranks from here on are those of sessions that have none.
constexpr uint64_t kRanksEnd = uint64_t{1} << 32;

struct Meaning {
  TraceKind kind = TraceKind::kKernel;
  absl::string_view label;
  uint64_t bytes = 0;
};

struct MeaningOf {
  Meaning operator()(const core::KernelWork& work) const {
    // A launch that was refused may have none.
    if (work.kernel == nullptr) return {TraceKind::kKernel, "kernel"};
    return {TraceKind::kKernel, work.kernel->name, work.cost.hbm_bytes};
  }
  Meaning operator()(const core::CopyWork& work) const {
    return {TraceKind::kCopy, LabelOf(work.kind), work.bytes * work.rows};
  }
  Meaning operator()(const core::FillWork& work) const {
    return {TraceKind::kFill, "memset", work.bytes};
  }
  Meaning operator()(const core::RecordWork&) const {
    return {TraceKind::kSignal, "record event"};
  }
  Meaning operator()(const core::ResetWork&) const {
    return {TraceKind::kSignal, "reset event"};
  }
  Meaning operator()(const core::WaitWork&) const {
    return {TraceKind::kSignal, "wait for event"};
  }
  Meaning operator()(const core::NotifyWork& work) const {
    return {TraceKind::kSignal,
            work.is_record ? "record notify" : "wait for notify"};
  }
  Meaning operator()(const core::WordWork&) const {
    return {TraceKind::kSignal, "wait for value"};
  }
  Meaning operator()(const core::HostWork&) const {
    return {TraceKind::kHost, "host function"};
  }

  static absl::string_view LabelOf(core::CopyKind kind) {
    switch (kind) {
      case core::CopyKind::kHostToDevice:
        return "copy to device";
      case core::CopyKind::kDeviceToHost:
        return "copy to host";
      case core::CopyKind::kDeviceToDevice:
        return "copy on device";
    }
    return "copy";
  }
};

TraceUnits UnitsOf(const core::Claim& claim) {
  return {claim.cube, claim.aiv, claim.dma};
}

// The most that the task held at a time.
TraceUnits UnitsOf(const core::TaskTemplate& what) {
  TraceUnits units = UnitsOf(what.claim);
  const auto* const kernel = std::get_if<core::KernelWork>(&what.work);
  if (kernel == nullptr) return units;
  const core::KernelPlan& plan = kernel->plan;
  const uint32_t slices = std::max(1u, plan.slices_at_once);
  units.cube = std::max(units.cube * slices, plan.tail_claim.cube);
  units.aiv = std::max(units.aiv * slices, plan.tail_claim.aiv);
  return units;
}

std::vector<core::TraceDevice> DevicesOf(const core::MachineOptions& machine) {
  const core::DeviceSpec& spec = machine.spec;
  return std::vector<core::TraceDevice>(
      machine.device_count,
      {.name = spec.profile,
       .units = {spec.cube_units, spec.aiv_units, spec.dma_units},
       .hbm_bytes_per_second = spec.hbm_bytes_per_second});
}

}  // namespace

TraceRecorder::TraceRecorder(const core::MachineOptions& machine,
                             size_t spans_max)
    : log_(DevicesOf(machine), spans_max, kSamplesPerSpan * spans_max) {}

void TraceRecorder::Add(const core::TaskSpan& span) {
  // Dropped with its session or stream before it started.
  if (span.start_tick < span.admit_tick) return;
  const Meaning meaning = std::visit(MeaningOf(), span.what->work);
  log_.Add(core::TraceSpan{
      .session = span.session,
      .rank = span.rank < kRanksEnd ? span.rank : core::TraceSpan::kNoRank,
      .stream = span.stream,
      .value = span.value,
      .label = meaning.label,
      .kind = meaning.kind,
      .device = span.device,
      .units = UnitsOf(*span.what),
      .bytes = meaning.bytes,
      .admit_tick = span.admit_tick,
      .ready_tick = span.ready_tick,
      .start_tick = span.start_tick,
      .end_tick = span.end_tick});
}

void TraceRecorder::Add(const core::DeviceSample& sample) {
  log_.Add(core::TraceSample{
      .device = sample.device,
      .waiting_count = static_cast<uint32_t>(sample.waiting_count),
      .tick = sample.tick,
      .held = UnitsOf(sample.held),
      .hbm_bytes_per_second = sample.hbm_bytes_per_second});
}

}  // namespace ascend::server
