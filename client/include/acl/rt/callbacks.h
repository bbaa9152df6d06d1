// Calls of acl/acl_rt.h on functions of the program that streams call, and on
// those that hear of failures. acl/acl_rt.h includes this header.
#ifndef ACL_RT_CALLBACKS_H_
#define ACL_RT_CALLBACKS_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/types/error.h"
#include "acl/types/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Functions on a thread of the library ----------------------------------

// Calls fn(args) when its turn in the stream comes; later work in the stream
// waits for it. In it, waiting for streams is refused: 207000. 107011: the
// stream is subscribed to a service thread.
ACL_FUNC_VISIBILITY aclError aclrtLaunchHostFunc(aclrtStream stream,
                                                 aclrtHostFunc fn, void* args);

// ---- Functions on a service thread of the program --------------------------
// `threadId` is what pthread_self() says in the service thread.

// The functions of this stream are for that thread, which may serve many
// streams. 107011: the stream is subscribed already; 107000: there are 1024
// service threads.
ACL_FUNC_VISIBILITY aclError aclrtSubscribeReport(uint64_t threadId,
                                                  aclrtStream stream);

// 107015: the stream is not subscribed to that thread.
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeReport(uint64_t threadId,
                                                    aclrtStream stream);

// The service thread calls fn(userData) when its turn in the stream comes; with
// ACL_CALLBACK_BLOCK later work in the stream waits for it. 107015: the stream
// is not subscribed.
ACL_FUNC_VISIBILITY aclError
aclrtLaunchCallback(aclrtCallback fn, void* userData,
                    aclrtCallbackBlockType blockType, aclrtStream stream);

// Waits for the next function of this service thread, at most `timeout` ms (-1:
// for ever), and calls it. 107012: no stream is subscribed to this thread;
// 107019: nothing came in time.
ACL_FUNC_VISIBILITY aclError aclrtProcessReport(int32_t timeout);

// ---- Functions that hear of tasks that failed ------------------------------
// Called on a thread of the library, once for the first failure of a stream
// since a synchronisation last reported one.

// One for the process, beside those of Register; null: none.
ACL_FUNC_VISIBILITY aclError
aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);

// 107000: it is registered already; it is not registered.
ACL_FUNC_VISIBILITY aclError
aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback);
ACL_FUNC_VISIBILITY aclError
aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback);

// What failed. `info` is valid during the callback only. 0xFFFFFFFF: null, or
// not known.

// The task's place in its stream, from 1, as aclrtGetThreadLastTaskId says.
ACL_FUNC_VISIBILITY uint32_t
aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info);
// As aclrtStreamGetId says.
ACL_FUNC_VISIBILITY uint32_t
aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info);
// The thread that submitted the task, as gettid() says.
ACL_FUNC_VISIBILITY uint32_t
aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info);
ACL_FUNC_VISIBILITY uint32_t
aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info);
// What the synchronisation will answer.
ACL_FUNC_VISIBILITY uint32_t
aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_RT_CALLBACKS_H_
