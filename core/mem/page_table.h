// PageTable: which segment, and which frames, are behind a device address.
//
// A segment is one window of device addresses and, from its first byte on, a
// list of frame pieces. Windows do not overlap; neighbouring ones may touch,
// and a walk passes from one to the next.
//
// Threading: thread-compatible. Ownership: borrows the segments it maps.
#ifndef ASCEND_CORE_MEM_PAGE_TABLE_H_
#define ASCEND_CORE_MEM_PAGE_TABLE_H_

#include <cstdint>
#include <vector>

#include "absl/container/btree_map.h"
#include "core/mem/frame_pool.h"
#include "core/mem/hbm_backing.h"
#include "core/mem/memory_manager.h"

namespace ascend::core {

struct Segment {
  // Frames from `first_run` on; the piece ends at run `end` of the segment.
  struct Piece {
    uint32_t first_run = 0;
    uint32_t end = 0;
  };

  SegmentKey key;
  SegmentWindow window;
  std::vector<Piece> pieces;
  uint64_t claimed_bytes = 0;  // inside allocations, quarantined ones too
  uint64_t warm_order = 0;     // 0 unless it is kept though nothing claims it

  uint64_t end_va() const { return window.va + window.bytes; }
};

class PageTable {
 public:
  using SegmentMap = absl::btree_map<uint64_t, Segment*>;

  void Map(Segment& segment);
  void Unmap(const Segment& segment);

  // The parts of [va, va + bytes) by segment; all of it is mapped (checked).
  // Each `visit` gets (segment, offset in it, bytes).
  template <typename Visitor>
  void Walk(uint64_t va, uint64_t bytes, Visitor visit) const {
    auto it = Find(va);
    while (bytes > 0) {
      CheckMapped(it, va);
      Segment& segment = *it->second;
      const uint64_t offset = va - segment.window.va;
      const uint64_t part = std::min(bytes, segment.window.bytes - offset);
      visit(segment, offset, part);
      va += part;
      bytes -= part;
      ++it;
    }
  }

  // Physical extents of a mapped range, appended in address order, merged where
  // contiguous, cut at the banks of `geometry`.
  std::vector<PhysicalExtent> Extents(uint64_t va, uint64_t bytes,
                                      const HbmGeometry& geometry) const;

  // The block behind the last byte before `end_va`, which is mapped.
  uint32_t BlockBefore(uint64_t end_va) const;

  // The last segment that begins in [begin, end); null when there is none.
  const Segment* LastIn(uint64_t begin, uint64_t end) const;

 private:
  SegmentMap::const_iterator Find(uint64_t va) const;
  void CheckMapped(SegmentMap::const_iterator it, uint64_t va) const;

  SegmentMap segments_;  // by window.va
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MEM_PAGE_TABLE_H_
