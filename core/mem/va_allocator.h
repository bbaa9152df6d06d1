// VaAllocator: free ranges of device addresses.
//
// Used twice: for the regions of a device window, and for the allocations of a
// region. Ranges merge with their neighbours; the smallest range that fits is
// taken, the lowest of equals. All operations are logarithmic.
//
// Threading: thread-compatible; deterministic. Ownership: owns its indices.
#ifndef ASCEND_CORE_MEM_VA_ALLOCATOR_H_
#define ASCEND_CORE_MEM_VA_ALLOCATOR_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"

namespace ascend::core {

class VaAllocator {
 public:
  uint64_t free_bytes() const { return free_bytes_; }
  // The longest free range; 0 when there is none.
  uint64_t LongestBytes() const;

  // Adds a range, none of whose bytes is free yet (checked).
  void Give(uint64_t va, uint64_t bytes);

  // Takes the low end of the smallest free range that fits.
  std::optional<uint64_t> Take(uint64_t bytes);

  // Takes exactly [va, va + bytes); false when not all of it is free.
  bool TakeAt(uint64_t va, uint64_t bytes);

  // Where the free range that ends at `end` begins; `end` when none does.
  uint64_t BeginOfRangeEndingAt(uint64_t end) const;

  // The free range that contains `va`, as (begin, end); an empty one at `va`
  // when it is not free.
  std::pair<uint64_t, uint64_t> RangeAround(uint64_t va) const;

 private:
  void Insert(uint64_t va, uint64_t bytes);
  void Erase(uint64_t va, uint64_t bytes);

  absl::btree_map<uint64_t, uint64_t> by_va_;               // va -> bytes
  absl::btree_set<std::pair<uint64_t, uint64_t>> by_size_;  // (bytes, va)
  uint64_t free_bytes_ = 0;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MEM_VA_ALLOCATOR_H_
