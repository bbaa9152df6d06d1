// Device memory: allocation, fills, information.
#include "acl/types/memory.h"

#include <algorithm>
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

constexpr uint32_t kNormalPageBytes = 4 << 10;
constexpr uint32_t kHugePageBytes = 2 << 20;
constexpr uint32_t kGigaPageBytes = 1 << 30;

// The pages that the policy wants; the daemon may have had to take normal ones
// for an allocation that only prefers huge ones.
uint32_t PageBytes(uint32_t policy, uint64_t bytes) {
  constexpr uint32_t kFlags = ACL_MEM_TYPE_LOW_BAND_WIDTH |
                              ACL_MEM_TYPE_HIGH_BAND_WIDTH |
                              ACL_MEM_ACCESS_USER_SPACE_READONLY;
  constexpr uint64_t kHugeFirstBytesMin = (1 << 20) + 1;
  switch (policy & ~kFlags) {
    case ACL_MEM_MALLOC_HUGE_ONLY:
    case ACL_MEM_MALLOC_HUGE_ONLY_P2P:
      return kHugePageBytes;
    case ACL_MEM_MALLOC_NORMAL_ONLY:
    case ACL_MEM_MALLOC_NORMAL_ONLY_P2P:
      return kNormalPageBytes;
    case ACL_MEM_MALLOC_HUGE1G_ONLY:
    case ACL_MEM_MALLOC_HUGE1G_ONLY_P2P:
      return kGigaPageBytes;
    case ACL_MEM_MALLOC_HUGE_FIRST:
    case ACL_MEM_MALLOC_HUGE_FIRST_P2P:
      return bytes >= kHugeFirstBytesMin ? kHugePageBytes : kNormalPageBytes;
    default:
      return bytes >= kHugePageBytes ? kHugePageBytes : kNormalPageBytes;
  }
}

void FillHost(void* target, uint64_t bytes, FillValue value) {
  if (value.bytes == 1) {
    std::memset(target, static_cast<int>(value.value), bytes);
  } else {
    std::fill_n(static_cast<uint32_t*>(target), bytes / sizeof(uint32_t),
                value.value);
  }
}

}  // namespace

absl::StatusOr<void*> ClientRuntime::Malloc(uint64_t bytes, uint32_t policy,
                                            absl::optional<uint32_t> device,
                                            bool is_padded) {
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
    if (device.has_value()) {
      ASCEND_ASSIGN_OR_RETURN(allocation.device, FindDevice(*device));
    }
    session->Ask(pending,
                 core::Malloc{allocation.device, bytes, policy, is_padded},
                 session->description().alloc_ticks,
                 {session->latest_stamp_outside_run()});
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
  allocation.page_bytes = PageBytes(policy, bytes);
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
  // Kernels that used it left no stamp on it; the daemon takes a free after
  // all calls that were made before it.
  session->Post(core::Free{allocation.address},
                session->description().alloc_ticks,
                {&allocation.stamp, session->latest_stamp_outside_run()});
  return absl::OkStatus();
}

absl::Status ClientRuntime::FreeAfterDevice(void* address) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::DeviceId device;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
    ASCEND_ASSIGN_OR_RETURN(const Allocation allocation,
                            device_memory_.At(AddressOf(address)));
    device = allocation.device;
  }
  const absl::Status waited = SynchronizeDevice(device, {});
  ASCEND_RETURN_IF_ERROR(Free(address));
  return waited;
}

absl::Status ClientRuntime::FreeHostAfterDevice(void* address) {
  ASCEND_RETURN_IF_ERROR(host_memory_.CheckAllocated(address));
  ASCEND_RETURN_IF_ERROR(CurrentContext().status());
  const absl::Status waited = SynchronizeDevice({});
  ASCEND_RETURN_IF_ERROR(host_memory_.Free(address));
  return waited;
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
                 session->description().poll_ticks,
                 {session->latest_stamp_outside_run()});
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

absl::Status ClientRuntime::Fill(void* target, uint64_t bytes,
                                 FillValue value) {
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
      fill.value = value.value;
      fill.value_bytes = value.bytes;
      fill.wants_reply = true;
      fill.is_timing_only = devices_[allocation->device].is_timing_only;
      session->Ask(pending, fill, session->description().launch_ticks,
                   {&allocation->stamp});
    } else {
      session = nullptr;
    }
  }
  if (session == nullptr) {
    FillHost(target, bytes, value);
    return absl::OkStatus();
  }
  session->Await(pending, session->description().sync_wake_ticks);
  return pending.reply.status;
}

absl::Status ClientRuntime::FillAsync(void* target, uint64_t bytes,
                                      FillValue value, void* stream_handle) {
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
        fill.value = value.value;
        fill.value_bytes = value.bytes;
        fill.is_timing_only = devices_[stream.device].is_timing_only;
        PostTaskTo(session, stream, fill, {&stream.stamp, &allocation->stamp});
        return absl::OkStatus();
      });
}

}  // namespace ascend::client
