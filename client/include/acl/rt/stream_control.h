// Calls of acl/acl_rt.h on what happens to the work of streams. acl/acl_rt.h
// includes this header.
#ifndef ACL_RT_STREAM_CONTROL_H_
#define ACL_RT_STREAM_CONTROL_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/types/device.h"
#include "acl/types/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

// Null stream: default stream, unless said otherwise.

// Drops the tasks of the stream that have not started and waits for the one
// that runs. The synchronisation that waits for the stream, or the next one,
// answers 107023, once; then the stream is as new.
ACL_FUNC_VISIBILITY aclError aclrtStreamAbort(aclrtStream stream);

// ACL_STOP_ON_FAILURE: the first task of the stream that fails stops all
// streams of its context, which take no more tasks and answer with its error.
// 107000: unknown mode; the mode is to stop already, which stays.
ACL_FUNC_VISIBILITY aclError aclrtSetStreamFailureMode(aclrtStream stream,
                                                       uint64_t mode);

// The priority is for tasks to come, above 7 as 7, and cannot be changed for a
// default stream (107000). The user's tag and the operator information are kept
// and mean nothing. 107000: unknown attribute, a switch that is neither 0
// nor 1.
ACL_FUNC_VISIBILITY aclError
aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                        aclrtStreamAttrValue* value);
ACL_FUNC_VISIBILITY aclError
aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                        aclrtStreamAttrValue* value);

// How busy the work of all processes kept the units of a device since this
// process asked last, in percent of simulated time; memory: -1. The extension
// pointer must be null, else 100000. 107001: no such device.
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceUtilizationRate(
    int32_t deviceId, aclrtUtilizationInfo* utilizationInfo);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_RT_STREAM_CONTROL_H_
