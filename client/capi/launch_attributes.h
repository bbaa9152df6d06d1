// LaunchAttributes: what a program may say of a launch beside its arguments.
//
// Threading: any thread. Ownership: none.
#ifndef ASCEND_CLIENT_CAPI_LAUNCH_ATTRIBUTES_H_
#define ASCEND_CLIENT_CAPI_LAUNCH_ATTRIBUTES_H_

#include "absl/status/status.h"
#include "acl/acl.h"
#include "client/runtime/client_runtime.h"

namespace ascend::client {

// Attributes are accepted where they ask for nothing that changes results, and
// our own, which go to `request`. Null: there are none. Errors: kNullArgument,
// kInvalidArgument.
absl::Status ReadLaunchAttributes(const aclrtLaunchKernelCfg* cfg,
                                  LaunchRequest& request);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_CAPI_LAUNCH_ATTRIBUTES_H_
