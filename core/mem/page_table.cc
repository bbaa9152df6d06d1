#include "core/mem/page_table.h"

#include <algorithm>
#include <iterator>

#include "core/base/check.h"

namespace ascend::core {
namespace {

// Appends physical bytes [address, address + bytes) to `extents`.
void Append(uint64_t address, uint64_t bytes, uint64_t bank_bytes,
            uint64_t& end_of_last, std::vector<PhysicalExtent>& extents) {
  while (bytes > 0) {
    const uint64_t bank = address / bank_bytes;
    const uint64_t part = std::min(bytes, (bank + 1) * bank_bytes - address);
    if (!extents.empty() && end_of_last == address &&
        extents.back().bank == bank) {
      extents.back().bytes += part;
    } else {
      extents.push_back({.bank = static_cast<uint32_t>(bank),
                         .first_frame = address / kFrameBytes,
                         .bytes = part});
    }
    address += part;
    bytes -= part;
    end_of_last = address;
  }
}

std::vector<Segment::Piece>::const_iterator PieceOf(const Segment& segment,
                                                    uint64_t offset) {
  return std::upper_bound(segment.pieces.begin(), segment.pieces.end(),
                          offset / kRunBytes,
                          [](uint64_t run, const Segment::Piece& piece) {
                            return run < piece.end;
                          });
}

}  // namespace

void PageTable::Map(Segment& segment) {
  const bool is_new = segments_.emplace(segment.window.va, &segment).second;
  ASCEND_CHECK(is_new) << "window at " << segment.window.va;
}

void PageTable::Unmap(const Segment& segment) {
  ASCEND_CHECK(segments_.erase(segment.window.va) == 1);
}

PageTable::SegmentMap::const_iterator PageTable::Find(uint64_t va) const {
  const auto next = segments_.upper_bound(va);
  return next == segments_.begin() ? segments_.end() : std::prev(next);
}

void PageTable::CheckMapped(SegmentMap::const_iterator it, uint64_t va) const {
  ASCEND_CHECK(it != segments_.end() && it->second->window.va <= va &&
               va < it->second->end_va())
      << "address " << va << " has no segment";
}

std::vector<PhysicalExtent> PageTable::Extents(
    uint64_t va, uint64_t bytes, const HbmGeometry& geometry) const {
  std::vector<PhysicalExtent> extents;
  uint64_t end_of_last = 0;
  Walk(va, bytes, [&](const Segment& segment, uint64_t offset, uint64_t part) {
    const uint64_t end = offset + part;
    for (auto piece = PieceOf(segment, offset); offset < end; ++piece) {
      const uint64_t piece_begin =
          piece == segment.pieces.begin()
              ? 0
              : uint64_t{std::prev(piece)->end} * kRunBytes;
      const uint64_t piece_end =
          std::min(end, uint64_t{piece->end} * kRunBytes);
      Append(uint64_t{piece->first_run} * kRunBytes + (offset - piece_begin),
             piece_end - offset, geometry.bank_bytes, end_of_last, extents);
      offset = piece_end;
    }
  });
  return extents;
}

uint32_t PageTable::BlockBefore(uint64_t end_va) const {
  const auto it = Find(end_va - 1);
  CheckMapped(it, end_va - 1);
  const Segment& segment = *it->second;
  const uint64_t offset = end_va - 1 - segment.window.va;
  const auto piece = PieceOf(segment, offset);
  const uint32_t piece_begin =
      piece == segment.pieces.begin() ? 0 : std::prev(piece)->end;
  const uint32_t run = static_cast<uint32_t>(offset / kRunBytes);
  return (piece->first_run + (run - piece_begin)) / kRunsPerBlock;
}

const Segment* PageTable::LastIn(uint64_t begin, uint64_t end) const {
  const auto next = segments_.lower_bound(end);
  if (next == segments_.begin()) return nullptr;
  const Segment* last = std::prev(next)->second;
  return last->window.va >= begin ? last : nullptr;
}

}  // namespace ascend::core
