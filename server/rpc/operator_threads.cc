#include "server/rpc/operator_threads.h"

#include <utility>

#include "core/base/thread_slice.h"
#include "server/service_thread.h"

namespace ascend::server {

void OperatorThreads::Run(std::function<void()> work) {
  core::MutexLock lock(mutex_);
  if (is_stopped_) return;
  due_.push_back(std::move(work));
  if (due_.size() > idle_count_ && threads_.size() < kThreadsMax) {
    threads_.push_back(StartServiceThread("operator", core::kComputingSlice,
                                          [this] { RunThread(); }));
  } else {
    changed_.NotifyOne();
  }
}

void OperatorThreads::Stop() {
  std::vector<std::thread> threads;
  {
    core::MutexLock lock(mutex_);
    is_stopped_ = true;
    due_.clear();
    threads.swap(threads_);
    changed_.NotifyAll();
  }
  for (std::thread& thread : threads) thread.join();
}

void OperatorThreads::RunThread() {
  mutex_.Lock();
  while (!is_stopped_) {
    if (due_.empty()) {
      ++idle_count_;
      changed_.Wait(mutex_);
      --idle_count_;
      continue;
    }
    std::function<void()> work = std::move(due_.front());
    due_.pop_front();
    mutex_.Unlock();
    work();
    work = nullptr;  // what it holds may go before the next one comes
    mutex_.Lock();
  }
  mutex_.Unlock();
}

}  // namespace ascend::server
