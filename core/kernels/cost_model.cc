#include "core/kernels/cost_model.h"

#include <algorithm>
#include <cmath>

#include "acl/ascend_rtd_ops.h"

namespace ascend::core {
namespace {

// Far beyond any real cost, and far enough below the limits of 64 bits that
// sums of a few do not overflow.
constexpr double kCountMax = 4e18;

uint64_t ToBytes(double bytes) {
  return static_cast<uint64_t>(std::min(std::ceil(bytes), kCountMax));
}

double UnitsOf(Claim claim) {
  return std::max(1u, claim.cube > 0 ? claim.cube : claim.aiv);
}

double BodySecondsAlone(const Work& work, Claim claim, const DeviceSpec& spec) {
  const double units = UnitsOf(claim);
  const double hbm_rate = std::min(spec.hbm_bytes_per_second,
                                   units * spec.unit_hbm_bytes_per_second);
  return std::max({work.hbm_bytes / hbm_rate,
                   work.flops / (units * spec.unit_flops_per_second),
                   work.l2_bytes / (units * spec.unit_l2_bytes_per_second)});
}

uint32_t UnitsOfBlocks(uint32_t num_blocks, uint32_t units,
                       uint32_t cores_per_unit) {
  const uint64_t wanted =
      (uint64_t{num_blocks} + cores_per_unit - 1) / cores_per_unit;
  return static_cast<uint32_t>(std::clamp<uint64_t>(wanted, 1, units));
}

}  // namespace

Tick TicksOfSeconds(double seconds) {
  const double ticks = std::ceil(seconds * double{kTicksPerSecond});
  return static_cast<Tick>(std::clamp(ticks, 0.0, kCountMax));
}

KernelCost CostOf(const Work& work, Claim claim, const DeviceSpec& spec) {
  KernelCost cost;
  cost.hbm_bytes = ToBytes(work.hbm_bytes);
  cost.l2_bytes = ToBytes(work.l2_bytes);
  cost.flops = work.flops;
  const double vector_seconds =
      work.vector_ops /
      (std::max(1u, claim.aiv) * spec.vector_unit_flops_per_second);
  cost.vector_ticks = SaturatingAdd(
      work.tail_ticks,
      TicksOfSeconds(vector_seconds - BodySecondsAlone(work, claim, spec)));
  return cost;
}

double RoundedUp(int64_t n, int64_t step) {
  return Steps(n, step) * static_cast<double>(step);
}

double Steps(int64_t n, int64_t step) {
  return static_cast<double>(n / step + (n % step != 0 ? 1 : 0));
}

double WaveFactor(double tiles, Claim claim, const DeviceSpec& spec) {
  const double cores = UnitsOf(claim) * spec.cores_per_unit;
  if (tiles <= cores) return 1;
  return std::ceil(tiles / cores) * cores / tiles;
}

double HalfWidthFlops(double flops, int32_t data_type, const DeviceSpec& spec) {
  return data_type == ASCRT_DT_FLOAT ? flops / spec.fp32_flops_share : flops;
}

Claim ClaimOfBlocks(CoreKind kind, uint32_t num_blocks,
                    const DeviceSpec& spec) {
  Claim claim;
  if (kind != CoreKind::kVector) {
    claim.cube =
        UnitsOfBlocks(num_blocks, spec.cube_units, spec.cores_per_unit);
  }
  if (kind != CoreKind::kCube) {
    claim.aiv = UnitsOfBlocks(num_blocks, spec.aiv_units, spec.cores_per_unit);
  }
  return claim;
}

}  // namespace ascend::core
