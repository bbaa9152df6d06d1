// LastError: what went wrong in this thread, until somebody asks.
//
// Two memories with different rules: the code of the last call that failed
// (aclrtGetLastError forgets it, aclrtPeekAtLastError does not), and the
// sentences of all calls that failed since aclGetRecentErrMsg was last called,
// kept per thread or, by configuration, for the process. No sentence is kept
// when nothing failed: callers take any text for a failure.
//
// Threading: any thread. Ownership: thread-local storage; the text for the
// process lives for ever.
#ifndef ASCEND_CLIENT_RUNTIME_LAST_ERROR_H_
#define ASCEND_CLIENT_RUNTIME_LAST_ERROR_H_

#include "absl/strings/string_view.h"

namespace ascend::client {

enum class MessageScope { kThread, kProcess };

// err_msg_mode of the configuration. Messages that are pending stay where they
// are.
void SetMessageScope(MessageScope scope);

// A call of this thread failed with `code`; `text` is for people.
void RecordError(int code, absl::string_view text);

// The code of this thread's last failure, 0 when there is none.
int PeekLastError();
int TakeLastError();

// The pending texts, the newest first, one a line; null when there are none.
// Valid until the thread calls it again.
const char* TakeRecentMessages();

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_LAST_ERROR_H_
