// TransferService: the bulk stream of a session (transfer.proto).
//
// Chunks of uploads go to the host as they come, at most kUploadChunksMax of
// them not yet consumed; the stream is not read meanwhile. Chunks of downloads
// leave in the order in which the host sends them, their bytes uncopied; the
// host bounds how many there are.
//
// Threading: Serve belongs to the owner; the rest is the calls' own affair.
// Ownership: calls keep themselves alive and share `shared`.
#ifndef ASCEND_SERVER_RPC_TRANSFER_SERVICE_H_
#define ASCEND_SERVER_RPC_TRANSFER_SERVICE_H_

#include <memory>

namespace grpc {
class Service;
}

namespace ascend::server {

struct RpcShared;

inline constexpr int kUploadChunksMax = 4;

class TransferService {
 public:
  TransferService();
  ~TransferService();

  // For ServerBuilder::RegisterService.
  grpc::Service* service();

  // Waits for clients. After the server has started, once.
  void Serve(std::shared_ptr<RpcShared> shared);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_RPC_TRANSFER_SERVICE_H_
