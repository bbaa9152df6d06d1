// ReflectionMethods: grpc.reflection, by which tools such as grpcurl learn the
// daemon's services and messages. Its first version and the one before have the
// same messages under two names, and both are served.
//
// Threading: any thread. Ownership: none; descriptions are those of the
// program.
#ifndef ASCEND_SERVER_RPC_REFLECTION_SERVICE_H_
#define ASCEND_SERVER_RPC_REFLECTION_SERVICE_H_

#include <string>
#include <vector>

#include "server/rpc/operator_call.h"

namespace ascend::server {

// `services`: full names, as they are listed.
std::vector<OperatorMethod> ReflectionMethods(
    std::vector<std::string> services);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_RPC_REFLECTION_SERVICE_H_
