// What a decoder answers to bytes that no client of ours sends.
//
// Threading: pure functions.
#ifndef ASCEND_SERVER_SESSION_VIOLATION_H_
#define ASCEND_SERVER_SESSION_VIOLATION_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/error.h"

namespace ascend::server {

template <typename... Parts>
absl::Status Violation(const Parts&... parts) {
  return core::MakeError(core::Reason::kProtocolViolation,
                         absl::StrCat(parts...));
}

}  // namespace ascend::server

#endif  // ASCEND_SERVER_SESSION_VIOLATION_H_
