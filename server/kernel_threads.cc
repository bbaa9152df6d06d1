#include "server/kernel_threads.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "core/base/thread_slice.h"
#include "server/service_thread.h"

namespace ascend::server {
namespace {

using core::MutexLock;
using core::Reason;

// What a body answers becomes the fault of the cores it runs on.
absl::Status FaultOf(const core::KernelDescriptor& kernel,
                     const absl::Status& cause) {
  const Reason reason = kernel.core_kind == core::CoreKind::kVector
                            ? Reason::kVectorFault
                            : Reason::kCubeFault;
  return core::MakeError(
      reason, absl::StrCat("kernel ", kernel.name,
                           " fails: ", std::string(cause.message())));
}

// A kernel thread that reports the end of a job may thereby start the next
// launch, and then comes back for it by itself: to wake another thread would
// cost more than most kernels.
enum class Return : uint8_t {
  kNot,        // not reporting
  kFree,       // reporting, and has nothing to come back for yet
  kForLaunch,  // comes back for a launch that nobody was woken for
};
thread_local Return t_return = Return::kNot;

// Of the calling kernel thread; asks the system only for another one.
void WantSlice(std::chrono::microseconds slice) {
  thread_local std::chrono::microseconds t_slice = core::kPromptSlice;
  if (std::exchange(t_slice, slice) != slice) core::SetThreadSlice(slice);
}

// Resolves through the mirror and keeps what it has resolved mapped.
class MirrorResolver final : public PointerResolver {
 public:
  MirrorResolver(SegmentStore& store, core::SessionId session,
                 std::vector<SegmentStore::Lease>& leases)
      : store_(store), session_(session), leases_(leases) {}

  absl::StatusOr<void*> Resolve(const core::DeviceRange& range) override {
    if (range.bytes == 0) return nullptr;
    auto lease = store_.Map(session_, range.address, range.bytes);
    if (!lease.ok()) return core::Annotate(lease.status(), range.argument);
    lease->Settle();
    leases_.push_back(*std::move(lease));
    return leases_.back().data();
  }

 private:
  SegmentStore& store_;
  const core::SessionId session_;
  std::vector<SegmentStore::Lease>& leases_;
};

}  // namespace

// A launch that has not ended. Fields are guarded by KernelThreads::mutex_; but
// before it is in the queue again, and after it was reported, one thread is
// alone with it.
class KernelThreads::Launch {
 public:
  Launch(core::KernelJob kernel_job, std::shared_ptr<const CancelFlag> flag)
      : job(std::move(kernel_job)), cancelled(std::move(flag)) {}

  // No chunk will be started any more.
  bool IsExhausted() const { return !status.ok() || next_chunk == chunk_count; }

