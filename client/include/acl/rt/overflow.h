// Calls of acl/acl_rt.h on overflow of floating point, and hints that change no
// result. acl/acl_rt.h includes this header.
#ifndef ACL_RT_OVERFLOW_H_
#define ACL_RT_OVERFLOW_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/types/device.h"
#include "acl/types/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Overflow --------------------------------------------------------------
// Kernels of this release compute with infinities and NaN, as
// ACL_RT_OVERFLOW_MODE_INFNAN says, whatever is set: nothing saturates and no
// overflow is noted.

// Of the current device in this process; infinities until set. 107000: any
// other mode than the two.
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);
ACL_FUNC_VISIBILITY aclError
aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode);

// Whether overflows of the stream are detected: 1 or 0, as at its creation.
// Null: default stream. 107000: any other number.
ACL_FUNC_VISIBILITY aclError aclrtSetStreamOverflowSwitch(aclrtStream stream,
                                                          uint32_t flag);
ACL_FUNC_VISIBILITY aclError aclrtGetStreamOverflowSwitch(aclrtStream stream,
                                                          uint32_t* flag);

// Puts a task into the stream that writes 64 bytes to device memory: zeros, no
// overflow. Null: default stream. 107000: outputSize is less, or the memory is
// not allocated.
ACL_FUNC_VISIBILITY aclError aclrtGetOverflowStatus(void* outputAddr,
                                                    size_t outputSize,
                                                    aclrtStream stream);

// Forgets overflows. Null: default stream.
ACL_FUNC_VISIBILITY aclError aclrtResetOverflowStatus(aclrtStream stream);

// ---- Hints -----------------------------------------------------------------

// What the L2 cache should do with device memory, ACL_RT_CMO_TYPE_*. The
// simulated cache is coherent and does as it likes. Null: default stream.
// 107000: size is 0, an unknown type, or memory that is not allocated on the
// stream's device.
ACL_FUNC_VISIBILITY aclError aclrtCmoAsync(void* src, size_t size,
                                           aclrtCmoType cmoType,
                                           aclrtStream stream);

// What a profiler should know of the task that was captured last. There are no
// captures yet, and so no such task. 107000: infoSize is 0.
ACL_FUNC_VISIBILITY aclError aclrtCacheLastTaskOpInfo(const void* const infoPtr,
                                                      const size_t infoSize);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_RT_OVERFLOW_H_
