#include "core/machine/compute_array.h"

#include <algorithm>
#include <cmath>

#include "core/machine/durations.h"

namespace ascend::core {
namespace {

// The units that run the body: where a chip has more AIV than CUBE units, the
// further ones add nothing to a matrix product.
double UnitsOf(const Claim& held) {
  return std::max(held.cube > 0 ? held.cube : held.aiv, 1u);
}

}  // namespace

void ComputeArray::Plan(const Claim& blocks, TaskTemplate& what) const {
  auto& kernel = std::get<KernelWork>(what.work);
  const bool is_on_cube = blocks.cube > 0;
  const bool has_tail = kernel.cost.vector_ticks > 0;
  what.claim = blocks;
  if (!is_on_cube && blocks.aiv == 0) return;  // on no compute unit
  if (hold_ == HoldMode::kGang) {
    what.claim = GangClaim(blocks);
    return;
  }
  if (!is_on_cube) return;
  const bool is_cut = hold_ == HoldMode::kBlock;
  const bool has_vector_body = kernel.kernel->has_vector_body;
  if (!has_vector_body) what.claim.aiv = 0;
  if (has_tail && (is_cut || !has_vector_body)) {
    kernel.plan.tail_claim = TailClaim(blocks);
  }
  if (!is_cut) return;
  kernel.plan.slices_at_once = blocks.cube;
  kernel.plan.slice_count = SliceCount(kernel.cost, blocks.cube);
  what.claim.cube = 1;
  what.claim.aiv = std::min(what.claim.aiv, 1u);
}

Claim ComputeArray::GangClaim(const Claim& blocks) const {
  const uint32_t units = std::max(blocks.cube, blocks.aiv);
  Claim claim = blocks;
  claim.cube = std::min(units, spec_.cube_units);
  claim.aiv = std::min(units, spec_.aiv_units);
  return claim;
}

Claim ComputeArray::TailClaim(const Claim& blocks) const {
  const uint32_t units = std::max(blocks.cube, blocks.aiv);
  return {.aiv = std::min({units, spec_.tail_aiv_units, spec_.aiv_units})};
}

// Whole waves of the units that the kernel may have, so that the last one is
// not ragged.
uint32_t ComputeArray::SliceCount(const KernelCost& cost,
                                  uint32_t units) const {
  const double by_memory = static_cast<double>(cost.hbm_bytes) /
                           static_cast<double>(spec_.slice_bytes);
  const double by_compute =
      cost.flops / (spec_.unit_flops_per_second * SecondsOf(spec_.slice_ticks));
  const double waves =
      std::round(std::max(by_memory, by_compute) / static_cast<double>(units));
  return units * static_cast<uint32_t>(
                     std::clamp(waves, 1.0, double{kSlicesPerUnitMax}));
}

KernelCost ComputeArray::SliceOf(const KernelCost& cost, uint32_t count) {
  return {.hbm_bytes = (cost.hbm_bytes + count - 1) / count,
          .flops = cost.flops / count,
          .l2_bytes = (cost.l2_bytes + count - 1) / count};
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

double ComputeArray::FlowShare(uint64_t extent_bytes) const {
  const double tile_bytes = static_cast<double>(spec_.core_tile_bytes);
  const double extents = tile_bytes / static_cast<double>(extent_bytes);
  if (extents <= 1) return 1;
  const double descriptor_seconds = SecondsOf(spec_.core_descriptor_ticks);
  const double tile_seconds =
      tile_bytes * spec_.cores_per_unit / spec_.unit_hbm_bytes_per_second;
  return (descriptor_seconds + tile_seconds) /
         (extents * descriptor_seconds + tile_seconds);
}

Tick ComputeArray::BodyTicks(const KernelCost& cost, const Claim& held,
                             double flow_share) const {
  const double rate =
      std::min(FlowCap(held) * flow_share, spec_.hbm_bytes_per_second);
  return std::max(TicksOf(static_cast<double>(cost.hbm_bytes) / rate),
                  FloorTicks(cost, held));
}

Tick ComputeArray::AloneTicks(const TaskTemplate& what) const {
  const auto& kernel = std::get<KernelWork>(what.work);
  const KernelPlan& plan = kernel.plan;
  if (plan.slice_count > 0) {
    return BodyTicks(SliceOf(kernel.cost, plan.slice_count), what.claim,
                     plan.flow_share);
  }
  Tick ticks =
      SaturatingAdd(RampTicks(what.claim),
                    BodyTicks(kernel.cost, what.claim, plan.flow_share));
  if (plan.tail_claim == Claim{}) {
    ticks = SaturatingAdd(
        ticks, std::clamp<Tick>(kernel.cost.vector_ticks, 0, kDurationMax));
  }
  return ticks;
}

}  // namespace ascend::core
