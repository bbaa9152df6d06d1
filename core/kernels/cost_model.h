// Cost model: from the work of a kernel to its cost in the timing model.
//
// A kernel's cost function counts work from shapes alone: bytes, matrix FLOP,
// vector operations. CostOf turns the count into a KernelCost under a claim.
//
// The timing model runs the body, then the vector tail. Vector work that keeps
// pace with the body costs nothing extra, so only its excess over the body,
// taken alone on an idle device, joins the tail:
//   vector_ticks = tail + max(0, vector_ops / (aiv * vector rate) - body alone)
//   body alone   = max(hbm_bytes / min(device rate, u * unit rate),
//                      flops / (u * F_u), l2_bytes / (u * b_L2))
// with u the CUBE units of the claim, or its AIV units when it has none.
//
// Threading: pure functions. Ownership: value types.
#ifndef ASCEND_CORE_KERNELS_COST_MODEL_H_
#define ASCEND_CORE_KERNELS_COST_MODEL_H_

#include <cstdint>

#include "core/kernels/descriptor.h"

namespace ascend::core {

// Counts are doubles: hostile shapes overflow 64 bits, and a cost needs no
// more than 53 bits of precision.
struct Work {
  double hbm_bytes = 0;
  double l2_bytes = 0;
  double flops = 0;       // on CUBE units, at their half-width rate
  double vector_ops = 0;  // lane operations on AIV units
  Tick tail_ticks = 0;    // vector work that nothing hides
};

// Whole ticks, rounded up; 0 for what is not positive.
Tick TicksOfSeconds(double seconds);

KernelCost CostOf(const Work& work, Claim claim, const DeviceSpec& spec);

// The side of the square of operands that a CUBE core multiplies in one step:
// matrix dimensions are padded to a multiple of it. Source: 4096
// multiply-accumulates per clock = 16 x 16 x 16 (timing model, F_u).
inline constexpr int64_t kCubeSide = 16;
// The rows and columns of the tile of results that one core keeps: the largest
// square of fp32 sums with a power of two as its side that fits in half of the
// 256 KiB accumulator (L0C of the 910A), the other half being drained.
inline constexpr int64_t kCoreTile = 128;

// `n` rounded up to a multiple of `step`, and how many steps that is.
double RoundedUp(int64_t n, int64_t step);
double Steps(int64_t n, int64_t step);

// Wave quantisation: by what factor `tiles` equal tiles take longer than
// tiles / cores of one tile's time, because the last wave is not full. Below
// one wave it is 1: a kernel then cuts its tiles smaller.
double WaveFactor(double tiles, Claim claim, const DeviceSpec& spec);

// FLOP of fp32 operands in half-width FLOP, for Work::flops.
double HalfWidthFlops(double flops, int32_t data_type, const DeviceSpec& spec);

}  // namespace ascend::core

#endif  // ASCEND_CORE_KERNELS_COST_MODEL_H_
