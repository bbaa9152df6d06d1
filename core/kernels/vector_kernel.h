// Descriptors of kernels that run on AIV units alone. They differ only in their
// fields, their tensors and their vector operations per element, so one
// template makes the four functions of a descriptor from a traits type:
//
//   struct AddTraits {
//     using Args = ascrtAddArgs;
//     static constexpr char kName[] = "add";
//     static constexpr double kVectorOps = 1;         // per element
//     static constexpr bool kTakesIntegers = true;    // may be left out
//     static absl::Status CheckFields(const Args&);   // all but the tensors
//     static std::vector<Tensor> Tensors(const Args&);  // the output last
//   };
//
// Cost: each tensor moves once through HBM, which is what bounds these kernels;
// arithmetic counts where it exceeds that; the tail is the least time that a
// vector kernel takes (timing model, section 2: 3 us).
//
// Threading: pure functions. Ownership: none.
#ifndef ASCEND_CORE_KERNELS_VECTOR_KERNEL_H_
#define ASCEND_CORE_KERNELS_VECTOR_KERNEL_H_

#include "core/base/status_macros.h"
#include "core/kernels/argument_block.h"
#include "core/kernels/argument_checks.h"
#include "core/kernels/cost_model.h"
#include "core/kernels/data_type.h"
#include "core/kernels/descriptor.h"

namespace ascend::core {

template <typename Traits>
struct VectorKernel {
  using Args = typename Traits::Args;

  static absl::Status Check(std::span<const std::byte> bytes) {
    ASCEND_RETURN_IF_ERROR(CheckBlock(bytes, sizeof(Args)));
    const Args args = LoadBlock<Args>(bytes);
    ASCEND_RETURN_IF_ERROR(CheckType(args.data_type));
    ASCEND_RETURN_IF_ERROR(Traits::CheckFields(args));
    return CheckTensors(Traits::Tensors(args), args.data_type);
  }

  static absl::Status CheckType(int32_t data_type) {
    if constexpr (requires { Traits::kTakesIntegers; }) {
      return CheckNumberType(data_type);
    } else {
      return CheckDataType(data_type);
    }
  }

  static std::vector<DeviceRange> Ranges(std::span<const std::byte> bytes) {
    const Args args = LoadBlock<Args>(bytes);
    return RangesOf(Traits::Tensors(args), args.data_type);
  }

  static KernelCost Cost(std::span<const std::byte> bytes, Claim claim,
                         const DeviceSpec& spec) {
    const Args args = LoadBlock<Args>(bytes);
    Work work;
    double output_bytes = 0;
    for (const DeviceRange& range :
         RangesOf(Traits::Tensors(args), args.data_type)) {
      output_bytes = static_cast<double>(range.bytes);
      work.hbm_bytes += output_bytes;
    }
    work.l2_bytes = work.hbm_bytes;
    work.vector_ops = Traits::kVectorOps * output_bytes /
                      static_cast<double>(ElementBytes(args.data_type));
    work.tail_ticks = spec.vector_kernel_ticks;
    return CostOf(work, claim, spec);
  }

  static KernelDescriptor Descriptor() {
    return {.name = Traits::kName,
            .core_kind = CoreKind::kVector,
            .args_bytes = sizeof(Args),
            .check = Check,
            .ranges = Ranges,
            .cost = Cost};
  }
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_KERNELS_VECTOR_KERNEL_H_
