// AddressSpace: the allocations of one session on one device.
//
// Device addresses come in regions, each of one placement class. Segments fill
// a region from its low end; an allocation lies anywhere in the filled part.
//   shared  what a class has in common: best fit; grows by slabs
//   group   huge-first allocations of one lane, side by side while the group is
//           open; its affinity window keeps the frames behind it
//   own     one allocation of 64 MiB or more that is not grouped, or of 1 GiB
//           pages; one segment
// A group ends with a free by its lane, at 1 GiB, or when others had to take
// what lies behind it. The next group begins behind the last live allocation of
// an ended one if as much room is there as anywhere, else in a new region.
//
// Threading: thread-compatible; deterministic. Ownership: owns its segments and
// its ledger; borrows frames, backing, device ledger and budget.
#ifndef ASCEND_CORE_MEM_ADDRESS_SPACE_H_
#define ASCEND_CORE_MEM_ADDRESS_SPACE_H_

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/status/statusor.h"
#include "core/mem/ledger.h"
#include "core/mem/memory_manager.h"
#include "core/mem/segment_pool.h"
#include "core/mem/va_allocator.h"

namespace ascend::core {

struct Allocation {
  uint64_t reserved_bytes = 0;
  uint64_t asked_bytes = 0;
  uint32_t policy = 0;
  Placement placement = Placement::kNormal;
  uint64_t extent_bytes = 0;  // of its physical extents, the mean
  bool is_quarantined = false;
};

// What AddressSpace::Allocate is asked for, already judged and rounded.
struct PlaceRequest {
  LaneId lane;
  uint64_t asked_bytes = 0;
  uint64_t reserved_bytes = 0;
  uint32_t policy = 0;
  PlacementRequest placement;
};

class AddressSpace {
 public:
  using AllocationMap = absl::btree_map<uint64_t, Allocation>;

  AddressSpace(SessionId session, DeviceId device, FramePool& frames,
               HbmBacking& backing, DeviceLedger& device_ledger,
               SessionBudget& budget);
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  const SessionLedger& ledger() const { return ledger_; }
  const SegmentPool& segments() const { return segments_; }
  const AllocationMap& allocations() const { return allocations_; }

  // The address; nothing when there is no room; an error when the backing
  // refused. Does not fall back to another placement.
  absl::StatusOr<std::optional<uint64_t>> Allocate(const PlaceRequest& request);

  // Ends the group of the lane, whatever it frees.
  void EndGroups(LaneId lane);
  // Quarantines the live allocation that begins at `va` and tells its reserved
  // bytes; nothing when none does.
  std::optional<uint64_t> Quarantine(uint64_t va);
  // Makes a quarantined allocation reusable and keeps at most `warm_bytes_max`.
  uint64_t Retire(uint64_t va, uint64_t warm_bytes_max);

  // The allocation that holds [va, va + bytes), or end().
  AllocationMap::const_iterator Find(uint64_t va, uint64_t bytes,
                                     Reach reach) const;

  // Releases warm segments until at least `bytes` went back or none is left.
  // Returns how much did.
  uint64_t ReleaseWarm(uint64_t bytes);

  // Ends every allocation and releases every segment.
  void ReleaseAll();

  // Recounts (checked).
  void CheckInvariants() const;

 private:
  enum class RegionKind { kShared, kGroup, kOwn };
  struct RegionClass {
    Placement placement = Placement::kNormal;
    bool is_peer_reachable = false;
    RegionKind kind = RegionKind::kShared;

    friend auto operator<=>(const RegionClass&, const RegionClass&) = default;
  };
  struct Region {
    RegionClass region_class;
    uint64_t va = 0;
    uint64_t bytes = 0;
    uint64_t filled_end = 0;  // where the next segment goes
    uint32_t segment_count = 0;
    WindowId affinity = 0;
    bool has_open_group = false;
    VaAllocator free;  // in the filled part

    uint64_t end_va() const { return va + bytes; }
    // Where the free bytes before filled_end begin.
    uint64_t tail() const { return free.BeginOfRangeEndingAt(filled_end); }
  };
  struct Group {
    uint64_t region_va = 0;
    uint64_t next_va = 0;
    uint64_t asked_bytes = 0;
  };
  using GroupKey = std::pair<LaneId, bool>;  // peer-reachable ones apart
  // An address, or nothing when there is no room.
  using Place = absl::StatusOr<std::optional<uint64_t>>;

  Place FindPlace(const PlaceRequest& request);
  Place PlaceGrouped(const PlaceRequest& request);
  bool CanContinue(const Group& group, const PlaceRequest& request);
  Place PlaceInGroup(Group& group, const PlaceRequest& request);
  Place PlaceShared(const PlaceRequest& request);
  Place PlaceOwn(const PlaceRequest& request);
  std::optional<uint64_t> PlaceInHole(const PlaceRequest& request);

  std::optional<Group> BeginGroup(const PlaceRequest& request);
  bool HasGroupRoom(const Region& region) const;
  void EndGroup(std::map<GroupKey, Group>::iterator group);

  Region* AddRegion(RegionClass region_class, uint64_t bytes);
  void DropRegionIfEmpty(uint64_t va);
  // Appends a segment of at least `bytes`; see SegmentPool::Create.
  absl::StatusOr<bool> Grow(Region& region, uint64_t bytes);
  absl::StatusOr<bool> AppendSegment(Region& region, uint64_t bytes);
  bool MayHold(uint64_t bytes) const;
  void RemoveBacking(const SegmentWindow& window);
  Region& RegionOf(uint64_t va);

  FramePool& frames_;
  SessionBudget& budget_;
  SessionLedger ledger_;
  SegmentPool segments_;
  VaAllocator window_;                  // addresses outside of regions
  std::map<uint64_t, Region> regions_;  // by va
  std::map<RegionClass, std::vector<uint64_t>> by_class_;  // va, oldest first
  std::map<GroupKey, Group> groups_;                       // open ones
  AllocationMap allocations_;  // live and quarantined, by va
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MEM_ADDRESS_SPACE_H_
