#include "server/segment_store.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/check.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "core/base/unique_fd.h"

namespace ascend::server {
namespace {

using core::MutexLock;
using core::Reason;

absl::Status HostLacks(absl::string_view what, uint64_t bytes,
                       int error_number) {
  return core::MakeError(
      Reason::kOutOfDeviceMemory,
      absl::StrCat("the daemon's host cannot back ", bytes,
                   " bytes of device memory: ", what, " fails with ",
                   std::strerror(error_number),
                   "; free device memory or raise the host's limit"));
}

void* Reserve(void* at, uint64_t bytes, int flags) {
  return ::mmap(at, bytes, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

void PunchHole(int fd, uint64_t offset, uint64_t bytes) {
  const int result =
      ::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(offset), static_cast<off_t>(bytes));
  // Nothing but a bug makes this fail on a memory file, and to go on would show
  // one allocation's bytes to the next.
  ASCEND_CHECK(result == 0) << "punching a hole of " << bytes
                            << " bytes fails with " << std::strerror(errno);
}

}  // namespace

// The reservation of a region, and who occupies which part of it.
class SegmentStore::Mirror {
 public:
  Mirror(std::byte* base, uint64_t bytes) : base_(base), bytes_(bytes) {}
  ~Mirror() { ::munmap(base_, bytes_); }
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  std::byte* base() const { return base_; }
  uint64_t bytes() const { return bytes_; }

  // Maps the file there for `occupant`. A released segment that has not left
  // yet has to, now. False: see errno.
  bool Occupy(uint64_t offset, uint64_t bytes, int fd, const void* occupant)
      ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    auto first = parts_.upper_bound(offset);
    if (first != parts_.begin()) --first;
    while (first != parts_.end() && first->first < offset + bytes) {
      const auto part = first++;
      if (part->first + part->second.bytes <= offset) continue;
      Reserve(base_ + part->first, part->second.bytes, MAP_FIXED);
      parts_.erase(part);
    }
    if (::mmap(base_ + offset, bytes, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
      return false;
    }
    parts_[offset] = Part{bytes, occupant};
    return true;
  }

  void Vacate(uint64_t offset, const void* occupant)
      ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    const auto part = parts_.find(offset);
    if (part == parts_.end() || part->second.occupant != occupant) return;
    Reserve(base_ + offset, part->second.bytes, MAP_FIXED);
    parts_.erase(part);
  }

 private:
  struct Part {
    uint64_t bytes = 0;
    const void* occupant = nullptr;
  };

  std::byte* const base_;
  const uint64_t bytes_;
  core::Mutex mutex_;
  std::map<uint64_t, Part> parts_ ABSL_GUARDED_BY(mutex_);  // by offset
};

// A memory file and its place in a mirror.
class SegmentStore::Segment {
 public:
  Segment(core::UniqueFd fd, std::shared_ptr<Mirror> mirror,
          const core::SegmentWindow& window)
      : fd_(std::move(fd)), mirror_(std::move(mirror)), window_(window) {}

  // Slow: gives the pages back. By file and not by address, so that it needs no
  // lock that a turn may want.
  ~Segment() {
    PunchHole(fd_.get(), 0, window_.bytes);
    mirror_->Vacate(offset(), this);
  }
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  const core::SegmentWindow& window() const { return window_; }
  uint64_t offset() const { return window_.va - window_.region_va; }

  bool MapIntoMirror() {
    return mirror_->Occupy(offset(), window_.bytes, fd_.get(), this);
  }

  void OweHole(uint64_t offset, uint64_t bytes)
      ABSL_LOCKS_EXCLUDED(debts_mutex_) {
    MutexLock lock(debts_mutex_);
    debts_.push_back(Hole{offset, bytes});
    has_debts_.store(true, std::memory_order_release);
  }

  // Returns when every hole owed before the call is there.
  void Settle() ABSL_LOCKS_EXCLUDED(punching_mutex_, debts_mutex_) {
    if (!has_debts_.load(std::memory_order_acquire)) return;
    MutexLock punching(punching_mutex_);
    for (;;) {
      std::vector<Hole> holes;
      {
        MutexLock lock(debts_mutex_);
        holes.swap(debts_);
        if (holes.empty()) {
          has_debts_.store(false, std::memory_order_release);
          return;
        }
      }
      for (const Hole& hole : holes) {
        PunchHole(fd_.get(), hole.offset, hole.bytes);
      }
    }
  }

 private:
  struct Hole {
    uint64_t offset = 0;
    uint64_t bytes = 0;
  };

