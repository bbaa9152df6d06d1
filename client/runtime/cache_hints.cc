// Hints for the L2 cache. The simulated one is coherent and keeps what it
// likes, so a hint is checked and heard, and changes nothing.
#include "absl/strings/str_cat.h"
#include "client/runtime/client_runtime.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {

absl::Status ClientRuntime::HintCache(const void* address, uint64_t bytes,
                                      void* stream_handle) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_ASSIGN_OR_RETURN(const Stream* const stream,
                          FindOwnStream(stream_handle));
  ASCEND_ASSIGN_OR_RETURN(
      const Allocation* const allocation,
      device_memory_.Resolve(reinterpret_cast<uintptr_t>(address), bytes,
                             "source"));
  if (allocation->device == stream->device) return absl::OkStatus();
  return core::MakeError(
      core::Reason::kInvalidArgument,
      absl::StrCat("the memory is of device ", allocation->device.value(),
                   " and the stream of device ", stream->device.value()));
}

}  // namespace ascend::client
