// Calls of acl/acl_rt.h that combine device memory with device memory.
// acl/acl_rt.h includes this header.
#ifndef ACL_RT_REDUCE_H_
#define ACL_RT_REDUCE_H_

#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/types/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

// Puts a task into the stream: dst = dst op src, element by element, over
// `count` bytes (not elements) of device memory at each. `kind` is
// ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, _MAX or _MIN; `type` is ACL_INT8,
// ACL_INT16, ACL_INT32, ACL_FLOAT16, ACL_BF16 or ACL_FLOAT. Nothing saturates:
// sums of integers wrap around, those of floats become infinite; sums of 16-bit
// floats are rounded to nearest even; a maximum or minimum is NaN where an
// operand is. Null: default stream. `reserve`: null.
//
// 107000: another kind or type; count is 0 or not a multiple of the element;
// dst or src is not aligned to the element, or not allocated on the stream's
// device; dst and src overlap without being the same; reserve is not null.
// 207000: ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL, whose result is documented
// nowhere.
ACL_FUNC_VISIBILITY aclError aclrtReduceAsync(
    void* dst, const void* src, uint64_t count, aclrtReduceKind kind,
    aclDataType type, aclrtStream stream, void* reserve);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_RT_REDUCE_H_
