// Listening sockets, bound and accepted by the daemon itself.
//
// gRPC could listen on its own, but tells nothing of who is at the other end of
// a UNIX socket, and its keep-alive ends a client that stands in a debugger. So
// the daemon accepts connections, asks the kernel for the peer, sets kernel
// keep-alive on TCP (which a stopped process still answers), and hands the
// descriptor to gRPC.
//
// Threading: Listener is not shared; Acceptor has a thread of its own, on which
// it calls `on_connection`. Ownership: a Listener owns its socket and, when
// UNIX, the file, which it removes at its end if it is still its own.
#ifndef ASCEND_SERVER_RPC_LISTENER_H_
#define ASCEND_SERVER_RPC_LISTENER_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/unique_fd.h"
#include "server/machine_host.h"

namespace ascend::server {

struct ListenAddress {
  bool is_unix = false;
  std::string path;      // unix
  bool is_ipv6 = false;  // tcp: [::1], else 127.0.0.1
  uint16_t port = 0;     // tcp; 0: any free one
};

// "unix:PATH", "127.0.0.1:PORT" or "[::1]:PORT"; anything else is refused.
absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text);

class Listener {
 public:
  // A socket file that nobody listens at any more is replaced, one that a live
  // daemon holds is an error. A missing last directory of the path is made.
  static absl::StatusOr<std::unique_ptr<Listener>> Open(
      const ListenAddress& address, mode_t unix_mode = 0666);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // In the form of ParseListenAddress, with the port that was chosen.
  const std::string& address() const { return address_; }
  int fd() const { return socket_.get(); }

  // The next waiting connection and who made it. Unavailable: none waits, or
  // it went away again; ResourceExhausted: no descriptor is left.
  struct Connection {
    core::UniqueFd socket;
    Peer peer;
  };
  absl::StatusOr<Connection> Accept();

 private:
  Listener() = default;
  absl::Status BindUnix(const ListenAddress& address, mode_t mode);
  absl::Status BindTcp(const ListenAddress& address);

  core::UniqueFd socket_;
  std::string address_;
  std::string unix_path_;  // empty: TCP
  dev_t file_device_ = 0;
  ino_t file_inode_ = 0;
};

class Acceptor {
 public:
  using OnConnection = std::function<void(Listener::Connection)>;

  Acceptor(std::vector<std::unique_ptr<Listener>> listeners,
           OnConnection on_connection);
  // Stops listening; connections that were accepted stay.
  ~Acceptor();

 private:
  void Run();

  std::vector<std::unique_ptr<Listener>> listeners_;
  const OnConnection on_connection_;
  core::UniqueFd stop_;  // an eventfd
  std::thread thread_;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_RPC_LISTENER_H_
