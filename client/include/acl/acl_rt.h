// AscendCL runtime: process, devices, contexts, streams, events, memory,
// kernels, errors. The calls declared here and in acl/rt/ are those that this
// release has; the others come from acl/unsupported/. Both are included at the
// end.
//
// Rules that hold for every call, and are not repeated at each:
// - a null pointer where a result or a required handle belongs: 100000
//   (ACL_ERROR_INVALID_PARAM);
// - a handle that was destroyed, or was never given out: 107017;
// - a call that needs a context, in a thread without one: 107002. A thread
//   gets one by aclrtSetDevice, aclrtCreateContext or aclrtSetCurrentContext;
//   new threads start without;
// - a task put into a stream of another context than the current: 107003;
// - a null aclrtStream is the default stream of the current context, where the
//   contract says "null: default stream";
// - the connection to the daemon is lost: 507901.
// Time-outs are milliseconds of real time, -1 waits for ever; 0 and other
// negative values: 107000. Sizes are bytes.
//
// Calls that put a task into a stream return before it runs. If it fails
// later, the next synchronisation of its stream, or of an event or device that
// covers it, returns the code, from whichever thread.
#ifndef ACL_ACL_RT_H_
#define ACL_ACL_RT_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/types/device.h"
#include "acl/types/error.h"
#include "acl/types/event.h"
#include "acl/types/graph.h"
#include "acl/types/kernel.h"
#include "acl/types/memory.h"
#include "acl/types/process.h"
#include "acl/types/stream.h"
#include "acl/types/virtual_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Process --------------------------------------------------------------
// Initialisation is counted. Calls of other groups work without it.

// Initialises the library, or counts one more user of it: then 100002, which
// callers treat as success. `configPath` names a JSON file; null or "" means
// defaults. 100003: the file cannot be read; 100006: it is not JSON; 100000:
// it differs from the one that was used before the last finalize.
ACL_FUNC_VISIBILITY aclError aclInit(const char* configPath);

// Tears down whatever the count is, and sets it to 0. 100037: it is 0 already.
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

// Counts one user less, and tears down at 0. `*refCount`, which may be null,
// gets the users that are left. 100037: the count is 0 already.
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t* refCount);

// Version of the interface that the library implements; compare with
// ACL_MAJOR_VERSION, ACL_MINOR_VERSION, ACL_PATCH_VERSION of the headers.
ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t* majorVersion,
                                             int32_t* minorVersion,
                                             int32_t* patchVersion);

// Packages of CANN; none is installed. The version of each that
// aclCANNPackageName knows is that of the release whose interface the library
// has, "9.1.0". 107000: unknown package.
ACL_FUNC_VISIBILITY aclError
aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version);

// By the name in small letters, as "runtime" or "opp_kernel". `versionStr` has
// room for ACL_PKG_VERSION_MAX_SIZE bytes; the larger of two numbers is the
// later version.
ACL_FUNC_VISIBILITY aclError aclsysGetVersionStr(char* pkgName,
                                                 char* versionStr);
ACL_FUNC_VISIBILITY aclError aclsysGetVersionNum(char* pkgName,
                                                 int32_t* versionNum);

// ---- Device ---------------------------------------------------------------
// Devices count from 0 to aclrtGetDeviceCount - 1; any other id: 107001.

// Takes a reference to the device, creates its primary context and default
// stream at the first, and makes that context current in this thread.
ACL_FUNC_VISIBILITY aclError aclrtSetDevice(int32_t deviceId);

// Gives one reference back. At the last one, waits for the work of the primary
// context and destroys it with its streams and events. 507007: the device is
// not set, or was reset already.
ACL_FUNC_VISIBILITY aclError aclrtResetDevice(int32_t deviceId);

// As aclrtResetDevice at the last reference, whatever the count is.
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceForce(int32_t deviceId);

// Device of the current context.
ACL_FUNC_VISIBILITY aclError aclrtGetDevice(int32_t* deviceId);

// Number of devices; needs no context.
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCount(uint32_t* count);

