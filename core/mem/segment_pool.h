// SegmentPool: the segments that one session holds on one device.
//
// Creates a segment out of frames and backing, or changes nothing. Knows how
// much of each segment is claimed by allocations; a segment that nothing claims
// stays warm for its session until it is released, oldest first.
//
// Released frames count as scrubbed: a segment goes with its bytes, and who
// gets the frames next gets a new segment, which reads zero. So frames change
// owner only here, and reuse inside the session needs no scrub.
//
// Threading: thread-compatible; deterministic. Ownership: owns the segments,
// borrows frames, backing and ledger.
#ifndef ASCEND_CORE_MEM_SEGMENT_POOL_H_
#define ASCEND_CORE_MEM_SEGMENT_POOL_H_

#include <cstdint>
#include <map>
#include <memory>

#include "absl/status/statusor.h"
#include "core/mem/frame_pool.h"
#include "core/mem/hbm_backing.h"
#include "core/mem/ledger.h"
#include "core/mem/page_table.h"

namespace ascend::core {

class SegmentPool {
 public:
  SegmentPool(SessionId session, DeviceId device, FramePool& frames,
              HbmBacking& backing, SessionLedger& ledger);

  const PageTable& page_table() const { return page_table_; }
  uint64_t warm_bytes() const { return warm_bytes_; }
  size_t segment_count() const { return segments_.size(); }

  // True when the segment was made; false when there are not enough frames of
  // that placement; an error when the backing refused.
  absl::StatusOr<bool> Create(const SegmentWindow& segment_window,
                              Placement placement, WindowId affinity);

  // An allocation begins or ends to claim [va, va + bytes).
  void Claim(uint64_t va, uint64_t bytes);
  void Unclaim(uint64_t va, uint64_t bytes);

  // Drops the bytes of [va, va + bytes) in whole frames, in those segments that
  // other allocations keep alive. The others are warm or will be released.
  void ScrubInLiveSegments(uint64_t va, uint64_t bytes);

  // Releases the segment that has been warm longest and tells its window. There
  // is one (checked).
  SegmentWindow ReleaseOldestWarm();

  template <typename Visitor>
  void ForEach(Visitor visit) const {
    for (const auto& [id, segment] : segments_) visit(*segment);
  }

 private:
  std::optional<FrameGrant> TakeFrames(uint64_t bytes, Placement placement,
                                       WindowId affinity);
  void SetWarm(Segment& segment);

  const SessionId session_;
  const DeviceId device_;
  FramePool& frames_;
  HbmBacking& backing_;
  SessionLedger& ledger_;
  PageTable page_table_;
  std::map<uint32_t, std::unique_ptr<Segment>> segments_;  // by id
  std::map<uint64_t, Segment*> warm_;                      // by warm_order
  uint64_t warm_bytes_ = 0;
  uint64_t warm_order_last_ = 0;
  uint32_t id_last_ = 0;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MEM_SEGMENT_POOL_H_
