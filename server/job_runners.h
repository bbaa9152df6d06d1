// JobRunners: the machine's hands in this process.
//
// Sends each job of the machine to where it is carried out: copies, fills and
// fetches to the copy pool, large copies between host and device to Transfers,
// kernels to the kernel threads. Nothing is carried out on the calling thread.
//
// Threading: in a turn. Ownership: borrows everything.
#ifndef ASCEND_SERVER_JOB_RUNNERS_H_
#define ASCEND_SERVER_JOB_RUNNERS_H_

#include <functional>
#include <memory>
#include <string>

#include "core/machine/runners.h"
#include "server/copy_pool.h"
#include "server/job_events.h"
#include "server/kernel_threads.h"
#include "server/segment_store.h"
#include "server/session_registry.h"
#include "server/transfers.h"
#include "server/wall_timers.h"

namespace ascend::server {

class JobRunners final : public core::Runners {
 public:
  struct Parts {
    CopyPool& copies;
    KernelThreads& kernels;
    Transfers& transfers;
    SegmentStore& store;
    SessionRegistry& sessions;
    JobEvents& events;
    WallTimers& timers;
    // The client is to send the bytes of an upload.
    std::function<void(core::SessionId, core::Ticket)> on_transfer_due;
    // The number by which the client knows the ticket.
    std::function<core::Ticket(core::SessionId, core::Ticket)> client_ticket;
  };

  explicit JobRunners(Parts parts) : parts_(std::move(parts)) {}

  void StartKernel(core::KernelJob job) override;
  void StartCopy(core::CopyJob job) override;
  void StartFill(core::FillJob job) override;
  void StartFetch(core::FetchJob job) override;
  void CancelJobs(core::SessionId session) override;
  void StartTimer(core::TimerId timer, core::Tick ticks) override;
  void CancelTimer(core::TimerId timer) override;

  // The session's sink has room again (SessionSink::HasRoom).
  void GoOn(core::SessionId session);

 private:
  // One piece of the session's device memory. False: the job has been ended.
  bool Lease(core::SessionId session, core::JobId job, uint64_t va,
             uint64_t bytes, SegmentStore::Lease& lease);
  // The same for the rows of one side of a copy.
  bool LeaseRows(const core::CopyJob& job, uint64_t va, uint64_t pitch,
                 SegmentStore::Lease& lease, core::PitchedBytes& rows);
  std::shared_ptr<const CancelFlag> CancelFlagOf(core::SessionId session);

  void StartUpload(core::CopyJob job);
  void StartDownload(core::CopyJob job);
  void StartDeviceCopy(core::CopyJob job);
  // A copy whose bytes go to the client with its reply.
  void StartInlineDownload(core::SessionId session, core::JobId job,
                           SegmentStore::Lease source, core::PitchedBytes rows);
  // Reads device memory into the job's payload, by `read`.
  using ReadRows = std::string (*)(const core::PitchedBytes& rows);
  void StartReading(core::SessionId session, core::JobId job,
                    SegmentStore::Lease source, core::PitchedBytes rows,
                    ReadRows read);

  Parts parts_;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_JOB_RUNNERS_H_
