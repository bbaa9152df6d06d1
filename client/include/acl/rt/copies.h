// Calls of acl/acl_rt.h on copies of rows and fills of words. acl/acl_rt.h
// includes this header.
#ifndef ACL_RT_COPIES_H_
#define ACL_RT_COPIES_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/types/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

// Copies `height` rows of `width` bytes, which begin `dpitch` and `spitch`
// bytes apart; what lies between them is not touched. At most 5,242,880 rows of
// 5,000,000 bytes; with 0 of either nothing is done. `kind` is host to device,
// device to host, device to device, or default. Null: 100000. 107000: a width
// above a pitch, too large, another kind, memory that the rows do not fit in.
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2d(void* dst, size_t dpitch,
                                           const void* src, size_t spitch,
                                           size_t width, size_t height,
                                           aclrtMemcpyKind kind);

// The same in a stream, by the rules of aclrtMemcpyAsync.
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch,
                                                const void* src, size_t spitch,
                                                size_t width, size_t height,
                                                aclrtMemcpyKind kind,
                                                aclrtStream stream);

// Fills N 32-bit words with `value`; host memory too. `memSize` is the room at
// `ptr` in bytes, which is a multiple of 4. Null: 100000. 107000: no multiple,
// no room.
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32(void* ptr, size_t memSize,
                                            uint32_t value, size_t N);

// The same in a stream, of device memory only.
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32Async(void* ptr, size_t memSize,
                                                 uint32_t value, size_t N,
                                                 aclrtStream stream);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_RT_COPIES_H_
