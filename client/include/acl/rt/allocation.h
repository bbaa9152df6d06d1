// Calls of acl/acl_rt.h on memory beside aclrtMalloc and aclrtFree: options,
// frees that wait, what an address is. acl/acl_rt.h includes this header.
#ifndef ACL_RT_ALLOCATION_H_
#define ACL_RT_ALLOCATION_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/types/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

// As aclrtMalloc, with options: ACL_RT_MEM_ATTR_DEVICE_ID names the device,
// which is else the current one, and ACL_RT_MEM_ATTR_MODULE_ID changes nothing.
// The last of several of one kind counts. `policy` may have the flags from
// 0x100 up. A null `cfg` has no options. 107000: another option; 107001: no
// such device.
ACL_FUNC_VISIBILITY aclError aclrtMallocWithCfg(void** devPtr, size_t size,
                                                aclrtMemMallocPolicy policy,
                                                aclrtMallocConfig* cfg);

// As aclrtMalloc, but reserves no 32 bytes behind the size, which is rounded up
// to 32.
ACL_FUNC_VISIBILITY aclError aclrtMallocAlign32(void** devPtr, size_t size,
                                                aclrtMemMallocPolicy policy);

// As aclrtMallocHost, with options: ACL_RT_MEM_ATTR_VA_FLAG (0 or 1, the device
// address is the host address with both) and ACL_RT_MEM_ATTR_MODULE_ID change
// nothing. A null `cfg` has no options. 107000: another option.
ACL_FUNC_VISIBILITY aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size,
                                                    aclrtMallocConfig* cfg);

// Waits until every stream of the memory's device is idle, then frees as
// aclrtFree. If a task has failed its code comes back, and the memory is freed.
ACL_FUNC_VISIBILITY aclError aclrtFreeWithDevSync(void* devPtr);

// Waits until every stream of the current device is idle, then frees as
// aclrtFreeHost. If a task has failed its code comes back, and the memory is
// freed.
ACL_FUNC_VISIBILITY aclError aclrtFreeHostWithDevSync(void* hostPtr);

// Where an address lies; needs no context. `location.type` is DEVICE, with the
// device in `location.id`; HOST for page-locked or registered memory; else
// UNREGISTERED, also when it was freed already. `pageSize` is bytes, that of
// the policy's pages on a device (also if an allocation that prefers huge ones
// had to do without), and 0 when it is unknown.
ACL_FUNC_VISIBILITY aclError
aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes);

// Start and size, as asked for, of the allocation of device memory that has the
// byte at `ptr`. 107000: none has it.
ACL_FUNC_VISIBILITY aclError aclrtMemGetAddressRange(void* ptr, void** pbase,
                                                     size_t* psize);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_RT_ALLOCATION_H_
