// Calls of acl/acl_rt.h on access of devices to each other's memory, without
// which no copy goes from one to the other. acl/acl_rt.h includes this header.
//
// Access is one way, from a device to its peer, and of this process. It ends
// when the device is reset for the last time. Two ids must differ: 107000.
#ifndef ACL_RT_PEER_ACCESS_H_
#define ACL_RT_PEER_ACCESS_H_

#include <stdint.h>

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

// 1: two devices of a daemon always reach each other. Needs no context.
ACL_FUNC_VISIBILITY aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer,
                                                      int32_t deviceId,
                                                      int32_t peerDeviceId);

// Allows copies from the current device to the peer, however often it is
// called. 107000: `flags` is not 0.
ACL_FUNC_VISIBILITY aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId,
                                                         uint32_t flags);

// Forbids them again; copies that are queued still run. 107000: they are not
// allowed.
ACL_FUNC_VISIBILITY aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

// 1: copies from the device to the peer are allowed, else 0. Needs no context.
ACL_FUNC_VISIBILITY aclError aclrtDevicePeerAccessStatus(int32_t deviceId,
                                                         int32_t peerDeviceId,
                                                         int32_t* status);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_RT_PEER_ACCESS_H_
