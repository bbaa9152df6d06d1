// ComputeArray: the timing of kernels on the CUBE and AIV units of one device
// (timing model, section 3).
//
//   hold = ramp + body + vector tail
//   body = max(memory flow, floor),  floor = max(flops / (u F), l2 / (u b_L2))
//
// Which units are held meanwhile depends on the hold mode:
//   gang   u = max(cube, aiv) units of both kinds, from start to end
//   split  a kernel whose vector work is a tail holds CUBE units until the body
//          is over and then AIV units for the tail; one that has vector work in
//          its body holds both, from start to end
//   block  split, but bodies on CUBE units are cut into slices. A slice holds
//          one CUBE unit, and one AIV unit if the body has vector work; a unit
//          that turns from one kernel to another pays the ramp. The tail
//          follows the last slice.
// The memory flow depends on who else runs (hbm_timing.h).
//
// Threading: immutable. Ownership: borrows the spec.
#ifndef ASCEND_CORE_MACHINE_COMPUTE_ARRAY_H_
#define ASCEND_CORE_MACHINE_COMPUTE_ARRAY_H_

#include "core/kernels/descriptor.h"
#include "core/sched/task.h"
#include "core/sim/tick.h"
#include "core/spec/device_spec.h"

namespace ascend::core {

class ComputeArray {
 public:
  // Slices of one kernel on one unit: with more they are cut larger, so that
  // no launch makes the simulator work without bound.
  static constexpr uint32_t kSlicesPerUnitMax = 4096;

  // `hold` is that of the device, whatever its profile says.
  ComputeArray(const DeviceSpec& spec, HoldMode hold)
      : spec_(spec), hold_(hold) {}

  // Sets the claim and the plan of the kernel in `what`, whose cost is known
  // and whose blocks run on `blocks`.
  void Plan(const Claim& blocks, TaskTemplate& what) const;

  // The part of the body that no other kernel can lengthen.
  Tick FloorTicks(const KernelCost& cost, const Claim& held) const;

  // The rate at which the units of `held` can pull memory.
  double FlowCap(const Claim& held) const;

  // How long `what`, which Plan has seen, holds its first claim if it has the
  // memory for itself; of a kernel in slices: how long one of them does.
  Tick AloneTicks(const TaskTemplate& what) const;

  // The share of that rate that is left where physical extents are so large on
  // average: a core needs a descriptor for each extent that a tile touches
  // (timing model, section 3).
  double FlowShare(uint64_t extent_bytes) const;

  // One of `count` equal parts of the body.
  static KernelCost SliceOf(const KernelCost& cost, uint32_t count);

  // Before the body; kernels on DMA units alone have none.
  Tick RampTicks(const Claim& held) const {
    return held.cube + held.aiv > 0 ? spec_.kernel_ramp_ticks : 0;
  }

 private:
  Claim GangClaim(const Claim& blocks) const;
  Claim TailClaim(const Claim& blocks) const;
  uint32_t SliceCount(const KernelCost& cost, uint32_t units) const;
  Tick BodyTicks(const KernelCost& cost, const Claim& held,
                 double flow_share) const;

  const DeviceSpec& spec_;
  const HoldMode hold_;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_COMPUTE_ARRAY_H_
