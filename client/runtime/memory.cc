// Device memory: allocation, fills, information.
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/runtime/client_runtime.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

using core::MakeError;
using core::Reason;

uint64_t AddressOf(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

}  // namespace

absl::StatusOr<void*> ClientRuntime::Malloc(uint64_t bytes, uint32_t policy) {
  ASCEND_RETURN_IF_ERROR(Enter());
  std::shared_ptr<Session> session;
  PendingReply pending;
  Allocation allocation;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
    ASCEND_ASSIGN_OR_RETURN(const Context* const context, FindCurrentContext());
    allocation.bytes = bytes;
    allocation.device = context->device;
    session->Ask(pending, core::Malloc{context->device, bytes, policy},
                 session->description().alloc_ticks, {});
  }
  session->Await(pending, /*wake=*/0);
  ASCEND_RETURN_IF_ERROR(pending.reply.status);
  const auto* const reply =
      std::get_if<core::MallocReply>(&pending.reply.payload);
  if (reply == nullptr) {
    return MakeError(Reason::kInternal,
                     "the daemon's reply to an allocation has no address");
  }
  allocation.address = reply->address;
  allocation.stamp = CurrentLane().clock();
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto current, LiveSession());
  if (current != session) {
    return MakeError(Reason::kConnectionLost,
                     "AscendCL was finalized during this call");
  }
  device_memory_.Add(allocation);
  return reinterpret_cast<void*>(static_cast<uintptr_t>(allocation.address));
}

absl::Status ClientRuntime::Free(void* address) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
  ASCEND_ASSIGN_OR_RETURN(Allocation allocation,
                          device_memory_.Remove(AddressOf(address)));
  session->Post(core::Free{allocation.address},
                session->description().alloc_ticks, {&allocation.stamp});
  return absl::OkStatus();
}

absl::StatusOr<core::MemInfoReply> ClientRuntime::MemoryInfo() {
  ASCEND_RETURN_IF_ERROR(Enter());
  std::shared_ptr<Session> session;
  PendingReply pending;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
    ASCEND_ASSIGN_OR_RETURN(const Context* const context, FindCurrentContext());
    session->Ask(pending, core::MemInfo{context->device},
                 session->description().poll_ticks, {});
  }
  session->Await(pending, /*wake=*/0);
  ASCEND_RETURN_IF_ERROR(pending.reply.status);
  const auto* const reply =
      std::get_if<core::MemInfoReply>(&pending.reply.payload);
  if (reply == nullptr) {
    return MakeError(Reason::kInternal,
                     "the daemon's reply about memory has no numbers");
  }
  return *reply;
}

absl::Status ClientRuntime::Fill(void* target, uint64_t bytes, uint8_t value) {
  ASCEND_RETURN_IF_ERROR(Enter());
  std::shared_ptr<Session> session;
  PendingReply pending;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
    ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
    if (device_memory_.IsDeviceAddress(AddressOf(target))) {
      ASCEND_ASSIGN_OR_RETURN(
          Allocation* const allocation,
          device_memory_.Resolve(AddressOf(target), bytes, "target"));
      core::Fill fill;
      fill.address = AddressOf(target);
      fill.bytes = bytes;
      fill.value = value;
      fill.wants_reply = true;
      session->Ask(pending, fill, session->description().launch_ticks,
                   {&allocation->stamp});
    } else {
      session = nullptr;
    }
  }
  if (session == nullptr) {
    std::memset(target, value, bytes);
    return absl::OkStatus();
  }
  session->Await(pending, session->description().sync_wake_ticks);
  return pending.reply.status;
}

absl::Status ClientRuntime::FillAsync(void* target, uint64_t bytes,
                                      uint8_t value, void* stream_handle) {
  return SubmitTask(
      stream_handle, [&](Session& session, Stream& stream) -> absl::Status {
        order_mutex_.AssertHeld();
        ASCEND_ASSIGN_OR_RETURN(
            Allocation* const allocation,
            device_memory_.Resolve(AddressOf(target), bytes, "target"));
        core::Fill fill;
        fill.stream = stream.core;
        fill.address = AddressOf(target);
        fill.bytes = bytes;
        fill.value = value;
        PostTaskTo(session, stream, fill, {&stream.stamp, &allocation->stamp});
        return absl::OkStatus();
      });
}

}  // namespace ascend::client
