// Collectives: checks, ranges, cost.
#include <algorithm>

#include "acl/ascend_rtd_ops.h"
#include "core/base/status_macros.h"
#include "core/kernels/argument_block.h"
#include "core/kernels/argument_checks.h"
#include "core/kernels/builtin_kernels.h"
#include "core/kernels/cost_model.h"
#include "core/kernels/data_type.h"

namespace ascend::core {
namespace {

using AllReduceArgs = ascrtAllReduceArgs;

std::vector<Tensor> TensorsOf(const AllReduceArgs& args) {
  return {{"x", args.x, {args.count}, Access::kRead},
          {"y", args.y, {args.count}, Access::kWrite, "*"}};
}

absl::Status CheckAllReduce(std::span<const std::byte> bytes) {
  constexpr int64_t kRanksMax = 1024;
  ASCEND_RETURN_IF_ERROR(CheckBlock(bytes, sizeof(AllReduceArgs)));
  const AllReduceArgs args = LoadBlock<AllReduceArgs>(bytes);
  ASCEND_RETURN_IF_ERROR(CheckDataType(args.data_type));
  ASCEND_RETURN_IF_ERROR(CheckInteger("count", args.count, 1, kTensorBytesMax));
  ASCEND_RETURN_IF_ERROR(
      CheckInteger("ranks", int64_t{args.ranks}, 2, kRanksMax));
  return CheckTensors(TensorsOf(args), args.data_type);
}

std::vector<DeviceRange> AllReduceRanges(std::span<const std::byte> bytes) {
  const AllReduceArgs args = LoadBlock<AllReduceArgs>(bytes);
  return RangesOf(TensorsOf(args), args.data_type);
}

// A small all-reduce takes the latency of its steps, whatever it moves (timing
// model, section 2: 16 KB among 8 ranks). A large one is a ring: each rank
// sends 2 (ranks - 1) / ranks of the data, at the rate of the unit that it
// holds.
KernelCost AllReduceCost(std::span<const std::byte> bytes, Claim,
                         const DeviceSpec& spec) {
  const AllReduceArgs args = LoadBlock<AllReduceArgs>(bytes);
  const double data_bytes = static_cast<double>(args.count) *
                            static_cast<double>(ElementBytes(args.data_type));
  const double ranks = args.ranks;
  const double sent_bytes = 2 * (ranks - 1) / ranks * data_bytes;
  const double seconds = sent_bytes / spec.dma_device_bytes_per_second;
  KernelCost cost;
  cost.vector_ticks = std::max(spec.collective_ticks, TicksOfSeconds(seconds));
  cost.tail_jitter = spec.collective_jitter;
  return cost;
}

}  // namespace

KernelDescriptor AllReduceDescriptor() {
  return {.name = ASCRT_OP_ALL_REDUCE,
          .core_kind = CoreKind::kVector,
          .args_bytes = sizeof(AllReduceArgs),
          .claim = {.dma = 1},
          .has_dispatch_gap = false,
          .check = CheckAllReduce,
          .ranges = AllReduceRanges,
          .cost = AllReduceCost};
}

}  // namespace ascend::core
