// Npu: the engines of one simulated device.
//
// Threading: thread-compatible. Ownership: owns the engines and the policy;
// borrows the spec.
#ifndef ASCEND_CORE_MACHINE_NPU_H_
#define ASCEND_CORE_MACHINE_NPU_H_

#include <memory>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/machine/compute_array.h"
#include "core/machine/dma_engine.h"
#include "core/machine/hbm_timing.h"
#include "core/machine/unit_ledger.h"
#include "core/sched/policy.h"
#include "core/sched/scheduler.h"
#include "core/sim/event_queue.h"
#include "core/spec/device_spec.h"

namespace ascend::core {

// A CUBE unit, while kernels are cut into slices.
struct CubeUnit {
  bool is_busy = false;
  TaskId task;            // whose slice it works on, when busy
  uint64_t last_run = 0;  // the kernel it worked for last; 0: none
  Tick start_tick = 0;
  Tick floor_end_tick = 0;
};

// Names a flow: of a task, or of the slice on a CUBE unit.
inline FlowId FlowOfTask(TaskId task) { return FlowId(task.value()); }
inline FlowId FlowOfUnit(uint32_t unit) {
  return FlowId(uint64_t{1} << 32 | unit);
}
inline bool IsUnitFlow(FlowId flow) { return flow.value() >> 32 != 0; }

struct Npu {
  Npu(DeviceId device_id, const DeviceSpec& spec, HoldMode hold,
      std::unique_ptr<const Policy> policy_of_units)
      : id(device_id),
        policy(std::move(policy_of_units)),
        compute(spec, hold),
        dma(spec),
        hbm(spec.hbm_bytes_per_second),
        units(Claim{spec.cube_units, spec.aiv_units, spec.dma_units}),
        scheduler(*policy, units.capacity()),
        cube_units(spec.cube_units) {}

  // A free unit, the one that worked for the kernel `run` last if there is one.
  uint32_t PickUnit(uint64_t run) const;

  const DeviceId id;
  const std::unique_ptr<const Policy> policy;
  const ComputeArray compute;
  const DmaEngine dma;
  HbmTiming hbm;
  UnitLedger units;
  Scheduler scheduler;
  std::vector<CubeUnit> cube_units;
  uint64_t run_count = 0;     // kernels that started, ever
  uint32_t stream_count = 0;  // of all sessions

  EventId flow_event;                // the next end of a memory flow
  bool is_dispatch_pending = false;  // a pass of this instant is due
  bool is_sample_pending = false;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_NPU_H_
