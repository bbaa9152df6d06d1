// Statuses of the operator libraries.
//
// Threading: constants.
#ifndef ASCEND_CLIENT_CAPI_OPERATOR_STATUS_H_
#define ASCEND_CLIENT_CAPI_OPERATOR_STATUS_H_

#include "aclnn/acl_meta.h"

namespace ascend::client {

inline constexpr aclnnStatus kOperatorOk = 0;
inline constexpr aclnnStatus kOperatorNull = 161001;
inline constexpr aclnnStatus kOperatorInvalid = 161002;

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_CAPI_OPERATOR_STATUS_H_
