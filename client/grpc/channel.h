// A gRPC channel over one socket of ours: no resolver, no proxy, no reconnect.
//
// gRPC cannot cancel a write that a daemon does not read: its end is only told
// when the socket's end is. Who closes a stream in a bounded time hangs up.
//
// Threading: any thread. Ownership: the channel takes a socket of its own.
#ifndef ASCEND_CLIENT_GRPC_CHANNEL_H_
#define ASCEND_CLIENT_GRPC_CHANNEL_H_

#include <grpcpp/channel.h>

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/unique_fd.h"

namespace ascend::client {

struct DialedChannel {
  std::shared_ptr<grpc::Channel> channel;
  core::UniqueFd socket;  // the same connection, to hang up with
};

// Errors: those of Dial.
absl::StatusOr<DialedChannel> DialChannel(absl::string_view address);

// Ends the connection for both ends; what is under way on it fails.
void HangUp(const core::UniqueFd& socket);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_GRPC_CHANNEL_H_
