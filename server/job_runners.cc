#include "server/job_runners.h"

#include <atomic>
#include <cstring>
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

using Word = std::atomic_ref<uint64_t>;

// A word of device memory is written and read at once, so that who waits for
// one while it is written sees no half of it. Null: this is no word.
uint64_t* WordAt(const core::PitchedBytes& memory) {
  const bool is_word =
      memory.rows == 1 && memory.row_bytes == sizeof(uint64_t) &&
      reinterpret_cast<uintptr_t>(memory.data) % Word::required_alignment == 0;
  return is_word ? reinterpret_cast<uint64_t*>(memory.data) : nullptr;
}

std::string BytesOf(uint64_t word) {
  return std::string(reinterpret_cast<const char*>(&word), sizeof(word));
}

std::string ReadAll(const core::PitchedBytes& memory) {
  uint64_t* const at = WordAt(memory);
  if (at == nullptr) return memory.Read(0, memory.bytes());
  return BytesOf(Word(*at).load(std::memory_order_acquire));
}

// As ReadAll, for a word that a stream waits for: kernels and fills of the same
// program may write it meanwhile, by whatever instructions, and nothing orders
// the two, which is what such a wait is for. The end of each of them has the
// word read again. So this read is not for the thread sanitizer to judge.
__attribute__((no_sanitize("thread"))) std::string ReadAwaited(
    const core::PitchedBytes& memory) {
  uint64_t* const at = WordAt(memory);
  if (at == nullptr) return memory.Read(0, memory.bytes());
  return BytesOf(__atomic_load_n(at, __ATOMIC_ACQUIRE));
}

void WriteAll(const core::PitchedBytes& memory, const std::string& bytes) {
  uint64_t* const at = WordAt(memory);
  if (at == nullptr) {
    return memory.Write(0, reinterpret_cast<const std::byte*>(bytes.data()),
                        bytes.size());
  }
  uint64_t word = 0;
  std::memcpy(&word, bytes.data(), sizeof(word));
  Word(*at).store(word, std::memory_order_release);
}

// Inline bytes: one slice.
class InlineWrite {
 public:
  InlineWrite(core::PitchedBytes target, std::string bytes)
      : target_(target), bytes_(std::move(bytes)) {}

  bool RunSlice() {
    WriteAll(target_, bytes_);
    return false;
  }

 private:
  core::PitchedBytes target_;
  std::string bytes_;
};

// From rows to rows, about a slice at a time.
class SlicedRowMove {
 public:
  SlicedRowMove(core::PitchedBytes target, core::PitchedBytes source)
      : target_(target), source_(source) {}

  bool RunSlice() {
    uint64_t moved_bytes = 0;
    while (row_ < target_.rows && moved_bytes < CopyPool::kSliceBytes) {
      std::memmove(target_.data + row_ * target_.pitch,
                   source_.data + row_ * source_.pitch, target_.row_bytes);
      moved_bytes += target_.row_bytes;
      ++row_;
    }
    return row_ < target_.rows;
  }

 private:
  core::PitchedBytes target_;
  core::PitchedBytes source_;
  uint64_t row_ = 0;
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
  core::PitchedBytes rows;
  if (!LeaseRows(job, job.target, job.target_pitch, target, rows)) return;
  if (job.inline_data.empty()) {
    const core::Ticket ticket = parts_.client_ticket(job.session, job.ticket);
    parts_.transfers.StartUpload(job.session, ticket, job.id, std::move(target),
                                 rows);
    parts_.on_transfer_due(job.session, ticket);
    return;
  }
  RunSliced(parts_.copies, parts_.events, job.session, job.id,
            {std::move(target)}, CancelFlagOf(job.session),
            InlineWrite(rows, std::move(job.inline_data)));
}

void JobRunners::StartDownload(core::CopyJob job) {
  SegmentStore::Lease source;
  core::PitchedBytes rows;
  if (!LeaseRows(job, job.source, job.source_pitch, source, rows)) return;
  if (rows.bytes() <= core::kInlineBytesMax) {
    StartInlineDownload(job.session, job.id, std::move(source), rows);
    return;
  }
  parts_.transfers.StartDownload(job.session,
                                 parts_.client_ticket(job.session, job.ticket),
                                 job.id, std::move(source), rows);
}

