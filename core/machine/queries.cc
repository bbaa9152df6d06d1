// Usage, for the admin service.

#include "core/base/check.h"
#include "core/machine/machine_impl.h"

namespace ascend::core {

InputBacklog Machine::Impl::GetBacklog(SessionId id) const {
  const SessionState* session = FindSession(id);
  if (session == nullptr) return {};
  return {session->input.size(), session->input.payload_bytes()};
}

bool Machine::Impl::GetSessionUsage(SessionId id, SessionUsage* usage) const {
  const SessionState* session = FindSession(id);
  if (session == nullptr) return false;
  *usage = SessionUsage{
      .context_count = static_cast<uint32_t>(session->contexts.size()),
      .stream_count = static_cast<uint32_t>(session->streams.size()),
      .event_count = static_cast<uint32_t>(session->events.size()),
      .kernel_count = session->kernel_count,
      .copy_count = session->copy_count,
      .copied_bytes = session->copied_bytes,
      .tasks_pending = session->tasks_pending,
      .kernel_ticks = session->kernel_ticks,
      .copy_ticks = session->copy_ticks,
      .cube_unit_ticks = session->unit_ticks.cube,
      .aiv_unit_ticks = session->unit_ticks.aiv,
      .dma_unit_ticks = session->unit_ticks.dma,
  };
  for (const auto& npu : npus_) {
    const MemoryUsage memory = memory_.GetUsage(id, npu->id);
    usage->hbm_used_bytes += memory.reserved_bytes;
    usage->hbm_peak_bytes += memory.reserved_bytes_max;
  }
  return true;
}

DeviceUsage Machine::Impl::GetDeviceUsage(DeviceId device) const {
  ASCEND_CHECK(device.value() < npus_.size()) << "device " << device.value();
  const Npu& npu = *npus_[device.value()];
  const DeviceMemoryUsage memory = memory_.GetDeviceUsage(device);
  const UnitTicks integral = npu.units.Integral(now_);
  return DeviceUsage{
      .hbm_total_bytes = memory.total_bytes,
      .hbm_used_bytes = memory.sessions.reserved_bytes,
      .hbm_quarantined_bytes = memory.sessions.quarantined_bytes,
      .units_held = npu.units.held(),
      .tasks_waiting = npu.scheduler.waiting_count(),
      .cube_unit_ticks = integral.cube,
      .aiv_unit_ticks = integral.aiv,
      .dma_unit_ticks = integral.dma,
  };
}

}  // namespace ascend::core
