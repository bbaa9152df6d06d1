// error_map: what a caller of the C interface sees of a failure.
//
// Everything below the C edge speaks of core::Reason; callers compare public
// numbers and print sentences. This is the one table between the two, after
// section 13 of the interface's semantics.
//
// Message codes: EH0002 (null argument), EE1003 (argument), EE1017 (context)
// and EE1018 (device not set) are those that users know; the others number our
// own classes and are no contract.
//
// Threading: any thread. Ownership: nothing is owned; texts are static.
#ifndef ASCEND_CLIENT_CAPI_ERROR_MAP_H_
#define ASCEND_CLIENT_CAPI_ERROR_MAP_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "acl/acl_base_rt.h"
#include "core/base/error.h"

namespace ascend::client {

// The public code of a reason; of a number that is no Reason, as a newer
// daemon may send it, that of Reason::kInternal.
aclError AclErrorOf(core::Reason reason);

// The same of the reason that `status` carries; ACL_SUCCESS when ok.
aclError AclErrorOf(const absl::Status& status);

// Class of a reason in messages, e.g. "EE1003"; empty for Reason::kNone.
absl::string_view MessageCodeOf(core::Reason reason);

// The line of aclGetRecentErrMsg: "EE1003: sentence"; empty when ok.
std::string ErrorMessageOf(const absl::Status& status);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_CAPI_ERROR_MAP_H_
