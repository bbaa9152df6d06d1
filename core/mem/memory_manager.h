// MemoryManager: the device memory of all sessions on all devices.
//
// The only public face of core/mem, and the one entry point through which
// device memory is handed out: quotas are enforced here and nowhere else. Each
// session has an address space of its own per device. Its memory is a set of
// segments (see hbm_backing.h); the manager maps device addresses to segments
// and segments to simulated frames.
//
// A freed range is quarantined: it stays mapped and is not handed out again
// until every task that the session submitted before the free has retired,
// because such a task may still touch it. Tasks are named by a number that
// grows with each submission of the session.
//
// Every call is all or nothing: after an error nothing has changed, except that
// memory which no allocation used may have gone back to the device.
//
// A session named in a call must be open; anything else is a bug of the caller
// and checked. Addresses, sizes, policies and devices are input and answered
// with a Status.
//
// Threading: thread-compatible; deterministic. Ownership: borrows the backing.
#ifndef ASCEND_CORE_MEM_MEMORY_MANAGER_H_
#define ASCEND_CORE_MEM_MEMORY_MANAGER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/ids.h"
#include "core/mem/device_window.h"
#include "core/mem/hbm_backing.h"
#include "core/mem/page_policy.h"
#include "core/spec/device_spec.h"

namespace ascend::core {

struct MemoryManagerOptions {
  // One per device, each valid (ValidateSpec).
  std::vector<DeviceSpec> devices;
  // How much memory that no allocation uses a session may keep on a device, so
  // that its next allocation finds warm pages. Other sessions get it on demand.
  uint64_t warm_bytes_max = uint64_t{256} << 20;
};

struct AllocationRequest {
  SessionId session;
  DeviceId device;
  LaneId lane;  // huge-first allocations of one lane lie side by side
  uint64_t bytes = 0;
  uint32_t policy = 0;    // aclrtMemMallocPolicy, raw
  bool is_padded = true;  // false for aclrtMallocAlign32: no 32 bytes more
};

struct AllocationResult {
  // kNullArgument for 0 bytes, kUnknownDevice, kOutOfDeviceMemory, or what the
  // backing answered.
  absl::Status status;
  uint64_t va = 0;
  // With kOutOfDeviceMemory: the session's own quarantine holds enough that the
  // same request may succeed after RetireUpTo. False when it holds nothing, so
  // waiting ends.
  bool may_succeed_after_retire = false;
};

struct AllocationInfo {
  uint64_t base_va = 0;
  uint64_t bytes = 0;  // as asked
  uint32_t policy = 0;
  Placement placement = Placement::kNormal;  // as given
  DeviceId device;
};

// Physically contiguous bytes inside one bank.
struct PhysicalExtent {
  uint32_t bank = 0;
  uint64_t first_frame = 0;  // 4 KiB frames of the device, holds byte 0
  uint64_t bytes = 0;

  friend bool operator==(const PhysicalExtent&,
                         const PhysicalExtent&) = default;
};

// A part of one segment.
struct SegmentSlice {
  SegmentKey segment;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

enum class Reach {
  kLive,                // live allocations only: for new commands
  kLiveAndQuarantined,  // also freed ones: for tasks submitted before
};

struct MemoryRoom {
  uint64_t free_bytes = 0;   // what the session could still reserve
  uint64_t total_bytes = 0;  // the device's memory, or the quota if smaller
};

// The ledger of one session on one device, in bytes. Held by the session:
// reserved + quarantined + idle.
struct MemoryUsage {
  uint64_t used_bytes = 0;         // as asked, live
  uint64_t reserved_bytes = 0;     // as rounded, live
  uint64_t quarantined_bytes = 0;  // as rounded, freed but not reusable
  uint64_t idle_bytes = 0;         // in its segments, in no allocation
  uint64_t reserved_bytes_max = 0;
  uint64_t allocation_count = 0;  // live
};

struct DeviceMemoryUsage {
  uint64_t total_bytes = 0;
  uint64_t pool_bytes = 0;  // in no segment
  MemoryUsage sessions;     // sums over the sessions; the peak of that sum
};

struct RetireResult {
  uint64_t allocation_count = 0;
  uint64_t bytes = 0;  // left quarantine
};

class AddressSpace;
struct PlaceRequest;

class MemoryManager {
 public:
  MemoryManager(MemoryManagerOptions options, HbmBacking& backing);
  ~MemoryManager();
  MemoryManager(const MemoryManager&) = delete;
  MemoryManager& operator=(const MemoryManager&) = delete;