// ACL_HOST: the program runs beside the device, not on it.
ACL_FUNC_VISIBILITY aclError aclrtGetRunMode(aclrtRunMode* runMode);

// One attribute of a device; needs no context. Memory and cache sizes are
// bytes. 107000: unknown attribute.
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceInfo(uint32_t deviceId,
                                                aclrtDevAttr attr,
                                                int64_t* value);

// Waits until every stream of the current device is idle.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDevice(void);

// As aclrtSynchronizeDevice, for at most `timeout` ms; 507046 when it expires.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

// ---- Context --------------------------------------------------------------
// A context belongs to a device and owns streams and events. The primary one
// comes with aclrtSetDevice; more can be created.

// Creates a context with a default stream of its own, and makes it current.
ACL_FUNC_VISIBILITY aclError aclrtCreateContext(aclrtContext* context,
                                                int32_t deviceId);

// Waits for the work of a context that aclrtCreateContext made, and destroys
// it. A thread whose current context it was has none afterwards. 107002: it is
// a primary context, or was destroyed already.
ACL_FUNC_VISIBILITY aclError aclrtDestroyContext(aclrtContext context);

// Makes a context, and with it its device, current in this thread.
ACL_FUNC_VISIBILITY aclError aclrtSetCurrentContext(aclrtContext context);

// The current context of this thread.
ACL_FUNC_VISIBILITY aclError aclrtGetCurrentContext(aclrtContext* context);

// The default stream of the current context.
ACL_FUNC_VISIBILITY aclError
aclrtCtxGetCurrentDefaultStream(aclrtStream* stream);

// ---- Stream ---------------------------------------------------------------
// Tasks of a stream run in order, tasks of different streams at the same time
// while units are free. Waiting for a stream of another context is allowed.

// A stream of priority 0 without flags. 207008: no streams left.
ACL_FUNC_VISIBILITY aclError aclrtCreateStream(aclrtStream* stream);

// A stream with a priority of 0 (first) to 7, larger values count as 7, and
// flags ACL_STREAM_*. 107000: unknown flag; 207008: no streams left.
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamWithConfig(aclrtStream* stream,
                                                         uint32_t priority,
                                                         uint32_t flag);

// Waits for the tasks of the stream, then destroys it. 107003: a stream of
// another context; 107000: a default stream.
ACL_FUNC_VISIBILITY aclError aclrtDestroyStream(aclrtStream stream);

// As aclrtDestroyStream, but drops the tasks that have not started.
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamForce(aclrtStream stream);

// Waits until the stream is idle. Null: default stream.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStream(aclrtStream stream);

// The same, for at most `timeout` ms; 507046 when it expires, the stream
// remains usable.
ACL_FUNC_VISIBILITY aclError
aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

// Is the stream idle? Does not wait. Null: default stream.
ACL_FUNC_VISIBILITY aclError aclrtStreamQuery(aclrtStream stream,
                                              aclrtStreamStatus* status);

// The least and the greatest priority of streams: 7 and 0.
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetStreamPriorityRange(
    int32_t* leastPriority, int32_t* greatestPriority);

// Later tasks of `stream` wait for the record of `event` that is the latest at
// this call. An event that was never recorded, or was reset, holds nothing up.
// Null: default stream. 207000: the event lacks ACL_EVENT_SYNC.
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEvent(aclrtStream stream,
                                                  aclrtEvent event);

// The same, for at most `timeout` seconds of simulated time, and of real time;
// 0: for ever. A wait that expires fails as a task does, with 507047. 107000:
// negative.
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream,
                                                             aclrtEvent event,
                                                             int32_t timeout);

// The same. `flag` is ACL_EVENT_WAIT_DEFAULT; 107000: any other, since external
// waits are legal in a capture only.
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithFlag(aclrtStream stream,
                                                          aclrtEvent event,
                                                          uint32_t timeout,
                                                          uint32_t flag);

// How many seconds later calls of aclrtStreamWaitEvent let streams wait, in
// this process; 0, as in the beginning: for ever.
ACL_FUNC_VISIBILITY aclError aclrtSetOpWaitTimeout(uint32_t timeout);

