#include "client/runtime/device_memory.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"

namespace ascend::client {
namespace {

using core::MakeError;
using core::Reason;

constexpr uint64_t kSpanGranuleBytes = uint64_t{1} << 30;

}  // namespace

void DeviceMemory::Add(Allocation allocation) {
  const uint64_t first =
      allocation.address / kSpanGranuleBytes * kSpanGranuleBytes;
  const uint64_t last = allocation.address + allocation.bytes;
  const uint64_t end = (last / kSpanGranuleBytes + 1) * kSpanGranuleBytes;
  const auto [span, is_new] = spans_.try_emplace(allocation.device, first, end);
  if (!is_new) {
    span->second.first = std::min(span->second.first, first);
    span->second.second = std::max(span->second.second, end);
  }
  allocations_[allocation.address] = allocation;
}

absl::StatusOr<Allocation> DeviceMemory::At(uint64_t address) const {
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("address 0x", absl::Hex(address),
                                  " is not the start of a live allocation of "
                                  "device memory, or was freed already"));
  }
  return found->second;
}

absl::StatusOr<Allocation> DeviceMemory::Remove(uint64_t address) {
  absl::StatusOr<Allocation> allocation = At(address);
  if (allocation.ok()) allocations_.erase(address);
  return allocation;
}

bool DeviceMemory::IsDeviceAddress(uint64_t address) const {
  for (const auto& [device, span] : spans_) {
    if (address >= span.first && address < span.second) return true;
  }
  return false;
}

const Allocation* DeviceMemory::Find(uint64_t address) const {
  const auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  const Allocation& allocation = std::prev(after)->second;
  return address - allocation.address < allocation.bytes ? &allocation
                                                         : nullptr;
}

absl::StatusOr<Allocation*> DeviceMemory::Resolve(uint64_t address,
                                                  uint64_t bytes,
                                                  absl::string_view role) {
  const Allocation* const found = Find(address);
  Allocation* const holder =
      found == nullptr ? nullptr : &allocations_.find(found->address)->second;
  if (holder == nullptr) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat(role, " 0x", absl::Hex(address),
                                  " lies in no live allocation of device "
                                  "memory"));
  }
  const uint64_t room = holder->address + holder->bytes - address;
  if (bytes > room) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat(role, " range of ", bytes, " bytes from 0x",
                                  absl::Hex(address),
                                  " runs past its allocation, which "
                                  "has ",
                                  room, " bytes from there on"));
  }
  return holder;
}

std::vector<Allocation> DeviceMemory::All() const {
  std::vector<Allocation> all;
  for (const auto& [address, allocation] : allocations_) {
    all.push_back(allocation);
  }
  return all;
}

void DeviceMemory::Clear() {
  allocations_.clear();
  spans_.clear();
}

}  // namespace ascend::client
