// Devices, contexts, and the current context of threads.
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/runtime/client_runtime.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

using core::MakeError;
using core::Reason;

}  // namespace

absl::StatusOr<core::DeviceId> ClientRuntime::FindDevice(int64_t device) {
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_RETURN_IF_ERROR(visible_devices_.status());
  if (const auto found = visible_devices_->Find(device)) return *found;
  return MakeError(
      Reason::kUnknownDevice,
      absl::StrCat("device ", device, " does not exist: there are ",
                   visible_devices_->count(), " devices, counted from 0"));
}

int32_t ClientRuntime::NumberOf(core::DeviceId device) {
  if (!visible_devices_.ok()) return -1;
  return visible_devices_->NumberOf(device).value_or(-1);
}

struct ClientRuntime::EndingContext {
  std::shared_ptr<Session> session;
  PendingReply pending;
  core::ContextHandle context;
  std::vector<core::StreamHandle> streams;
};

absl::StatusOr<core::DeviceId> ClientRuntime::ConnectTo(int64_t device) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  core::MutexLock lock(order_mutex_);
  return FindDevice(device);
}

absl::StatusOr<uint32_t> ClientRuntime::DeviceCount() {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_RETURN_IF_ERROR(visible_devices_.status());
  return static_cast<uint32_t>(visible_devices_->count());
}

absl::StatusOr<int32_t> ClientRuntime::DaemonDevice(int64_t device) {
  ASCEND_ASSIGN_OR_RETURN(const core::DeviceId id, ConnectTo(device));
  return static_cast<int32_t>(id.value());
}

absl::Status ClientRuntime::CheckDaemonDevice(int64_t daemon_device) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  const size_t count = session->description().devices.size();
  if (daemon_device >= 0 && static_cast<size_t>(daemon_device) < count) {
    return absl::OkStatus();
  }
  return MakeError(Reason::kUnknownDevice,
                   absl::StrCat("the daemon has no device ", daemon_device,
                                ", but ", count, " devices, counted from 0"));
}

absl::StatusOr<int32_t> ClientRuntime::VisibleDevice(int64_t daemon_device) {
  ASCEND_RETURN_IF_ERROR(CheckDaemonDevice(daemon_device));
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(visible_devices_.status());
  const auto number = visible_devices_->NumberOf(
      core::DeviceId(static_cast<uint32_t>(daemon_device)));
  if (number.has_value()) return *number;
  return MakeError(Reason::kUnknownDevice,
                   absl::StrCat("device ", daemon_device, " is not in ",
                                VisibleDevices::kVariable));
}

absl::StatusOr<DeviceDescription> ClientRuntime::Describe(int64_t device) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  ASCEND_ASSIGN_OR_RETURN(const core::DeviceId id, FindDevice(device));
  return session->description().devices[id.value()];
}

absl::Status ClientRuntime::SetDevice(int32_t device) {
  ASCEND_ASSIGN_OR_RETURN(const core::DeviceId id, ConnectTo(device));
  device_callbacks_.Call(device, ACL_RT_DEVICE_STATE_SET_PRE);
  ASCEND_RETURN_IF_ERROR(UsePrimaryContext(id));
  device_callbacks_.Call(device, ACL_RT_DEVICE_STATE_SET_POST);
  return absl::OkStatus();
}

absl::Status ClientRuntime::UsePrimaryContext(core::DeviceId id) {
  // Takes a reference if the primary context is there.
  const auto take_reference = [&]() -> absl::StatusOr<bool> {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
    DeviceState& state = devices_[id];
    if (state.primary_context == nullptr) return false;
    ++state.reference_count;
    ThreadContext() = state.primary_context;
    return true;
  };
  ASCEND_ASSIGN_OR_RETURN(bool is_taken, take_reference());
  if (is_taken) return absl::OkStatus();
  {
    // One thread makes it; others that come at the same time wait here.
    core::MutexLock connect_lock(connect_mutex_);
    ASCEND_ASSIGN_OR_RETURN(is_taken, take_reference());
    if (is_taken) return absl::OkStatus();
    ASCEND_ASSIGN_OR_RETURN(void* const context,
                            AddContext(id, /*is_primary=*/true));
    core::MutexLock lock(order_mutex_);
    devices_[id].primary_context = context;
    devices_[id].reference_count = 1;
    ThreadContext() = context;
  }
  Announce(ThreadContext(), ACL_RT_STREAM_STATE_CREATE_POST);
  return absl::OkStatus();
}

