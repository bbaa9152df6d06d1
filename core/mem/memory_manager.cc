#include "core/mem/memory_manager.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/check.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "core/mem/address_space.h"
#include "core/mem/frame_pool.h"
#include "core/mem/ledger.h"

namespace ascend::core {

struct MemoryManager::Device {
  explicit Device(const DeviceSpec& spec)
      : frames(HbmGeometry::FromSpec(spec)), ledger(spec.hbm_bytes) {}

  FramePool frames;
  DeviceLedger ledger;
};

struct MemoryManager::Session {
  struct Freed {
    uint64_t submitted_up_to = 0;
    DeviceId device;
    uint64_t va = 0;
  };

  SessionBudget budget;
  std::vector<std::unique_ptr<AddressSpace>> spaces;  // null until used
  std::deque<Freed> quarantine;  // in order of submitted_up_to
  uint64_t retired_up_to = 0;
  uint64_t free_count = 0;  // ever
};

namespace {

AllocationResult Refuse(Reason reason, absl::string_view message,
                        bool may_succeed_after_retire = false) {
  return {.status = MakeError(reason, message),
          .may_succeed_after_retire = may_succeed_after_retire};
}

std::string NoSuchDevice(DeviceId device, size_t device_count) {
  return absl::StrCat("device ", device.value(),
                      " does not exist; the daemon has ", device_count,
                      " devices");
}

}  // namespace

MemoryManager::MemoryManager(MemoryManagerOptions options, HbmBacking& backing)
    : warm_bytes_max_(options.warm_bytes_max), backing_(backing) {
  for (const DeviceSpec& spec : options.devices) {
    ASCEND_CHECK(ValidateSpec(spec).ok()) << spec.profile;
    devices_.push_back(std::make_unique<Device>(spec));
  }
}

MemoryManager::~MemoryManager() = default;

uint32_t MemoryManager::device_count() const {
  return static_cast<uint32_t>(devices_.size());
}

bool MemoryManager::IsOpen(SessionId session) const {
  return sessions_.contains(session);
}

void MemoryManager::OpenSession(SessionId session, uint64_t hbm_quota_bytes) {
  auto opened = std::make_unique<Session>();
  opened->budget.quota_bytes = hbm_quota_bytes;
  opened->spaces.resize(devices_.size());
  const bool is_new = sessions_.emplace(session, std::move(opened)).second;
  ASCEND_CHECK(is_new) << "session " << session.value() << " is open already";
}

void MemoryManager::CloseSession(SessionId id) {
  Session& session = GetSession(id);
  for (const auto& space : session.spaces) {
    if (space != nullptr) space->ReleaseAll();
  }
  ASCEND_CHECK(session.budget.claimed_bytes == 0 &&
               session.budget.held_bytes == 0)
      << "session " << id.value() << " still holds "
      << session.budget.held_bytes << " bytes";
  sessions_.erase(id);
}

MemoryManager::Session& MemoryManager::GetSession(SessionId id) const {
  const auto it = sessions_.find(id);
  ASCEND_CHECK(it != sessions_.end())
      << "session " << id.value() << " is not open";
  return *it->second;
}

AddressSpace& MemoryManager::SpaceFor(SessionId id, Session& session,
                                      DeviceId device) {
  std::unique_ptr<AddressSpace>& space = session.spaces[device.value()];
  if (space == nullptr) {
    Device& d = *devices_[device.value()];
    space = std::make_unique<AddressSpace>(id, device, d.frames, backing_,
                                           d.ledger, session.budget);
  }
  return *space;
}

AddressSpace* MemoryManager::SpaceOfVa(const Session& session,
                                       uint64_t va) const {
  const std::optional<DeviceId> device = DeviceOfVa(va, device_count());
  return device ? session.spaces[device->value()].get() : nullptr;
}

AllocationResult MemoryManager::Allocate(const AllocationRequest& request) {
  Session& session = GetSession(request.session);
  if (request.device.value() >= devices_.size()) {
    return Refuse(Reason::kUnknownDevice,
                  NoSuchDevice(request.device, devices_.size()));
  }
  if (request.bytes == 0) {
    return Refuse(Reason::kNullArgument,
                  "an allocation of 0 bytes is refused; ask for at least 1");
  }
  PlacementRequest placement = ClassifyRequest(request.policy, request.bytes);
  const std::optional<uint64_t> reserved_bytes =
      ReserveBytes(request.bytes, request.is_padded, placement.placement);
  if (!reserved_bytes) {
    return Refuse(Reason::kOutOfDeviceMemory,
                  absl::StrCat("an allocation of ", request.bytes,
                               " bytes exceeds any device's memory"));
  }
  AllocationResult result = CheckQuota(request, session, *reserved_bytes);
  if (!result.status.ok()) return result;

  AddressSpace& space = SpaceFor(request.session, session, request.device);
  PlaceRequest wanted{.lane = request.lane,
                      .asked_bytes = request.bytes,
                      .reserved_bytes = *reserved_bytes,
                      .policy = request.policy,
                      .placement = placement};
  auto place = PlaceWithWarmMemory(request.device, space, wanted);
  if (place.ok() && !place->has_value() && placement.may_fall_back) {
    wanted.placement.placement = Placement::kNormal;
    wanted.placement.is_grouped = false;
    place = PlaceWithWarmMemory(request.device, space, wanted);
  }
  if (!place.ok()) {
    result.status =
        Annotate(place.status(),
                 absl::StrCat("allocation of ", request.bytes,
                              " bytes on device ", request.device.value()));
    return result;
  }
  if (!place->has_value()) {
    return NoRoom(request, space, *reserved_bytes, wanted.placement.placement);
  }
  result.va = **place;
  return result;
}

AllocationResult MemoryManager::CheckQuota(const AllocationRequest& request,
                                           const Session& session,
                                           uint64_t reserved_bytes) const {
  const SessionBudget& budget = session.budget;
  if (budget.quota_bytes == 0 ||
      budget.claimed_bytes + reserved_bytes <= budget.quota_bytes) {
    return {};
  }
  uint64_t quarantined_bytes = 0;
  for (const auto& space : session.spaces) {
    if (space == nullptr) continue;
    quarantined_bytes += space->ledger().usage().quarantined_bytes;
  }
  const bool may_succeed =
      quarantined_bytes > 0 &&
      budget.claimed_bytes - quarantined_bytes + reserved_bytes <=
          budget.quota_bytes;
  return Refuse(
      Reason::kOutOfDeviceMemory,
      absl::StrCat("the HBM quota of session ", request.session.value(),
                   " does not allow the allocation: hbm_quota_bytes is ",
                   budget.quota_bytes, ", in use are ", budget.claimed_bytes,
                   " bytes (", quarantined_bytes,
                   " of them freed but not yet retired), requested are ",
                   request.bytes, " bytes (", reserved_bytes,
                   " with padding); free memory or raise the quota"),
      may_succeed);
}

// Places `request`; when frames are short, memory that sessions only keep warm
// goes back to the pool first.
absl::StatusOr<std::optional<uint64_t>> MemoryManager::PlaceWithWarmMemory(
    DeviceId device, AddressSpace& space, const PlaceRequest& request) {
  while (true) {
    ASCEND_ASSIGN_OR_RETURN(const std::optional<uint64_t> va,
                            space.Allocate(request));
    if (va) return va;
    const uint64_t reachable_bytes =
        devices_[device.value()]->frames.free_bytes() + WarmBytes(device) +
        space.ledger().usage().idle_bytes;
    if (reachable_bytes < request.reserved_bytes) return std::nullopt;
    if (ReleaseWarm(device, request.reserved_bytes) == 0) return std::nullopt;
  }
}

AllocationResult MemoryManager::NoRoom(const AllocationRequest& request,
                                       const AddressSpace& space,
                                       uint64_t reserved_bytes,
                                       Placement placement) const {
  const MemoryUsage& usage = space.ledger().usage();
  const Device& device = *devices_[request.device.value()];
  const uint64_t free_bytes = device.frames.free_bytes();
  const bool may_succeed = usage.quarantined_bytes > 0 &&
                           free_bytes + WarmBytes(request.device) +
                                   usage.idle_bytes + usage.quarantined_bytes >=
                               reserved_bytes;
  return Refuse(
      Reason::kOutOfDeviceMemory,
      absl::StrCat("device ", request.device.value(), " has no room for ",
                   request.bytes, " bytes in ", PlacementName(placement),
                   " pages: ", free_bytes, " of ",
                   device.ledger.usage().total_bytes,
                   " bytes are free, this session has ", usage.reserved_bytes,
                   " bytes in use and ", usage.quarantined_bytes,
                   " freed but not yet retired; free memory or ask for less"),
      may_succeed);
}

uint64_t MemoryManager::WarmBytes(DeviceId device) const {
  uint64_t bytes = 0;
  for (const auto& [id, session] : sessions_) {
    const auto& space = session->spaces[device.value()];
    if (space != nullptr) bytes += space->segments().warm_bytes();
  }
  return bytes;
}

uint64_t MemoryManager::ReleaseWarm(DeviceId device, uint64_t bytes) {
  uint64_t released_bytes = 0;
  for (const auto& [id, session] : sessions_) {
    if (released_bytes >= bytes) break;
    const auto& space = session->spaces[device.value()];
    if (space != nullptr) {
      released_bytes += space->ReleaseWarm(bytes - released_bytes);
    }
  }
  return released_bytes;
}

absl::Status MemoryManager::Free(SessionId id, LaneId lane, uint64_t va,
                                 uint64_t submitted_up_to) {
  Session& session = GetSession(id);
  if (va == 0) {
    return MakeError(Reason::kNullArgument,
                     "a free of the null address is refused");
  }
  AddressSpace* space = SpaceOfVa(session, va);
  const std::optional<uint64_t> reserved_bytes =
      space == nullptr ? std::nullopt : space->Quarantine(va);
  if (!reserved_bytes) {
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("no live allocation begins at address 0x", absl::Hex(va),
                     "; free takes an address that malloc returned and that "
                     "is not freed yet"));
  }
  ++session.free_count;
  for (const auto& each : session.spaces) {
    if (each != nullptr) each->EndGroups(lane);
  }
  if (!session.quarantine.empty()) {
    submitted_up_to =
        std::max(submitted_up_to, session.quarantine.back().submitted_up_to);
  }
  if (submitted_up_to <= session.retired_up_to) {
    space->Retire(va, warm_bytes_max_);
    return absl::OkStatus();
  }
  session.quarantine.push_back({.submitted_up_to = submitted_up_to,
                                .device = *DeviceOfVa(va, device_count()),
                                .va = va});
  return absl::OkStatus();
}

