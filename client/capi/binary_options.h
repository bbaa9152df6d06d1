// What may be said of a binary when it is loaded.
#ifndef ASCEND_CLIENT_CAPI_BINARY_OPTIONS_H_
#define ASCEND_CLIENT_CAPI_BINARY_OPTIONS_H_

#include "absl/status/status.h"
#include "acl/types/kernel.h"

namespace ascend::client {

// Every option is one that AscendCL knows; null is none. Errors:
// kInvalidArgument, kNullArgument.
absl::Status CheckBinaryOptions(const aclrtBinaryLoadOptions* options);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_CAPI_BINARY_OPTIONS_H_
