#include "client/runtime/callback_thread.h"

#include <utility>

namespace ascend::client {

using core::MutexLock;

CallbackThread::~CallbackThread() {
  std::thread thread;
  {
    MutexLock lock(mutex_);
    is_ended_ = true;
    thread.swap(thread_);
    changed_.NotifyAll();
  }
  if (thread.joinable()) thread.join();
}

void CallbackThread::Run(std::function<void()> function) {
  MutexLock lock(mutex_);
  functions_.push_back(std::move(function));
  if (!thread_.joinable()) thread_ = std::thread([this] { Loop(); });
  changed_.NotifyAll();
}

void CallbackThread::Loop() {
  for (;;) {
    std::function<void()> function;
    {
      MutexLock lock(mutex_);
      while (functions_.empty() && !is_ended_) changed_.Wait(mutex_);
      if (functions_.empty()) return;
      function = std::move(functions_.front());
      functions_.pop_front();
    }
    function();
  }
}

bool& IsInHostFunction() {
  static thread_local bool is_in_host_function = false;
  return is_in_host_function;
}

}  // namespace ascend::client