RetireResult MemoryManager::RetireUpTo(SessionId id, uint64_t number) {
  Session& session = GetSession(id);
  session.retired_up_to = std::max(session.retired_up_to, number);
  RetireResult result;
  while (!session.quarantine.empty() &&
         session.quarantine.front().submitted_up_to <= session.retired_up_to) {
    const Session::Freed freed = session.quarantine.front();
    session.quarantine.pop_front();
    result.bytes +=
        session.spaces[freed.device.value()]->Retire(freed.va, warm_bytes_max_);
    ++result.allocation_count;
  }
  return result;
}

uint64_t MemoryManager::FreeCount(SessionId session) const {
  return GetSession(session).free_count;
}

absl::StatusOr<AllocationInfo> MemoryManager::FindAllocation(
    SessionId id, uint64_t va) const {
  ASCEND_ASSIGN_OR_RETURN(const AddressSpace* space,
                          FindRange(id, va, 1, Reach::kLive));
  const auto& [base_va, allocation] = *space->Find(va, 1, Reach::kLive);
  return AllocationInfo{.base_va = base_va,
                        .bytes = allocation.asked_bytes,
                        .policy = allocation.policy,
                        .placement = allocation.placement,
                        .device = *DeviceOfVa(va, device_count())};
}

absl::StatusOr<uint64_t> MemoryManager::MeanExtentBytes(SessionId id,
                                                        uint64_t va,
                                                        uint64_t bytes,
                                                        Reach reach) const {
  ASCEND_ASSIGN_OR_RETURN(const AddressSpace* space,
                          FindRange(id, va, bytes, reach));
  return space->Find(va, bytes, reach)->second.extent_bytes;
}

