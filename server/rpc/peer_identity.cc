#include "server/rpc/peer_identity.h"

#include <sys/stat.h>

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/error.h"

namespace ascend::server {
namespace {

// Sockets have inodes of their own, never 0.
ino_t InodeOf(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode) ? info.st_ino : 0;
}

}  // namespace

void PeerTable::Record(int fd, Peer peer) {
  const auto index = static_cast<size_t>(fd);
  const ino_t inode = InodeOf(fd);
  core::MutexLock lock(mutex_);
  if (index >= rows_.size()) rows_.resize(index + 1);
  rows_[index] = Row{.inode = inode, .peer = std::move(peer)};
}

absl::StatusOr<Peer> PeerTable::Find(absl::string_view grpc_peer) const {
  const absl::Status unknown = core::MakeError(
      core::Reason::kConnectionLost,
      absl::StrCat("connection '", grpc_peer, "' is not one of the daemon's"));
  absl::string_view number = grpc_peer;
  size_t fd = 0;
  if (!absl::ConsumePrefix(&number, "fd:") || !absl::SimpleAtoi(number, &fd)) {
    return unknown;
  }
  core::MutexLock lock(mutex_);
  if (fd >= rows_.size() || rows_[fd].inode == 0 ||
      rows_[fd].inode != InodeOf(static_cast<int>(fd))) {
    return unknown;
  }
  return rows_[fd].peer;
}

}  // namespace ascend::server
