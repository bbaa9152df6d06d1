// KernelThreads: runs the bodies of kernels on threads of the daemon.
//
// A launch becomes a Job of independent chunks (kernels/body.h). The threads
// take turns over sessions and over a session's launches, one chunk each. No
// session is at work on more than `per_session` threads, of which there are
// more: so the kernel of another session need not wait for the end of a long
// chunk, but shares the processors with it at once. Making the Job, which may
// generate code, is the first piece of work of a launch and happens here as
// well.
//
// Pointer arguments are device addresses; a body gets the daemon's pointers,
// resolved through the mirror of the session's segments, which stay mapped
// until the launch has ended.
//
// Threading: Start on any thread. Ownership: owns threads and running launches;
// borrows store and events.
#ifndef ASCEND_SERVER_KERNEL_THREADS_H_
#define ASCEND_SERVER_KERNEL_THREADS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/sync.h"
#include "core/machine/runners.h"
#include "server/fair_queue.h"
#include "server/host_clock.h"
#include "server/job_events.h"
#include "server/kernels/body.h"
#include "server/segment_store.h"

namespace ascend::server {

// True: the session ends, what runs for it may stop anywhere.
using CancelFlag = std::atomic<bool>;

// Makes the Job of a launch: the registry of bodies, or a test's.
using PrepareKernel = std::function<absl::StatusOr<std::unique_ptr<Job>>(
    const core::KernelDescriptor& kernel, std::span<const std::byte> args,
    PointerResolver& resolver)>;

class KernelThreads {
 public:
  struct Sizes {
    uint32_t threads = 1;
    uint32_t per_session = 1;
    // A launch that has run for so long is ended at its next chunk.
    HostClock::Duration time_limit = std::chrono::hours(24);
  };

  KernelThreads(Sizes sizes, PrepareKernel prepare, SegmentStore& store,
                JobEvents& events);
  ~KernelThreads();
  KernelThreads(const KernelThreads&) = delete;
  KernelThreads& operator=(const KernelThreads&) = delete;

  // The flag is looked at between chunks.
  void Start(core::KernelJob job, std::shared_ptr<const CancelFlag> cancelled)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Finishes all launches and ends the threads; the destructor does the same.
  // On the owner's thread; nothing may be started any more.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  class Launch;
  using LaunchRef = std::shared_ptr<Launch>;

  void RunThread() ABSL_LOCKS_EXCLUDED(mutex_);
  // The next launch of a session that may have one more thread, which it then
  // has; null: there is none.
  LaunchRef TakeLaunch() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndPiece(core::SessionId session) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Says that the queue has one launch more.
  void Announce() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Makes the Job if there is none yet, and runs its next chunk. Both let go of
  // the mutex meanwhile.
  void RunPiece(const LaunchRef& launch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Prepare(const LaunchRef& launch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends a launch that has run for too long, or whose session ends.
  void CheckLife(Launch& launch) const;

  const Sizes sizes_;
  const PrepareKernel prepare_;
  SegmentStore& store_;
  JobEvents& events_;
  core::Mutex mutex_;
  core::CondVar work_;
  FairQueue<LaunchRef> queue_ ABSL_GUARDED_BY(mutex_);
  // Threads at work for each session that has any.
  absl::flat_hash_map<core::SessionId, uint32_t> busy_ ABSL_GUARDED_BY(mutex_);
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_KERNEL_THREADS_H_