absl::StatusOr<AddressSpace*> MemoryManager::FindRange(SessionId id,
                                                       uint64_t va,
                                                       uint64_t bytes,
                                                       Reach reach) const {
  AddressSpace* space = SpaceOfVa(GetSession(id), va);
  if (space == nullptr ||
      space->Find(va, bytes, reach) == space->allocations().end()) {
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("the range of ", bytes, " bytes at address 0x",
                     absl::Hex(va),
                     " does not lie inside one allocation of the session"));
  }
  return space;
}

absl::StatusOr<std::vector<PhysicalExtent>> MemoryManager::Translate(
    SessionId id, uint64_t va, uint64_t bytes, Reach reach) const {
  ASCEND_ASSIGN_OR_RETURN(const AddressSpace* space,
                          FindRange(id, va, bytes, reach));
  const uint32_t device = DeviceOfVa(va, device_count())->value();
  return space->segments().page_table().Extents(
      va, bytes, devices_[device]->frames.geometry());
}

absl::StatusOr<std::vector<SegmentSlice>> MemoryManager::Locate(
    SessionId id, uint64_t va, uint64_t bytes, Reach reach) const {
  ASCEND_ASSIGN_OR_RETURN(const AddressSpace* space,
                          FindRange(id, va, bytes, reach));
  std::vector<SegmentSlice> slices;
  space->segments().page_table().Walk(
      va, bytes,
      [&slices](const Segment& segment, uint64_t offset, uint64_t part) {
        slices.push_back({segment.key, offset, part});
      });
  return slices;
}