// ---- Event ----------------------------------------------------------------
// A record is a task; it is complete when the stream has reached it.

// An event that serves waits and times.
ACL_FUNC_VISIBILITY aclError aclrtCreateEvent(aclrtEvent* event);

// An event with flags ACL_EVENT_*. 107000: no flag, or an unknown one.
ACL_FUNC_VISIBILITY aclError aclrtCreateEventWithFlag(aclrtEvent* event,
                                                      uint32_t flag);

// The same, but each record replaces the one before, without a reset.
ACL_FUNC_VISIBILITY aclError aclrtCreateEventExWithFlag(aclrtEvent* event,
                                                        uint32_t flag);

// Destroys an event; tasks that were queued with it are not disturbed.
ACL_FUNC_VISIBILITY aclError aclrtDestroyEvent(aclrtEvent event);

// Puts a record into the stream. Null: default stream. 207007: no events left;
// 207000: recorded before and not reset, unless it was created by
// aclrtCreateEventExWithFlag.
ACL_FUNC_VISIBILITY aclError aclrtRecordEvent(aclrtEvent event,
                                              aclrtStream stream);

// The same. `flag` is ACL_EVENT_RECORD_DEFAULT; 107000: any other, since
// external records are legal in a capture only.
ACL_FUNC_VISIBILITY aclError aclrtRecordEventWithFlag(aclrtEvent event,
                                                      aclrtStream stream,
                                                      uint32_t flag);

// Puts a task into the stream that takes the record back; then the event counts
// as never recorded and may be recorded again. Null: default stream. 207000:
// created by aclrtCreateEventExWithFlag.
ACL_FUNC_VISIBILITY aclError aclrtResetEvent(aclrtEvent event,
                                             aclrtStream stream);

// Is the latest record complete? Of an event without any: complete if it was
// created by aclrtCreateEventExWithFlag, else not ready.
ACL_FUNC_VISIBILITY aclError
aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status);

// Older form, with other numbers, in which an event without a record is
// complete. 207000: created by aclrtCreateEventExWithFlag.
ACL_FUNC_VISIBILITY aclError aclrtQueryEvent(aclrtEvent event,
                                             aclrtEventStatus* status);

// Have all streams that wait for the event got there? Complete is 0 here.
// 207000: created by aclrtCreateEventExWithFlag.
ACL_FUNC_VISIBILITY aclError
aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status);

// Waits for the latest record; returns at once if there is none.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEvent(aclrtEvent event);

// The same, for at most `timeout` ms; 507047 when it expires.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event,
                                                              int32_t timeout);

// Simulated time from one record to another, in ms with steps of 20 ns.
// 507000: a record is missing or not complete; 107006: an event was created
// without ACL_EVENT_TIME_LINE.
ACL_FUNC_VISIBILITY aclError aclrtEventElapsedTime(float* ms,
                                                   aclrtEvent startEvent,
                                                   aclrtEvent endEvent);

// Simulated time of the record in microseconds, of the daemon's clock. Errors
// as those of aclrtEventElapsedTime.
ACL_FUNC_VISIBILITY aclError aclrtEventGetTimestamp(aclrtEvent event,
                                                    uint64_t* timestamp);

// A small number that no other recorded event of this process has. 507000:
// never recorded.
ACL_FUNC_VISIBILITY aclError aclrtGetEventId(aclrtEvent event,
                                             uint32_t* eventId);

// How many more events this process can record on the current device.
ACL_FUNC_VISIBILITY aclError aclrtGetEventAvailNum(uint32_t* eventCount);

// ---- Memory ---------------------------------------------------------------
// Device memory has addresses of its own, which mean something on the device
// of this process only. Host memory is any, or page-locked by aclrtMallocHost
// or aclrtHostRegister.

// Device memory, aligned to 128 bytes; its contents are undefined. 100000: a
// size of 0; 207001: not enough memory, or not in pages of this policy.
// Several HUGE_FIRST allocations of a thread in a row, without a free between
// them and of 1 GiB together at most, lie side by side in one bank group.
ACL_FUNC_VISIBILITY aclError aclrtMalloc(void** devPtr, size_t size,
                                         aclrtMemMallocPolicy policy);

