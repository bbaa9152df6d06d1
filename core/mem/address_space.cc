#include "core/mem/address_space.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/check.h"
#include "core/base/status_macros.h"

namespace ascend::core {
namespace {

constexpr uint64_t kOwnSegmentBytesMin = uint64_t{64} << 20;
constexpr uint64_t kGroupBytesMax = kGigaBytes;
// Twice what a group may take, so that groups can follow one another.
constexpr uint64_t kRegionBytes = 2 * kGigaBytes;
// Unmapped addresses between regions: an overrun hits no other region.
constexpr uint64_t kGuardBytes = kBlockBytes;
// A slab is a quarter of what the region holds already, so that the number of
// segments grows with the logarithm of the memory, up to this size.
constexpr uint64_t kSlabBytesMax = uint64_t{32} << 20;
// Segments are whole blocks, so a session holds more than its quota counts.
// This bounds by how much; past it, holes are filled and growth is exact.
constexpr uint64_t kQuotaSlackBytes = uint64_t{16} << 20;
// A hole below this size is not worth a scrub.
constexpr uint64_t kScrubBytesMin = kRunBytes;

}  // namespace

AddressSpace::AddressSpace(SessionId session, DeviceId device,
                           FramePool& frames, HbmBacking& backing,
                           DeviceLedger& device_ledger, SessionBudget& budget)
    : frames_(frames),
      budget_(budget),
      ledger_(device_ledger, budget),
      segments_(session, device, frames, backing, ledger_) {
  window_.Give(DeviceWindowVa(device), kDeviceWindowBytes);
}

absl::StatusOr<std::optional<uint64_t>> AddressSpace::Allocate(
    const PlaceRequest& request) {
  ASCEND_ASSIGN_OR_RETURN(const std::optional<uint64_t> va, FindPlace(request));
  if (!va) return va;
  segments_.Claim(*va, request.reserved_bytes);
  ledger_.Reserve(request.reserved_bytes, request.asked_bytes);
  const size_t extent_count =
      segments_.page_table()
          .Extents(*va, request.reserved_bytes, frames_.geometry())
          .size();
  allocations_.emplace(
      *va, Allocation{.reserved_bytes = request.reserved_bytes,
                      .asked_bytes = request.asked_bytes,
                      .policy = request.policy,
                      .placement = request.placement.placement,
                      .extent_bytes = request.reserved_bytes / extent_count});
  return va;
}

AddressSpace::Place AddressSpace::FindPlace(const PlaceRequest& request) {
  Place place;
  if (request.placement.is_grouped && request.asked_bytes <= kGroupBytesMax) {
    place = PlaceGrouped(request);
  } else if (request.placement.placement == Placement::kGiga ||
             request.reserved_bytes >= kOwnSegmentBytesMin) {
    place = PlaceOwn(request);
  } else {
    place = PlaceShared(request);
  }
  if (!place.ok() || place->has_value()) return place;
  return PlaceInHole(request);
}

AddressSpace::Place AddressSpace::PlaceGrouped(const PlaceRequest& request) {
  const GroupKey key(request.lane, request.placement.is_peer_reachable);
  const auto open = groups_.find(key);
  if (open != groups_.end() && CanContinue(open->second, request)) {
    return PlaceInGroup(open->second, request);
  }
  std::optional<Group> group = BeginGroup(request);
  if (!group) return std::nullopt;
  const Place place = PlaceInGroup(*group, request);
  if (place.ok() && place->has_value()) {
    if (open != groups_.end()) EndGroup(open);
    groups_.emplace(key, *group);
  } else {
    Region& region = RegionOf(group->region_va);
    region.has_open_group = false;
    frames_.CloseWindow(region.affinity);
    DropRegionIfEmpty(group->region_va);
  }
  return place;
}

// Is the group's next address free, and is there room for `request` in the
// limits? Memory may still be short.
bool AddressSpace::CanContinue(const Group& group,
                               const PlaceRequest& request) {
  const Region& region = RegionOf(group.region_va);
  const uint64_t end = group.next_va + request.reserved_bytes;
  if (group.asked_bytes + request.asked_bytes > kGroupBytesMax ||
      end > region.end_va()) {
    return false;
  }
  if (group.next_va >= region.filled_end) return true;
  const uint64_t free_end = region.free.RangeAround(group.next_va).second;
  return free_end >= std::min(end, region.filled_end);
}

// At the group's next address, or nowhere.
AddressSpace::Place AddressSpace::PlaceInGroup(Group& group,
                                               const PlaceRequest& request) {
  Region& region = RegionOf(group.region_va);
  const uint64_t va = group.next_va;
  const uint64_t end = va + request.reserved_bytes;
  if (end > region.filled_end) {
    ASCEND_ASSIGN_OR_RETURN(const bool has_grown,
                            Grow(region, end - region.filled_end));
    if (!has_grown) return std::nullopt;
  }
  ASCEND_CHECK(region.free.TakeAt(va, request.reserved_bytes));
  group.next_va = end;
  group.asked_bytes += request.asked_bytes;
  return va;
}

std::optional<AddressSpace::Group> AddressSpace::BeginGroup(
    const PlaceRequest& request) {
  const RegionClass region_class{request.placement.placement,
                                 request.placement.is_peer_reachable,
                                 RegionKind::kGroup};
  Region* region = nullptr;
  for (const uint64_t va : by_class_[region_class]) {
    Region& candidate = RegionOf(va);
    if (candidate.has_open_group || !HasGroupRoom(candidate)) continue;
    region = &candidate;
    frames_.OpenWindow(
        region->affinity,
        segments_.page_table().BlockBefore(region->filled_end) + 1);
    break;
  }
  if (region == nullptr) region = AddRegion(region_class, kRegionBytes);
  if (region == nullptr) {
    region =
        AddRegion(region_class, RoundUp(request.reserved_bytes, kBlockBytes));
  }
  if (region == nullptr) return std::nullopt;
  region->has_open_group = true;
  return Group{.region_va = region->va, .next_va = region->tail()};
}

// Can a group grow behind the last allocation of `region` as far as anywhere?
bool AddressSpace::HasGroupRoom(const Region& region) const {
  const uint64_t tail = region.tail();
  if (region.end_va() - tail < kGroupBytesMax + kBlockBytes) return false;
  const auto extents = segments_.page_table().Extents(
      tail, region.filled_end - tail, frames_.geometry());
  for (size_t i = 1; i < extents.size(); ++i) {
    const PhysicalExtent& last = extents[i - 1];
    const uint64_t end = last.first_frame * kFrameBytes + last.bytes;
    if (RoundUp(end, kBlockBytes) != extents[i].first_frame * kFrameBytes) {
      return false;
    }
  }
  const uint32_t next =
      segments_.page_table().BlockBefore(region.filled_end) + 1;
  const uint64_t room_bytes =
      frames_.RoomFrom(next) * kBlockBytes + (region.filled_end - tail);
  return room_bytes >= frames_.RoomMax() * kBlockBytes;
}

void AddressSpace::EndGroup(std::map<GroupKey, Group>::iterator group) {
  Region& region = RegionOf(group->second.region_va);
  region.has_open_group = false;
  frames_.CloseWindow(region.affinity);
  groups_.erase(group);
}

void AddressSpace::EndGroups(LaneId lane) {
  for (const bool is_peer_reachable : {false, true}) {
    const auto group = groups_.find({lane, is_peer_reachable});
    if (group != groups_.end()) EndGroup(group);
  }
}

AddressSpace::Place AddressSpace::PlaceShared(const PlaceRequest& request) {
  const RegionClass region_class{request.placement.placement,
                                 request.placement.is_peer_reachable,
                                 RegionKind::kShared};
  const uint64_t bytes = request.reserved_bytes;
  const std::vector<uint64_t>& vas = by_class_[region_class];
  for (const uint64_t va : vas) {
    if (const auto place = RegionOf(va).free.Take(bytes)) return place;
  }
  Region* region = vas.empty() ? nullptr : &RegionOf(vas.back());
  if (region == nullptr || region->tail() + bytes > region->end_va()) {
    region = AddRegion(region_class, kRegionBytes);
    if (region == nullptr) return std::nullopt;
  }
  const uint64_t va = region->tail();
  const absl::StatusOr<bool> has_grown =
      Grow(*region, va + bytes - region->filled_end);
  if (!has_grown.ok() || !*has_grown) {
    DropRegionIfEmpty(region->va);
    if (!has_grown.ok()) return has_grown.status();
    return std::nullopt;
  }
  ASCEND_CHECK(region->free.TakeAt(va, bytes));
  return va;
}

AddressSpace::Place AddressSpace::PlaceOwn(const PlaceRequest& request) {
  const Placement placement = request.placement.placement;
  const RegionClass region_class{placement, request.placement.is_peer_reachable,
                                 RegionKind::kOwn};
  const uint64_t bytes =
      RoundUp(request.reserved_bytes,
              placement == Placement::kGiga ? kGigaBytes : kBlockBytes);
  for (const uint64_t va : by_class_[region_class]) {  // a warm one
    Region& region = RegionOf(va);
    if (region.bytes != bytes || region.free.LongestBytes() != bytes) continue;
    ASCEND_CHECK(region.free.TakeAt(va, request.reserved_bytes));
    return va;
  }
  Region* region = AddRegion(region_class, bytes);
  if (region == nullptr) return std::nullopt;
  const uint64_t va = region->va;
  const absl::StatusOr<bool> has_grown = Grow(*region, bytes);
  if (!has_grown.ok() || !*has_grown) {
    DropRegionIfEmpty(va);
    if (!has_grown.ok()) return has_grown.status();
    return std::nullopt;
  }
  ASCEND_CHECK(region->free.TakeAt(va, request.reserved_bytes));
  return va;
}

// The last resort: any free bytes of the class.
std::optional<uint64_t> AddressSpace::PlaceInHole(const PlaceRequest& request) {
  for (const RegionKind kind :
       {RegionKind::kShared, RegionKind::kOwn, RegionKind::kGroup}) {
    const RegionClass region_class{request.placement.placement,
                                   request.placement.is_peer_reachable, kind};
    for (const uint64_t va : by_class_[region_class]) {
      Region& region = RegionOf(va);
      if (const auto place = region.free.Take(request.reserved_bytes)) {
        return place;
      }
    }
  }
  return std::nullopt;
}

AddressSpace::Region* AddressSpace::AddRegion(RegionClass region_class,
                                              uint64_t bytes) {
  const std::optional<uint64_t> va = window_.Take(bytes + kGuardBytes);
  if (!va) return nullptr;
  Region& region = regions_[*va];
  region.region_class = region_class;
  region.va = *va;
  region.bytes = bytes;
  region.filled_end = *va;
  if (region_class.kind == RegionKind::kGroup) {
    region.affinity = frames_.NewWindowId();
  }
  by_class_[region_class].push_back(*va);
  return &region;
}

void AddressSpace::DropRegionIfEmpty(uint64_t va) {
  const auto it = regions_.find(va);
  ASCEND_CHECK(it != regions_.end());
  const Region& region = it->second;
  if (region.segment_count > 0) return;
  frames_.CloseWindow(region.affinity);
  std::erase(by_class_[region.region_class], va);
  window_.Give(va, region.bytes + kGuardBytes);
  regions_.erase(it);
}

absl::StatusOr<bool> AddressSpace::Grow(Region& region, uint64_t bytes) {
  const uint64_t exact = RoundUp(bytes, kBlockBytes);
  if (region.region_class.kind == RegionKind::kOwn ||
      bytes >= kOwnSegmentBytesMin) {
    return AppendSegment(region, exact);
  }
  uint64_t slab = (region.filled_end - region.va) / 4;
  slab = std::min(slab / kBlockBytes * kBlockBytes, kSlabBytesMax);
  slab = std::min(slab, region.end_va() - region.filled_end);
  if (slab > exact && MayHold(slab)) {
    ASCEND_ASSIGN_OR_RETURN(const bool has_grown, AppendSegment(region, slab));
    if (has_grown) return true;
  }
  return AppendSegment(region, exact);
}

absl::StatusOr<bool> AddressSpace::AppendSegment(Region& region,
                                                 uint64_t bytes) {
  if (region.filled_end + bytes > region.end_va() || !MayHold(bytes)) {
    return false;
  }
  ASCEND_ASSIGN_OR_RETURN(
      const bool is_created,
      segments_.Create({.va = region.filled_end,
                        .bytes = bytes,
                        .region_va = region.va,
                        .region_bytes = region.bytes},
                       region.region_class.placement, region.affinity));
  if (!is_created) return false;
  region.free.Give(region.filled_end, bytes);
  region.filled_end += bytes;
  ++region.segment_count;
  return true;
}

bool AddressSpace::MayHold(uint64_t bytes) const {
  if (budget_.quota_bytes == 0) return true;
  return budget_.held_bytes + bytes <=
         RoundUp(budget_.quota_bytes, kBlockBytes) + kQuotaSlackBytes;
}

AddressSpace::Region& AddressSpace::RegionOf(uint64_t va) {
  const auto next = regions_.upper_bound(va);
  ASCEND_CHECK(next != regions_.begin());
  return std::prev(next)->second;
}

std::optional<uint64_t> AddressSpace::Quarantine(uint64_t va) {
  const auto it = allocations_.find(va);
  if (it == allocations_.end() || it->second.is_quarantined) {
    return std::nullopt;
  }
  Allocation& allocation = it->second;
  allocation.is_quarantined = true;
  ledger_.Quarantine(allocation.reserved_bytes, allocation.asked_bytes);
  return allocation.reserved_bytes;
}

uint64_t AddressSpace::Retire(uint64_t va, uint64_t warm_bytes_max) {
  const auto it = allocations_.find(va);
  ASCEND_CHECK(it != allocations_.end() && it->second.is_quarantined);
  const uint64_t bytes = it->second.reserved_bytes;
  allocations_.erase(it);
  segments_.Unclaim(va, bytes);
  RegionOf(va).free.Give(va, bytes);
  ledger_.Retire(bytes);
  if (bytes >= kScrubBytesMin && ledger_.usage().idle_bytes > warm_bytes_max) {
    segments_.ScrubInLiveSegments(va, bytes);
  }
  while (segments_.warm_bytes() > warm_bytes_max) {
    RemoveBacking(segments_.ReleaseOldestWarm());
  }
  return bytes;
}

AddressSpace::AllocationMap::const_iterator AddressSpace::Find(
    uint64_t va, uint64_t bytes, Reach reach) const {
  auto it = allocations_.upper_bound(va);
  if (it == allocations_.begin()) return allocations_.end();
  --it;
  const Allocation& allocation = it->second;
  const uint64_t offset = va - it->first;
  const bool is_inside = offset < allocation.asked_bytes &&
                         bytes <= allocation.asked_bytes - offset;
  const bool is_reachable =
      !allocation.is_quarantined || reach == Reach::kLiveAndQuarantined;
  return is_inside && is_reachable ? it : allocations_.end();
}

uint64_t AddressSpace::ReleaseWarm(uint64_t bytes) {
  uint64_t released_bytes = 0;
  while (released_bytes < bytes && segments_.warm_bytes() > 0) {
    const SegmentWindow window = segments_.ReleaseOldestWarm();
    RemoveBacking(window);
    released_bytes += window.bytes;
  }
  return released_bytes;
}

// The addresses of a released segment stay unused while its region lives, but
// for those at the region's end.
void AddressSpace::RemoveBacking(const SegmentWindow& window) {
  Region& region = RegionOf(window.va);
  ASCEND_CHECK(region.free.TakeAt(window.va, window.bytes));
  --region.segment_count;
  if (region.has_open_group) {
    EndGroup(std::find_if(groups_.begin(), groups_.end(),
                          [&region](const auto& entry) {
                            return entry.second.region_va == region.va;
                          }));
  }
  const Segment* last =
      segments_.page_table().LastIn(region.va, region.filled_end);
  region.filled_end = last == nullptr ? region.va : last->end_va();
  DropRegionIfEmpty(region.va);
}

void AddressSpace::ReleaseAll() {
  for (auto& [va, allocation] : allocations_) {
    const uint64_t bytes = allocation.reserved_bytes;
    if (!allocation.is_quarantined) {
      ledger_.Quarantine(bytes, allocation.asked_bytes);
    }
    segments_.Unclaim(va, bytes);
    RegionOf(va).free.Give(va, bytes);
    ledger_.Retire(bytes);
  }
  allocations_.clear();
  ReleaseWarm(segments_.warm_bytes());
  ASCEND_CHECK(regions_.empty() && groups_.empty() && ledger_.IsZero());
}

void AddressSpace::CheckInvariants() const {
  MemoryUsage counted;
  uint64_t past = 0;
  for (const auto& [va, allocation] : allocations_) {
    ASCEND_CHECK(va >= past && va % kGranuleBytes == 0);
    past = va + allocation.reserved_bytes;
    (allocation.is_quarantined ? counted.quarantined_bytes
                               : counted.reserved_bytes) +=
        allocation.reserved_bytes;
    if (allocation.is_quarantined) continue;
    counted.used_bytes += allocation.asked_bytes;
    ++counted.allocation_count;
  }
  uint64_t segment_bytes = 0;
  uint64_t claimed_bytes = 0;
  segments_.ForEach([&](const Segment& segment) {
    segment_bytes += segment.window.bytes;
    claimed_bytes += segment.claimed_bytes;
    ASCEND_CHECK((segment.claimed_bytes == 0) == (segment.warm_order != 0));
    ASCEND_CHECK(uint64_t{segment.pieces.back().end} * kRunBytes ==
                 segment.window.bytes);
  });
  for (const auto& [va, region] : regions_) {
    ASCEND_CHECK(region.segment_count > 0 && region.filled_end > va &&
                 region.filled_end <= region.end_va());
    counted.idle_bytes += region.free.free_bytes();
  }
  const MemoryUsage& usage = ledger_.usage();
  ASCEND_CHECK(claimed_bytes ==
               counted.reserved_bytes + counted.quarantined_bytes);
  ASCEND_CHECK(segment_bytes == claimed_bytes + counted.idle_bytes);
  ASCEND_CHECK(usage.used_bytes == counted.used_bytes);
  ASCEND_CHECK(usage.reserved_bytes == counted.reserved_bytes);
  ASCEND_CHECK(usage.quarantined_bytes == counted.quarantined_bytes);
  ASCEND_CHECK(usage.idle_bytes == counted.idle_bytes);
  ASCEND_CHECK(usage.allocation_count == counted.allocation_count);
}

}  // namespace ascend::core
