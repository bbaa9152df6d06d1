// Calls of acl/acl_rt.h on device, limits, overflow that this release does not
// have. They link, do nothing and answer 200001; acl/acl_rt.h includes this
// header.
#ifndef ACL_UNSUPPORTED_DEVICE_H_
#define ACL_UNSUPPORTED_DEVICE_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/types/device.h"
#include "acl/types/memory.h"
#include "acl/types/virtual_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Device ----------------------------------------------------------------

ACL_FUNC_VISIBILITY aclError aclrtSetTsDevice(aclrtTsId tsId);
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetHostAtomicCapabilities(
    uint32_t* capabilities, const aclrtAtomicOperation* operations,
    const uint32_t count, int32_t deviceId);
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetP2PAtomicCapabilities(
    uint32_t* capabilities, const aclrtAtomicOperation* operations,
    const uint32_t count, int32_t srcDeviceId, int32_t dstDeviceId);
ACL_FUNC_VISIBILITY aclError aclrtDeviceL2CacheFlush(void* rsv);

// ---- Time-outs and limits of cores and memory ------------------------------

ACL_FUNC_VISIBILITY aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit,
                                                 size_t value);
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit,
                                                 size_t* value);

// ---- Overflow of floating point --------------------------------------------

ACL_FUNC_VISIBILITY aclError aclrtCtxGetFloatOverflowAddr(void** overflowAddr);
ACL_FUNC_VISIBILITY aclError aclrtGetFloatOverflowStatus(void* outputAddr,
                                                         uint64_t outputSize,
                                                         aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclrtResetFloatOverflowStatus(aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclrtNpuGetFloatOverFlowStatus(void* outputAddr,
                                                            uint64_t outputSize,
                                                            uint32_t checkMode,
                                                            aclrtStream stream);
ACL_FUNC_VISIBILITY aclError
aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode, aclrtStream stream);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_UNSUPPORTED_DEVICE_H_
