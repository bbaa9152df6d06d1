// CallbackThread: runs functions of the program that no thread of the program
// waits to run: host functions of streams, exception callbacks.
//
// One for the process and all its sessions, in order. A function may call the
// API, even finalize, so the thread outlives sessions; the one of the process
// is never joined, since a function may never return.
//
// Threading: any thread; a leaf. It starts with the first Run.
#ifndef ASCEND_CLIENT_RUNTIME_CALLBACK_THREAD_H_
#define ASCEND_CLIENT_RUNTIME_CALLBACK_THREAD_H_

#include <deque>
#include <functional>
#include <thread>

#include "core/base/sync.h"

namespace ascend::client {

class CallbackThread {
 public:
  CallbackThread() = default;
  // Runs what is left, then ends. Not on the thread itself.
  ~CallbackThread();

  void Run(std::function<void()> function) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Loop() ABSL_LOCKS_EXCLUDED(mutex_);

  core::Mutex mutex_;
  core::CondVar changed_;
  std::deque<std::function<void()>> functions_ ABSL_GUARDED_BY(mutex_);
  bool is_ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_ ABSL_GUARDED_BY(mutex_);
};

// Whether this thread is in a function that a stream waits for, which must not
// wait for streams.
bool& IsInHostFunction();

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_CALLBACK_THREAD_H_