  const core::UniqueFd fd_;
  const std::shared_ptr<Mirror> mirror_;
  const core::SegmentWindow window_;
  // Held while punching, before debts_mutex_; a turn only ever
  // takes the latter.
  core::Mutex punching_mutex_ ABSL_ACQUIRED_BEFORE(debts_mutex_);
  core::Mutex debts_mutex_;
  std::vector<Hole> debts_ ABSL_GUARDED_BY(debts_mutex_);
  std::atomic<bool> has_debts_{false};
};

void SegmentStore::Lease::Settle() const {
  for (const std::shared_ptr<Segment>& segment : segments_) segment->Settle();
}

SegmentStore::~SegmentStore() = default;

absl::StatusOr<std::shared_ptr<SegmentStore::Mirror>> SegmentStore::MirrorOf(
    const core::SegmentKey& key, const core::SegmentWindow& window) {
  if (const auto regions = regions_.find(key.session);
      regions != regions_.end()) {
    const auto region = regions->second.find(window.region_va);
    if (region != regions->second.end()) {
      ASCEND_CHECK(region->second.mirror->bytes() == window.region_bytes)
          << "a region changes its size";
      return region->second.mirror;
    }
  }
  void* const base = Reserve(nullptr, window.region_bytes, 0);
  if (base == MAP_FAILED) {
    return HostLacks("reserving address space", window.region_bytes, errno);
  }
  return std::make_shared<Mirror>(static_cast<std::byte*>(base),
                                  window.region_bytes);
}

absl::Status SegmentStore::CreateSegment(const core::SegmentKey& key,
                                         const core::SegmentWindow& window) {
  ASCEND_CHECK(window.va >= window.region_va &&
               window.va - window.region_va + window.bytes <=
                   window.region_bytes)
      << "a segment lies outside of its region";
  core::UniqueFd fd(
      ::memfd_create("ascend-hbm", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.is_valid()) {
    return HostLacks("making a memory file", window.bytes, errno);
  }
  if (::ftruncate(fd.get(), static_cast<off_t>(window.bytes)) != 0 ||
      ::fcntl(fd.get(), F_ADD_SEALS,
              F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return HostLacks("sizing a memory file", window.bytes, errno);
  }
  MutexLock lock(mutex_);
  ASCEND_ASSIGN_OR_RETURN(std::shared_ptr<Mirror> mirror,
                          MirrorOf(key, window));
  auto segment = std::make_shared<Segment>(std::move(fd), mirror, window);
  if (!segment->MapIntoMirror()) {
    return HostLacks("mapping a memory file", window.bytes, errno);
  }
  ASCEND_CHECK(segments_.emplace(key, segment).second)
      << "a segment is made twice";
  Region& region = regions_[key.session][window.region_va];
  region.mirror = std::move(mirror);
  region.segments[window.va] = std::move(segment);
  return absl::OkStatus();
}

void SegmentStore::ReleaseSegment(const core::SegmentKey& key) {
  std::shared_ptr<Segment> segment;
  {
    MutexLock lock(mutex_);
    const auto entry = segments_.find(key);
    ASCEND_CHECK(entry != segments_.end()) << "an unknown segment is released";
    segment = std::move(entry->second);
    segments_.erase(entry);
    const auto session = regions_.find(key.session);
    const auto region = session->second.find(segment->window().region_va);
    region->second.segments.erase(segment->window().va);
    if (region->second.segments.empty()) session->second.erase(region);
    if (session->second.empty()) regions_.erase(session);
  }
  pool_.Submit(CopyPool::kNobody, [segment = std::move(segment)]() mutable {
    segment.reset();
    return false;
  });
}

void SegmentStore::Scrub(const core::SegmentKey& key, uint64_t offset,
                         uint64_t bytes) {
  std::shared_ptr<Segment> segment;
  {
    MutexLock lock(mutex_);
    const auto entry = segments_.find(key);
    ASCEND_CHECK(entry != segments_.end()) << "an unknown segment is scrubbed";
    segment = entry->second;
  }
  segment->OweHole(offset, bytes);
  pool_.Submit(CopyPool::kNobody, [segment = std::move(segment)] {
    segment->Settle();
    return false;
  });
}

absl::StatusOr<SegmentStore::Lease> SegmentStore::Map(core::SessionId session,
                                                      uint64_t va,
                                                      uint64_t bytes) {
  const auto unmapped = [bytes] {
    return core::MakeError(Reason::kInternal,
                           absl::StrCat("device memory of ", bytes,
                                        " bytes is not mapped in the daemon"));
  };
  MutexLock lock(mutex_);
  const auto regions = regions_.find(session);
  if (regions == regions_.end()) return unmapped();
  auto region = regions->second.upper_bound(va);
  if (region == regions->second.begin()) return unmapped();
  --region;
  const auto& segments = region->second.segments;
  auto segment = segments.upper_bound(va);
  if (segment == segments.begin()) return unmapped();
  --segment;
  Lease lease;
  lease.data_ = region->second.mirror->base() + (va - region->first);
  lease.bytes_ = bytes;
  // The segments must follow each other without a gap.
  uint64_t covered_va = va;
  while (bytes != 0) {
    if (segment == segments.end() || segment->first > covered_va) {
      return unmapped();
    }
    const uint64_t end = segment->first + segment->second->window().bytes;
    if (end <= covered_va) return unmapped();
    lease.segments_.push_back(segment->second);
    const uint64_t part = std::min(bytes, end - covered_va);
    bytes -= part;
    covered_va += part;
    ++segment;
  }
  return lease;
}

size_t SegmentStore::segment_count() const {
  MutexLock lock(mutex_);
  return segments_.size();
}

}  // namespace ascend::server
