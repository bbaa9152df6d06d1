#include "core/machine/compute_array.h"

#include <algorithm>

#include "core/machine/durations.h"

namespace ascend::core {
namespace {

double UnitsOf(const Claim& held) {
  return std::max({held.cube, held.aiv, 1u});
}

}  // namespace

Claim ComputeArray::GangClaim(const Claim& blocks) const {
  const uint32_t units = std::max(blocks.cube, blocks.aiv);
  Claim claim = blocks;
  claim.cube = std::min(units, spec_.cube_units);
  claim.aiv = std::min(units, spec_.aiv_units);
  return claim;
}

Tick ComputeArray::FloorTicks(const KernelCost& cost, const Claim& held) const {
  const double units = UnitsOf(held);
  const double compute_seconds =
      cost.flops / (units * spec_.unit_flops_per_second);
  const double l2_seconds = static_cast<double>(cost.l2_bytes) /
                            (units * spec_.unit_l2_bytes_per_second);
  return TicksOf(std::max(compute_seconds, l2_seconds));
}

double ComputeArray::FlowCap(const Claim& held) const {
  return UnitsOf(held) * spec_.unit_hbm_bytes_per_second;
}

}  // namespace ascend::core
