#include "client/grpc/channel.h"

#include <grpcpp/create_channel_posix.h>
#include <grpcpp/support/channel_arguments.h>

#include "client/grpc/dial.h"
#include "client/grpc/forked_child.h"
#include "core/base/status_macros.h"
#include "proto/grpc_lifetime.h"
#include "proto/wire.h"

namespace ascend::client {

absl::StatusOr<std::shared_ptr<grpc::Channel>> DialChannel(
    absl::string_view address) {
  ASCEND_ASSIGN_OR_RETURN(core::UniqueFd socket, Dial(address));
  CloseInForkedChild(socket.get());
  wire::KeepGrpcRunning();
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(wire::kMessageBytesMax);
  arguments.SetMaxSendMessageSize(wire::kMessageBytesMax);
  return grpc::CreateCustomInsecureChannelFromFd("ascend-rtd", socket.Release(),
                                                 arguments);
}

}  // namespace ascend::client
