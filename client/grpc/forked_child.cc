#include "client/grpc/forked_child.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "core/base/sync.h"

namespace ascend::client {
namespace {

// The socket behind a descriptor: the number alone may be another file's by
// now. 0: no socket.
uint64_t InodeOf(int fd) {
  struct stat info {};
  if (fd < 0 || ::fstat(fd, &info) != 0 || !S_ISSOCK(info.st_mode)) return 0;
  return info.st_ino;
}

// Atomic, since a fork comes at any time and a child may take no lock.
struct Slot {
  std::atomic<int> fd{-1};
  std::atomic<uint64_t> inode{0};

  bool is_live() const {
    return fd.load() >= 0 && InodeOf(fd.load()) == inode.load();
  }
};

// Four for each session, and more than one session only while tests run. When
// all are taken a child keeps the socket until it ends.
constexpr int kSlotCount = 64;

struct Slots {
  Slot slots[kSlotCount];
  core::Mutex mutex;  // of those who fill them
};

Slots& AllSlots() {
  static Slots* const all = new Slots();
  return *all;
}

void CloseAll() {
  for (Slot& slot : AllSlots().slots) {
    if (slot.is_live()) ::close(slot.fd.load());
  }
}

}  // namespace

void CloseInForkedChild(int socket) {
  static const bool is_heard = [] {
    AllSlots();
    return ::pthread_atfork(nullptr, nullptr, CloseAll) == 0;
  }();
  if (!is_heard) return;
  core::MutexLock lock(AllSlots().mutex);
  for (Slot& slot : AllSlots().slots) {
    if (slot.is_live()) continue;
    slot.fd.store(-1);
    slot.inode.store(InodeOf(socket));
    slot.fd.store(socket);
    return;
  }
}

}  // namespace ascend::client
