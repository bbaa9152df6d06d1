// HostMemory: page-locked host memory, as aclrtMallocHost hands it out.
//
// The registry is what makes a host pointer "known": copies from and to known
// memory are truly asynchronous, since its address stays valid until it is
// freed. A block that is freed while a queued copy still uses it disappears
// from the registry at once and goes back to the system after that copy.
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
  HostBlock(std::byte* data, size_t bytes) : data_(data), bytes_(bytes) {}
  ~HostBlock();
  HostBlock(const HostBlock&) = delete;
  HostBlock& operator=(const HostBlock&) = delete;

  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  std::byte* const data_;
  const size_t bytes_;
};

class HostMemory {
 public:
  static constexpr size_t kAlignmentBytes = 64;

  // `bytes` > 0. Errors: kOutOfDeviceMemory, the code of any allocation.
  absl::StatusOr<void*> Allocate(size_t bytes);

  // Errors: kInvalidArgument unless `address` is the start of a block.
  absl::Status Free(void* address);

  // The block that holds all of [address, address + bytes), or null.
  std::shared_ptr<HostBlock> Find(const void* address, size_t bytes) const;

 private:
  mutable core::Mutex mutex_;
  std::map<uintptr_t, std::shared_ptr<HostBlock>> blocks_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_HOST_MEMORY_H_
