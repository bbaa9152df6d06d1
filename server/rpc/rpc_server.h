// RpcServer: the daemon's gRPC end: listeners, services, polling thread.
//
// gRPC never listens: the acceptor hands it connected sockets (listener.h). The
// standard health and reflection services are there as well.
//
// One thread waits inside gRPC, for all calls: of several, each would hand on
// to another what it finds for that one, or the waiting, before it does its own
// work. It decodes what comes, takes turns of the machine and writes answers by
// itself.
//
// Threading: belongs to its owner; starts an acceptor, a pump, a polling
// thread, and threads for operators when they ask. Ownership: borrows the host,
// which outlives it.
#ifndef ASCEND_SERVER_RPC_RPC_SERVER_H_
#define ASCEND_SERVER_RPC_RPC_SERVER_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/machine_host.h"
#include "server/rpc/daemon_identity.h"
#include "server/rpc/listener.h"

namespace ascend::server {

struct RpcServerOptions {
  std::vector<ListenAddress> listen;
  mode_t unix_mode = 0666;
  DaemonIdentity identity;
};

class RpcServer {
 public:
  static absl::StatusOr<std::unique_ptr<RpcServer>> Start(
      MachineHost& host, RpcServerOptions options);
  virtual ~RpcServer() = default;  // stops

  // Where it listens, with the ports that were chosen.
  virtual const std::vector<std::string>& addresses() const = 0;

  // Health says NOT_SERVING. Connections are still taken: an open session may
  // need another for its bulk bytes, and whoever is new learns why the host
  // refuses. Idempotent.
  virtual void BeginShutdown() = 0;

  // Takes no more connections, gives calls that are finishing a moment, cancels
  // the rest, and joins all threads. Idempotent.
  virtual void Stop() = 0;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_RPC_RPC_SERVER_H_
