// Calls of acl/acl_rt.h on what a device is and where it sits. None needs a
// context. acl/acl_rt.h includes this header.
#ifndef ACL_RT_IDENTITY_H_
#define ACL_RT_IDENTITY_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/types/device.h"

#ifdef __cplusplus
extern "C" {
#endif

// The address of the device on the PCI bus, as in "0000:3d:00.0", with its end.
// 107000: `len` is less than 13.
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetPCIBusId(int32_t deviceId,
                                                    char* pciBusId,
                                                    int32_t len);

// The device at that address. 107000: there is none.
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetByPCIBusId(const char* pciBusId,
                                                      int32_t* deviceId);

// 16 bytes that no other device of the daemon has; the same in every process.
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetUuid(int32_t deviceId,
                                                aclrtUuid* uuid);

// ACL_DEV_FEATURE_SUPPORT or ACL_DEV_FEATURE_NOT_SUPPORT. 107000: unknown
// feature.
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCapability(
    int32_t deviceId, aclrtDevFeatureType devFeatureType, int32_t* value);

// ACL_RT_DEVICE_STATUS_NORMAL, as long as the daemon answers.
ACL_FUNC_VISIBILITY aclError
aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus);

// The link between two devices, ACL_RT_DEVS_TOPOLOGY_*: the PCIe host bridge.
// A device needs none to itself: 0.
ACL_FUNC_VISIBILITY aclError aclrtGetDevicesTopo(uint32_t deviceId,
                                                 uint32_t otherDeviceId,
                                                 uint64_t* value);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_RT_IDENTITY_H_
