// HostCalls: functions of the program that streams of one session call.
//
// A function waits here, under the ticket of its command, until the daemon says
// that it is due. Then it goes to the service thread that its stream is
// subscribed to, which takes it by Take (aclrtProcessReport), or, without one,
// to whoever was named by `run`.
//
// Threading: any thread; a leaf. Ownership: owns the records.
#ifndef ASCEND_CLIENT_RUNTIME_HOST_CALLS_H_
#define ASCEND_CLIENT_RUNTIME_HOST_CALLS_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "client/runtime/reply_table.h"
#include "core/base/handle.h"
#include "core/base/ids.h"
#include "core/base/sync.h"
#include "core/sim/tick.h"

namespace ascend::client {

struct HostCall {
  void (*function)(void* user_data) = nullptr;
  void* user_data = nullptr;
  bool is_awaited = true;       // its stream waits for it
  uint64_t service_thread = 0;  // as pthread_self says; 0: none
};

struct DueCall {
  core::Ticket ticket;
  HostCall call;
  core::Tick tick = 0;  // the device clock, when it became due
};

class HostCalls {
 public:
  // As many service threads as AscendCL allows.
  static constexpr size_t kServiceThreadsMax = 1024;

  // Gets the calls of no service thread, on the completion thread: must return
  // quickly. Set before the first Add.
  void SetRunner(std::function<void(DueCall)> run) { run_ = std::move(run); }

  // Before the command is posted.
  void Add(core::Ticket ticket, HostCall call) ABSL_LOCKS_EXCLUDED(mutex_);
  // The completion thread's side.
  void OnDue(core::Ticket ticket, core::Tick tick) ABSL_LOCKS_EXCLUDED(mutex_);

  // A stream has at most one service thread. Errors: kMixedCallbackStyles when
  // it has one, kInvalidArgument beyond kServiceThreadsMax.
  absl::Status Subscribe(uint64_t thread, core::StreamHandle stream)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Errors: kStreamNotSubscribed when it is not that thread's.
  absl::Status Unsubscribe(uint64_t thread, core::StreamHandle stream)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // 0: none.
  uint64_t ServiceThreadOf(core::StreamHandle stream) const
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The stream is gone.
  void Forget(core::StreamHandle stream) ABSL_LOCKS_EXCLUDED(mutex_);

  // Waits for the next call of the service thread; without a deadline for ever.
  // No value: the deadline has passed. Errors: kThreadNotSubscribed when no
  // stream is subscribed to it, kConnectionLost after Close.
  absl::StatusOr<absl::optional<DueCall>> Take(uint64_t thread,
                                               Deadline deadline)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // A call that was due has returned.
  void OnReturned() ABSL_LOCKS_EXCLUDED(mutex_);
  // Functions that have not returned.
  bool has_unfinished() const ABSL_LOCKS_EXCLUDED(mutex_);

  // The session is over: nobody waits any more, and what is left is dropped.
  void Close() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Service {
    uint64_t stream_count = 0;
    std::deque<DueCall> due;
  };

  std::function<void(DueCall)> run_;
  mutable core::Mutex mutex_;
  core::CondVar changed_;
  absl::flat_hash_map<core::Ticket, HostCall> calls_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<core::StreamHandle, uint64_t> threads_
      ABSL_GUARDED_BY(mutex_);  // by stream
  std::map<uint64_t, Service> services_ ABSL_GUARDED_BY(mutex_);
  uint64_t unfinished_count_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_HOST_CALLS_H_
