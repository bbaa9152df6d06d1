// CopyPool: threads that move bytes, so that turns of the machine do not.
//
// A job is cut into slices of at most kSliceBytes; between two slices of it the
// threads take turns over all sessions (fair_queue.h). Page faults, which cost
// sixty times a copy, happen here.
//
// Threading: Submit on any thread, also from a slice. Ownership: owns the
// threads and the jobs.
#ifndef ASCEND_SERVER_COPY_POOL_H_
#define ASCEND_SERVER_COPY_POOL_H_

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "core/base/ids.h"
#include "core/base/sync.h"
#include "server/fair_queue.h"

namespace ascend::server {

// Carries out one slice; true while there is more to do. Calls of one job never
// overlap.
using SlicedJob = absl::AnyInvocable<bool()>;

class CopyPool {
 public:
  // About 50 us of warm copying, 3 ms of first touches.
  static constexpr uint64_t kSliceBytes = uint64_t{1} << 20;

  // For work that is nobody's: giving memory back, log lines.
  static constexpr core::SessionId kNobody{0};

  explicit CopyPool(uint32_t thread_count);
  ~CopyPool();
  CopyPool(const CopyPool&) = delete;
  CopyPool& operator=(const CopyPool&) = delete;

  void Submit(core::SessionId session, SlicedJob job)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Finishes all jobs and ends the threads; the destructor does the same. On
  // the owner's thread; nothing may be submitted from outside any more.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void RunThread() ABSL_LOCKS_EXCLUDED(mutex_);

  core::Mutex mutex_;
  core::CondVar work_;
  FairQueue<SlicedJob> queue_ ABSL_GUARDED_BY(mutex_);
  uint32_t running_count_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

// Moves `bytes` bytes, as memmove does: the ranges may overlap. The pointers
// stay valid until the job is gone.
class SlicedMove {
 public:
  SlicedMove(std::byte* target, const std::byte* source, uint64_t bytes)
      : target_(target), source_(source), bytes_(bytes) {}

  // As SlicedJob.
  bool RunSlice();

 private:
  std::byte* const target_;
  const std::byte* const source_;
  const uint64_t bytes_;
  uint64_t moved_bytes_ = 0;
};

// Fills with copies of the low `value_bytes` (1 or 4) bytes of `value`.
class SlicedFill {
 public:
  SlicedFill(std::byte* target, uint64_t bytes, uint32_t value,
             uint32_t value_bytes)
      : target_(target),
        bytes_(bytes),
        value_(value),
        value_bytes_(value_bytes) {}

  // As SlicedJob.
  bool RunSlice();

 private:
  std::byte* const target_;
  const uint64_t bytes_;
  const uint32_t value_;
  const uint32_t value_bytes_;
  uint64_t filled_bytes_ = 0;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_COPY_POOL_H_
