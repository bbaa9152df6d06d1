// TokenRegistry: the sessions that came in over gRPC, and the secrets that
// tie a bulk stream to its session.
//
// A session's token is 16 random bytes, told to its client alone. A Transfer
// call that names the session must bring it; at most one call at a time is the
// session's bulk stream, and it ends with the session.
//
// Threading: any thread. `end_bulk` is called without the lock held.
// Ownership: owns the rows; calls are reached through the function only.
#ifndef ASCEND_SERVER_RPC_TOKEN_REGISTRY_H_
#define ASCEND_SERVER_RPC_TOKEN_REGISTRY_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/base/ids.h"
#include "core/base/sync.h"

namespace ascend::server {

class TokenRegistry {
 public:
  // The token of the new row.
  std::string Add(core::SessionId session);

  // Ends the session's bulk stream, if it has one. No effect the second time.
  void Remove(core::SessionId session);

  // Makes a call the bulk stream of `session`; `end_bulk` ends that call.
  // Errors: kInvalidArgument, without telling whether the session exists, and
  // when the session has a bulk stream already.
  absl::Status AttachBulk(core::SessionId session, absl::string_view token,
                          std::function<void()> end_bulk);

  // The bulk stream is gone; another may be attached.
  void DetachBulk(core::SessionId session);

 private:
  struct Row {
    std::string token;
    std::function<void()> end_bulk;  // empty: no bulk stream
  };

  core::Mutex mutex_;
  std::map<core::SessionId, Row> rows_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_RPC_TOKEN_REGISTRY_H_
