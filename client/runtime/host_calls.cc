#include "client/runtime/host_calls.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"

namespace ascend::client {

using core::MakeError;
using core::MutexLock;
using core::Reason;

void HostCalls::Add(core::Ticket ticket, HostCall call) {
  MutexLock lock(mutex_);
  calls_.emplace(ticket, call);
  ++unfinished_count_;
}

void HostCalls::OnDue(core::Ticket ticket, core::Tick tick) {
  DueCall due{.ticket = ticket, .tick = tick};
  {
    MutexLock lock(mutex_);
    const auto found = calls_.find(ticket);
    if (found == calls_.end() || is_closed_) return;
    due.call = found->second;
    calls_.erase(found);
    const auto service = services_.find(due.call.service_thread);
    if (service != services_.end()) {
      service->second.due.push_back(due);
      changed_.NotifyAll();
      return;
    }
  }
  run_(due);
}

absl::Status HostCalls::Subscribe(uint64_t thread, core::StreamHandle stream) {
  MutexLock lock(mutex_);
  if (threads_.count(stream) != 0) {
    return MakeError(
        Reason::kMixedCallbackStyles,
        absl::StrCat("the stream is served by thread ", threads_[stream],
                     " already: call aclrtUnSubscribeReport "
                     "first"));
  }
  if (services_.count(thread) == 0 && services_.size() >= kServiceThreadsMax) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("there are ", services_.size(),
                                  " service threads, as many as there can be"));
  }
  threads_[stream] = thread;
  ++services_[thread].stream_count;
  return absl::OkStatus();
}

absl::Status HostCalls::Unsubscribe(uint64_t thread,
                                    core::StreamHandle stream) {
  MutexLock lock(mutex_);
  const auto found = threads_.find(stream);
  if (found == threads_.end() || found->second != thread) {
    return MakeError(Reason::kStreamNotSubscribed,
                     absl::StrCat("the stream is not subscribed to thread ",
                                  thread, ": call aclrtSubscribeReport first"));
  }
  threads_.erase(found);
  const auto service = services_.find(thread);
  if (--service->second.stream_count == 0) services_.erase(service);
  changed_.NotifyAll();
  return absl::OkStatus();
}

uint64_t HostCalls::ServiceThreadOf(core::StreamHandle stream) const {
  MutexLock lock(mutex_);
  const auto found = threads_.find(stream);
  return found == threads_.end() ? 0 : found->second;
}

void HostCalls::Forget(core::StreamHandle stream) {
  const uint64_t thread = ServiceThreadOf(stream);
  if (thread != 0) Unsubscribe(thread, stream).IgnoreError();
}

absl::StatusOr<absl::optional<DueCall>> HostCalls::Take(uint64_t thread,
                                                        Deadline deadline) {
  MutexLock lock(mutex_);
  for (;;) {
    const auto service = services_.find(thread);
    if (is_closed_) {
      return MakeError(Reason::kConnectionLost, "the session is over");
    }
    if (service == services_.end()) {
      return MakeError(Reason::kThreadNotSubscribed,
                       "no stream is subscribed to this thread: call "
                       "aclrtSubscribeReport with its pthread_self() first");
    }
    std::deque<DueCall>& due = service->second.due;
    if (!due.empty()) {
      const DueCall next = due.front();
      due.pop_front();
      return absl::optional<DueCall>(next);
    }
    if (!deadline.has_value()) {
      changed_.Wait(mutex_);
    } else if (!changed_.WaitUntil(mutex_, *deadline)) {
      return absl::optional<DueCall>();
    }
  }
}

void HostCalls::OnReturned() {
  MutexLock lock(mutex_);
  --unfinished_count_;
}

bool HostCalls::has_unfinished() const {
  MutexLock lock(mutex_);
  return unfinished_count_ > 0;
}

void HostCalls::Close() {
  MutexLock lock(mutex_);
  is_closed_ = true;
  calls_.clear();
  changed_.NotifyAll();
}

}  // namespace ascend::client
