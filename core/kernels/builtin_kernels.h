// The descriptors of the built-in kernels, one factory per kernel. The catalog
// sets their ids.
//
// How a cost is made is documented beside each kernel; cost_model.h has the
// rules they share.
//
// Threading: pure functions. Ownership: value types.
#ifndef ASCEND_CORE_KERNELS_BUILTIN_KERNELS_H_
#define ASCEND_CORE_KERNELS_BUILTIN_KERNELS_H_

#include "core/kernels/descriptor.h"

namespace ascend::core {

KernelDescriptor FlashAttentionDescriptor();
KernelDescriptor MatmulDescriptor();
KernelDescriptor AddDescriptor();
KernelDescriptor MulDescriptor();
KernelDescriptor SoftmaxDescriptor();
KernelDescriptor RmsNormDescriptor();
KernelDescriptor RopeDescriptor();
KernelDescriptor SiluMulDescriptor();
KernelDescriptor FillDescriptor();
KernelDescriptor ReduceDescriptor();
KernelDescriptor AllReduceDescriptor();

}  // namespace ascend::core

#endif  // ASCEND_CORE_KERNELS_BUILTIN_KERNELS_H_