uint64_t MemoryManager::FreeBytesFor(const Session& session,
                                     DeviceId device) const {
  uint64_t bytes =
      devices_[device.value()]->frames.free_bytes() + WarmBytes(device);
  if (const auto& space = session.spaces[device.value()]; space != nullptr) {
    bytes +=
        space->ledger().usage().idle_bytes - space->segments().warm_bytes();
  }
  return bytes;
}

absl::StatusOr<MemoryRoom> MemoryManager::GetRoom(SessionId id,
                                                  DeviceId device) const {
  const Session& session = GetSession(id);
  if (device.value() >= devices_.size()) {
    return MakeError(Reason::kUnknownDevice,
                     NoSuchDevice(device, devices_.size()));
  }
  MemoryRoom info{
      .free_bytes = FreeBytesFor(session, device),
      .total_bytes = devices_[device.value()]->ledger.usage().total_bytes};
  const SessionBudget& budget = session.budget;
  if (budget.quota_bytes != 0) {
    info.total_bytes = std::min(info.total_bytes, budget.quota_bytes);
    info.free_bytes =
        std::min(info.free_bytes, budget.quota_bytes - budget.claimed_bytes);
  }
  return info;
}

MemoryUsage MemoryManager::GetUsage(SessionId id, DeviceId device) const {
  ASCEND_CHECK(device.value() < devices_.size());
  const auto& space = GetSession(id).spaces[device.value()];
  return space == nullptr ? MemoryUsage{} : space->ledger().usage();
}

DeviceMemoryUsage MemoryManager::GetDeviceUsage(DeviceId device) const {
  ASCEND_CHECK(device.value() < devices_.size());
  return devices_[device.value()]->ledger.usage();
}

void MemoryManager::CheckInvariants() const {
  for (size_t i = 0; i < devices_.size(); ++i) {
    const Device& device = *devices_[i];
    device.frames.CheckInvariants();
    device.ledger.CheckBalance();
    ASCEND_CHECK(device.frames.free_bytes() ==
                 device.ledger.usage().pool_bytes);
    // Frames that are neither free nor in exactly one segment would show here:
    // the counts agree, so no two segments can share one.
    std::vector<bool> is_owned(device.frames.geometry().total_bytes /
                               kRunBytes);
    for (const auto& [id, session] : sessions_) {
      const auto& space = session->spaces[i];
      if (space == nullptr) continue;
      space->CheckInvariants();
      space->segments().ForEach([&is_owned](const Segment& segment) {
        uint32_t begin = 0;
        for (const Segment::Piece& piece : segment.pieces) {
          for (uint32_t k = 0; k < piece.end - begin; ++k) {
            ASCEND_CHECK(!is_owned[piece.first_run + k]);
            is_owned[piece.first_run + k] = true;
          }
          begin = piece.end;
        }
      });
    }
    const auto owned = static_cast<uint64_t>(
        std::count(is_owned.begin(), is_owned.end(), true));
    ASCEND_CHECK((is_owned.size() - owned) * kRunBytes ==
                 device.frames.free_bytes());
  }
}

}  // namespace ascend::core
