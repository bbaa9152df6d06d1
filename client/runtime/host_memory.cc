#include "client/runtime/host_memory.h"

#include <cstdlib>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {

using core::MakeError;
using core::Reason;

namespace {

// 1 TiB: more than any host of simulated devices has. Allocators under a
// sanitizer end the process when they are asked for such a size.
constexpr size_t kBlockBytesMax = size_t{1} << 40;

uintptr_t NumberOf(const void* address) {
  return reinterpret_cast<uintptr_t>(address);
}

}  // namespace

std::shared_ptr<HostBlock> HostBlock::Create(size_t bytes) {
  if (bytes > kBlockBytesMax) return nullptr;
  void* data = nullptr;
  if (posix_memalign(&data, HostMemory::kAlignmentBytes, bytes) != 0) {
    return nullptr;
  }
  return std::make_shared<HostBlock>(static_cast<std::byte*>(data), bytes,
                                     Origin::kAllocated);
}

HostBlock::~HostBlock() {
  if (is_allocated()) std::free(data_);
}

absl::StatusOr<void*> HostMemory::Allocate(size_t bytes) {
  std::shared_ptr<HostBlock> block = HostBlock::Create(bytes);
  if (block == nullptr) {
    return MakeError(
        Reason::kOutOfDeviceMemory,
        absl::StrCat("the system has no ", bytes, " bytes of host memory"));
  }
  void* const address = block->data();
  core::MutexLock lock(mutex_);
  // What the system hands out is in nobody's hands: a registration of it is of
  // memory that the program has freed meanwhile.
  for (auto stale = FindOverlap(NumberOf(address), bytes);
       stale != blocks_.end(); stale = FindOverlap(NumberOf(address), bytes)) {
    blocks_.erase(stale);
  }
  blocks_[NumberOf(address)] = std::move(block);
  return address;
}

absl::StatusOr<HostMemory::Blocks::const_iterator> HostMemory::FindAllocated(
    const void* address) const {
  const auto found = blocks_.find(NumberOf(address));
  if (found != blocks_.end() && found->second->is_allocated()) return found;
  return MakeError(
      Reason::kInvalidArgument,
      absl::StrCat("host address 0x", absl::Hex(NumberOf(address)),
                   " is not the start of a block of aclrtMallocHost, or was "
                   "freed already"));
}

absl::Status HostMemory::CheckAllocated(const void* address) const {
  core::MutexLock lock(mutex_);
  return FindAllocated(address).status();
}

absl::Status HostMemory::Free(void* address) {
  std::shared_ptr<HostBlock> block;  // goes after the lock does
  core::MutexLock lock(mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto found, FindAllocated(address));
  block = found->second;
  blocks_.erase(found);
  return absl::OkStatus();
}

absl::Status HostMemory::Register(void* address, size_t bytes, bool is_mapped) {
  auto block = std::make_shared<HostBlock>(
      static_cast<std::byte*>(address), bytes,
      is_mapped ? HostBlock::Origin::kRegisteredMapped
                : HostBlock::Origin::kRegistered);
  core::MutexLock lock(mutex_);
  const auto other = FindOverlap(NumberOf(address), bytes);
  if (other != blocks_.end()) {
    return MakeError(
        Reason::kHostRegistered,
        absl::StrCat("the range of ", bytes, " bytes from 0x",
                     absl::Hex(NumberOf(address)), " shares bytes with ",
                     other->second->is_allocated() ? "page-locked memory"
                                                   : "a registered range",
                     " of ", other->second->bytes(), " bytes from 0x",
                     absl::Hex(other->first)));
  }
  blocks_[NumberOf(address)] = std::move(block);
  return absl::OkStatus();
}

absl::Status HostMemory::Unregister(void* address) {
  core::MutexLock lock(mutex_);
  const auto found = blocks_.find(NumberOf(address));
  if (found == blocks_.end() || found->second->is_allocated()) {
    return MakeError(
        Reason::kHostNotRegistered,
        absl::StrCat("host address 0x", absl::Hex(NumberOf(address)),
                     " is not the start of a registered range"));
  }
  blocks_.erase(found);
  return absl::OkStatus();
}

HostMemory::Blocks::iterator HostMemory::FindOverlap(uintptr_t start,
                                                     size_t bytes) {
  const auto after = blocks_.upper_bound(start);
  if (after != blocks_.begin()) {
    const auto before = std::prev(after);
    if (start - before->first < before->second->bytes()) return before;
  }
  if (after != blocks_.end() && after->first - start < bytes) return after;
  return blocks_.end();
}

std::shared_ptr<HostBlock> HostMemory::Find(const void* address,
                                            size_t bytes) const {
  const uintptr_t start = NumberOf(address);
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
