// What an address is, and memory of the program that is made known.
#include "absl/strings/str_cat.h"
#include "client/runtime/client_runtime.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

using core::MakeError;
using core::Reason;

constexpr uint32_t kHostPageBytes = 4 << 10;

}  // namespace

absl::StatusOr<Allocation> ClientRuntime::FindAllocation(const void* address) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
  ASCEND_ASSIGN_OR_RETURN(
      const Allocation* const allocation,
      device_memory_.Resolve(AddressOf(address), /*bytes=*/1, "address"));
  return *allocation;
}

absl::Status ClientRuntime::CheckOnDeviceOf(const Stream& stream,
                                            const void* address, uint64_t bytes,
                                            absl::string_view role) {
  ASCEND_ASSIGN_OR_RETURN(
      const Allocation* const allocation,
      device_memory_.Resolve(AddressOf(address), bytes, role));
  if (allocation->device == stream.device) return absl::OkStatus();
  return MakeError(
      Reason::kInvalidArgument,
      absl::StrCat(role, " is memory of device ", allocation->device.value(),
                   ", but the stream is of device ", stream.device.value()));
}

absl::StatusOr<PointerInfo> ClientRuntime::Classify(const void* address) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  PointerInfo info;
  core::MutexLock lock(order_mutex_);
  if (const Allocation* const found = device_memory_.Find(AddressOf(address))) {
    info.place = PointerInfo::Place::kDevice;
    info.device = NumberOf(found->device);
    info.page_bytes = found->page_bytes;
  } else if (host_memory_.Find(address, /*bytes=*/1) != nullptr) {
    info.place = PointerInfo::Place::kPageLockedHost;
    info.page_bytes = kHostPageBytes;
  }
  return info;
}

absl::Status ClientRuntime::CheckPlace(const void* address, uint64_t bytes,
                                       absl::optional<uint32_t> device,
                                       absl::string_view role) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
  core::DeviceId wanted;
  if (device.has_value()) {
    ASCEND_ASSIGN_OR_RETURN(wanted, FindDevice(*device));
  }
  const Allocation* found = nullptr;
  if (device_memory_.IsDeviceAddress(AddressOf(address))) {
    ASCEND_ASSIGN_OR_RETURN(
        found, device_memory_.Resolve(AddressOf(address), bytes, role));
  }
  const bool is_there = device.has_value()
                            ? found != nullptr && found->device == wanted
                            : found == nullptr;
  if (is_there) return absl::OkStatus();
  return MakeError(
      Reason::kInvalidArgument,
      absl::StrCat(
          role, " 0x", absl::Hex(AddressOf(address)), " is not memory of ",
          device.has_value() ? absl::StrCat("device ", *device) : "the host",
          ", as is said"));
}

absl::Status ClientRuntime::RegisterHost(void* address, uint64_t bytes,
                                         bool is_mapped) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
  if (device_memory_.IsDeviceAddress(AddressOf(address))) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("address 0x", absl::Hex(AddressOf(address)),
                                  " is one of a device, not of the host"));
  }
  if (AddressOf(address) + bytes < bytes) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("no memory has ", bytes, " bytes from 0x",
                                  absl::Hex(AddressOf(address)), " on"));
  }
  return host_memory_.Register(address, bytes, is_mapped);
}

absl::Status ClientRuntime::UnregisterHost(void* address) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
  return host_memory_.Unregister(address);
}

absl::StatusOr<void*> ClientRuntime::DeviceAddressOfHost(void* address) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
  const auto block = host_memory_.Find(address, /*bytes=*/1);
  if (block == nullptr || !block->has_device_address()) {
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("host address 0x", absl::Hex(AddressOf(address)), " is ",
                     block == nullptr ? "neither page-locked nor registered"
                                      : "registered, but not as mapped"));
  }
  return address;
}

}  // namespace ascend::client
