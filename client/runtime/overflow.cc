// Overflow of floating point: what programs set, and what the device would say.
#include "client/runtime/client_runtime.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

// What a device writes of its overflows.
constexpr uint64_t kOverflowStatusBytes = 64;

}  // namespace

absl::Status ClientRuntime::SetSaturating(bool is_saturating) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_ASSIGN_OR_RETURN(const Context* const context, FindCurrentContext());
  devices_[context->device].is_saturating = is_saturating;
  return absl::OkStatus();
}

absl::StatusOr<bool> ClientRuntime::IsSaturating() {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_ASSIGN_OR_RETURN(const Context* const context, FindCurrentContext());
  return devices_[context->device].is_saturating;
}

absl::Status ClientRuntime::SetOverflowSwitch(void* handle, bool is_on) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_ASSIGN_OR_RETURN(Stream* const stream, FindOwnStream(handle));
  stream->detects_overflow = is_on;
  return absl::OkStatus();
}

absl::StatusOr<bool> ClientRuntime::OverflowSwitch(void* handle) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_ASSIGN_OR_RETURN(const Stream* const stream, FindOwnStream(handle));
  return stream->detects_overflow;
}

absl::Status ClientRuntime::ReadOverflowStatus(void* target, void* stream) {
  return FillAsync(target, kOverflowStatusBytes, {.value = 0}, stream);
}

absl::Status ClientRuntime::ResetOverflowStatus(void* stream) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  return FindOwnStream(stream).status();
}

}  // namespace ascend::client
