#include "proto/ipc/fd_channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::ipc {
namespace {

using core::MakeError;
using core::Reason;

constexpr size_t kControlBytes = CMSG_SPACE(kDescriptorsMax * sizeof(int));

absl::Status SocketError(absl::string_view what, int error) {
  switch (error) {
    case EPIPE:
    case ECONNRESET:
    case ECONNREFUSED:
    case ENOTCONN:
      return MakeError(Reason::kConnectionLost,
                       absl::StrCat(what, ": the other process is gone"));
    default:
      return MakeError(Reason::kInternal,
                       absl::StrCat(what, " fails: ", strerror(error)));
  }
}

// Until `socket` may be ready for `events`; the caller tries again and so finds
// out whether it is.
absl::Status AwaitReady(int socket, short events, Deadline deadline) {
  using std::chrono::milliseconds;
  const auto now = std::chrono::steady_clock::now();
  if (now >= deadline) {
    return MakeError(Reason::kSessionHung,
                     events == POLLIN
                         ? "no message comes from the other process in time"
                         : "the other process takes no message in time");
  }
  const auto left = std::chrono::ceil<milliseconds>(
      std::min<Deadline::duration>(deadline - now, std::chrono::minutes(1)));
  pollfd waiting = {.fd = socket, .events = events, .revents = 0};
  if (::poll(&waiting, 1, static_cast<int>(left.count())) < 0 &&
      errno != EINTR) {
    return SocketError("waiting for a socket", errno);
  }
  return absl::OkStatus();
}

// Owns every descriptor that came with `message`, whatever else is wrong.
std::vector<core::UniqueFd> TakeDescriptors(msghdr& message) {
  std::vector<core::UniqueFd> taken;
  taken.reserve(kDescriptorsMax);
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
      taken.emplace_back(fd);
    }
  }
  return taken;
}

}  // namespace

absl::StatusOr<std::pair<FdChannel, FdChannel>> FdChannel::CreatePair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return SocketError("making a pair of sockets", errno);
  }
  return std::pair(FdChannel(core::UniqueFd(ends[0])),
                   FdChannel(core::UniqueFd(ends[1])));
}

absl::Status FdChannel::Send(std::span<const std::byte> bytes,
                             std::span<const int> descriptors,
                             Deadline deadline) {
  // One of no bytes looks like the end of the peer.
  if (bytes.empty() || bytes.size() > kMessageBytesMax ||
      descriptors.size() > kDescriptorsMax) {
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("a message of ", bytes.size(), " bytes and ",
                     descriptors.size(), " descriptors has not from 1 to ",
                     kMessageBytesMax, " and at most ", kDescriptorsMax));
  }
  iovec piece = {const_cast<std::byte*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[kControlBytes] = {};
  msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
  if (!descriptors.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* const part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(part), descriptors.data(), descriptors.size_bytes());
  }
  for (;;) {
    if (::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) {
      return absl::OkStatus();
    }
    if (errno == EAGAIN) {
      ASCEND_RETURN_IF_ERROR(AwaitReady(socket_.get(), POLLOUT, deadline));
    } else if (errno != EINTR) {
      return SocketError("sending a message", errno);
    }
  }
}

absl::StatusOr<FdChannel::Message> FdChannel::Receive(
    std::span<std::byte> buffer, Deadline deadline) {
  iovec piece = {buffer.data(), buffer.size()};
  alignas(cmsghdr) char control[kControlBytes];
  for (;;) {
    msghdr message = {.msg_iov = &piece,
                      .msg_iovlen = 1,
                      .msg_control = control,
                      .msg_controllen = sizeof(control)};
    const ssize_t got =
        ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got < 0) {
      if (errno == EAGAIN) {
        ASCEND_RETURN_IF_ERROR(AwaitReady(socket_.get(), POLLIN, deadline));
      } else if (errno != EINTR) {
        return SocketError("receiving a message", errno);
      }
      continue;
    }
    Message result = {.bytes = static_cast<size_t>(got),
                      .descriptors = TakeDescriptors(message)};
    if ((message.msg_flags & MSG_TRUNC) != 0) {
      return MakeError(Reason::kProtocolViolation,
                       absl::StrCat("a message is larger than ", buffer.size(),
                                    " bytes"));
    }
    if ((message.msg_flags & MSG_CTRUNC) != 0) {
      // With room left it is this process that can have no more descriptors.
      if (result.descriptors.size() < kDescriptorsMax) {
        return SocketError("receiving descriptors", EMFILE);
      }
      return MakeError(Reason::kProtocolViolation,
                       absl::StrCat("a message has more than ", kDescriptorsMax,
                                    " descriptors"));
    }
    if (got == 0) return SocketError("receiving a message", EPIPE);
    return result;
  }
}

}  // namespace ascend::ipc
