// Limits of cores, and options: what operators ask before they divide work.
#include "absl/strings/str_cat.h"
#include "client/runtime/client_runtime.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

using core::MakeError;
using core::Reason;

// The limits that a thread took over from a stream.
struct ThreadLimits {
  void* stream = nullptr;  // never given out twice
  core::DeviceId device;
  CoreLimits limits{};
};

ThreadLimits& CurrentLimits() {
  static thread_local ThreadLimits limits;
  return limits;
}

size_t IndexOf(CoreKind kind) { return static_cast<size_t>(kind); }

absl::Status CheckLimit(uint32_t limit, uint32_t cores) {
  if (limit <= cores) return absl::OkStatus();
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat("value is ", limit, ", but the device has ",
                                cores, " cores of this kind"));
}

}  // namespace

uint32_t ClientRuntime::CoreCount(const Session& session, core::DeviceId device,
                                  CoreKind kind) const {
  // A daemon that was found anew may have fewer devices.
  if (device.value() >= session.description().devices.size()) return 0;
  const DeviceDescription& description =
      session.description().devices[device.value()];
  return kind == CoreKind::kCube ? description.cube_cores
                                 : description.vector_cores;
}

uint32_t ClientRuntime::CoresFor(const Session& session, core::DeviceId device,
                                 CoreKind kind,
                                 const CoreLimits& stream_limits) {
  const uint32_t of_stream = stream_limits[IndexOf(kind)];
  if (of_stream > 0) return of_stream;
  const uint32_t of_process = devices_[device].core_limits[IndexOf(kind)];
  if (of_process > 0) return of_process;
  return CoreCount(session, device, kind);
}

absl::Status ClientRuntime::SetDeviceCoreLimit(int32_t device, CoreKind kind,
                                               uint32_t count) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  ASCEND_ASSIGN_OR_RETURN(const core::DeviceId id, FindDevice(device));
  ASCEND_RETURN_IF_ERROR(CheckLimit(count, CoreCount(*session, id, kind)));
  devices_[id].core_limits[IndexOf(kind)] = count;
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> ClientRuntime::DeviceCoreLimit(int32_t device,
                                                        CoreKind kind) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  ASCEND_ASSIGN_OR_RETURN(const core::DeviceId id, FindDevice(device));
  return CoresFor(*session, id, kind, {});
}

absl::Status ClientRuntime::SetStreamCoreLimit(void* handle, CoreKind kind,
                                               uint32_t count) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  ASCEND_ASSIGN_OR_RETURN(Stream* const stream, FindStream(handle));
  ASCEND_RETURN_IF_ERROR(
      CheckLimit(count, CoreCount(*session, stream->device, kind)));
  stream->core_limits[IndexOf(kind)] = count;
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> ClientRuntime::StreamCoreLimit(void* handle,
                                                        CoreKind kind) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  ASCEND_ASSIGN_OR_RETURN(const Stream* const stream, FindStream(handle));
  return CoresFor(*session, stream->device, kind, stream->core_limits);
}

absl::Status ClientRuntime::UseStreamLimits(void* handle) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_ASSIGN_OR_RETURN(const Stream* const stream, FindStream(handle));
  if (handle == nullptr) {
    ASCEND_ASSIGN_OR_RETURN(const Context* const context, FindCurrentContext());
    handle = context->default_stream;
  }
  CurrentLimits() = {handle, stream->device, stream->core_limits};
  return absl::OkStatus();
}

absl::Status ClientRuntime::UnuseStreamLimits(void* handle) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_RETURN_IF_ERROR(FindStream(handle).status());
  if (handle == nullptr) {
    ASCEND_ASSIGN_OR_RETURN(const Context* const context, FindCurrentContext());
    handle = context->default_stream;
  }
  if (CurrentLimits().stream != handle) {
    return MakeError(Reason::kInvalidArgument,
                     "this thread does not use the limits of that stream");
  }
  CurrentLimits() = {};
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> ClientRuntime::ThreadCoreLimit(CoreKind kind) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  ASCEND_ASSIGN_OR_RETURN(const Context* const context, FindCurrentContext());
  // They end with their stream, and count on its device only.
  const ThreadLimits& thread = CurrentLimits();
  const bool are_used = streams_.Find(thread.stream) != nullptr &&
                        thread.device == context->device;
  return CoresFor(*session, context->device, kind,
                  are_used ? thread.limits : CoreLimits{});
}

void ClientRuntime::SetOption(int option, int64_t value) {
  core::MutexLock lock(order_mutex_);
  options_[option] = value;
}

int64_t ClientRuntime::Option(int option) {
  core::MutexLock lock(order_mutex_);
  const auto found = options_.find(option);
  return found == options_.end() ? 0 : found->second;
}

absl::Status ClientRuntime::SetContextOption(int option, int64_t value) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(Context* const context, FindCurrentContext());
  context->options[option] = value;
  return absl::OkStatus();
}

absl::StatusOr<absl::optional<int64_t>> ClientRuntime::ContextOption(
    int option) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const Context* const context, FindCurrentContext());
  const auto found = context->options.find(option);
  if (found == context->options.end()) return absl::optional<int64_t>();
  return absl::optional<int64_t>(found->second);
}

}  // namespace ascend::client
