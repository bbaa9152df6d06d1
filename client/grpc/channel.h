// A gRPC channel over one socket of ours: no resolver, no proxy, no reconnect.
//
// Threading: any thread. Ownership: the channel takes the socket.
#ifndef ASCEND_CLIENT_GRPC_CHANNEL_H_
#define ASCEND_CLIENT_GRPC_CHANNEL_H_

#include <grpcpp/channel.h>

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ascend::client {

// Errors: those of Dial.
absl::StatusOr<std::shared_ptr<grpc::Channel>> DialChannel(
    absl::string_view address);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_GRPC_CHANNEL_H_
