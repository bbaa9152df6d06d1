// Calls of acl/acl_rt.h on what a stream is, and on configurations of streams
// to be created. acl/acl_rt.h includes this header.
#ifndef ACL_RT_STREAM_OPTIONS_H_
#define ACL_RT_STREAM_OPTIONS_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/types/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- What a stream is ------------------------------------------------------
// Null: default stream, which has priority 0 and no flags.

// A small number that no other living stream of this process has.
ACL_FUNC_VISIBILITY aclError aclrtStreamGetId(aclrtStream stream,
                                              int32_t* streamId);

// 0 (first) to 7.
ACL_FUNC_VISIBILITY aclError aclrtStreamGetPriority(aclrtStream stream,
                                                    uint32_t* priority);

// ACL_STREAM_*, as at its creation.
ACL_FUNC_VISIBILITY aclError aclrtStreamGetFlags(aclrtStream stream,
                                                 uint32_t* flags);

// How many more streams this process may have on the current device. Other
// processes may take some of them away.
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAvailableNum(uint32_t* streamCount);

// The number of the task that this thread put into a stream last. The tasks of
// a stream count from 1, modulo 2^32; 0: none since the library was
// initialised.
ACL_FUNC_VISIBILITY aclError aclrtGetThreadLastTaskId(uint32_t* taskId);

// ---- Configurations --------------------------------------------------------
// Any thread may use a configuration; it is no part of the streams made of it.

// A configuration of priority 0 without flags; it must be destroyed.
ACL_FUNC_VISIBILITY aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle(
    void);
ACL_FUNC_VISIBILITY aclError
aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle);

// Sets one attribute, from `valueSize` bytes at `attrValue`: a void* for
// ACL_RT_STREAM_WORK_ADDR_PTR, a size_t for ACL_RT_STREAM_WORK_SIZE (bytes) and
// ACL_RT_STREAM_FLAG (ACL_STREAM_*), a uint32_t for ACL_RT_STREAM_PRIORITY.
// Kernels of this release need no memory of the stream's, so the first two have
// no effect. 107000: unknown attribute or flag, or a wrong size.
ACL_FUNC_VISIBILITY aclError aclrtSetStreamConfigOpt(
    aclrtStreamConfigHandle* handle, aclrtStreamConfigAttr attr,
    const void* attrValue, size_t valueSize);

// As aclrtCreateStreamWithConfig, with the priority and flags of `handle`.
ACL_FUNC_VISIBILITY aclError
aclrtCreateStreamV2(aclrtStream* stream, const aclrtStreamConfigHandle* handle);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_RT_STREAM_OPTIONS_H_
