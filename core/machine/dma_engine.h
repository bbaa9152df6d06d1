// DmaEngine: how long copies and fills hold a DMA unit.
//
// Between host and device: setup, then bytes at the rate of the link. Within
// the device: setup, then the lists of descriptors, then bytes at the rate of a
// channel. Each side has a list of its own, one descriptor per physically
// contiguous piece, and the engine walks both at once, so that the longer one
// counts; a piece in the bank of the piece before is chained, which is cheaper.
// So scattered memory is slower (timing model, section 8).
//
// Threading: immutable. Ownership: borrows the spec.
#ifndef ASCEND_CORE_MACHINE_DMA_ENGINE_H_
#define ASCEND_CORE_MACHINE_DMA_ENGINE_H_

#include <cstdint>
#include <span>

#include "core/mem/memory_manager.h"
#include "core/sim/tick.h"
#include "core/spec/device_spec.h"

namespace ascend::core {

class DmaEngine {
 public:
  explicit DmaEngine(const DeviceSpec& spec) : spec_(spec) {}

  Tick HostCopyTicks(uint64_t bytes) const;

  // The same by the host's CPU, which takes no DMA unit.
  Tick CpuCopyTicks(uint64_t bytes) const;

  // Both lists are not empty. `bytes` of what they cover are copied, in `rows`
  // pieces, each of which takes a descriptor of its own.
  Tick DeviceCopyTicks(std::span<const PhysicalExtent> source,
                       std::span<const PhysicalExtent> target, uint64_t bytes,
                       uint64_t rows = 1) const;

  Tick FillTicks(std::span<const PhysicalExtent> extents) const;

 private:
  // How long it takes to walk one side's descriptors.
  Tick ListTicks(std::span<const PhysicalExtent> list) const;

  const DeviceSpec& spec_;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_DMA_ENGINE_H_