absl::StatusOr<ClientRuntime::DeviceState*> ClientRuntime::FindSetDevice(
    int32_t device) {
  ASCEND_ASSIGN_OR_RETURN(const core::DeviceId id, FindDevice(device));
  DeviceState& state = devices_[id];
  if (state.reference_count == 0) {
    return MakeError(
        Reason::kDeviceNotSet,
        absl::StrCat("device ", device, " is not set or already reset"));
  }
  return &state;
}

absl::Status ClientRuntime::ResetDevice(int32_t device, bool ignore_count) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  void* last_of = nullptr;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(const DeviceState* const state,
                            FindSetDevice(device));
    if (state->reference_count == 1 || ignore_count) {
      last_of = state->primary_context;
    }
  }
  device_callbacks_.Call(device, ACL_RT_DEVICE_STATE_RESET_PRE);
  if (last_of != nullptr) Announce(last_of, ACL_RT_STREAM_STATE_DESTROY_PRE);
  absl::Status status;
  EndingContext ending;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(DeviceState* const state, FindSetDevice(device));
    --state->reference_count;
    if (state->reference_count == 0 || ignore_count) {
      state->reference_count = 0;
      state->peers.clear();
      ASCEND_ASSIGN_OR_RETURN(ending.session, LiveSession());
      BeginEndContext(std::exchange(state->primary_context, nullptr), ending);
    }
  }
  if (ending.session != nullptr) status = FinishEndContext(ending);
  device_callbacks_.Call(device, ACL_RT_DEVICE_STATE_RESET_POST);
  return status;
}

void ClientRuntime::Announce(void* context, aclrtStreamState state) {
  if (stream_callbacks_.empty()) return;
  std::vector<void*> streams;
  {
    core::MutexLock lock(order_mutex_);
    streams = streams_.Select(
        [&](const Stream& stream) { return stream.context == context; });
  }
  for (void* stream : streams) stream_callbacks_.Call(stream, state);
}

absl::StatusOr<core::UtilizationReply> ClientRuntime::Utilization(
    int32_t device) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  std::shared_ptr<Session> session;
  PendingReply pending;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
    ASCEND_ASSIGN_OR_RETURN(const core::DeviceId id, FindDevice(device));
    session->Ask(pending, core::QueryUtilization{id},
                 session->description().poll_ticks, {});
  }
  session->Await(pending, /*wake=*/0);
  ASCEND_RETURN_IF_ERROR(pending.reply.status);
  const auto* const reply =
      std::get_if<core::UtilizationReply>(&pending.reply.payload);
  return reply == nullptr ? core::UtilizationReply{} : *reply;
}

absl::StatusOr<int32_t> ClientRuntime::CurrentDevice() {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const Context* const context, FindCurrentContext());
  return NumberOf(context->device);
}

absl::StatusOr<bool> ClientRuntime::HasPrimaryContext(int32_t device) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const core::DeviceId id, FindDevice(device));
  return devices_[id].primary_context != nullptr;
}

absl::StatusOr<void*> ClientRuntime::CreateContext(int32_t device) {
  ASCEND_ASSIGN_OR_RETURN(const core::DeviceId id, ConnectTo(device));
  ASCEND_ASSIGN_OR_RETURN(void* const context,
                          AddContext(id, /*is_primary=*/false));
  ThreadContext() = context;
  Announce(context, ACL_RT_STREAM_STATE_CREATE_POST);
  return context;
}

absl::StatusOr<void*> ClientRuntime::AddContext(core::DeviceId device,
                                                bool is_primary) {
  std::shared_ptr<Session> session;
  PendingReply pending;
  void* handle = nullptr;
  core::StreamHandle default_stream;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
    auto owned = std::make_unique<Context>();
    Context& context = *owned;
    context.core = context_minter_.Mint();
    context.device = device;
    context.is_primary = is_primary;
    handle = contexts_.Insert(std::move(owned));
    Stream& stream =
        AddStream(*session, handle, device, &context.default_stream);
    stream.is_default = true;
    default_stream = stream.core;
    session->Ask(
        pending, core::CreateContext{context.core, device, default_stream},
        session->description().poll_ticks, {&context.stamp, &stream.stamp});
  }
  session->Await(pending, /*wake=*/0);
  if (pending.reply.status.ok()) return handle;
  {
    core::MutexLock lock(order_mutex_);
    if (const auto context = contexts_.Erase(handle)) {
      context_minter_.Release(context->core);
      streams_.Erase(context->default_stream);
    }
  }
  ReleaseStream(*session, default_stream);
  return pending.reply.status;
}