// Frees what aclrtMalloc returned; tasks that are queued still may use it.
// 107000: not the start of an allocation, or freed already.
ACL_FUNC_VISIBILITY aclError aclrtFree(void* devPtr);

// Page-locked host memory, aligned to 64 bytes. Copies from and to it are
// truly asynchronous. 100000: a size of 0; 207001: not enough memory.
ACL_FUNC_VISIBILITY aclError aclrtMallocHost(void** hostPtr, size_t size);

// Frees what aclrtMallocHost returned. 107000: anything else.
ACL_FUNC_VISIBILITY aclError aclrtFreeHost(void* hostPtr);

// Copies `count` bytes to `dst`, which has room for `destMax`, and waits for
// the copy, not for any stream. The direction follows from the addresses;
// count 0 does nothing. 107000: count > destMax, a device range that is not
// allocated, or two devices without access (acl/rt/peer_access.h); 100000: an
// INNER or INTER kind.
ACL_FUNC_VISIBILITY aclError aclrtMemcpy(void* dst, size_t destMax,
                                         const void* src, size_t count,
                                         aclrtMemcpyKind kind);

// The same as a task of a stream. Null: default stream. Host memory that is
// not page-locked must fit `kind`, else 107000, and makes the call wait for
// the stream and the copy. ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE reads the source
// before it returns. 207000: host to host.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsync(void* dst, size_t destMax,
                                              const void* src, size_t count,
                                              aclrtMemcpyKind kind,
                                              aclrtStream stream);

// The same: the name that promises what aclrtMemcpyAsync does with host memory
// that is not page-locked.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithCondition(
    void* dst, size_t destMax, const void* src, size_t count,
    aclrtMemcpyKind kind, aclrtStream stream);

// Sets `count` bytes of host or device memory to the low byte of `value` and
// waits for it. 107000: count > maxCount, or a range that is not allocated.
ACL_FUNC_VISIBILITY aclError aclrtMemset(void* devPtr, size_t maxCount,
                                         int32_t value, size_t count);

// The same as a task of a stream, for device memory only. Null: default
// stream.
ACL_FUNC_VISIBILITY aclError aclrtMemsetAsync(void* devPtr, size_t maxCount,
                                              int32_t value, size_t count,
                                              aclrtStream stream);

// Free and total bytes of a class of memory of the current device; both 0 when
// the device has none of the class.
ACL_FUNC_VISIBILITY aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free,
                                             size_t* total);

// ---- Kernel ---------------------------------------------------------------
// A binary is loaded once and holds functions by name.

// Loads a binary. "builtin:ops" names the kernels that the daemon has built
// in (acl/ascend_rtd_ops.h). `options` may be null. 107000: the file is no
// binary that this device can run, or an option is unknown.
ACL_FUNC_VISIBILITY aclError
aclrtBinaryLoadFromFile(const char* binPath, aclrtBinaryLoadOptions* options,
                        aclrtBinHandle* binHandle);

// Unloads a binary. Its functions become stale; tasks queued still run.
ACL_FUNC_VISIBILITY aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle);

// The function of that name. 507027: the binary has none.
ACL_FUNC_VISIBILITY aclError
aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char* kernelName,
                       aclrtFuncHandle* funcHandle);

// Puts a kernel into the stream. `argsData` is device memory that holds the
// argument block of `argsSize` bytes when the kernel starts. `numBlocks` may
// exceed the cores: blocks then run in waves. Null: default stream. 107000:
// numBlocks is 0, or the block is not allocated.
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle,
                                               uint32_t numBlocks,
                                               const void* argsData,
                                               size_t argsSize,
                                               aclrtStream stream);

