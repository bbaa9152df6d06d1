// Calls of acl/acl_rt.h on notifies and on words of device memory that streams
// wait for. acl/acl_rt.h includes this header.
#ifndef ACL_RT_NOTIFY_H_
#define ACL_RT_NOTIFY_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/types/event.h"
#include "acl/types/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Notify: a flag on the device ------------------------------------------
// A record sets it; a wait goes on when it is set, and clears it. Each record
// lets one wait go on, in the order in which they came to wait. Null stream:
// default stream. 107017: the handle is stale.

// On the current device. `flag` is ACL_NOTIFY_*, which make no difference.
// 107000: unknown flag; 207009: the device has its 8192 notifies.
ACL_FUNC_VISIBILITY aclError aclrtCreateNotify(aclrtNotify* notify,
                                               uint64_t flag);

// Records and waits that are in streams still have their effect.
ACL_FUNC_VISIBILITY aclError aclrtDestroyNotify(aclrtNotify notify);

// Sets the notify when the work before it in the stream is done. 107000: the
// stream is of another device.
ACL_FUNC_VISIBILITY aclError aclrtRecordNotify(aclrtNotify notify,
                                               aclrtStream stream);

// Later work in the stream starts when the notify is set. `timeout` in seconds,
// 0: for ever; a wait that expires is the stream's error 507047.
ACL_FUNC_VISIBILITY aclError aclrtWaitAndResetNotify(aclrtNotify notify,
                                                     aclrtStream stream,
                                                     uint32_t timeout);

// A small number that no other living notify of this process has.
ACL_FUNC_VISIBILITY aclError aclrtGetNotifyId(aclrtNotify notify,
                                              uint32_t* notifyId);

// ---- Words of device memory ------------------------------------------------
// `devAddr` is device memory, a multiple of 8; else 107000.

// Writes the 64-bit word in the stream. `flag` must be 0, else 107000.
ACL_FUNC_VISIBILITY aclError aclrtValueWrite(void* devAddr, uint64_t value,
                                             uint32_t flag, aclrtStream stream);

// Later work in the stream starts once the word meets `flag`, one of
// ACL_STREAM_WAIT_VALUE_*, else 107000. It is looked at when the wait's turn
// comes and after each piece of work of this process that may have written it.
ACL_FUNC_VISIBILITY aclError aclrtValueWait(void* devAddr, uint64_t value,
                                            uint32_t flag, aclrtStream stream);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_RT_NOTIFY_H_
