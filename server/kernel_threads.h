// KernelThreads: runs the bodies of kernels on threads of the daemon.
//
// A launch becomes a Job of independent chunks (kernels/body.h). The threads
// take turns over sessions and over a session's launches, one chunk each: a
// kernel that runs for a second delays another session's kernel by the chunk
// that each thread is busy with, and a lone kernel gets all threads. Making the
// Job, which may generate code, is the first piece of work of a launch and
// happens here as well.
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
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/sync.h"
#include "core/machine/runners.h"
#include "server/fair_queue.h"
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
  KernelThreads(uint32_t thread_count, PrepareKernel prepare,
                SegmentStore& store, JobEvents& events);
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
  // Makes the Job if there is none yet, and runs its next chunk. Both let go of
  // the mutex meanwhile.
  void RunPiece(const LaunchRef& launch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Prepare(const LaunchRef& launch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const PrepareKernel prepare_;
  SegmentStore& store_;
  JobEvents& events_;
  core::Mutex mutex_;
  core::CondVar work_;
  FairQueue<LaunchRef> queue_ ABSL_GUARDED_BY(mutex_);
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_KERNEL_THREADS_H_
