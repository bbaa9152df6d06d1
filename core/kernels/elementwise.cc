// add, mul, silu_mul, fill and reduce: checks, ranges, cost.
#include "acl/ascend_rtd_ops.h"
#include "core/kernels/builtin_kernels.h"
#include "core/kernels/vector_kernel.h"

namespace ascend::core {
namespace {

absl::Status CheckCount(int64_t count) {
  return CheckInteger("count", count, 1, int64_t{kTensorBytesMax});
}

struct BinaryTraits {
  using Args = ascrtBinaryArgs;
  static constexpr double kVectorOps = 1;

  static absl::Status CheckFields(const Args& args) {
    ASCEND_RETURN_IF_ERROR(CheckCount(args.count));
    return CheckReserved("reserved0", args.reserved0);
  }

  static std::vector<Tensor> Tensors(const Args& args) {
    return {{"x", args.x, {args.count}, Access::kRead},
            {"y", args.y, {args.count}, Access::kRead},
            {"z", args.z, {args.count}, Access::kWrite, "*"}};
  }
};

struct AddTraits : BinaryTraits {
  static constexpr char kName[] = ASCRT_OP_ADD;
};

struct MulTraits : BinaryTraits {
  static constexpr char kName[] = ASCRT_OP_MUL;
};

struct SiluMulTraits {
  using Args = ascrtSiluMulArgs;
  static constexpr char kName[] = ASCRT_OP_SILU_MUL;
  // Negation, exponential (4), sum, quotient, product.
  static constexpr double kVectorOps = 8;

  static absl::Status CheckFields(const Args& args) {
    ASCEND_RETURN_IF_ERROR(CheckCount(args.count));
    return CheckReserved("reserved0", args.reserved0);
  }

  static std::vector<Tensor> Tensors(const Args& args) {
    return {{"gate", args.gate, {args.count}, Access::kRead},
            {"up", args.up, {args.count}, Access::kRead},
            {"y", args.y, {args.count}, Access::kWrite, "*"}};
  }
};

struct FillTraits {
  using Args = ascrtFillArgs;
  static constexpr char kName[] = ASCRT_OP_FILL;
  static constexpr double kVectorOps = 1;

  static absl::Status CheckFields(const Args& args) {
    return CheckCount(args.count);
  }

  static std::vector<Tensor> Tensors(const Args& args) {
    return {{"y", args.y, {args.count}, Access::kWrite}};
  }
};

struct ReduceTraits {
  using Args = ascrtReduceArgs;
  static constexpr char kName[] = ASCRT_OP_REDUCE;
  static constexpr double kVectorOps = 1;
  static constexpr bool kTakesIntegers = true;

  static absl::Status CheckFields(const Args& args) {
    ASCEND_RETURN_IF_ERROR(CheckCount(args.count));
    return CheckInteger("operation", args.operation, ASCRT_REDUCE_SUM,
                        ASCRT_REDUCE_MIN);
  }

  static std::vector<Tensor> Tensors(const Args& args) {
    return {{"x", args.x, {args.count}, Access::kRead},
            {"y", args.y, {args.count}, Access::kRead},
            {"z", args.z, {args.count}, Access::kWrite, "*"}};
  }
};

}  // namespace

KernelDescriptor AddDescriptor() {
  return VectorKernel<AddTraits>::Descriptor();
}

KernelDescriptor MulDescriptor() {
  return VectorKernel<MulTraits>::Descriptor();
}

KernelDescriptor SiluMulDescriptor() {
  return VectorKernel<SiluMulTraits>::Descriptor();
}

KernelDescriptor FillDescriptor() {
  return VectorKernel<FillTraits>::Descriptor();
}

KernelDescriptor ReduceDescriptor() {
  return VectorKernel<ReduceTraits>::Descriptor();
}

}  // namespace ascend::core
