// ThreadChecker: states that a thread-compatible object stays on one thread.
//
// Binds to the first thread that calls `CheckOnOwner`, and fails a debug check
// on any other. Free in release builds.
#ifndef ASCEND_CORE_BASE_THREAD_CHECKER_H_
#define ASCEND_CORE_BASE_THREAD_CHECKER_H_

#include <pthread.h>

#include <atomic>

#include "core/base/check.h"

namespace ascend::core {

class ThreadChecker {
 public:
  void CheckOnOwner() const {
#ifndef NDEBUG
    const pthread_t self = pthread_self();
    pthread_t expected{};
    if (owner_.compare_exchange_strong(expected, self)) return;
    ASCEND_CHECK(pthread_equal(expected, self))
        << "object is used by two threads";
#endif
  }

  // Lets the next caller become the owner, e.g. after construction elsewhere.
  void Detach() { owner_.store(pthread_t{}); }

 private:
  mutable std::atomic<pthread_t> owner_{};
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_BASE_THREAD_CHECKER_H_