  // `hbm_quota_bytes` bounds what the session reserves and quarantines on all
  // devices together; 0 is no bound.
  void OpenSession(SessionId session, uint64_t hbm_quota_bytes);

  // Releases everything the session holds, quarantine included: its tasks must
  // be gone. The session's ledger is zero afterwards (checked).
  void CloseSession(SessionId session);

  bool IsOpen(SessionId session) const;

  AllocationResult Allocate(const AllocationRequest& request);

  // Frees the allocation that begins at `va`. `submitted_up_to` is the number
  // of the session's last submission so far. kNullArgument for va 0;
  // kInvalidArgument unless a live allocation begins there.
  absl::Status Free(SessionId session, LaneId lane, uint64_t va,
                    uint64_t submitted_up_to);

  // All submissions of the session up to and including `number` have retired.
  RetireResult RetireUpTo(SessionId session, uint64_t number);

  // How many allocations the session has freed, ever. While the number stays,
  // what was found in live allocations is found there again, in the same
  // extents: nothing but a free ends an allocation, and none is moved.
  uint64_t FreeCount(SessionId session) const;

  // The live allocation that contains `va`. kInvalidArgument when none does.
  absl::StatusOr<AllocationInfo> FindAllocation(SessionId session,
                                                uint64_t va) const;

  // The mean of the physical extents of the allocation that holds the range,
  // which must lie inside its asked bytes, else kInvalidArgument.
  absl::StatusOr<uint64_t> MeanExtentBytes(SessionId session, uint64_t va,
                                           uint64_t bytes, Reach reach) const;

  // The physical extents of [va, va + bytes) in address order, merged where
  // contiguous. The range must lie inside the asked bytes of one allocation,
  // else kInvalidArgument. 0 bytes give no extents.
  absl::StatusOr<std::vector<PhysicalExtent>> Translate(SessionId session,
                                                        uint64_t va,
                                                        uint64_t bytes,
                                                        Reach reach) const;

  // The segments that hold [va, va + bytes), same rules.
  absl::StatusOr<std::vector<SegmentSlice>> Locate(SessionId session,
                                                   uint64_t va, uint64_t bytes,
                                                   Reach reach) const;

  absl::StatusOr<MemoryRoom> GetRoom(SessionId session, DeviceId device) const;
  MemoryUsage GetUsage(SessionId session, DeviceId device) const;
  DeviceMemoryUsage GetDeviceUsage(DeviceId device) const;
  uint32_t device_count() const;

  // Recounts everything and checks it against the ledger and the frame pools.
  // Linear in what exists: for tests and debug builds.
  void CheckInvariants() const;

 private:
  struct Device;
  struct Session;

  Session& GetSession(SessionId id) const;
  AddressSpace& SpaceFor(SessionId id, Session& session, DeviceId device);
  // The space that `va` belongs to; null when no allocation can be there.
  AddressSpace* SpaceOfVa(const Session& session, uint64_t va) const;
  absl::StatusOr<AddressSpace*> FindRange(SessionId id, uint64_t va,
                                          uint64_t bytes, Reach reach) const;

  AllocationResult CheckQuota(const AllocationRequest& request,
                              const Session& session,
                              uint64_t reserved_bytes) const;
  absl::StatusOr<std::optional<uint64_t>> PlaceWithWarmMemory(
      DeviceId device, AddressSpace& space, const PlaceRequest& request);
  AllocationResult NoRoom(const AllocationRequest& request,
                          const AddressSpace& space, uint64_t reserved_bytes,
                          Placement placement) const;
  // Memory that no allocation uses and that goes back to the pool on demand.
  uint64_t WarmBytes(DeviceId device) const;
  uint64_t ReleaseWarm(DeviceId device, uint64_t bytes);
  uint64_t FreeBytesFor(const Session& session, DeviceId device) const;

  const uint64_t warm_bytes_max_;
  HbmBacking& backing_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::map<SessionId, std::unique_ptr<Session>> sessions_;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MEM_MEMORY_MANAGER_H_