void JobRunners::StartInlineDownload(SessionId session, JobId job,
                                     SegmentStore::Lease source,
                                     core::PitchedBytes rows) {
  HostSession* const known = parts_.sessions.Find(session);
  ASCEND_CHECK(known != nullptr) << "a job of an unknown session";
  known->held_reads.push_back({job, std::move(source), rows});
  GoOn(session);
}

void JobRunners::GoOn(SessionId session) {
  HostSession* const known = parts_.sessions.Find(session);
  if (known == nullptr || known->sink == nullptr) return;
  while (!known->held_reads.empty()) {
    HeldRead& next = known->held_reads.front();
    const uint64_t bytes = known->reading_bytes + next.rows.bytes();
    if (!known->sink->HasRoom(bytes)) return;
    known->reading_bytes = bytes;
    StartReading(session, next.job, std::move(next.source), next.rows, ReadAll);
    known->held_reads.pop_front();
  }
}

void JobRunners::StartDeviceCopy(core::CopyJob job) {
  SegmentStore::Lease target;
  SegmentStore::Lease source;
  core::PitchedBytes target_rows;
  core::PitchedBytes source_rows;
  if (!LeaseRows(job, job.target, job.target_pitch, target, target_rows)) {
    return;
  }
  if (!LeaseRows(job, job.source, job.source_pitch, source, source_rows)) {
    return;
  }
  if (job.rows > 1) {
    RunSliced(parts_.copies, parts_.events, job.session, job.id,
              {std::move(target), std::move(source)}, CancelFlagOf(job.session),
              SlicedRowMove(target_rows, source_rows));
    return;
  }
  SlicedMove move(target.data(), source.data(), job.bytes);
  RunSliced(parts_.copies, parts_.events, job.session, job.id,
            {std::move(target), std::move(source)}, CancelFlagOf(job.session),
            std::move(move));
}

void JobRunners::StartFill(core::FillJob job) {
  SegmentStore::Lease target;
  if (!Lease(job.session, job.id, job.address, job.bytes, target)) return;
  SlicedFill fill(target.data(), job.bytes, job.value, job.value_bytes);
  RunSliced(parts_.copies, parts_.events, job.session, job.id,
            {std::move(target)}, CancelFlagOf(job.session), std::move(fill));
}

void JobRunners::StartFetch(core::FetchJob job) {
  SegmentStore::Lease source;
  if (!Lease(job.session, job.id, job.address, job.bytes, source)) return;
  const core::PitchedBytes rows{.data = source.data(), .row_bytes = job.bytes};
  StartReading(job.session, job.id, std::move(source), rows, ReadAwaited);
}

void JobRunners::StartReading(SessionId session, JobId job,
                              SegmentStore::Lease source,
                              core::PitchedBytes rows, ReadRows read) {
  // At most 64 KiB: one slice.
  parts_.copies.Submit(session, [&events = parts_.events, job,
                                 source = std::move(source), rows, read] {
    source.Settle();
    events.OnJobEnded(job, {absl::OkStatus(), read(rows)});
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

bool JobRunners::LeaseRows(const core::CopyJob& job, uint64_t va,
                           uint64_t pitch, SegmentStore::Lease& lease,
                           core::PitchedBytes& rows) {
  rows = {.row_bytes = job.bytes, .rows = job.rows, .pitch = pitch};
  if (!Lease(job.session, job.id, va, rows.footprint_bytes(), lease)) {
    return false;
  }
  rows.data = lease.data();
  return true;
}

std::shared_ptr<const CancelFlag> JobRunners::CancelFlagOf(SessionId session) {
  HostSession* const known = parts_.sessions.Find(session);
  // The machine starts jobs only of sessions that it has not closed.
  ASCEND_CHECK(known != nullptr) << "a job of an unknown session";
  return known->cancelled;
}

}  // namespace ascend::server