// The same with an argument block on the host, which is copied before the call
// returns. Each of `placeHolderNum` place holders gets the device address of a
// part of the block (aclrtPlaceHolderInfo). `cfg` may be null, and so may the
// array if the number is 0. 107000: numBlocks is 0, an offset lies outside the
// block, or an attribute of `cfg` is unknown or occurs twice. What the kernel
// itself refuses in its arguments is a fault of the device, which the next
// synchronisation reports: 507015 (CUBE) or 507035 (vector).
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithHostArgs(
    aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
    aclrtLaunchKernelCfg* cfg, void* hostArgs, size_t argsSize,
    aclrtPlaceHolderInfo* placeHolderArray, size_t placeHolderNum);

// The same; `func` is a function's handle, and `args` points to pointers to its
// arguments. A built-in kernel has one, its argument block. 107000: the block
// states a size of less than 8 bytes or more than 8 KiB.
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithArgsArray(
    void* func, uint32_t numBlocks, aclrtStream stream,
    aclrtLaunchKernelCfg* cfg, void** args);

// The function of that entry (tiling key). 507027: the binary has none, as the
// built-in kernels.
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetFunctionByEntry(
    aclrtBinHandle binHandle, uint64_t funcEntry, aclrtFuncHandle* funcHandle);

// Binaries in memory of the program, which must stay as long as the
// aclrtBinary. This release loads none: 200001. 107000: no bytes, or an unknown
// option; aclrtCreateBinary returns null then.
ACL_FUNC_VISIBILITY aclrtBinary aclrtCreateBinary(const void* data,
                                                  size_t dataLen);
ACL_FUNC_VISIBILITY aclError aclrtDestroyBinary(aclrtBinary binary);
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoad(const aclrtBinary binary,
                                             aclrtBinHandle* binHandle);
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoadFromData(
    const void* data, size_t length, const aclrtBinaryLoadOptions* options,
    aclrtBinHandle* binHandle);

// ---- Errors ---------------------------------------------------------------
// Each thread remembers the code of its last call that failed, and the
// sentences of all that failed since they were last asked for.

// The last error of this thread, which is then forgotten; ACL_SUCCESS if there
// is none. 100000: a level other than ACL_RT_THREAD_LEVEL.
ACL_FUNC_VISIBILITY aclError aclrtGetLastError(aclrtLastErrLevel level);

// The same without forgetting it.
ACL_FUNC_VISIBILITY aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

// What failed since the last call of this function: the newest first, a code
// and a sentence each ("EE1003: ..."). Null if nothing did. The text lives
// until the thread calls it again.
ACL_FUNC_VISIBILITY const char* aclGetRecentErrMsg(void);

// What is wrong with the hardware of a device; needs no context. The simulated
// one has no faults: ACL_RT_NO_ERROR, and nothing to repair.
ACL_FUNC_VISIBILITY aclError aclrtGetErrorVerbose(int32_t deviceId,
                                                  aclrtErrorInfo* errorInfo);

#ifdef __cplusplus
}  // extern "C"
#endif

// Further calls, by subject.
#include "acl/rt/allocation.h"
#include "acl/rt/batch_copies.h"
#include "acl/rt/callbacks.h"
#include "acl/rt/copies.h"
#include "acl/rt/device_ids.h"
#include "acl/rt/host_registration.h"
#include "acl/rt/identity.h"
#include "acl/rt/kernel_arguments.h"
#include "acl/rt/limits.h"
#include "acl/rt/notify.h"
#include "acl/rt/overflow.h"
#include "acl/rt/peer_access.h"
#include "acl/rt/reduce.h"
#include "acl/rt/state_callbacks.h"
#include "acl/rt/stream_control.h"
#include "acl/rt/stream_options.h"

// Calls of this header that this release does not have: they link, do nothing
// and answer 200001, with their name in the message. Those that return no
// aclError return null, 0, or the value that stands for none.
#include "acl/unsupported/device.h"
#include "acl/unsupported/error.h"
#include "acl/unsupported/event.h"
#include "acl/unsupported/graph.h"
#include "acl/unsupported/kernel.h"
#include "acl/unsupported/memory.h"
#include "acl/unsupported/process.h"
#include "acl/unsupported/stream.h"

#endif  // ACL_ACL_RT_H_
