// Notifies, and waits for words of device memory.
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/runtime/client_runtime.h"
#include "client/runtime/seconds.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

using core::MakeError;
using core::Reason;

absl::Status CheckSameDevice(const Notify& notify, const Stream& stream) {
  if (notify.device == stream.device) return absl::OkStatus();
  return MakeError(
      Reason::kInvalidArgument,
      absl::StrCat("the notify is of device ", notify.device.value(),
                   " and the stream of device ", stream.device.value()));
}

}  // namespace

absl::StatusOr<Notify*> ClientRuntime::FindNotify(void* handle) {
  Notify* const notify = notifies_.Find(handle);
  if (notify == nullptr) {
    return MakeError(
        Reason::kStaleHandle,
        absl::StrCat("notify handle 0x",
                     absl::Hex(reinterpret_cast<uintptr_t>(handle)),
                     " was destroyed or never given out"));
  }
  return notify;
}

absl::StatusOr<void*> ClientRuntime::CreateNotify() {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  ASCEND_ASSIGN_OR_RETURN(const Context* const context, FindCurrentContext());
  const core::DeviceId device = context->device;
  const size_t count =
      notifies_.Select([&](const Notify& n) { return n.device == device; })
          .size();
  if (count >= session->description().notifies_max) {
    return MakeError(Reason::kNotifiesExhausted,
                     absl::StrCat("device ", device.value(), " has ", count,
                                  " notifies, as many as it can hold: destroy "
                                  "some"));
  }
  auto notify = std::make_unique<Notify>();
  notify->core = notify_minter_.Mint();
  notify->stamp = notify_minter_.StampOf(notify->core);
  notify->device = device;
  session->Post(core::CreateNotify{notify->core, device},
                session->description().poll_ticks, {&notify->stamp});
  return notifies_.Insert(std::move(notify));
}

absl::Status ClientRuntime::DestroyNotify(void* handle) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  ASCEND_RETURN_IF_ERROR(FindNotify(handle).status());
  const std::unique_ptr<Notify> notify = notifies_.Erase(handle);
  session->Post(core::DestroyNotify{notify->core},
                session->description().poll_ticks, {&notify->stamp});
  notify_minter_.Release(notify->core, notify->stamp);
  return absl::OkStatus();
}

absl::Status ClientRuntime::RecordNotify(void* handle, void* stream_handle) {
  return SubmitTask(
      stream_handle, [&](Session& session, Stream& stream) -> absl::Status {
        order_mutex_.AssertHeld();
        ASCEND_ASSIGN_OR_RETURN(Notify* const notify, FindNotify(handle));
        ASCEND_RETURN_IF_ERROR(CheckSameDevice(*notify, stream));
        PostTaskTo(session, stream,
                   core::RecordNotify{notify->core, stream.core},
                   {&stream.stamp, &notify->stamp});
        return absl::OkStatus();
      });
}

absl::Status ClientRuntime::WaitNotify(void* handle, void* stream_handle,
                                       uint32_t seconds) {
  return SubmitTask(
      stream_handle, [&](Session& session, Stream& stream) -> absl::Status {
        order_mutex_.AssertHeld();
        ASCEND_ASSIGN_OR_RETURN(Notify* const notify, FindNotify(handle));
        ASCEND_RETURN_IF_ERROR(CheckSameDevice(*notify, stream));
        PostTaskTo(session, stream,
                   core::WaitNotify{stream.core, notify->core,
                                    TicksOfSeconds(seconds)},
                   {&stream.stamp, &notify->stamp});
        return absl::OkStatus();
      });
}

absl::StatusOr<uint32_t> ClientRuntime::NotifyId(void* handle) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_ASSIGN_OR_RETURN(const Notify* const notify, FindNotify(handle));
  return notify->core.index;
}

absl::StatusOr<Allocation*> ClientRuntime::FindWord(void* address) {
  const uint64_t word = reinterpret_cast<uintptr_t>(address);
  if (word % sizeof(uint64_t) != 0) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("devAddr is 0x", absl::Hex(word),
                                  ", which is not a multiple of 8"));
  }
  if (!device_memory_.IsDeviceAddress(word)) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("devAddr is 0x", absl::Hex(word),
                                  ", which is no device memory"));
  }
  return device_memory_.Resolve(word, sizeof(uint64_t), "word");
}

absl::Status ClientRuntime::WriteWord(void* address, uint64_t value,
                                      void* stream_handle) {
  return SubmitTask(
      stream_handle, [&](Session& session, Stream& stream) -> absl::Status {
        order_mutex_.AssertHeld();
        ASCEND_ASSIGN_OR_RETURN(Allocation* const memory, FindWord(address));
        core::Copy copy;
        copy.stream = stream.core;
        copy.kind = core::CopyKind::kHostToDevice;
        copy.target = reinterpret_cast<uintptr_t>(address);
        copy.bytes = sizeof(value);
        copy.inline_data.assign(reinterpret_cast<const char*>(&value),
                                sizeof(value));
        PostTaskTo(session, stream, std::move(copy),
                   {&stream.stamp, &memory->stamp});
        return absl::OkStatus();
      });
}

absl::Status ClientRuntime::WaitWord(void* address, uint64_t value,
                                     core::WordCondition condition,
                                     void* stream_handle) {
  return SubmitTask(
      stream_handle, [&](Session& session, Stream& stream) -> absl::Status {
        order_mutex_.AssertHeld();
        ASCEND_ASSIGN_OR_RETURN(Allocation* const memory, FindWord(address));
        PostTaskTo(
            session, stream,
            core::WaitWord{stream.core, reinterpret_cast<uintptr_t>(address),
                           value, condition},
            {&stream.stamp, &memory->stamp});
        return absl::OkStatus();
      });
}

}  // namespace ascend::client
