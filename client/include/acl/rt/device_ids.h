// Calls of acl/acl_rt.h on the numbers of devices and on what runs on them.
// None needs a context. acl/acl_rt.h includes this header.
//
// All other calls count the devices that the program sees: with
// ASCEND_RT_VISIBLE_DEVICES=1,3 its devices 0 and 1 are devices 1 and 3 of the
// daemon. Entries are decimal, without blanks, and ascend; what comes from the
// first one on that is no device does not count. A device that is named twice
// makes every call that needs devices fail: 107001. Unset or empty: all
// devices. Logical and physical numbers are both those of the daemon.
#ifndef ACL_RT_DEVICE_IDS_H_
#define ACL_RT_DEVICE_IDS_H_

#include <stdint.h>

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

// 107001: no device has the number, or for a user number as result, the program
// does not see it.
ACL_FUNC_VISIBILITY aclError aclrtGetLogicDevIdByUserDevId(
    const int32_t userDevid, int32_t* const logicDevId);
ACL_FUNC_VISIBILITY aclError aclrtGetUserDevIdByLogicDevId(
    const int32_t logicDevId, int32_t* const userDevid);
ACL_FUNC_VISIBILITY aclError
aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t* const logicDevId);
ACL_FUNC_VISIBILITY aclError
aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t* const phyDevId);
ACL_FUNC_VISIBILITY aclError
aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId, int32_t* const userDevId);
ACL_FUNC_VISIBILITY aclError
aclrtGetPhyDevIdByUserDevId(const int32_t userDevId, int32_t* const phyDevId);

// `*active` is 1 when the device is set, by whichever thread of the process,
// else 0. `flags` may be null; it gets 0.
ACL_FUNC_VISIBILITY aclError aclrtGetPrimaryCtxState(int32_t deviceId,
                                                     uint32_t* flags,
                                                     int32_t* active);

// The number of this process, by which others allow it to share memory.
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetBareTgid(int32_t* pid);

// 1 when what was built for a chip of that name ("Ascend910B3") suits the
// devices, which have its name or its architecture; else 0, as for a name of no
// chip.
ACL_FUNC_VISIBILITY aclError
aclrtCheckArchCompatibility(const char* socVersion, int32_t* canCompatible);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_RT_DEVICE_IDS_H_