  const core::KernelJob job;
  const std::shared_ptr<const CancelFlag> cancelled;
  std::vector<SegmentStore::Lease> leases;
  bool is_prepared = false;  // or failed to be
  HostClock::TimePoint begin;
  std::unique_ptr<Job> body;
  size_t chunk_count = 0;
  size_t next_chunk = 0;
  size_t running_count = 0;
  bool is_reported = false;
  absl::Status status;
};

KernelThreads::KernelThreads(Sizes sizes, PrepareKernel prepare,
                             SegmentStore& store, JobEvents& events)
    : sizes_(sizes),
      prepare_(std::move(prepare)),
      store_(store),
      events_(events) {
  threads_.reserve(sizes.threads);
  for (uint32_t i = 0; i < sizes.threads; ++i) {
    threads_.push_back(StartServiceThread("kernel", core::kPromptSlice,
                                          [this] { RunThread(); }));
  }
}

KernelThreads::~KernelThreads() { Stop(); }

void KernelThreads::Stop() {
  {
    MutexLock lock(mutex_);
    is_stopping_ = true;
    work_.NotifyAll();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void KernelThreads::Start(core::KernelJob job,
                          std::shared_ptr<const CancelFlag> cancelled) {
  const core::SessionId session = job.session;
  MutexLock lock(mutex_);
  queue_.Push(session,
              std::make_shared<Launch>(std::move(job), std::move(cancelled)));
  Announce();
}

void KernelThreads::Announce() {
  if (t_return == Return::kFree) {
    t_return = Return::kForLaunch;
  } else {
    work_.NotifyOne();
  }
}

KernelThreads::LaunchRef KernelThreads::TakeLaunch() {
  auto next = queue_.PopIf([this](core::SessionId session) {
    mutex_.AssertHeld();
    const auto busy = busy_.find(session);
    return busy == busy_.end() || busy->second < sizes_.per_session;
  });
  if (!next.has_value()) return nullptr;
  ++busy_[next->first];
  return std::move(next->second);
}

void KernelThreads::EndPiece(core::SessionId session) {
  const auto busy = busy_.find(session);
  if (--busy->second == 0) busy_.erase(busy);
}

void KernelThreads::RunThread() {
  mutex_.Lock();
  for (;;) {
    const Return came_back = std::exchange(t_return, Return::kNot);
    if (const LaunchRef launch = TakeLaunch()) {
      // Perhaps it took another one than that for which it came back.
      if (came_back == Return::kForLaunch && !queue_.empty()) {
        work_.NotifyOne();
      }
      RunPiece(launch);
      EndPiece(launch->job.session);
      continue;
    }
    // Whoever runs a piece pushes the rest of the launch before, and comes back
    // here after, so nothing is left behind when a thread stops.
    if (is_stopping_ && queue_.empty()) break;
    work_.Wait(mutex_);
  }
  work_.NotifyAll();  // others may wait for their session's turn
  mutex_.Unlock();
}

void KernelThreads::RunPiece(const LaunchRef& launch) {
  if (!launch->is_prepared) Prepare(launch);
  CheckLife(*launch);
  if (!launch->IsExhausted()) {
    const size_t chunk = launch->next_chunk++;
    if (!launch->IsExhausted()) {
      queue_.Push(launch->job.session, launch);
      work_.NotifyOne();
    }
    ++launch->running_count;
    mutex_.Unlock();
    // A kernel that is soon done must soon begin; others let those go first who
    // only pass something on.
    WantSlice(launch->chunk_count > 1 ? core::kComputingSlice
                                      : core::kPromptSlice);
    const absl::Status status = launch->body->RunChunk(chunk);
    mutex_.Lock();
    --launch->running_count;
    if (!status.ok()) {
      launch->status.Update(FaultOf(*launch->job.kernel, status));
    }
  }
  if (launch->IsExhausted() && launch->running_count == 0 &&
      !launch->is_reported) {
    launch->is_reported = true;
    mutex_.Unlock();
    launch->body.reset();
    launch->leases.clear();
    t_return = Return::kFree;
    events_.OnJobEnded(launch->job.id, {launch->status, ""});
    mutex_.Lock();
  }
}

void KernelThreads::CheckLife(Launch& launch) const {
  if (launch.cancelled->load(std::memory_order_relaxed)) {
    launch.status.Update(
        core::MakeError(Reason::kConnectionLost, "the session ends"));
  }
  if (HostClock::Now() - launch.begin < sizes_.time_limit) return;
  const core::KernelDescriptor& kernel = *launch.job.kernel;
  const std::chrono::duration<double> limit = sizes_.time_limit;
  launch.status.Update(core::MakeError(
      kernel.core_kind == core::CoreKind::kVector ? Reason::kVectorTimeout
                                                  : Reason::kCubeTimeout,
      absl::StrCat("kernel ", kernel.name, " has run for ", limit.count(),
                   " s, which is the limit (ascend-rtd --kernel-timeout-s)")));
}

void KernelThreads::Prepare(const LaunchRef& launch) {
  mutex_.Unlock();
  MirrorResolver resolver(store_, launch->job.session, launch->leases);
  absl::StatusOr<std::unique_ptr<Job>> body = prepare_(
      *launch->job.kernel,
      std::as_bytes(std::span<const char>(launch->job.args)), resolver);
  mutex_.Lock();
  launch->is_prepared = true;
  launch->begin = HostClock::Now();
  if (body.ok()) {
    launch->body = *std::move(body);
    launch->chunk_count = launch->body->chunk_count();
  } else {
    launch->status = FaultOf(*launch->job.kernel, body.status());
  }
}

}  // namespace ascend::server
