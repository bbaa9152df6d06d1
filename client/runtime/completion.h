// Completion: everything that comes back from the daemon.
//
// The transport's completion thread calls it; it hands replies to those who
// wait, bytes to their targets, and progress to the streams' gauges. It takes
// no lock that a posting thread holds while it waits for room, and never runs
// code of the user: so it always makes progress.
//
// Threading: sink methods as transport.h says, all others on any thread.
// Ownership: shares gauges with their streams.
#ifndef ASCEND_CLIENT_RUNTIME_COMPLETION_H_
#define ASCEND_CLIENT_RUNTIME_COMPLETION_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "client/runtime/host_calls.h"
#include "client/runtime/reply_table.h"
#include "client/runtime/stream_gauge.h"
#include "client/runtime/transfer_table.h"
#include "client/runtime/transport.h"
#include "core/base/sync.h"

namespace ascend::client {

class Completion final : public TransportSink {
 public:
  ReplyTable& replies() { return replies_; }
  TransferTable& transfers() { return transfers_; }
  HostCalls& host_calls() { return host_calls_; }

  // Hears of each failure, on the completion thread: must return quickly. Set
  // before the first command.
  void SetFailureListener(
      std::function<void(const core::TaskFailure&)> listener) {
    listener_ = std::move(listener);
  }
  // The failures that stopped a context since the last call.
  std::vector<core::TaskFailure> TakeStops();

  // Progress of `stream` is reported from now on. Before it is created.
  std::shared_ptr<StreamGauge> AddStream(core::StreamHandle stream);
  // The stream is destroyed.
  void RemoveStream(core::StreamHandle stream);

  // Ok, or why nothing comes any more.
  absl::Status status() const;
  // Ends all waiting with `why`, unless that happened before.
  void Fail(const absl::Status& why);

  bool IsAwaited() override { return replies_.IsAnyAwaited(); }
  void OnReply(core::Reply reply) override;
  void OnHostData(core::Ticket ticket, uint64_t offset,
                  std::span<const std::byte> bytes) override;
  void OnHostDataFailed(core::Ticket ticket, absl::Status why) override;
  void OnTransferDue(core::Ticket ticket) override;
  void OnStreamProgress(core::StreamHandle stream, uint64_t retired) override;
  void OnHostFunctionDue(core::Ticket ticket, core::Tick tick) override;
  void OnTaskFailed(core::TaskFailure failure) override;
  void OnLost(absl::Status why) override;

 private:
  ReplyTable replies_;
  TransferTable transfers_;
  HostCalls host_calls_;
  std::function<void(const core::TaskFailure&)> listener_;
  std::atomic<bool> is_failed_{false};
  std::atomic<bool> has_stops_{false};
  mutable core::Mutex mutex_;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  std::vector<core::TaskFailure> stops_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<core::StreamHandle, std::shared_ptr<StreamGauge>> gauges_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_COMPLETION_H_
