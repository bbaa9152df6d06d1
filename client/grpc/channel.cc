#include "client/grpc/channel.h"

#include <fcntl.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/support/channel_arguments.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "client/grpc/dial.h"
#include "client/grpc/forked_child.h"
#include "core/base/status_macros.h"
#include "proto/grpc_lifetime.h"
#include "proto/wire.h"

namespace ascend::client {

absl::StatusOr<DialedChannel> DialChannel(absl::string_view address) {
  ASCEND_ASSIGN_OR_RETURN(core::UniqueFd socket, Dial(address));
  core::UniqueFd same(::fcntl(socket.get(), F_DUPFD_CLOEXEC, 0));
  if (!same.is_valid()) return NoDaemonError(address, std::strerror(errno));
  CloseInForkedChild(socket.get());
  CloseInForkedChild(same.get());
  wire::KeepGrpcRunning();
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(wire::kMessageBytesMax);
  arguments.SetMaxSendMessageSize(wire::kMessageBytesMax);
  return DialedChannel{.channel = grpc::CreateCustomInsecureChannelFromFd(
                           "ascend-rtd", socket.Release(), arguments),
                       .socket = std::move(same)};
}

void HangUp(const core::UniqueFd& socket) {
  // An error says that it ended before.
  (void)::shutdown(socket.get(), SHUT_RDWR);
}

}  // namespace ascend::client
