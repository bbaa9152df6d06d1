// Latch: a door that a test opens.
//
// Threading: any thread.
#ifndef ASCEND_TESTS_UNIT_SERVER_LATCH_H_
#define ASCEND_TESTS_UNIT_SERVER_LATCH_H_

#include <chrono>

#include "core/base/sync.h"

namespace ascend::server {

class Latch {
 public:
  void Open() {
    core::MutexLock lock(mutex_);
    is_open_ = true;
    opened_.NotifyAll();
  }

  // False when nobody opens it in half a minute.
  bool Wait() {
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::seconds(30);
    core::MutexLock lock(mutex_);
    while (!is_open_) {
      if (!opened_.WaitUntil(mutex_, deadline)) return false;
    }
    return true;
  }

 private:
  core::Mutex mutex_;
  core::CondVar opened_;
  bool is_open_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace ascend::server

#endif  // ASCEND_TESTS_UNIT_SERVER_LATCH_H_
