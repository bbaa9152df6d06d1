// flash_attention: checks, ranges, cost.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "acl/ascend_rtd_ops.h"
#include "core/base/status_macros.h"
#include "core/kernels/argument_block.h"
#include "core/kernels/argument_checks.h"
#include "core/kernels/builtin_kernels.h"
#include "core/kernels/cost_model.h"
#include "core/kernels/data_type.h"

namespace ascend::core {
namespace {

using AttentionArgs = ascrtFlashAttentionArgs;

// Per score: scale, running maximum, subtraction, exponential (4 lane
// operations on the vector unit), row sum.
constexpr double kVectorOpsPerScore = 8;

int64_t KvHeads(const AttentionArgs& args) {
  return args.kv_heads == 0 ? args.heads : args.kv_heads;
}

int64_t KvLength(const AttentionArgs& args) {
  return args.kv_length == 0 ? args.q_length : args.kv_length;
}

std::vector<Tensor> TensorsOf(const AttentionArgs& a) {
  const std::vector<int64_t> q_dims = {a.batch, a.heads, a.q_length,
                                       a.head_size};
  const std::vector<int64_t> kv_dims = {a.batch, KvHeads(a), KvLength(a),
                                        a.head_size};
  return {{"q", a.q, q_dims, Access::kRead},
          {"k", a.k, kv_dims, Access::kRead},
          {"v", a.v, kv_dims, Access::kRead},
          {"o", a.o, q_dims, Access::kWrite}};
}

absl::Status CheckFields(const AttentionArgs& a) {
  constexpr int64_t kMax = kTensorBytesMax;
  ASCEND_RETURN_IF_ERROR(CheckDataType(a.data_type));
  ASCEND_RETURN_IF_ERROR(CheckInteger("batch", a.batch, 1, kMax));
  ASCEND_RETURN_IF_ERROR(CheckInteger("heads", a.heads, 1, kMax));
  ASCEND_RETURN_IF_ERROR(CheckInteger("q_length", a.q_length, 1, kMax));
  ASCEND_RETURN_IF_ERROR(CheckInteger("kv_length", a.kv_length, 0, kMax));
  ASCEND_RETURN_IF_ERROR(
      CheckInteger("head_size", a.head_size, 1, ASCRT_ATTENTION_HEAD_SIZE_MAX));
  ASCEND_RETURN_IF_ERROR(CheckInteger("kv_heads", a.kv_heads, 0, a.heads));
  if (a.heads % KvHeads(a) != 0) {
    return RefuseField(
        "kv_heads", a.kv_heads,
        absl::StrCat("it must divide heads, which is ", a.heads));
  }
  ASCEND_RETURN_IF_ERROR(CheckFloat("scale", a.scale, kNoLowerLimit));
  ASCEND_RETURN_IF_ERROR(CheckFlag("causal", a.causal));
  return CheckReserved("reserved0", a.reserved0);
}

absl::Status CheckAttention(std::span<const std::byte> bytes) {
  ASCEND_RETURN_IF_ERROR(CheckBlock(bytes, sizeof(AttentionArgs)));
  const AttentionArgs args = LoadBlock<AttentionArgs>(bytes);
  ASCEND_RETURN_IF_ERROR(CheckFields(args));
  return CheckTensors(TensorsOf(args), args.data_type);
}

std::vector<DeviceRange> AttentionRanges(std::span<const std::byte> bytes) {
  const AttentionArgs args = LoadBlock<AttentionArgs>(bytes);
  return RangesOf(TensorsOf(args), args.data_type);
}

// The share of the score matrix of one head that is computed: all of it, or
// the keys up to the diagonal that ends in the last corner.
double VisibleShare(const AttentionArgs& a) {
  if (a.causal == 0) return 1;
  const double rows = static_cast<double>(a.q_length);
  const double keys = static_cast<double>(KvLength(a));
  // Row i sees max(0, i + 1 + keys - rows) keys; the rows that see some.
  const double seeing = std::min(rows, keys);
  const double first = std::max(1.0, keys - rows + 1);
  return seeing * (first + keys) / 2 / (rows * keys);
}

// Counts, with D the head size, G = heads / kv_heads, and T the tile of
// kCoreTile query rows that share a pass over the keys:
//  - the G heads of a group stand below each other in one matrix of G *
//  q_length
//    rows, so K and V are streamed ceil(rows / T) times out of L2;
//  - HBM moves Q, K, V and O once, as long as the K and V of the heads at work
//    fit in L2, else K and V once per pass;
//  - two products: 4 * rows * keys * D FLOP, dimensions padded to the cube;
//  - masked tiles are skipped, which scales passes, FLOP and vector work.
// The tail is the last tile's softmax (timing model, section 2).
KernelCost AttentionCost(std::span<const std::byte> bytes, Claim claim,
                         const DeviceSpec& spec) {
  const AttentionArgs a = LoadBlock<AttentionArgs>(bytes);
  const double element_bytes = static_cast<double>(ElementBytes(a.data_type));
  const double groups =
      static_cast<double>(a.batch) * static_cast<double>(KvHeads(a));
  // Bounded by a tensor's size, hence no overflow.
  const int64_t rows = a.heads / KvHeads(a) * a.q_length;
  const double head_bytes = static_cast<double>(a.head_size) * element_bytes;
  const double q_bytes = groups * static_cast<double>(rows) * head_bytes;
  const double kv_bytes =
      groups * 2 * static_cast<double>(KvLength(a)) * head_bytes;
  const double passes = Steps(rows, kCoreTile);
  const double visible = VisibleShare(a);
  const double streamed_bytes = kv_bytes * std::max(1.0, passes * visible);
  const double cores = std::max(1u, claim.cube) * spec.cores_per_unit;
  const double at_work = std::min(groups, std::max(1.0, cores / passes));
  const bool resident =
      kv_bytes / groups * at_work <= static_cast<double>(spec.l2_bytes);

  Work work;
  work.hbm_bytes = 2 * q_bytes + (resident ? kv_bytes : streamed_bytes);
  work.l2_bytes = 2 * q_bytes + streamed_bytes;
  work.flops = HalfWidthFlops(4 * groups * RoundedUp(rows, kCubeSide) *
                                  RoundedUp(KvLength(a), kCubeSide) *
                                  RoundedUp(a.head_size, kCubeSide) * visible *
                                  WaveFactor(groups * passes, claim, spec),
                              a.data_type, spec);
  work.vector_ops = kVectorOpsPerScore * groups * static_cast<double>(rows) *
                    static_cast<double>(KvLength(a)) * visible;
  work.tail_ticks = spec.attention_tail_ticks;
  return CostOf(work, claim, spec);
}

}  // namespace

KernelDescriptor FlashAttentionDescriptor() {
  return {.name = ASCRT_OP_FLASH_ATTENTION,
          .core_kind = CoreKind::kMix,
          .args_bytes = sizeof(AttentionArgs),
          .has_vector_body = true,
          .check = CheckAttention,
          .ranges = AttentionRanges,
          .cost = AttentionCost};
}

}  // namespace ascend::core
