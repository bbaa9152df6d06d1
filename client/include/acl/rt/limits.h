// Calls of acl/acl_rt.h on limits and options: time-outs of kernels, cores that
// operators should use, options of the process and of contexts. acl/acl_rt.h
// includes this header.
#ifndef ACL_RT_LIMITS_H_
#define ACL_RT_LIMITS_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/types/device.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Time-out of kernels ---------------------------------------------------
// Of the process. The device counts in intervals: a time-out is rounded up to
// 1 to 254 of them, and 0 stands for 254, as at the start. This release
// remembers the time-out but stops no kernel for it.

ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);  // s
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);

// In microseconds; tells what was set.
ACL_FUNC_VISIBILITY aclError
aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout);

// The interval, in microseconds.
ACL_FUNC_VISIBILITY aclError aclrtGetOpTimeOutInterval(uint64_t* interval);

// The time-out that holds, in ms, rounded up.
ACL_FUNC_VISIBILITY aclError
aclrtGetOpExecuteTimeout(uint32_t* const timeoutMs);

// ---- Cores -----------------------------------------------------------------
// How many cores operators should use: those of the device, or less by a limit
// of the process, or by one of the stream. numBlocks of a launch is not clipped
// to it. 107000: an unknown type, a limit of 0 or beyond the device.

ACL_FUNC_VISIBILITY aclError aclrtSetDeviceResLimit(int32_t deviceId,
                                                    aclrtDevResLimitType type,
                                                    uint32_t value);
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceResLimit(int32_t deviceId,
                                                    aclrtDevResLimitType type,
                                                    uint32_t* value);
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceResLimit(int32_t deviceId);

// Null: default stream. A stream without a limit has that of the process.
ACL_FUNC_VISIBILITY aclError aclrtSetStreamResLimit(aclrtStream stream,
                                                    aclrtDevResLimitType type,
                                                    uint32_t value);
ACL_FUNC_VISIBILITY aclError aclrtGetStreamResLimit(aclrtStream stream,
                                                    aclrtDevResLimitType type,
                                                    uint32_t* value);
ACL_FUNC_VISIBILITY aclError aclrtResetStreamResLimit(aclrtStream stream);

// Copies the stream's limits to this thread, and takes them back. Null: default
// stream. 107000: the thread has not those of that stream.
ACL_FUNC_VISIBILITY aclError
aclrtUseStreamResInCurrentThread(aclrtStream stream);
ACL_FUNC_VISIBILITY aclError
aclrtUnuseStreamResInCurrentThread(aclrtStream stream);

// What operators of this thread should use on the current device.
ACL_FUNC_VISIBILITY aclError
aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value);

// ---- Options ---------------------------------------------------------------
// ACL_OPT_DETERMINISTIC: 0 to 3; the others: 0 or 1. Kernels of this release
// are deterministic whatever is set. 107000: an unknown option or value.

// Of the process; 0 until set.
ACL_FUNC_VISIBILITY aclError aclrtSetSysParamOpt(aclSysParamOpt opt,
                                                 int64_t value);
ACL_FUNC_VISIBILITY aclError aclrtGetSysParamOpt(aclSysParamOpt opt,
                                                 int64_t* value);

// Of the current context. 107021: never set in it.
ACL_FUNC_VISIBILITY aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt,
                                                    int64_t value);
ACL_FUNC_VISIBILITY aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt,
                                                    int64_t* value);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_RT_LIMITS_H_
