// Hints for the L2 cache. The simulated one is coherent and keeps what it
// likes, so a hint is checked and heard, and changes nothing.
#include "client/runtime/client_runtime.h"
#include "core/base/status_macros.h"

namespace ascend::client {

absl::Status ClientRuntime::HintCache(const void* address, uint64_t bytes,
                                      void* stream_handle) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_ASSIGN_OR_RETURN(const Stream* const stream,
                          FindOwnStream(stream_handle));
  return CheckOnDeviceOf(*stream, address, bytes, "source");
}

}  // namespace ascend::client
