// HostMemory: page-locked host memory, as aclrtMallocHost hands it out, and
// memory of the program that aclrtHostRegister has made the same.
//
// The registry is what makes a host pointer "known": copies from and to known
// memory are truly asynchronous, since its address stays valid until it is
// freed. A block that is freed while a queued copy still uses it disappears
// from the registry at once and goes back to the system after that copy.
// Registered memory is the program's, which must keep it that long.
//
// The pages are ordinary ones: nothing of the simulated device reads them by
// physical address.
//
// Threading: any thread. Ownership: the registry and transfers share blocks.
#ifndef ASCEND_CLIENT_RUNTIME_HOST_MEMORY_H_
#define ASCEND_CLIENT_RUNTIME_HOST_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/sync.h"

namespace ascend::client {

class HostBlock {
 public:
  // Null when the system has no memory.
  static std::shared_ptr<HostBlock> Create(size_t bytes);

  enum class Origin {
    kAllocated,         // owned
    kRegistered,        // the program's
    kRegisteredMapped,  // the program's, with a device address
  };
  HostBlock(std::byte* data, size_t bytes, Origin origin)
      : data_(data), bytes_(bytes), origin_(origin) {}
  ~HostBlock();
  HostBlock(const HostBlock&) = delete;
  HostBlock& operator=(const HostBlock&) = delete;

  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  bool is_allocated() const { return origin_ == Origin::kAllocated; }
  bool has_device_address() const { return origin_ != Origin::kRegistered; }

 private:
  std::byte* const data_;
  const size_t bytes_;
  const Origin origin_;
};

class HostMemory {
 public:
  static constexpr size_t kAlignmentBytes = 64;

  // `bytes` > 0. Errors: kOutOfDeviceMemory, the code of any allocation.
  absl::StatusOr<void*> Allocate(size_t bytes);

  // Whether `address` is the start of a block that Allocate made. Errors:
  // kInvalidArgument.
  absl::Status CheckAllocated(const void* address) const;

  // Errors: as CheckAllocated.
  absl::Status Free(void* address);

  // `bytes` > 0. Errors: kHostRegistered when a block has a part of it.
  absl::Status Register(void* address, size_t bytes, bool is_mapped);

  // Errors: kHostNotRegistered unless a registration starts there.
  absl::Status Unregister(void* address);

  // The block that holds all of [address, address + bytes), or null.
  std::shared_ptr<HostBlock> Find(const void* address, size_t bytes) const;

 private:
  using Blocks = std::map<uintptr_t, std::shared_ptr<HostBlock>>;
  absl::StatusOr<Blocks::const_iterator> FindAllocated(
      const void* address) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The first block that has a byte of [start, start + bytes), or the end.
  Blocks::iterator FindOverlap(uintptr_t start, size_t bytes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable core::Mutex mutex_;
  Blocks blocks_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_HOST_MEMORY_H_
