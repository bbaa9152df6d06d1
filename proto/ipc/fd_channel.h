// FdChannel: one end of a pair of sockets that carries short messages with
// descriptors between two processes.
//
// A message arrives whole with all its descriptors or is refused and its
// descriptors closed; none survives exec unless who owns it says so. The end of
// the peer is an error of its own, kConnectionLost, told after all that it sent
// before it closed its end (unless it ended without having read all of ours).
//
// Threading: one thread may send while another receives.
// Ownership: owns the socket; received descriptors are the caller's.
#ifndef ASCEND_PROTO_IPC_FD_CHANNEL_H_
#define ASCEND_PROTO_IPC_FD_CHANNEL_H_

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/unique_fd.h"
#include "proto/ipc/deadline.h"

namespace ascend::ipc {

inline constexpr size_t kMessageBytesMax = 4096;
inline constexpr size_t kDescriptorsMax = 16;  // of one message

class FdChannel {
 public:
  struct Message {
    size_t bytes = 0;
    std::vector<core::UniqueFd> descriptors;
  };

  static absl::StatusOr<std::pair<FdChannel, FdChannel>> CreatePair();
  explicit FdChannel(core::UniqueFd socket) : socket_(std::move(socket)) {}

  // Waits for room until `deadline` (kSessionHung when it passes); a deadline
  // in the past asks once. The descriptors stay the caller's. A message has
  // from 1 to kMessageBytesMax bytes and at most kDescriptorsMax descriptors.
  absl::Status Send(std::span<const std::byte> bytes,
                    std::span<const int> descriptors,
                    Deadline deadline = kNoDeadline);

  // The next message into `buffer`; waits for it as Send does. One that is
  // larger, or has too many descriptors, is a violation of the protocol and
  // gone.
  absl::StatusOr<Message> Receive(std::span<std::byte> buffer,
                                  Deadline deadline = kNoDeadline);

  // For poll and epoll, and for a child that is to inherit it.
  int fd() const { return socket_.get(); }

 private:
  core::UniqueFd socket_;
};

}  // namespace ascend::ipc

#endif  // ASCEND_PROTO_IPC_FD_CHANNEL_H_
