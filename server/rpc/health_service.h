// HealthService: grpc.health.v1, for whoever decides where calls go or whether
// a container lives. It knows the daemon as a whole, whose name is empty.
//
// Threading: any thread. Ownership: knows the calls that watch, and keeps none;
// its methods borrow it.
#ifndef ASCEND_SERVER_RPC_HEALTH_SERVICE_H_
#define ASCEND_SERVER_RPC_HEALTH_SERVICE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/base/sync.h"
#include "server/rpc/operator_call.h"

namespace ascend::server {

class HealthService {
 public:
  std::vector<OperatorMethod> methods();

  // From now on NOT_SERVING; those who watch hear of it. Idempotent.
  void StopServing() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Replies = std::shared_ptr<OperatorReplies>;

  absl::Status Check(const std::string& request, const Replies& replies)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Watch(const std::string& request, const Replies& replies)
      ABSL_LOCKS_EXCLUDED(mutex_);

  core::Mutex mutex_;
  bool is_serving_ ABSL_GUARDED_BY(mutex_) = true;
  std::vector<std::weak_ptr<OperatorReplies>> watchers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_RPC_HEALTH_SERVICE_H_
