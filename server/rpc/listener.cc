#include "server/rpc/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/check.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "core/base/thread_slice.h"

namespace ascend::server {
namespace {

using core::Reason;

constexpr int kBacklog = 512;

template <typename... Parts>
absl::Status Invalid(const Parts&... parts) {
  return core::MakeError(Reason::kInvalidArgument, absl::StrCat(parts...));
}

// What the last system call says.
std::string SystemError() { return std::strerror(errno); }

absl::Status FillUnixAddress(const std::string& path, sockaddr_un* out) {
  *out = sockaddr_un{.sun_family = AF_UNIX};
  if (path.empty() || path.size() >= sizeof(out->sun_path)) {
    return Invalid("socket path '", path, "' has ", path.size(),
                   " bytes, outside 1 to ", sizeof(out->sun_path) - 1);
  }
  std::memcpy(out->sun_path, path.data(), path.size());
  return absl::OkStatus();
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Holds the directory for as long as the result lives, so that of two daemons
// that start at once only one finds the other's socket stale.
absl::StatusOr<core::UniqueFd> LockDirectory(const std::string& directory) {
  if (::mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST) {
    return Invalid("directory '", directory,
                   "' of the socket cannot be made: ", SystemError());
  }
  core::UniqueFd fd(
      ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_valid() || ::flock(fd.get(), LOCK_EX) != 0) {
    return Invalid("directory '", directory,
                   "' of the socket cannot be used: ", SystemError());
  }
  return fd;
}

// Removes what a dead daemon left behind.
absl::Status RemoveStale(const std::string& path, const sockaddr_un& address) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return absl::OkStatus();
  if (!S_ISSOCK(info.st_mode)) {
    return Invalid("'", path,
                   "' exists and is no socket; remove it or choose "
                   "another --listen");
  }
  // Without waiting: a daemon that is stopped has a backlog that may be full.
  core::UniqueFd probe(
      ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address),
                sizeof(address)) == 0 ||
      errno == EAGAIN) {
    return Invalid("another process listens at unix:", path,
                   "; stop it or choose another --listen");
  }
  if (errno != ECONNREFUSED) {
    return Invalid("socket '", path,
                   "' is there and cannot be examined: ", SystemError());
  }
  if (::unlink(path.c_str()) != 0) {
    return Invalid("stale socket '", path,
                   "' cannot be removed: ", SystemError());
  }
  return absl::OkStatus();
}

void SetOption(int fd, int level, int name, int value) {
  // Best effort: a connection without it works, and dies later when cut.
  (void)::setsockopt(fd, level, name, &value, sizeof(value));
}

// An idle peer that vanished without a word is gone after a minute. The kernel
// answers probes for a process that is stopped in a debugger. No
// TCP_USER_TIMEOUT: it also ends a connection whose peer is there and does not
// read, which is what such a process does.
void SetTcpOptions(int fd) {
  SetOption(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPINTVL, 10);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

Peer UnixPeer(int fd) {
  Peer peer{.transport = "unix"};
  ucred credentials{};
  socklen_t length = sizeof(credentials);
  const int result =
      ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length);
  ASCEND_CHECK(result == 0) << "SO_PEERCRED: " << SystemError();
  peer.pid = credentials.pid;
  peer.uid = credentials.uid;
  peer.gid = credentials.gid;
  return peer;
}

std::string TcpAddressText(const sockaddr_storage& address) {
  char host[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET6) {
    const auto& in6 = reinterpret_cast<const sockaddr_in6&>(address);
    ::inet_ntop(AF_INET6, &in6.sin6_addr, host, sizeof(host));
    return absl::StrCat("[", host, "]:", ntohs(in6.sin6_port));
  }
  const auto& in = reinterpret_cast<const sockaddr_in&>(address);
  ::inet_ntop(AF_INET, &in.sin_addr, host, sizeof(host));
  return absl::StrCat(host, ":", ntohs(in.sin_port));
}

}  // namespace

absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text) {
  ListenAddress out;
  absl::string_view rest = text;
  if (absl::ConsumePrefix(&rest, "unix:")) {
    out.is_unix = true;
    out.path = std::string(rest);
    sockaddr_un unused;
    ASCEND_RETURN_IF_ERROR(FillUnixAddress(out.path, &unused));
    return out;
  }
  if (absl::ConsumePrefix(&rest, "[::1]:")) {
    out.is_ipv6 = true;
  } else if (!absl::ConsumePrefix(&rest, "127.0.0.1:")) {
    if (absl::StrContains(text, ':')) {
      return Invalid("address '", text,
                     "' is not on the loopback interface, which needs TLS, "
                     "which this version does not have; use unix:PATH, "
                     "127.0.0.1:PORT or [::1]:PORT");
    }
    return Invalid("address '", text,
                   "' is none of unix:PATH, 127.0.0.1:PORT, [::1]:PORT");
  }
  uint32_t port = 0;
  if (!absl::SimpleAtoi(rest, &port) || port > UINT16_MAX) {
    return Invalid("port '", rest, "' of address '", text,
                   "' is no number from 0 to 65535");
  }
  out.port = static_cast<uint16_t>(port);
  return out;
}

