#include "client/runtime/host_memory.h"

#include <cstdlib>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"

namespace ascend::client {

using core::MakeError;
using core::Reason;

namespace {

// 1 TiB: more than any host of simulated devices has. Allocators under a
// sanitizer end the process when they are asked for such a size.
constexpr size_t kBlockBytesMax = size_t{1} << 40;

}  // namespace

std::shared_ptr<HostBlock> HostBlock::Create(size_t bytes) {
  if (bytes > kBlockBytesMax) return nullptr;
  void* data = nullptr;
  if (posix_memalign(&data, HostMemory::kAlignmentBytes, bytes) != 0) {
    return nullptr;
  }
  return std::make_shared<HostBlock>(static_cast<std::byte*>(data), bytes);
}

HostBlock::~HostBlock() { std::free(data_); }

absl::StatusOr<void*> HostMemory::Allocate(size_t bytes) {
  std::shared_ptr<HostBlock> block = HostBlock::Create(bytes);
  if (block == nullptr) {
    return MakeError(
        Reason::kOutOfDeviceMemory,
        absl::StrCat("the system has no ", bytes, " bytes of host memory"));
  }
  void* const address = block->data();
  core::MutexLock lock(mutex_);
  blocks_[reinterpret_cast<uintptr_t>(address)] = std::move(block);
  return address;
}

absl::Status HostMemory::Free(void* address) {
  std::shared_ptr<HostBlock> block;  // goes after the lock does
  core::MutexLock lock(mutex_);
  const auto found = blocks_.find(reinterpret_cast<uintptr_t>(address));
  if (found == blocks_.end()) {
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("host address 0x",
                     absl::Hex(reinterpret_cast<uintptr_t>(address)),
                     " is not the start of a block of aclrtMallocHost, or was "
                     "freed already"));
  }
  block = std::move(found->second);
  blocks_.erase(found);
  return absl::OkStatus();
}

std::shared_ptr<HostBlock> HostMemory::Find(const void* address,
                                            size_t bytes) const {
  const auto start = reinterpret_cast<uintptr_t>(address);
  core::MutexLock lock(mutex_);
  const auto after = blocks_.upper_bound(start);
  if (after == blocks_.begin()) return nullptr;
  const auto& [base, block] = *std::prev(after);
  const uint64_t offset = start - base;
  if (offset >= block->bytes() || bytes > block->bytes() - offset) {
    return nullptr;
  }
  return block;
}

}  // namespace ascend::client
