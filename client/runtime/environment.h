// The environment variables of this library: a value that makes no sense is
// told to standard error in one sentence, and then treated as if it were unset.
//
// Threading: any thread, as getenv.
#ifndef ASCEND_CLIENT_RUNTIME_ENVIRONMENT_H_
#define ASCEND_CLIENT_RUNTIME_ENVIRONMENT_H_

#include "absl/strings/string_view.h"

namespace ascend::client {

// Empty when it is unset.
absl::string_view ReadVariable(const char* name);

// "ascend-rtd: NAME is ignored: REASON"
void IgnoreVariable(absl::string_view name, absl::string_view reason);

// Whether a variable that switches something is "1". Others than "0" and "1"
// are ignored with a sentence.
bool IsSwitchedOn(const char* name);

// One write to standard error, so that lines of several threads do not mix.
void WriteToStandardError(absl::string_view lines);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_ENVIRONMENT_H_
