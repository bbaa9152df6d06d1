#include "client/grpc/dial.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/error.h"

namespace ascend::client {
namespace {

using core::UniqueFd;
using Clock = std::chrono::steady_clock;

absl::Status BadAddress(absl::string_view address, absl::string_view why) {
  return core::MakeError(
      core::Reason::kConnectionLost,
      absl::StrCat("daemon address '", address, "' cannot be used: ", why,
                   "; use unix:PATH or HOST:PORT"));
}

absl::Status ConnectError(absl::string_view address, int error) {
  if (error == EACCES || error == EPERM) {
    return core::MakeError(
        core::Reason::kConnectionLost,
        absl::StrCat("this user has no permission to connect to ", address,
                     "; have the daemon's --socket-mode or the directory's "
                     "permissions changed, or unset ASCEND_RTD_ADDRESS to run "
                     "a private daemon"));
  }
  return NoDaemonError(address, std::strerror(error));
}

absl::StatusOr<UniqueFd> DialUnix(absl::string_view address,
                                  absl::string_view path) {
  sockaddr_un name{.sun_family = AF_UNIX};
  if (path.empty() || path.size() >= sizeof(name.sun_path)) {
    return BadAddress(address, absl::StrCat("its path has ", path.size(),
                                            " bytes, outside 1 to ",
                                            sizeof(name.sun_path) - 1));
  }
  std::memcpy(name.sun_path, path.data(), path.size());
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.is_valid()) return ConnectError(address, errno);
  // A daemon whose backlog is full makes us wait; this bounds it.
  const timeval timeout{.tv_sec = kAttachTimeout.count() / 1000,
                        .tv_usec = (kAttachTimeout.count() % 1000) * 1000};
  (void)::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout,
                     sizeof(timeout));
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&name),
                sizeof(name)) != 0) {
    return ConnectError(address, errno);
  }
  return fd;
}

// 0, or the errno of a connection that fails.
int ConnectUntil(int fd, const addrinfo& to, Clock::time_point deadline) {
  if (::connect(fd, to.ai_addr, to.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - Clock::now());
    pollfd polled{.fd = fd, .events = POLLOUT};
    const int ready = left.count() > 0
                          ? ::poll(&polled, 1, static_cast<int>(left.count()))
                          : 0;
    if (ready == 0) return ETIMEDOUT;
    if (ready > 0) break;
    if (errno != EINTR) return errno;
  }
  int error = 0;
  socklen_t length = sizeof(error);
  (void)::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
  return error;
}

void SetOption(int fd, int level, int name, int value) {
  (void)::setsockopt(fd, level, name, &value, sizeof(value));
}

// A daemon's machine that vanished is noticed after a minute, by the kernel. No
// TCP_USER_TIMEOUT: it would end the session of a daemon that is stopped in a
// debugger.
void SetTcpOptions(int fd) {
  SetOption(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPINTVL, 10);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

absl::StatusOr<UniqueFd> DialTcp(absl::string_view address) {
  const size_t colon = address.rfind(':');
  if (colon == absl::string_view::npos || colon == 0 ||
      colon + 1 == address.size()) {
    return BadAddress(address, "it has no host or no port");
  }
  absl::string_view host = address.substr(0, colon);
  if (absl::ConsumePrefix(&host, "[")) absl::ConsumeSuffix(&host, "]");
  const std::string port(address.substr(colon + 1));
  const addrinfo hints{.ai_flags = AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
  addrinfo* raw = nullptr;
  const int result =
      ::getaddrinfo(std::string(host).c_str(), port.c_str(), &hints, &raw);
  if (result != 0) return BadAddress(address, ::gai_strerror(result));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(
      raw, &::freeaddrinfo);
  const Clock::time_point deadline = Clock::now() + kAttachTimeout;
  int error = EHOSTUNREACH;
  for (const addrinfo* to = raw; to != nullptr; to = to->ai_next) {
    UniqueFd fd(
        ::socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    error = fd.is_valid() ? ConnectUntil(fd.get(), *to, deadline) : errno;
    if (error != 0) continue;
    SetTcpOptions(fd.get());
    return fd;
  }
  return ConnectError(address, error);
}

}  // namespace

absl::StatusOr<UniqueFd> Dial(absl::string_view address) {
  absl::string_view path = address;
  if (absl::ConsumePrefix(&path, "unix:")) return DialUnix(address, path);
  return DialTcp(address);
}

absl::Status NoDaemonError(absl::string_view address,
                           absl::string_view detail) {
  return core::MakeError(
      core::Reason::kConnectionLost,
      absl::StrCat("no ascend-rtd answers at ", address, " (", detail,
                   "): start one with 'ascend-rtd --listen ", address,
                   "', or unset ASCEND_RTD_ADDRESS to run a private one"));
}

}  // namespace ascend::client
