#include "server/job_runners.h"

#include <utility>

#include "core/base/check.h"
#include "core/base/error.h"

namespace ascend::server {
namespace {

using core::JobId;
using core::SessionId;

// Runs `sliced` on the pool until it is done or its session ends, then ends
// `job`. `sliced` may have been given pointers into `leases`.
template <typename Sliced>
void RunSliced(CopyPool& pool, JobEvents& events, SessionId session, JobId job,
               std::vector<SegmentStore::Lease> leases,
               std::shared_ptr<const CancelFlag> cancelled, Sliced sliced) {
  pool.Submit(session, [&events, job, leases = std::move(leases),
                        cancelled = std::move(cancelled),
                        sliced = std::move(sliced)]() mutable {
    for (const SegmentStore::Lease& lease : leases) lease.Settle();
    if (!cancelled->load(std::memory_order_relaxed) && sliced.RunSlice()) {
      return true;
    }
    leases.clear();
    events.OnJobEnded(job, {});
    return false;
  });
}

// Inline bytes, kept with the move that reads them.
class OwnedMove {
 public:
  OwnedMove(std::byte* target, std::string bytes)
      : bytes_(std::make_unique<std::string>(std::move(bytes))),
        move_(target, reinterpret_cast<const std::byte*>(bytes_->data()),
              bytes_->size()) {}

  bool RunSlice() { return move_.RunSlice(); }

 private:
  std::unique_ptr<std::string> bytes_;
  SlicedMove move_;
};

}  // namespace

void JobRunners::StartKernel(core::KernelJob job) {
  std::shared_ptr<const CancelFlag> cancelled = CancelFlagOf(job.session);
  parts_.kernels.Start(std::move(job), std::move(cancelled));
}

void JobRunners::StartCopy(core::CopyJob job) {
  switch (job.kind) {
    case core::CopyKind::kHostToDevice:
      return StartUpload(std::move(job));
    case core::CopyKind::kDeviceToHost:
      return StartDownload(std::move(job));
    case core::CopyKind::kDeviceToDevice:
      return StartDeviceCopy(std::move(job));
  }
}

void JobRunners::StartTimer(core::TimerId timer, core::Tick ticks) {
  parts_.timers.Start(timer, ticks, HostClock::Now());
}

void JobRunners::CancelTimer(core::TimerId timer) {
  parts_.timers.Cancel(timer);
}

void JobRunners::StartUpload(core::CopyJob job) {
  SegmentStore::Lease target;
  if (!Lease(job.session, job.id, job.target, job.bytes, target)) return;
  if (job.inline_data.empty()) {
    const core::Ticket ticket = parts_.client_ticket(job.session, job.ticket);
    parts_.transfers.StartUpload(job.session, ticket, job.id,
                                 std::move(target));
    parts_.on_transfer_due(job.session, ticket);
    return;
  }
  OwnedMove move(target.data(), std::move(job.inline_data));
  RunSliced(parts_.copies, parts_.events, job.session, job.id,
            {std::move(target)}, CancelFlagOf(job.session), std::move(move));
}

void JobRunners::StartDownload(core::CopyJob job) {
  SegmentStore::Lease source;
  if (!Lease(job.session, job.id, job.source, job.bytes, source)) return;
  if (job.bytes <= core::kInlineBytesMax) {
    StartInlineDownload(job.session, job.id, std::move(source));
    return;
  }
  parts_.transfers.StartDownload(job.session,
                                 parts_.client_ticket(job.session, job.ticket),
                                 job.id, std::move(source));
}

void JobRunners::StartInlineDownload(SessionId session, JobId job,
                                     SegmentStore::Lease source) {
  HostSession* const known = parts_.sessions.Find(session);
  ASCEND_CHECK(known != nullptr) << "a job of an unknown session";
  known->held_reads.push_back({job, std::move(source)});
  GoOn(session);
}

void JobRunners::GoOn(SessionId session) {
  HostSession* const known = parts_.sessions.Find(session);
  if (known == nullptr || known->sink == nullptr) return;
  while (!known->held_reads.empty()) {
    HeldRead& next = known->held_reads.front();
    const uint64_t bytes = known->reading_bytes + next.source.bytes();
    if (!known->sink->HasRoom(bytes)) return;
    known->reading_bytes = bytes;
    StartReading(session, next.job, std::move(next.source));
    known->held_reads.pop_front();
  }
}

void JobRunners::StartDeviceCopy(core::CopyJob job) {
  SegmentStore::Lease target;
  SegmentStore::Lease source;
  if (!Lease(job.session, job.id, job.target, job.bytes, target)) return;
  if (!Lease(job.session, job.id, job.source, job.bytes, source)) return;
  SlicedMove move(target.data(), source.data(), job.bytes);
  RunSliced(parts_.copies, parts_.events, job.session, job.id,
            {std::move(target), std::move(source)}, CancelFlagOf(job.session),
            std::move(move));
}

void JobRunners::StartFill(core::FillJob job) {
  SegmentStore::Lease target;
  if (!Lease(job.session, job.id, job.address, job.bytes, target)) return;
  SlicedFill fill(target.data(), job.bytes, job.value);
  RunSliced(parts_.copies, parts_.events, job.session, job.id,
            {std::move(target)}, CancelFlagOf(job.session), std::move(fill));
}

void JobRunners::StartFetch(core::FetchJob job) {
  SegmentStore::Lease source;
  if (!Lease(job.session, job.id, job.address, job.bytes, source)) return;
  StartReading(job.session, job.id, std::move(source));
}

void JobRunners::StartReading(SessionId session, JobId job,
                              SegmentStore::Lease source) {
  // At most 64 KiB: one slice.
  parts_.copies.Submit(
      session, [&events = parts_.events, job, source = std::move(source)] {
        source.Settle();
        events.OnJobEnded(
            job, {absl::OkStatus(),
                  std::string(reinterpret_cast<const char*>(source.data()),
                              source.bytes())});
        return false;
      });
}

void JobRunners::CancelJobs(SessionId session) {
  if (HostSession* const known = parts_.sessions.Find(session)) {
    known->cancelled->store(true, std::memory_order_relaxed);
    for (const HeldRead& read : std::exchange(known->held_reads, {})) {
      parts_.events.OnJobEnded(
          read.job, {core::MakeError(core::Reason::kConnectionLost,
                                     "the copy is given up, since its session "
                                     "ends"),
                     ""});
    }
  }
  parts_.transfers.CancelSession(session);
}

bool JobRunners::Lease(SessionId session, JobId job, uint64_t va,
                       uint64_t bytes, SegmentStore::Lease& lease) {
  absl::StatusOr<SegmentStore::Lease> mapped =
      parts_.store.Map(session, va, bytes);
  if (!mapped.ok()) {
    parts_.events.OnJobEnded(job, {mapped.status(), ""});
    return false;
  }
  lease = *std::move(mapped);
  return true;
}

std::shared_ptr<const CancelFlag> JobRunners::CancelFlagOf(SessionId session) {
  HostSession* const known = parts_.sessions.Find(session);
  // The machine starts jobs only of sessions that it has not closed.
  ASCEND_CHECK(known != nullptr) << "a job of an unknown session";
  return known->cancelled;
}

}  // namespace ascend::server
