// Transfers: large copies between a client's memory and a device.
//
// Host bytes of up to kInlineBytesMax travel with commands and replies; larger
// ones travel in chunks, apart from control, while their copy job runs:
//
//   upload    the client was told that the transfer is due and sends chunks in
//             order; the copy pool puts each into device memory; when all are
//             there the job ends;
//   download  the copy pool reads chunk after chunk and gives them to the
//             session's BulkSink; at most kChunksInFlightMax of a session have
//             not left yet, over all its downloads, which take turns; the
//             client's acknowledgement ends the job, so a reply never overtakes
//             its bytes. A download waits until the session has a bulk stream.
//
// Everything that comes from the client is checked here: a chunk out of order
// or out of bounds, or for a copy that does not run, and an acknowledgement of
// something that was not sent, are violations. A session that ends is cancelled
// and what still arrives from it is dropped.
//
// Threading: any thread. Ownership: owns the states of running transfers with
// their leases on device memory; shares bulk sinks; borrows pool and events.
#ifndef ASCEND_SERVER_TRANSFERS_H_
#define ASCEND_SERVER_TRANSFERS_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "core/base/ids.h"
#include "core/base/pitched_bytes.h"
#include "core/base/sync.h"
#include "core/machine/runners.h"
#include "server/bulk_bytes.h"
#include "server/copy_pool.h"
#include "server/job_events.h"
#include "server/segment_store.h"
#include "server/session_sink.h"

namespace ascend::server {

class Transfers {
 public:
  static constexpr uint64_t kChunkBytes = CopyPool::kSliceBytes;
  static constexpr uint32_t kChunksInFlightMax = 4;

  Transfers(CopyPool& pool, JobEvents& events) : pool_(pool), events_(events) {}
  ~Transfers();

  // From now on the session may have transfers.
  void OpenSession(core::SessionId session) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends the session's transfers, those that a pool thread is busy with as soon
  // as it is not; later input is dropped. Idempotent.
  void CancelSession(core::SessionId session) ABSL_LOCKS_EXCLUDED(mutex_);

  // A job of the machine. The session is open; `ticket` is new. `rows` lie in
  // the lease, and are what is transferred. After a cancel
  // the job ends at once.
  void StartUpload(core::SessionId session, core::Ticket ticket,
                   core::JobId job, SegmentStore::Lease target,
                   core::PitchedBytes rows) ABSL_LOCKS_EXCLUDED(mutex_);
  void StartDownload(core::SessionId session, core::Ticket ticket,
                     core::JobId job, SegmentStore::Lease source,
                     core::PitchedBytes rows) ABSL_LOCKS_EXCLUDED(mutex_);

  // From the client; as in MachineHost.
  void AttachBulk(core::SessionId session, std::shared_ptr<BulkSink> sink)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void ReceiveChunk(core::SessionId session, core::Ticket ticket,
                    uint64_t offset, BulkBytes bytes,
                    std::function<void()> consumed) ABSL_LOCKS_EXCLUDED(mutex_);
  void FailUpload(core::SessionId session, core::Ticket ticket,
                  absl::Status why) ABSL_LOCKS_EXCLUDED(mutex_);
  void FinishDownload(core::SessionId session, core::Ticket ticket,
                      absl::Status status) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // The fields of all three are guarded by mutex_.
  struct Transfer {
    core::SessionId session;
    core::Ticket ticket;
    core::JobId job;
    SegmentStore::Lease memory;
    core::PitchedBytes rows;   // in `memory`
    uint64_t moved_bytes = 0;  // accepted of an upload, sent of a download
    uint32_t busy_count = 0;   // slices of it on the copy pool
    bool is_over = false;      // nothing more is to be moved
    bool is_reported = false;
    absl::Status status;
  };
  struct Download : Transfer {
    // What chunks on their way keep, which may outlive the transfer.
    std::shared_ptr<const SegmentStore::Lease> kept;
    bool is_waiting = false;  // in Session::waiting
  };
  struct Session {
    bool is_cancelled = false;
    std::shared_ptr<BulkSink> bulk;
    std::map<core::Ticket, std::shared_ptr<Transfer>> uploads;
    std::map<core::Ticket, std::shared_ptr<Download>> downloads;
    uint32_t in_flight_count = 0;  // chunks given to the sink, not sent yet
    // Downloads that go on as chunks leave, in this order.
    std::deque<std::shared_ptr<Download>> waiting;
  };

  // The session, if what its client says still counts; else null.
  Session* FindListening(core::SessionId session)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void OnChunkWritten(Transfer& upload) ABSL_LOCKS_EXCLUDED(mutex_);
  void OnChunkSent(core::SessionId session) ABSL_LOCKS_EXCLUDED(mutex_);

  static bool HasMore(const Download& download);
  // Has the copy pool go on with the download, if it has more and a bulk
  // stream.
  void ReadOn(const std::shared_ptr<Download>& download)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Has as many of those that wait go on as there is room for.
  void GoOnWaiting(Session& session) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static BulkBytes ChunkOf(const Download& download, uint64_t offset,
                           uint64_t bytes);
  // As SlicedJob: sends the next chunk.
  bool SendNextChunk(const std::shared_ptr<Download>& download)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // True, once, when the transfer is over and no pool thread is busy with it:
  // it is out of the tables, and the caller reports its end, without the mutex.
  bool TakeIfEnded(Transfer& transfer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Report(const Transfer& transfer) ABSL_LOCKS_EXCLUDED(mutex_);

  CopyPool& pool_;
  JobEvents& events_;
  core::Mutex mutex_;
  absl::flat_hash_map<core::SessionId, Session> sessions_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_TRANSFERS_H_
