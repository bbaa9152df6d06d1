// TransferTable: the host's side of copies that are under way.
//
// Downloads: bytes come in by OnHostData and go straight to their target.
// Large ones are acknowledged when complete, which is what lets the daemon end
// the copy. Uploads that no thread waits for are sent by the table's own copy
// thread when the daemon says that the copy runs: not earlier, because a task
// before it may still change the source.
//
// An entry of a stream's copy ends when its stream has retired that task: that
// holds for copies that failed on the device too, for which no bytes come.
//
// Threading: any thread. The copy thread starts with the first upload and ends
// with Stop.
// Ownership: an entry shares the page-locked block it touches; it borrows
// memory of a thread that waits for the copy. Borrows the transport.
#ifndef ASCEND_CLIENT_RUNTIME_TRANSFER_TABLE_H_
#define ASCEND_CLIENT_RUNTIME_TRANSFER_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <thread>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "client/runtime/host_memory.h"
#include "client/runtime/transport.h"
#include "core/base/ids.h"
#include "core/base/pitched_bytes.h"
#include "core/base/sync.h"

namespace ascend::client {

// Which task of which stream; a null stream: of none, the caller waits.
struct TaskPosition {
  core::StreamHandle stream;
  uint64_t number = 0;  // counted from 1
};

// Sends the bytes of an upload that is due, rows without the gaps between them.
absl::Status SendUpload(Transport& transport, core::Ticket ticket,
                        const core::PitchedBytes& host);

class TransferTable {
 public:
  TransferTable() = default;
  ~TransferTable();

  // Before anything else.
  void Bind(Transport* transport);

  // `target` gets the bytes of the device-to-host copy `ticket`; `block`, if
  // any, is what it lies in. To be called before the command is posted.
  void AddDownload(core::Ticket ticket, core::PitchedBytes target,
                   std::shared_ptr<HostBlock> block, TaskPosition position);

  // The copy thread sends `source` when it is due: bytes of `block`, or of
  // `copy`, which then is all of it.
  void AddUpload(core::Ticket ticket, core::PitchedBytes source,
                 std::shared_ptr<HostBlock> block, TaskPosition position);
  void AddUpload(core::Ticket ticket, std::string copy, TaskPosition position);

  // The copy that its caller waited for has ended, or its session has. Returns
  // when nothing is written to its target any more.
  void Remove(core::Ticket ticket);

  // Whether a queued copy may still write host memory.
  bool has_queued_downloads() const;

  // The completion thread's side (TransportSink).
  void OnHostData(core::Ticket ticket, uint64_t offset,
                  std::span<const std::byte> bytes);
  void OnHostDataFailed(core::Ticket ticket, const absl::Status& why);
  void OnTransferDue(core::Ticket ticket);
  void OnRetired(core::StreamHandle stream, uint64_t retired);

  // Ends the copy thread. The transport must not block any more.
  void Stop();

 private:
  struct Transfer {
    bool is_download = false;
    core::PitchedBytes host;  // written by a download, read by an upload
    std::string copy;
    std::shared_ptr<HostBlock> block;
    uint64_t received_bytes = 0;
    bool is_being_written = false;  // without the mutex
    bool is_queued = false;         // in a stream, nobody waits
  };
  struct QueuedTransfer {
    uint64_t number = 0;
    core::Ticket ticket;
  };

  void Insert(core::Ticket ticket, std::shared_ptr<Transfer> transfer,
              TaskPosition position);
  void Erase(core::Ticket ticket) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RunCopyThread();

  Transport* transport_ = nullptr;
  mutable core::Mutex mutex_;
  absl::flat_hash_map<core::Ticket, std::shared_ptr<Transfer>> transfers_
      ABSL_GUARDED_BY(mutex_);
  // By stream, in the order of their tasks.
  absl::flat_hash_map<core::StreamHandle, std::deque<QueuedTransfer>> queues_
      ABSL_GUARDED_BY(mutex_);
  core::CondVar written_;
  uint64_t queued_download_count_ ABSL_GUARDED_BY(mutex_) = 0;

  core::CondVar work_;
  std::deque<core::Ticket> due_ ABSL_GUARDED_BY(mutex_);
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread copy_thread_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_TRANSFER_TABLE_H_
