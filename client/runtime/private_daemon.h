// PrivateDaemon: a daemon of this process's own, when no other is there.
//
// It is started in a session of its own, so that a Ctrl-C at the terminal
// reaches only the program, and through a shell that ends at once, so that the
// program never sees a child that it did not start. It lives as long as the
// other end of its lifeline, a pipe, is open: until this object or the process
// ends, in whatever way.
//
// Threading: thread-compatible.
// Ownership: owns the lifeline and the directory of the socket.
#ifndef ASCEND_CLIENT_RUNTIME_PRIVATE_DAEMON_H_
#define ASCEND_CLIENT_RUNTIME_PRIVATE_DAEMON_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/unique_fd.h"

namespace ascend::client {

class PrivateDaemon {
 public:
  // Returns when the daemon takes connections. Errors: kConnectionLost.
  static absl::StatusOr<std::unique_ptr<PrivateDaemon>> Start();
  ~PrivateDaemon();
  PrivateDaemon(const PrivateDaemon&) = delete;
  PrivateDaemon& operator=(const PrivateDaemon&) = delete;

  // "unix:PATH".
  std::string address() const;
  int lifeline_fd() const { return lifeline_.get(); }

 private:
  explicit PrivateDaemon(std::string directory)
      : directory_(std::move(directory)) {}
  std::string SocketPath() const;
  absl::Status Spawn();

  const std::string directory_;
  core::UniqueFd lifeline_;
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_PRIVATE_DAEMON_H_
