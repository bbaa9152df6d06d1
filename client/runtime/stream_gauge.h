// StreamGauge: how many tasks of a stream have retired, as the daemon tells.
//
// Threads that post compare it with what they posted, and wait here when the
// stream is full; the completion thread moves it.
//
// Threading: any thread. Ownership: shared by the stream and the completion
// side.
#ifndef ASCEND_CLIENT_RUNTIME_STREAM_GAUGE_H_
#define ASCEND_CLIENT_RUNTIME_STREAM_GAUGE_H_

#include <algorithm>
#include <cstdint>

#include "core/base/sync.h"

namespace ascend::client {

class StreamGauge {
 public:
  uint64_t retired() const {
    core::MutexLock lock(mutex_);
    return retired_;
  }

  // Never goes back.
  void Raise(uint64_t retired) {
    core::MutexLock lock(mutex_);
    retired_ = std::max(retired_, retired);
    changed_.NotifyAll();
  }

  // The stream is gone, or its connection: nobody waits any more.
  void Close() {
    core::MutexLock lock(mutex_);
    is_closed_ = true;
    changed_.NotifyAll();
  }

  // Waits until at least `count` tasks have retired, or Close.
  void Await(uint64_t count) {
    core::MutexLock lock(mutex_);
    while (retired_ < count && !is_closed_) changed_.Wait(mutex_);
  }

 private:
  mutable core::Mutex mutex_;
  core::CondVar changed_;
  uint64_t retired_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_STREAM_GAUGE_H_
