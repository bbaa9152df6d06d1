// RuntimeService: the session stream (session.proto) over a MachineHost.
//
// Life of a session here. A call arrives; its first frame must be a Hello of
// our protocol version, whoever is at the other end is looked up, and the host
// opens a session with the call as its sink. Frames are decoded on the polling
// threads and posted. When the host has taken in too little (Post is false) the
// call reads no more until OnDrained. Events gather in frames, which leave one
// after the other. While kRoomBytes of them wait, the host reads no more bytes
// for the client; one that lets more than kPendingBytesMax gather all the same,
// by requests whose answers it does not read, is ended. Whatever ends the
// stream closes the session.
//
// Threading: Serve belongs to the owner; the rest is the calls' own affair.
// Ownership: calls keep themselves alive and share `shared`.
#ifndef ASCEND_SERVER_RPC_RUNTIME_SERVICE_H_
#define ASCEND_SERVER_RPC_RUNTIME_SERVICE_H_

#include <cstddef>
#include <memory>

namespace grpc {
class Service;
}

namespace ascend::server {

struct RpcShared;

// Events that may wait for a client to read them before no more host data are
// added, and before the session is ended.
inline constexpr size_t kRoomBytes = 4 * 1024 * 1024;
inline constexpr size_t kPendingBytesMax = 16 * 1024 * 1024;

class RuntimeService {
 public:
  RuntimeService();
  ~RuntimeService();

  // For ServerBuilder::RegisterService.
  grpc::Service* service();

  // Waits for clients. After the server has started, once.
  void Serve(std::shared_ptr<RpcShared> shared);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_RPC_RUNTIME_SERVICE_H_
