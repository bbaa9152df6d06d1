// softmax, rms_norm and rope: checks, ranges, cost.
#include "acl/ascend_rtd_ops.h"
#include "core/kernels/builtin_kernels.h"
#include "core/kernels/vector_kernel.h"

namespace ascend::core {
namespace {

constexpr int64_t kDimMax = kTensorBytesMax;

absl::Status CheckMatrix(int64_t rows, int64_t columns) {
  ASCEND_RETURN_IF_ERROR(CheckInteger("rows", rows, 1, kDimMax));
  return CheckInteger("columns", columns, 1, kDimMax);
}

struct SoftmaxTraits {
  using Args = ascrtSoftmaxArgs;
  static constexpr char kName[] = ASCRT_OP_SOFTMAX;
  // Maximum, difference, exponential (4), sum, quotient.
  static constexpr double kVectorOps = 8;

  static absl::Status CheckFields(const Args& args) {
    ASCEND_RETURN_IF_ERROR(CheckMatrix(args.rows, args.columns));
    return CheckReserved("reserved0", args.reserved0);
  }

  static std::vector<Tensor> Tensors(const Args& args) {
    return {{"x", args.x, {args.rows, args.columns}, Access::kRead},
            {"y", args.y, {args.rows, args.columns}, Access::kWrite, "x"}};
  }
};

struct RmsNormTraits {
  using Args = ascrtRmsNormArgs;
  static constexpr char kName[] = ASCRT_OP_RMS_NORM;
  // Square, sum, two products.
  static constexpr double kVectorOps = 4;

  static absl::Status CheckFields(const Args& args) {
    ASCEND_RETURN_IF_ERROR(CheckMatrix(args.rows, args.columns));
    return CheckFloat("epsilon", args.epsilon, 0);
  }

  static std::vector<Tensor> Tensors(const Args& args) {
    return {{"x", args.x, {args.rows, args.columns}, Access::kRead},
            {"weight", args.weight, {args.columns}, Access::kRead},
            {"y", args.y, {args.rows, args.columns}, Access::kWrite, "x"}};
  }
};

struct RopeTraits {
  using Args = ascrtRopeArgs;
  static constexpr char kName[] = ASCRT_OP_ROPE;
  // Two products and a sum; the angles are shared by all heads.
  static constexpr double kVectorOps = 3;

  static absl::Status CheckFields(const Args& args) {
    ASCEND_RETURN_IF_ERROR(CheckInteger("batch", args.batch, 1, kDimMax));
    ASCEND_RETURN_IF_ERROR(CheckInteger("heads", args.heads, 1, kDimMax));
    ASCEND_RETURN_IF_ERROR(CheckInteger("length", args.length, 1, kDimMax));
    ASCEND_RETURN_IF_ERROR(
        CheckInteger("head_size", args.head_size, 1, kDimMax));
    ASCEND_RETURN_IF_ERROR(
        CheckInteger("rotary_size", args.rotary_size, 0, args.head_size));
    ASCEND_RETURN_IF_ERROR(CheckRotarySizeIsEven(args));
    ASCEND_RETURN_IF_ERROR(CheckInteger("first_position", args.first_position,
                                        0, int64_t{1} << 40));
    if (args.base != 0) {
      ASCEND_RETURN_IF_ERROR(CheckFloat("base", args.base, 1));
    }
    ASCEND_RETURN_IF_ERROR(CheckFlag("interleaved", args.interleaved));
    return CheckReserved("reserved0", args.reserved0);
  }

  static absl::Status CheckRotarySizeIsEven(const Args& args) {
    const bool whole = args.rotary_size == 0;
    const int64_t size = whole ? args.head_size : args.rotary_size;
    if (size % 2 == 0) return absl::OkStatus();
    return RefuseField(whole ? "head_size" : "rotary_size", size,
                       "the elements that turn come in pairs: it must be even");
  }

  static std::vector<Tensor> Tensors(const Args& args) {
    const std::vector<int64_t> dims = {args.batch, args.heads, args.length,
                                       args.head_size};
    return {{"x", args.x, dims, Access::kRead},
            {"y", args.y, dims, Access::kWrite, "x"}};
  }
};

}  // namespace

KernelDescriptor SoftmaxDescriptor() {
  return VectorKernel<SoftmaxTraits>::Descriptor();
}

KernelDescriptor RmsNormDescriptor() {
  return VectorKernel<RmsNormTraits>::Descriptor();
}

KernelDescriptor RopeDescriptor() {
  return VectorKernel<RopeTraits>::Descriptor();
}

}  // namespace ascend::core
