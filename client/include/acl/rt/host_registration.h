// Calls of acl/acl_rt.h that make memory of the program known, so that copies
// treat it as page-locked. acl/acl_rt.h includes this header.
//
// The address of such memory for the device is its host address. Copies take
// it; kernels run where they cannot reach it and fault.
#ifndef ACL_RT_HOST_REGISTRATION_H_
#define ACL_RT_HOST_REGISTRATION_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/types/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes `size` bytes from `ptr` on known, at any alignment, and stores their
// address for the device. The memory must live until it is unregistered.
// 100000: a size of 0; 107000: an unknown type, or device memory; 207000:
// ACL_HOST_REGISTER_IOMEMORY; 507910: page-locked or registered memory has a
// part of the range.
ACL_FUNC_VISIBILITY aclError aclrtHostRegister(void* ptr, uint64_t size,
                                               aclrtHostRegisterType type,
                                               void** devPtr);

// The same by ACL_HOST_REG_* flags, at least one of MAPPED and PINNED. With
// MAPPED the range has an address for the device, which
// aclrtHostGetDevicePointer tells. 107000: other flags; else as above.
ACL_FUNC_VISIBILITY aclError aclrtHostRegisterV2(void* ptr, uint64_t size,
                                                 uint32_t flag);

// The address for the device of a byte of mapped or page-locked memory. `flag`
// must be 0. 107000: the memory is neither.
ACL_FUNC_VISIBILITY aclError aclrtHostGetDevicePointer(void* pHost,
                                                       void** pDevice,
                                                       uint32_t flag);

// Ends a registration that starts at `ptr`. Tasks that use the memory must have
// ended. 507911: none starts there.
ACL_FUNC_VISIBILITY aclError aclrtHostUnregister(void* ptr);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_RT_HOST_REGISTRATION_H_
