// SegmentStore: the bytes of device memory, as this process sees them.
//
// Each segment is a memory file of its own, sealed against change of size, so
// that it can later be handed to the worker or client that may see it, and only
// that one. The daemon maps it once, in the *mirror* of its region: a
// reservation of addresses in which every segment lies at its offset, so that
//   pointer = mirror base + (device address - region address)
// and an allocation that covers neighbouring segments is contiguous here too.
//
// What is slow does not happen in a turn. Making and mapping a file costs
// a few microseconds and is done at once; its pages come into being when the
// copy pool or a kernel first touches them. Punching holes and giving memory
// back costs milliseconds and is handed to the copy pool. Until a hole is
// punched, its segment owes it: Lease::Settle, which everyone calls before
// touching memory, pays that debt, so old bytes are never seen.
//
// Released segments live on until the last Lease on them has ended.
//
// Threading: HbmBacking's methods in a turn; Map on any thread.
// Lock order: the store's mutex, then a segment's or a mirror's.
// Ownership: owns files and mappings; borrows the pool. The destructor expects
// that no lease is left.
#ifndef ASCEND_SERVER_SEGMENT_STORE_H_
#define ASCEND_SERVER_SEGMENT_STORE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/ids.h"
#include "core/base/sync.h"
#include "core/mem/hbm_backing.h"
#include "server/copy_pool.h"

namespace ascend::server {

class SegmentStore final : public core::HbmBacking {
 private:
  class Mirror;
  class Segment;

 public:
  // Device memory [va, va + bytes) of a session, which stays mapped as long as
  // the lease lives.
  class Lease {
   public:
    Lease() = default;

    // Call before touching `data`, on a thread that may be slow.
    void Settle() const;

    std::byte* data() const { return data_; }
    uint64_t bytes() const { return bytes_; }

   private:
    friend class SegmentStore;
    std::byte* data_ = nullptr;
    uint64_t bytes_ = 0;
    std::vector<std::shared_ptr<Segment>> segments_;
  };

  explicit SegmentStore(CopyPool& pool) : pool_(pool) {}
  ~SegmentStore() override;

  // core::HbmBacking. Errors of CreateSegment: kOutOfDeviceMemory, when the
  // host has no descriptor, address space or memory for it.
  absl::Status CreateSegment(const core::SegmentKey& key,
                             const core::SegmentWindow& window) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  void ReleaseSegment(const core::SegmentKey& key) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Scrub(const core::SegmentKey& key, uint64_t offset,
             uint64_t bytes) override ABSL_LOCKS_EXCLUDED(mutex_);

  // Finds [va, va + bytes), bytes > 0, in the memory of `session`. kInternal
  // when not all of it is in segments of one region.
  absl::StatusOr<Lease> Map(core::SessionId session, uint64_t va,
                            uint64_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);

  size_t segment_count() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // A region that has segments. They are keyed by device address.
  struct Region {
    std::shared_ptr<Mirror> mirror;
    std::map<uint64_t, std::shared_ptr<Segment>> segments;
  };
  using RegionMap = std::map<uint64_t, Region>;  // by device address

  absl::StatusOr<std::shared_ptr<Mirror>> MirrorOf(
      const core::SegmentKey& key, const core::SegmentWindow& window)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  CopyPool& pool_;
  mutable core::Mutex mutex_;
  absl::flat_hash_map<core::SessionId, RegionMap> regions_
      ABSL_GUARDED_BY(mutex_);
  std::map<core::SegmentKey, std::shared_ptr<Segment>> segments_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_SEGMENT_STORE_H_
