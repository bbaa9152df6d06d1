// matmul: checks, ranges, cost.
#include <algorithm>
#include <cmath>

#include "acl/ascend_rtd_ops.h"
#include "core/base/status_macros.h"
#include "core/kernels/argument_block.h"
#include "core/kernels/argument_checks.h"
#include "core/kernels/builtin_kernels.h"
#include "core/kernels/cost_model.h"
#include "core/kernels/data_type.h"

namespace ascend::core {
namespace {

using MatmulArgs = ascrtMatmulArgs;

int64_t Batch(const MatmulArgs& args) {
  return args.batch == 0 ? 1 : args.batch;
}

std::vector<Tensor> TensorsOf(const MatmulArgs& args) {
  const int64_t batch = Batch(args);
  return {{"a", args.a, {batch, args.m, args.k}, Access::kRead},
          {"b", args.b, {batch, args.k, args.n}, Access::kRead},
          {"c", args.c, {batch, args.m, args.n}, Access::kWrite}};
}

absl::Status CheckFields(const MatmulArgs& args) {
  constexpr int64_t kMax = kTensorBytesMax;
  ASCEND_RETURN_IF_ERROR(CheckDataType(args.data_type));
  ASCEND_RETURN_IF_ERROR(CheckInteger("m", args.m, 1, kMax));
  ASCEND_RETURN_IF_ERROR(CheckInteger("n", args.n, 1, kMax));
  ASCEND_RETURN_IF_ERROR(CheckInteger("k", args.k, 1, kMax));
  ASCEND_RETURN_IF_ERROR(CheckInteger("batch", args.batch, 0, kMax));
  ASCEND_RETURN_IF_ERROR(CheckFlag("transpose_a", args.transpose_a));
  ASCEND_RETURN_IF_ERROR(CheckFlag("transpose_b", args.transpose_b));
  return CheckReserved("reserved0", args.reserved0);
}

absl::Status CheckMatmul(std::span<const std::byte> bytes) {
  ASCEND_RETURN_IF_ERROR(CheckBlock(bytes, sizeof(MatmulArgs)));
  const MatmulArgs args = LoadBlock<MatmulArgs>(bytes);
  ASCEND_RETURN_IF_ERROR(CheckFields(args));
  return CheckTensors(TensorsOf(args), args.data_type);
}

std::vector<DeviceRange> MatmulRanges(std::span<const std::byte> bytes) {
  const MatmulArgs args = LoadBlock<MatmulArgs>(bytes);
  return RangesOf(TensorsOf(args), args.data_type);
}

// HBM traffic of one product. When an operand fits in half of L2 it stays
// there and everything moves once; else the cheaper operand order is blocked
// into L2 and the other operand is read once per block of it.
double HbmBytes(double a_bytes, double b_bytes, double c_bytes,
                const DeviceSpec& spec) {
  const double half_l2 = static_cast<double>(spec.l2_bytes) / 2;
  const double keep_a = a_bytes + b_bytes * std::ceil(a_bytes / half_l2);
  const double keep_b = b_bytes + a_bytes * std::ceil(b_bytes / half_l2);
  return std::min(keep_a, keep_b) + c_bytes;
}

// Each core keeps a kCoreTile square of C and streams a row panel of A and a
// column panel of B for it out of L2. FLOP 2 m n k, dimensions padded to the
// cube. The tail is the epilogue that converts and writes the last tiles
// (timing model, section 2).
KernelCost MatmulCost(std::span<const std::byte> bytes, Claim claim,
                      const DeviceSpec& spec) {
  const MatmulArgs args = LoadBlock<MatmulArgs>(bytes);
  const double element_bytes =
      static_cast<double>(ElementBytes(args.data_type));
  const double batch = static_cast<double>(Batch(args));
  const double m = static_cast<double>(args.m);
  const double n = static_cast<double>(args.n);
  const double k = static_cast<double>(args.k);
  const double a_bytes = m * k * element_bytes;
  const double b_bytes = k * n * element_bytes;
  const double c_bytes = m * n * element_bytes;
  const double tile_rows = Steps(args.m, kCoreTile);
  const double tile_columns = Steps(args.n, kCoreTile);

  Work work;
  work.hbm_bytes = batch * HbmBytes(a_bytes, b_bytes, c_bytes, spec);
  work.l2_bytes =
      batch * (a_bytes * tile_columns + b_bytes * tile_rows + c_bytes);
  work.flops = HalfWidthFlops(
      2 * batch * RoundedUp(args.m, kCubeSide) * RoundedUp(args.n, kCubeSide) *
          RoundedUp(args.k, kCubeSide) *
          WaveFactor(batch * tile_rows * tile_columns, claim, spec),
      args.data_type, spec);
  work.tail_ticks = spec.matmul_epilogue_ticks;
  return CostOf(work, claim, spec);
}

}  // namespace

KernelDescriptor MatmulDescriptor() {
  return {.name = ASCRT_OP_MATMUL,
          .core_kind = CoreKind::kMix,
          .args_bytes = sizeof(MatmulArgs),
          .check = CheckMatmul,
          .ranges = MatmulRanges,
          .cost = MatmulCost};
}

}  // namespace ascend::core
