// HbmBacking: where the bytes of segments live.
//
// core/mem decides which session holds which simulated frames; it has no bytes.
// The server keeps a sealed file per segment, tests keep a record of the calls.
//
// A *region* is a range of device addresses that holds one or more segments
// side by side. An allocation lies in one region but may cover neighbouring
// segments of it. So who maps segments at other addresses than their own (the
// daemon, for copies and kernels) reserves region_bytes once and puts each
// segment at (va - region_va) of that reservation: then every allocation is
// contiguous there as well. A region ends with its last segment; its addresses
// may then be given to another one.
//
// Threading: called from inside the machine, which may not be slow: each call
// only hands the work over. Calls for one key are carried out in call order.
// Ownership: the implementation outlives the MemoryManager that calls it.
#ifndef ASCEND_CORE_MEM_HBM_BACKING_H_
#define ASCEND_CORE_MEM_HBM_BACKING_H_

#include <compare>
#include <cstdint>

#include "absl/status/status.h"
#include "core/base/ids.h"

namespace ascend::core {

// Names a segment. An id is never used twice in the life of a session.
struct SegmentKey {
  SessionId session;
  DeviceId device;
  uint32_t id = 0;

  friend auto operator<=>(const SegmentKey&, const SegmentKey&) = default;
};

// Where a segment is mapped: va in [region_va, region_va + region_bytes). All
// four are multiples of 2 MiB.
struct SegmentWindow {
  uint64_t va = 0;
  uint64_t bytes = 0;
  uint64_t region_va = 0;
  uint64_t region_bytes = 0;
};

class HbmBacking {
 public:
  virtual ~HbmBacking() = default;

  // Makes a segment whose bytes read zero. An error (descriptors, host memory)
  // refuses the allocation that needed it, and nothing is left behind.
  virtual absl::Status CreateSegment(const SegmentKey& key,
                                     const SegmentWindow& window) = 0;

  // Gives up a segment with its bytes: they are gone before the frames, which
  // the caller hands on at once, are seen by another session, because that one
  // gets a new segment.
  virtual void ReleaseSegment(const SegmentKey& key) = 0;

  // Drops the bytes [offset, offset + bytes) of a live segment: they read zero
  // afterwards and cost no host memory. Multiples of 4 KiB.
  virtual void Scrub(const SegmentKey& key, uint64_t offset,
                     uint64_t bytes) = 0;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MEM_HBM_BACKING_H_
