// ComputeArray: the timing of kernels on the CUBE and AIV units of one device,
// in gang mode.
//
// The cores of this chip have a matrix and a vector part that are not scheduled
// apart, so a kernel holds as many AIV units as CUBE units, u = max(cube, aiv),
// from start to end (timing model, section 3):
//
//   hold = ramp + body + vector tail
//   body = max(memory flow, floor),  floor = max(flops / (u F), l2 / (u b_L2))
//
// The memory flow depends on who else runs (hbm_timing.h).
//
// Threading: immutable. Ownership: borrows the spec.
#ifndef ASCEND_CORE_MACHINE_COMPUTE_ARRAY_H_
#define ASCEND_CORE_MACHINE_COMPUTE_ARRAY_H_

#include "core/kernels/descriptor.h"
#include "core/sim/tick.h"
#include "core/spec/device_spec.h"

namespace ascend::core {

class ComputeArray {
 public:
  explicit ComputeArray(const DeviceSpec& spec) : spec_(spec) {}

  // What a kernel holds whose blocks run on `blocks`.
  Claim GangClaim(const Claim& blocks) const;

  // The part of the body that no other kernel can lengthen.
  Tick FloorTicks(const KernelCost& cost, const Claim& held) const;

  // The rate at which the units of `held` can pull memory.
  double FlowCap(const Claim& held) const;

  Tick ramp_ticks() const { return spec_.kernel_ramp_ticks; }

 private:
  const DeviceSpec& spec_;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_COMPUTE_ARRAY_H_
