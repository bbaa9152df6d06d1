#include "core/mem/segment_pool.h"

#include <utility>

#include "core/base/check.h"

namespace ascend::core {

SegmentPool::SegmentPool(SessionId session, DeviceId device, FramePool& frames,
                         HbmBacking& backing, SessionLedger& ledger)
    : session_(session),
      device_(device),
      frames_(frames),
      backing_(backing),
      ledger_(ledger) {}

std::optional<FrameGrant> SegmentPool::TakeFrames(uint64_t bytes,
                                                  Placement placement,
                                                  WindowId affinity) {
  if (bytes > frames_.free_bytes()) return std::nullopt;
  switch (placement) {
    case Placement::kNormal:
      return frames_.TakeScattered(static_cast<uint32_t>(bytes / kRunBytes));
    case Placement::kHuge:
      return frames_.TakeBlocks(static_cast<uint32_t>(bytes / kBlockBytes),
                                affinity);
    case Placement::kGiga:
      return frames_.TakeGiga(static_cast<uint32_t>(bytes / kGigaBytes));
  }
  return std::nullopt;
}

absl::StatusOr<bool> SegmentPool::Create(const SegmentWindow& segment_window,
                                         Placement placement,
                                         WindowId affinity) {
  const std::optional<FrameGrant> grant =
      TakeFrames(segment_window.bytes, placement, affinity);
  if (!grant) return false;

  auto segment = std::make_unique<Segment>();
  segment->key = {session_, device_, id_last_ + 1};
  segment->window = segment_window;
  const absl::Status created =
      backing_.CreateSegment(segment->key, segment_window);
  if (!created.ok()) {
    frames_.Undo(*grant);
    return created;
  }
  segment->pieces.reserve(grant->extents.size());
  uint32_t end = 0;
  for (const RunExtent& extent : grant->extents) {
    end += extent.run_count;
    segment->pieces.push_back({extent.first_run, end});
  }
  ++id_last_;
  ledger_.TakeFromPool(segment_window.bytes);
  page_table_.Map(*segment);
  SetWarm(*segment);
  segments_.emplace(id_last_, std::move(segment));
  return true;
}

void SegmentPool::SetWarm(Segment& segment) {
  segment.warm_order = ++warm_order_last_;
  warm_.emplace(segment.warm_order, &segment);
  warm_bytes_ += segment.window.bytes;
}

void SegmentPool::Claim(uint64_t va, uint64_t bytes) {
  page_table_.Walk(va, bytes,
                   [this](Segment& segment, uint64_t, uint64_t part) {
                     if (segment.claimed_bytes == 0) {
                       warm_.erase(segment.warm_order);
                       warm_bytes_ -= segment.window.bytes;
                       segment.warm_order = 0;
                     }
                     segment.claimed_bytes += part;
                   });
}

void SegmentPool::Unclaim(uint64_t va, uint64_t bytes) {
  page_table_.Walk(va, bytes,
                   [this](Segment& segment, uint64_t, uint64_t part) {
                     ASCEND_CHECK(segment.claimed_bytes >= part);
                     segment.claimed_bytes -= part;
                     if (segment.claimed_bytes == 0) SetWarm(segment);
                   });
}

void SegmentPool::ScrubInLiveSegments(uint64_t va, uint64_t bytes) {
  page_table_.Walk(
      va, bytes,
      [this](const Segment& segment, uint64_t offset, uint64_t part) {
        if (segment.claimed_bytes == 0) return;
        const uint64_t begin = RoundUp(offset, kFrameBytes);
        const uint64_t end = (offset + part) / kFrameBytes * kFrameBytes;
        if (begin < end) backing_.Scrub(segment.key, begin, end - begin);
      });
}

SegmentWindow SegmentPool::ReleaseOldestWarm() {
  ASCEND_CHECK(!warm_.empty());
  Segment& segment = *warm_.begin()->second;
  const SegmentWindow window = segment.window;
  warm_.erase(warm_.begin());
  warm_bytes_ -= window.bytes;
  backing_.ReleaseSegment(segment.key);
  std::vector<RunExtent> extents;
  extents.reserve(segment.pieces.size());
  uint32_t begin = 0;
  for (const Segment::Piece& piece : segment.pieces) {
    extents.push_back({piece.first_run, piece.end - begin});
    begin = piece.end;
  }
  frames_.Return(extents);
  ledger_.ReturnToPool(window.bytes);
  page_table_.Unmap(segment);
  segments_.erase(segment.key.id);
  return window;
}

}  // namespace ascend::core
