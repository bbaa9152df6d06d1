// Element types of the built-in kernels, by their ASCRT_DT_* number.
//
// Threading: pure functions. Ownership: none.
#ifndef ASCEND_CORE_KERNELS_DATA_TYPE_H_
#define ASCEND_CORE_KERNELS_DATA_TYPE_H_

#include <cstdint>

#include "acl/ascend_rtd_ops.h"

namespace ascend::core {

// Bytes of one element; 0 for a type that no built-in kernel knows.
constexpr uint64_t ElementBytes(int32_t data_type) {
  switch (data_type) {
    case ASCRT_DT_FLOAT:
    case ASCRT_DT_INT32:
      return 4;
    case ASCRT_DT_FLOAT16:
    case ASCRT_DT_BF16:
    case ASCRT_DT_INT16:
      return 2;
    case ASCRT_DT_INT8:
      return 1;
    default:
      return 0;
  }
}

constexpr bool IsFloatingPoint(int32_t data_type) {
  return data_type == ASCRT_DT_FLOAT || data_type == ASCRT_DT_FLOAT16 ||
         data_type == ASCRT_DT_BF16;
}

}  // namespace ascend::core

#endif  // ASCEND_CORE_KERNELS_DATA_TYPE_H_
