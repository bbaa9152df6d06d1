// AdminMethods: what operators ask (admin.proto), from MachineHost::Snapshot.
//
// Threading: on OperatorThreads, which may wait for a turn of the machine.
// Ownership: the methods borrow `shared`.
#ifndef ASCEND_SERVER_RPC_ADMIN_SERVICE_H_
#define ASCEND_SERVER_RPC_ADMIN_SERVICE_H_

#include <vector>

#include "server/rpc/operator_call.h"

namespace ascend::server {

struct RpcShared;

std::vector<OperatorMethod> AdminMethods(RpcShared& shared);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_RPC_ADMIN_SERVICE_H_
