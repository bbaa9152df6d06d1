#include "core/machine/session_state.h"

#include <algorithm>

#include "core/base/check.h"

namespace ascend::core {

uint64_t RetireWatermark::Submit() {
  tasks_.push_back({++submitted_, false});
  return submitted_;
}

bool RetireWatermark::Retire(uint64_t number) {
  const auto task = std::lower_bound(
      tasks_.begin(), tasks_.end(), number,
      [](const Task& t, uint64_t wanted) { return t.number < wanted; });
  ASCEND_CHECK(task != tasks_.end() && task->number == number &&
               !task->is_retired)
      << "task " << number << " retires, but those up to " << watermark()
      << " have, and there are " << submitted_;
  task->is_retired = true;
  ++retired_count_;
  if (task != tasks_.begin()) {
    // Half of them at a time, so that each is moved a few times at most.
    if (retired_count_ > tasks_.size() / 2 && tasks_.size() > 64) {
      std::erase_if(tasks_, [](const Task& t) { return t.is_retired; });
      retired_count_ = 0;
    }
    return false;
  }
  while (!tasks_.empty() && tasks_.front().is_retired) {
    tasks_.pop_front();
    --retired_count_;
  }
  return true;
}

StreamState* SessionState::FindStream(StreamHandle handle) const {
  StreamState* stream = streams.Find(handle);
  return stream == nullptr || stream->is_closing ? nullptr : stream;
}

ContextState* SessionState::FindContext(ContextHandle handle) const {
  ContextState* context = contexts.Find(handle);
  return context == nullptr || context->is_closing ? nullptr : context;
}

}  // namespace ascend::core