void ClientRuntime::BeginEndContext(void* handle, EndingContext& ending) {
  Session& session = *ending.session;
  NoteLeaks(handle, ", which ended with its context");
  for (void* event :
       events_.Select([&](const Event& e) { return e.context == handle; })) {
    EndEvent(session, event);
  }
  std::unique_ptr<Context> context = contexts_.Erase(handle);
  for (void* stream :
       streams_.Select([&](const Stream& s) { return s.context == handle; })) {
    context->stamp = std::max(context->stamp, streams_.Find(stream)->stamp);
    ending.streams.push_back(streams_.Find(stream)->core);
    streams_.Erase(stream);
  }
  ending.context = context->core;
  session.Ask(ending.pending,
              core::DestroyContext{context->core, /*force=*/false},
              session.description().poll_ticks,
              {&context->stamp, session.latest_stamp()});
  if (ThreadContext() == handle) ThreadContext() = nullptr;
}

absl::Status ClientRuntime::FinishEndContext(EndingContext& ending) {
  Session& session = *ending.session;
  session.Await(ending.pending, session.description().sync_wake_ticks);
  for (const core::StreamHandle stream : ending.streams) {
    ReleaseStream(session, stream);
  }
  core::MutexLock lock(order_mutex_);
  if (session_.get() == &session) context_minter_.Release(ending.context);
  return ending.pending.reply.status;
}

absl::Status ClientRuntime::CheckDestroyable(void* handle) {
  const Context* const context = contexts_.Find(handle);
  if (context == nullptr) {
    return MakeError(Reason::kContextNotOwned,
                     "the context does not exist or was destroyed already");
  }
  if (context->is_primary) {
    return MakeError(Reason::kContextNotOwned,
                     absl::StrCat("the context is the primary one of device ",
                                  context->device.value(),
                                  ", which aclrtResetDevice destroys"));
  }
  return absl::OkStatus();
}

absl::Status ClientRuntime::DestroyContext(void* handle) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_RETURN_IF_ERROR(LiveSession().status());
    ASCEND_RETURN_IF_ERROR(CheckDestroyable(handle));
  }
  Announce(handle, ACL_RT_STREAM_STATE_DESTROY_PRE);
  EndingContext ending;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(ending.session, LiveSession());
    ASCEND_RETURN_IF_ERROR(CheckDestroyable(handle));
    BeginEndContext(handle, ending);
  }
  return FinishEndContext(ending);
}

absl::Status ClientRuntime::SetCurrentContext(void* handle) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  core::MutexLock lock(order_mutex_);
  if (contexts_.Find(handle) == nullptr) {
    return MakeError(Reason::kContextNotOwned,
                     "the context does not exist or was destroyed already");
  }
  ThreadContext() = handle;
  return absl::OkStatus();
}

absl::StatusOr<Context*> ClientRuntime::FindCurrentContext() {
  if (ThreadContext() == nullptr) {
    return MakeError(Reason::kNoContext,
                     "this thread has no context: call aclrtSetDevice, "
                     "aclrtCreateContext or aclrtSetCurrentContext first");
  }
  Context* const context = contexts_.Find(ThreadContext());
  if (context == nullptr) {
    return MakeError(Reason::kNoContext,
                     "the context of this thread was destroyed: set another");
  }
  return context;
}

absl::StatusOr<void*> ClientRuntime::CurrentContext() {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
  return ThreadContext();
}

absl::StatusOr<void*> ClientRuntime::CurrentDefaultStream() {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const Context* const context, FindCurrentContext());
  return context->default_stream;
}

absl::Status ClientRuntime::SynchronizeDevice(Timeout timeout) {
  ASCEND_RETURN_IF_ERROR(Enter());
  ASCEND_RETURN_IF_ERROR(CheckMayWait());
  core::DeviceId device;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(const Context* const context, FindCurrentContext());
    device = context->device;
  }
  return SynchronizeDevice(device, timeout);
}

absl::Status ClientRuntime::SynchronizeDevice(core::DeviceId device,
                                              Timeout timeout) {
  std::shared_ptr<Session> session;
  PendingReply pending;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
    ASCEND_ASSIGN_OR_RETURN(Context* const context, FindCurrentContext());
    core::Synchronize synchronize;
    synchronize.target = core::Synchronize::Target::kDevice;
    synchronize.device = device;
    session->Ask(pending, synchronize, session->description().poll_ticks,
                 {&context->stamp, session->latest_stamp()});
  }
  return AwaitSynchronize(
      *session, pending, session->description().sync_wake_ticks, timeout,
      MakeError(Reason::kStreamSyncTimeout,
                "the device still has work when the time-out ends"));
}

}  // namespace ascend::client