absl::StatusOr<std::unique_ptr<Listener>> Listener::Open(
    const ListenAddress& address, mode_t unix_mode) {
  std::unique_ptr<Listener> listener(new Listener);
  const int family =
      address.is_unix ? AF_UNIX : (address.is_ipv6 ? AF_INET6 : AF_INET);
  listener->socket_.Reset(
      ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (listener->fd() < 0) {
    return Invalid("socket cannot be made: ", SystemError());
  }
  ASCEND_RETURN_IF_ERROR(address.is_unix
                             ? listener->BindUnix(address, unix_mode)
                             : listener->BindTcp(address));
  return listener;
}

absl::Status Listener::BindUnix(const ListenAddress& address, mode_t mode) {
  sockaddr_un name;
  ASCEND_RETURN_IF_ERROR(FillUnixAddress(address.path, &name));
  ASCEND_ASSIGN_OR_RETURN(core::UniqueFd lock,
                          LockDirectory(DirectoryOf(address.path)));
  ASCEND_RETURN_IF_ERROR(RemoveStale(address.path, name));
  // The mode is set before anybody can connect, which needs listen().
  if (::bind(fd(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)) !=
          0 ||
      ::chmod(address.path.c_str(), mode) != 0 ||
      ::listen(fd(), kBacklog) != 0) {
    return Invalid("unix:", address.path,
                   " cannot be listened at: ", SystemError());
  }
  struct stat info {};
  if (::lstat(address.path.c_str(), &info) == 0) {
    file_device_ = info.st_dev;
    file_inode_ = info.st_ino;
  }
  unix_path_ = address.path;
  address_ = absl::StrCat("unix:", address.path);
  return absl::OkStatus();
}

absl::Status Listener::BindTcp(const ListenAddress& address) {
  sockaddr_storage name{};
  socklen_t length = 0;
  if (address.is_ipv6) {
    auto& in6 = reinterpret_cast<sockaddr_in6&>(name);
    in6.sin6_family = AF_INET6;
    in6.sin6_addr = in6addr_loopback;
    in6.sin6_port = htons(address.port);
    length = sizeof(in6);
    SetOption(fd(), IPPROTO_IPV6, IPV6_V6ONLY, 1);
  } else {
    auto& in = reinterpret_cast<sockaddr_in&>(name);
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    in.sin_port = htons(address.port);
    length = sizeof(in);
  }
  SetOption(fd(), SOL_SOCKET, SO_REUSEADDR, 1);
  const std::string wanted = TcpAddressText(name);
  auto* raw = reinterpret_cast<sockaddr*>(&name);
  if (::bind(fd(), raw, length) != 0 || ::listen(fd(), kBacklog) != 0 ||
      ::getsockname(fd(), raw, &length) != 0) {
    return Invalid(wanted, " cannot be listened at: ", SystemError());
  }
  address_ = TcpAddressText(name);
  return absl::OkStatus();
}

Listener::~Listener() {
  if (unix_path_.empty()) return;
  // Another daemon may have taken over the path.
  struct stat info {};
  if (::lstat(unix_path_.c_str(), &info) == 0 && info.st_dev == file_device_ &&
      info.st_ino == file_inode_) {
    ::unlink(unix_path_.c_str());
  }
}

absl::StatusOr<Listener::Connection> Listener::Accept() {
  sockaddr_storage from{};
  socklen_t length = sizeof(from);
  core::UniqueFd socket(::accept4(fd(), reinterpret_cast<sockaddr*>(&from),
                                  &length, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket.is_valid()) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
        errno == ENOMEM) {
      return absl::ResourceExhaustedError(SystemError());
    }
    return absl::UnavailableError(SystemError());
  }
  Peer peer;
  if (unix_path_.empty()) {
    SetTcpOptions(socket.get());
    peer = Peer{.transport = "tcp", .address = TcpAddressText(from)};
  } else {
    peer = UnixPeer(socket.get());
  }
  return Connection{.socket = std::move(socket), .peer = std::move(peer)};
}

Acceptor::Acceptor(std::vector<std::unique_ptr<Listener>> listeners,
                   OnConnection on_connection)
    : listeners_(std::move(listeners)),
      on_connection_(std::move(on_connection)),
      stop_(::eventfd(0, EFD_CLOEXEC)),
      thread_([this] { Run(); }) {}

Acceptor::~Acceptor() {
  const uint64_t one = 1;
  const ssize_t written = ::write(stop_.get(), &one, sizeof(one));
  ASCEND_CHECK(written == sizeof(one)) << SystemError();
  thread_.join();
}

void Acceptor::Run() {
  core::SetThreadSlice(core::kPromptSlice);
  // How long to leave the listeners alone when no descriptor is left.
  constexpr int kExhaustedMilliseconds = 100;
  std::vector<pollfd> polled{{.fd = stop_.get(), .events = POLLIN}};
  for (const auto& listener : listeners_) {
    polled.push_back({.fd = listener->fd(), .events = POLLIN});
  }
  bool exhausted = false;
  while (true) {
    // While exhausted, only the stop event is of interest.
    const nfds_t count = exhausted ? 1 : polled.size();
    const int ready =
        ::poll(polled.data(), count, exhausted ? kExhaustedMilliseconds : -1);
    exhausted = false;
    if (ready < 0) {
      ASCEND_CHECK(errno == EINTR) << SystemError();
      continue;
    }
    if ((polled[0].revents & POLLIN) != 0) return;
    if (ready == 0) continue;
    for (size_t i = 1; i < count; ++i) {
      if ((polled[i].revents & POLLIN) == 0) continue;
      auto connection = listeners_[i - 1]->Accept();
      if (connection.ok()) {
        on_connection_(*std::move(connection));
      } else {
        exhausted |= absl::IsResourceExhausted(connection.status());
      }
    }
  }
}

}  // namespace ascend::server
