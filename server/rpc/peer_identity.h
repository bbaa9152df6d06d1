// PeerTable: who is at the other end of a gRPC call.
//
// gRPC names a connection that was handed to it by "fd:N" and nothing more. The
// acceptor records the peer under N before gRPC gets the descriptor; a service
// looks N up when a call arrives.
//
// A number that is used again cannot give a wrong answer: a call keeps its
// connection's transport, and that keeps the descriptor open, so as long as a
// call is there the kernel gives N to no other connection, and the record under
// N is that of the call. (tests/integration/rpc holds gRPC to this.) Should
// that ever change, Find compares the socket behind N with the one that was
// recorded and refuses when they differ.
//
// Threading: any thread. Ownership: value types; never owns a descriptor.
#ifndef ASCEND_SERVER_RPC_PEER_IDENTITY_H_
#define ASCEND_SERVER_RPC_PEER_IDENTITY_H_

#include <sys/types.h>

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/sync.h"
#include "server/machine_host.h"

namespace ascend::server {

class PeerTable {
 public:
  // Before `fd`, an open socket, is handed to gRPC.
  void Record(int fd, Peer peer);

  // `grpc_peer` is ServerContext::peer() of a call that is alive.
  absl::StatusOr<Peer> Find(absl::string_view grpc_peer) const;

 private:
  struct Row {
    ino_t inode = 0;  // of the socket; 0: nothing recorded
    Peer peer;
  };

  mutable core::Mutex mutex_;
  std::vector<Row> rows_ ABSL_GUARDED_BY(mutex_);  // by descriptor
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_RPC_PEER_IDENTITY_H_
