#include "proto/ipc/event_doorbell.h"

#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"

namespace ascend::ipc {
namespace {

// Takes the event back. 0, or what errno says; EAGAIN when there was none.
int Drain(int event) {
  uint64_t count = 0;
  iovec piece = {&count, sizeof(count)};
  ssize_t got = 0;
  do {
    got = ::preadv2(event, &piece, 1, -1, RWF_NOWAIT);
  } while (got < 0 && errno == EINTR);
  return got < 0 ? errno : 0;
}

}  // namespace

absl::StatusOr<EventDoorbell> EventDoorbell::Create(SleepWord* word) {
  core::UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  // A kernel that cannot read it without blocking (before 5.8) is told here.
  const int error = event.is_valid() ? Drain(event.get()) : errno;
  if (error != EAGAIN) {
    return core::MakeError(
        core::Reason::kInternal,
        absl::StrCat("making an event descriptor fails: ", strerror(error)));
  }
  return EventDoorbell(word, std::move(event));
}

EventDoorbell::EventDoorbell(SleepWord* word, core::UniqueFd event)
    : word_(word), event_(std::move(event)) {}

// Both sides exchange the same word. If the sleeper's comes first, the ring
// sees it; if the ring's comes first, the sleeper's sees that one, and with it
// all that was written before the ring, in its last look.
void EventDoorbell::Ring() {
  if (std::atomic_ref(word_->sleeps).exchange(0, std::memory_order_seq_cst) ==
      0) {
    return;
  }
  const uint64_t one = 1;
  // EAGAIN: the count is at its limit, so the event is readable anyway.
  while (::write(event_.get(), &one, sizeof(one)) < 0 && errno == EINTR) {
  }
}

void EventDoorbell::Arm() {
  std::atomic_ref(word_->sleeps).exchange(1, std::memory_order_seq_cst);
}

void EventDoorbell::Disarm() {
  std::atomic_ref(word_->sleeps).store(0, std::memory_order_seq_cst);
  Drain(event_.get());
}

}  // namespace ascend::ipc
