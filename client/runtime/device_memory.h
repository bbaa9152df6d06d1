// DeviceMemory: the allocations that this process has on its devices.
//
// The daemon's table is the truth; this copy lets the library answer at once
// whether an address is device memory, whether a range lies inside one
// allocation, and whether a free is legal. It is exact, because only this
// process changes the memory of its session.
//
// A device address that was freed must never be taken for a host address and
// dereferenced. Devices hand out addresses from windows that hold nothing of
// the host, so what lies in the span of past allocations, rounded to 1 GiB,
// and in no live one is a stale device address.
//
// Threading: thread-compatible; guarded by the runtime's order mutex.
#ifndef ASCEND_CLIENT_RUNTIME_DEVICE_MEMORY_H_
#define ASCEND_CLIENT_RUNTIME_DEVICE_MEMORY_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/ids.h"
#include "core/sim/tick.h"

namespace ascend::client {

inline uint64_t AddressOf(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

struct Allocation {
  uint64_t address = 0;
  uint64_t bytes = 0;  // as asked
  core::DeviceId device;
  core::Tick stamp = 0;
  uint32_t page_bytes = 0;
};

class DeviceMemory {
 public:
  void Add(Allocation allocation);

  // The allocation that starts at `address`. kInvalidArgument when none does.
  absl::StatusOr<Allocation> At(uint64_t address) const;

  // The same, and takes it out.
  absl::StatusOr<Allocation> Remove(uint64_t address);

  // Whether `address` is one of a device, live or not.
  bool IsDeviceAddress(uint64_t address) const;

  // The allocation that holds all of [address, address + bytes); `role` names
  // the range in the sentence: "target". kInvalidArgument when none does.
  absl::StatusOr<Allocation*> Resolve(uint64_t address, uint64_t bytes,
                                      absl::string_view role);

  // The allocation that has the byte at `address`, or null.
  const Allocation* Find(uint64_t address) const;

  std::vector<Allocation> All() const;

  // The session is over, and with it all its memory.
  void Clear();

 private:
  std::map<uint64_t, Allocation> allocations_;  // by address
  // Per device: [first, second) of all allocations there ever were.
  std::map<core::DeviceId, std::pair<uint64_t, uint64_t>> spans_;
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_DEVICE_MEMORY_H_
