// Npu: the engines of one simulated device.
//
// Threading: thread-compatible. Ownership: owns the engines; borrows the spec
// and the policy.
#ifndef ASCEND_CORE_MACHINE_NPU_H_
#define ASCEND_CORE_MACHINE_NPU_H_

#include "core/base/ids.h"
#include "core/machine/compute_array.h"
#include "core/machine/dma_engine.h"
#include "core/machine/hbm_timing.h"
#include "core/machine/unit_ledger.h"
#include "core/sched/scheduler.h"
#include "core/sim/event_queue.h"
#include "core/spec/device_spec.h"

namespace ascend::core {

struct Npu {
  Npu(DeviceId device_id, const DeviceSpec& spec, const Policy& policy)
      : id(device_id),
        compute(spec),
        dma(spec),
        hbm(spec.hbm_bytes_per_second),
        units(Claim{spec.cube_units, spec.aiv_units, spec.dma_units}),
        scheduler(policy) {}

  const DeviceId id;
  const ComputeArray compute;
  const DmaEngine dma;
  HbmTiming hbm;
  UnitLedger units;
  Scheduler scheduler;
  uint32_t stream_count = 0;  // of all sessions

  EventId flow_event;                // the next end of a memory flow
  bool is_dispatch_pending = false;  // a pass of this instant is due
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_NPU_H_
