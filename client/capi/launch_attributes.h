// LaunchAttributes: what a program may say of a launch beside its arguments.
//
// Threading: any thread. Ownership: none.
#ifndef ASCEND_CLIENT_CAPI_LAUNCH_ATTRIBUTES_H_
#define ASCEND_CLIENT_CAPI_LAUNCH_ATTRIBUTES_H_

#include "absl/status/status.h"
#include "acl/acl.h"

namespace ascend::client {

// Attributes are accepted where they ask for nothing that changes results.
// Null: there are none. Errors: kNullArgument, kInvalidArgument.
absl::Status CheckLaunchAttributes(const aclrtLaunchKernelCfg* cfg);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_CAPI_LAUNCH_ATTRIBUTES_H_
