// OperatorThreads: where operators' requests are answered, which may wait for a
// turn of the machine, or for a client that reads slowly.
//
// Threads are started when there is more to do than threads that have nothing
// to do, up to kThreadsMax; beyond that, requests wait for each other.
//
// Threading: any thread; Stop on the owner's. Ownership: owns the threads.
#ifndef ASCEND_SERVER_RPC_OPERATOR_THREADS_H_
#define ASCEND_SERVER_RPC_OPERATOR_THREADS_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "core/base/sync.h"

namespace ascend::server {

class OperatorThreads {
 public:
  static constexpr size_t kThreadsMax = 32;

  ~OperatorThreads() { Stop(); }

  // No effect once stopped.
  void Run(std::function<void()> work) ABSL_LOCKS_EXCLUDED(mutex_);
  // Finishes what was begun, drops the rest, joins. Idempotent.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void RunThread() ABSL_LOCKS_EXCLUDED(mutex_);

  core::Mutex mutex_;
  core::CondVar changed_;
  std::deque<std::function<void()>> due_ ABSL_GUARDED_BY(mutex_);
  size_t idle_count_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_RPC_OPERATOR_THREADS_H_
