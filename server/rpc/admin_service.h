// AdminService: what operators ask (admin.proto), from MachineHost::Snapshot.
//
// Threading: gRPC's own threads, which may wait for a turn of the machine.
// Ownership: shares `shared`.
#ifndef ASCEND_SERVER_RPC_ADMIN_SERVICE_H_
#define ASCEND_SERVER_RPC_ADMIN_SERVICE_H_

#include <memory>

namespace grpc {
class Service;
}

namespace ascend::server {

struct RpcShared;

std::unique_ptr<grpc::Service> MakeAdminService(
    std::shared_ptr<RpcShared> shared);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_RPC_ADMIN_SERVICE_H_
