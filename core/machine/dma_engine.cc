#include "core/machine/dma_engine.h"

#include <algorithm>

#include "core/machine/durations.h"

namespace ascend::core {
namespace {

Tick TransferTicks(uint64_t bytes, double bytes_per_second) {
  return TicksOf(static_cast<double>(bytes) / bytes_per_second);
}

uint64_t BytesOf(std::span<const PhysicalExtent> list) {
  uint64_t bytes = 0;
  for (const PhysicalExtent& extent : list) bytes += extent.bytes;
  return bytes;
}

}  // namespace

Tick DmaEngine::HostCopyTicks(uint64_t bytes) const {
  return SaturatingAdd(spec_.dma_host_setup_ticks,
                       TransferTicks(bytes, spec_.dma_host_bytes_per_second));
}

Tick DmaEngine::CpuCopyTicks(uint64_t bytes) const {
  return SaturatingAdd(spec_.cpu_copy_setup_ticks,
                       TransferTicks(bytes, spec_.cpu_copy_bytes_per_second));
}

Tick DmaEngine::ListTicks(std::span<const PhysicalExtent> list) const {
  Tick ticks = 0;
  const PhysicalExtent* last = nullptr;
  for (const PhysicalExtent& extent : list) {
    const bool is_chained = last != nullptr && extent.bank == last->bank;
    ticks += is_chained ? spec_.dma_chained_ticks : spec_.dma_descriptor_ticks;
    last = &extent;
  }
  return ticks;
}

Tick DmaEngine::DeviceCopyTicks(std::span<const PhysicalExtent> source,
                                std::span<const PhysicalExtent> target,
                                uint64_t bytes, uint64_t rows) const {
  // Rows mostly lie in the banks of their neighbours.
  const auto row_ticks = static_cast<Tick>(rows - 1) * spec_.dma_chained_ticks;
  return SaturatingAdd(
      spec_.dma_device_setup_ticks +
          std::max({ListTicks(source), ListTicks(target), row_ticks}),
      TransferTicks(bytes, spec_.dma_device_bytes_per_second));
}

Tick DmaEngine::FillTicks(std::span<const PhysicalExtent> extents) const {
  return DeviceCopyTicks(extents, extents, BytesOf(extents));
}

}  // namespace ascend::core
