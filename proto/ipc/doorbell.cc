#include "proto/ipc/doorbell.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>

#include "core/base/check.h"

namespace ascend::ipc {
namespace {

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

timespec ToTimespec(Deadline deadline) {
  using std::chrono::nanoseconds;
  const int64_t ns =
      std::max<int64_t>(0, nanoseconds(deadline.time_since_epoch()).count());
  return {.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
}

// The word is another process's too, so none of these is FUTEX_PRIVATE.
// 0 when woken, else what errno says.
int SleepWhile(uint32_t* word, uint32_t value, const timespec* until) {
  const long result = ::syscall(SYS_futex, word, FUTEX_WAIT_BITSET, value,
                                until, nullptr, FUTEX_BITSET_MATCH_ANY);
  return result == 0 ? 0 : errno;
}

void WakeAll(uint32_t* word) {
  ::syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

uint32_t Doorbell::Value() const {
  return std::atomic_ref(word_->value).load(std::memory_order_acquire);
}

// Against a wake-up that is lost: the ring changes `value` and then reads
// `sleepers`; the sleeper counts itself in and then, in the kernel and together
// with lying down, compares `value`. In the one order of all four, either the
// ring sees the sleeper or the sleeper sees the ring. Only sleepers change the
// count: a ring that took it back, to save later rings the system call, might
// come late, after the sleeper has seen its value, and would take back what was
// meant for the next ring.
void Doorbell::Ring() {
  std::atomic_ref(word_->value).fetch_add(1, std::memory_order_seq_cst);
  if (std::atomic_ref(word_->sleepers).load(std::memory_order_seq_cst) != 0) {
    WakeAll(&word_->value);
  }
}

Doorbell::Outcome Doorbell::Wait(uint32_t seen, int spin_turns,
                                 Deadline deadline) {
  for (int turn = 0; turn < spin_turns; ++turn) {
    if (Value() != seen) return Outcome::kRung;
    Pause();
  }
  if (Value() != seen) return Outcome::kRung;
  const timespec until = ToTimespec(deadline);
  const timespec* const limit = deadline == kNoDeadline ? nullptr : &until;
  std::atomic_ref sleepers(word_->sleepers);
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  int error = 0;
  do {
    error = SleepWhile(&word_->value, seen, limit);
    ASCEND_CHECK(error == 0 || error == EAGAIN || error == EINTR ||
                 error == ETIMEDOUT)
        << "futex wait: errno " << error;
    // EAGAIN: the kernel saw another value. Looking again, whatever the answer,
    // orders what the ring came after.
  } while (Value() == seen && error != EAGAIN && error != ETIMEDOUT);
  sleepers.fetch_sub(1, std::memory_order_seq_cst);
  return error == ETIMEDOUT && Value() == seen ? Outcome::kDeadline
                                               : Outcome::kRung;
}

}  // namespace ascend::ipc
