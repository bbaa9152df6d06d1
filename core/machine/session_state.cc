#include "core/machine/session_state.h"

#include "core/base/check.h"

namespace ascend::core {

uint64_t RetireWatermark::Submit() {
  retired_.push_back(false);
  return submitted();
}

bool RetireWatermark::Retire(uint64_t number) {
  ASCEND_CHECK(number > watermark_ && number <= submitted())
      << "task " << number << " retires, but those up to " << watermark_
      << " have, and there are " << submitted();
  retired_[number - watermark_ - 1] = true;
  if (!retired_.front()) return false;
  while (!retired_.empty() && retired_.front()) {
    retired_.pop_front();
    ++watermark_;
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
