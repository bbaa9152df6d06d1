// Calls of acl/acl_rt.h on error, profiling, dump that this release does not
// have. They link, do nothing and answer 200001; acl/acl_rt.h includes this
// header.
#ifndef ACL_UNSUPPORTED_ERROR_H_
#define ACL_UNSUPPORTED_ERROR_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/types/error.h"
#include "acl/types/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Faults and their details ----------------------------------------------

ACL_FUNC_VISIBILITY aclError aclrtGetArgsFromExceptionInfo(
    const aclrtExceptionInfo* info, void** devArgsPtr, uint32_t* devArgsLen);
ACL_FUNC_VISIBILITY aclError aclrtGetFuncHandleFromExceptionInfo(
    const aclrtExceptionInfo* info, aclrtFuncHandle* func);
ACL_FUNC_VISIBILITY aclError aclrtBinarySetExceptionCallback(
    aclrtBinHandle binHandle, aclrtOpExceptionCallback callback,
    void* userData);
ACL_FUNC_VISIBILITY aclError
aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray,
                   size_t arraySize, size_t* retSize);
ACL_FUNC_VISIBILITY aclError aclrtDeviceTaskAbort(int32_t deviceId,
                                                  uint32_t timeout);
ACL_FUNC_VISIBILITY aclError aclrtMemUceRepair(int32_t deviceId,
                                               aclrtMemUceInfo* memUceInfoArray,
                                               size_t arraySize);
ACL_FUNC_VISIBILITY aclError aclrtRepairError(int32_t deviceId,
                                              const aclrtErrorInfo* errorInfo);

// ---- Marks for the profiler ------------------------------------------------

ACL_FUNC_VISIBILITY aclError aclrtProfTrace(void* userdata, int32_t length,
                                            aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclrtCacheLastTaskExtendInfo(
    const char* const extendInfoPtr, const size_t infoSize);

// ---- Dump of tensors -------------------------------------------------------

ACL_FUNC_VISIBILITY aclError aclmdlInitDump(void);
ACL_FUNC_VISIBILITY aclError aclmdlSetDump(const char* dumpCfgPath);
ACL_FUNC_VISIBILITY aclError aclmdlFinalizeDump(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_UNSUPPORTED_ERROR_H_
