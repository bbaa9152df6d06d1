// Calls of acl/acl_rt.h on the arguments of kernels, built up one by one, and
// on launches with them. acl/acl_rt.h includes this header.
//
// A list of arguments becomes a block of bytes: one slot for each argument,
// aligned to 8 bytes, then the data of the place holders. A place holder is a
// slot of 8 bytes that gets the device address of its data at the launch. What
// the block must look like is the kernel's matter; one argument may be a whole
// block (acl/ascend_rtd_ops.h).
//
// A list has at most 128 arguments and 8 KiB. It ends with its binary. A
// function keeps its 1024 latest lists; older ones are stale: 107017.
#ifndef ACL_RT_KERNEL_ARGUMENTS_H_
#define ACL_RT_KERNEL_ARGUMENTS_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/types/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

// A new list, in memory of the library.
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle,
                                                 aclrtArgsHandle* argsHandle);

// A new list named by memory of the program: `argsHandle` with the bytes that
// aclrtKernelArgsGetHandleMemSize says, and `userHostMem` with those that
// aclrtKernelArgsGetMemSize says, which the list cannot exceed. The list that
// had the name before ends. 107000: actualArgsSize is 0.
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsInitByUserMem(
    aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle, void* userHostMem,
    size_t actualArgsSize);

ACL_FUNC_VISIBILITY aclError
aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t* memSize);

// Of arguments and data of `userArgsSize` bytes, each rounded up to 8. 107000:
// more than a list can have.
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsGetMemSize(
    aclrtFuncHandle funcHandle, size_t userArgsSize, size_t* actualArgsSize);

// Adds a copy of `paramSize` bytes. 107000: a size of 0, a list that is full,
// or finalized.
ACL_FUNC_VISIBILITY aclError
aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void* param, size_t paramSize,
                      aclrtParamHandle* paramHandle);

// Adds a place holder. 107000: the list is full, or finalized.
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsAppendPlaceHolder(
    aclrtArgsHandle argsHandle, aclrtParamHandle* paramHandle);

// Memory for the data of a place holder: zeros, to be written by the program
// until the launch. 107000: it was given before, the argument is no place
// holder, the size is 0, or the list is full or finalized. 107017: an argument
// of another list.
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsGetPlaceHolderBuffer(
    aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, size_t dataSize,
    void** bufferAddr);

// Rewrites an argument; the list must then be finalized again. 107000: a size
// of 0 or beyond the slot, or a place holder. 107017: an argument of another
// list.
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsParaUpdate(
    aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void* param,
    size_t paramSize);

// Makes the list ready for launches. 107000: a place holder has no data yet.
ACL_FUNC_VISIBILITY aclError
aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle);

// Puts a kernel into the stream; the arguments are copied before the call
// returns. `cfg` may be null, `reserve` must be. Null: default stream. 107000:
// as for aclrtLaunchKernelWithHostArgs, or a list that is not finalized or of
// another function.
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithConfig(
    aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
    aclrtLaunchKernelCfg* cfg, aclrtArgsHandle argsHandle, void* reserve);

// As aclrtLaunchKernel, with attributes. `cfg` may be null. 107000: an
// attribute of `cfg` is unknown or occurs twice, too.
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelV2(
    aclrtFuncHandle funcHandle, uint32_t numBlocks, const void* argsData,
    size_t argsSize, aclrtLaunchKernelCfg* cfg, aclrtStream stream);

// The name of a function, with its end. 107000: it does not fit `maxLen`
// bytes.
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle,
                                                  uint32_t maxLen, char* name);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_RT_KERNEL_ARGUMENTS_H_
