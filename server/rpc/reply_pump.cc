#include "server/rpc/reply_pump.h"

#include <utility>

#include "core/base/thread_slice.h"

namespace ascend::server {

ReplyPump::ReplyPump() : thread_([this] { Run(); }) {}

ReplyPump::~ReplyPump() { Stop(); }

void ReplyPump::Schedule(std::shared_ptr<Pumped> call) {
  bool was_empty = false;
  {
    core::MutexLock lock(mutex_);
    if (stopped_) return;
    was_empty = due_.empty();
    due_.push_back(std::move(call));
  }
  if (was_empty) wake_.NotifyOne();
}

void ReplyPump::Stop() {
  {
    core::MutexLock lock(mutex_);
    stopped_ = true;
  }
  wake_.NotifyOne();
  if (thread_.joinable()) thread_.join();
  // A call shares what owns the pump, and would keep both alive for ever.
  std::vector<std::shared_ptr<Pumped>> dropped;
  {
    core::MutexLock lock(mutex_);
    dropped.swap(due_);
  }
}

void ReplyPump::Run() {
  core::SetThreadSlice(core::kPromptSlice);
  std::vector<std::shared_ptr<Pumped>> batch;
  while (true) {
    batch.clear();
    {
      core::MutexLock lock(mutex_);
      while (due_.empty() && !stopped_) wake_.Wait(mutex_);
      if (stopped_) return;
      batch.swap(due_);
    }
    for (const auto& call : batch) call->Pump();
  }
}

}  // namespace ascend::server
