// RpcShared: what the calls of one RpcServer have in common, and OpGate, which
// keeps them from starting operations on a completion queue that is shut down.
//
// Threading: any thread, unless a member says otherwise. Ownership: every call
// shares it, so it outlives them; it borrows the host, which outlives all.
#ifndef ASCEND_SERVER_RPC_RPC_SHARED_H_
#define ASCEND_SERVER_RPC_RPC_SHARED_H_

#include <grpcpp/completion_queue.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "server/machine_host.h"
#include "server/rpc/daemon_identity.h"
#include "server/rpc/peer_identity.h"
#include "server/rpc/reply_pump.h"
#include "server/rpc/token_registry.h"

namespace ascend::server {

// gRPC aborts the process when an operation is started on a queue that is shut
// down. All operations start inside Start; Close waits for those under way.
class OpGate {
 public:
  // False, and `start` is not called, once closed.
  template <typename Function>
  bool Start(Function start) {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    if (closed_) return false;
    start();
    return true;
  }

  void Close() {
    std::unique_lock<std::shared_mutex> lock(mutex_);
    closed_ = true;
  }

 private:
  std::shared_mutex mutex_;
  bool closed_ = false;
};

struct RpcShared {
  RpcShared(MachineHost& machine_host, DaemonIdentity daemon_identity)
      : host(machine_host), identity(std::move(daemon_identity)) {}

  MachineHost& host;
  const DaemonIdentity identity;
  std::vector<std::string> listeners;  // set before the first call
  PeerTable peers;
  TokenRegistry sessions;
  ReplyPump pump;
  OpGate gate;
  // Violations of those who never became a session; the host counts the rest.
  std::atomic<uint64_t> violations_before_hello{0};
  std::unique_ptr<grpc::ServerCompletionQueue> queue;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_RPC_RPC_SHARED_H_
