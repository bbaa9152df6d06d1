// Calls of acl/acl_rt.h on functions of the program that are told when the
// library, a device or a stream changes its state. acl/acl_rt.h includes this
// header.
//
// They are called on the thread that makes the change, those that were
// registered first, first. They may use the whole interface. One that another
// thread removes meanwhile may be called once more.
#ifndef ACL_RT_STATE_CALLBACKS_H_
#define ACL_RT_STATE_CALLBACKS_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "acl/types/device.h"
#include "acl/types/process.h"
#include "acl/types/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Devices and streams ---------------------------------------------------
// Named. 107000: the name is taken. A null function takes the one of that name
// away; 107000: there is none. They stay when the library is finalized, and are
// not told of what ends with it.

// ACL_RT_DEVICE_STATE_SET_PRE and _POST around every aclrtSetDevice, _RESET_PRE
// and _POST around every aclrtResetDevice and aclrtResetDeviceForce, whatever
// the count of references is. The second of a pair does not come if the call
// fails; neither comes if the call is refused.
ACL_FUNC_VISIBILITY aclError aclrtRegDeviceStateCallback(
    const char* regName, aclrtDeviceStateCallback callback, void* args);

// ACL_RT_STREAM_STATE_CREATE_POST when a stream can be used, _DESTROY_PRE as
// long as it still can; also of streams that come or go with a context.
ACL_FUNC_VISIBILITY aclError aclrtRegStreamStateCallback(
    const char* regName, aclrtStreamStateCallback callback, void* args);

// ---- Initialisation and end ------------------------------------------------
// A function counts once for each type. 107000: an unknown type, registered
// already, or nothing to remove.

// Called by the aclInit that initialises, with the text of the configuration
// file, "" if there is none, and its bytes; at once if the library is
// initialised. A failure of a function is one of the call: aclInit then does
// not initialise, but ends what has begun; a function stays registered.
ACL_FUNC_VISIBILITY aclError aclInitCallbackRegister(
    aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void* userData);
ACL_FUNC_VISIBILITY aclError aclInitCallbackUnRegister(
    aclRegisterCallbackType type, aclInitCallbackFunc cbFunc);

// Called by the aclFinalize or aclFinalizeReference that tears down, before it
// does. It does so whatever they answer, and returns the first failure.
ACL_FUNC_VISIBILITY aclError
aclFinalizeCallbackRegister(aclRegisterCallbackType type,
                            aclFinalizeCallbackFunc cbFunc, void* userData);
ACL_FUNC_VISIBILITY aclError aclFinalizeCallbackUnRegister(
    aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_RT_STATE_CALLBACKS_H_
