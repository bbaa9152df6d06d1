// Mailbox: everything that other threads tell the machine thread.
//
// One queue for all kinds of entry, so that the machine thread sees what one
// thread told it in the order in which it was told: a session's commands before
// its goodbye, a download's end before the snapshot that was asked later.
// Posting never blocks; taking waits without polling and wakes only when it
// waits, so a burst costs one wake-up.
//
// Back-pressure. Post of commands answers false when more than `pending_max`
// commands of the session have not been taken; the session is then among the
// `drained` of the next Take.
//
// Threading: posting on any thread, Take on one thread. Ownership: owns entries
// until they are taken.
#ifndef ASCEND_SERVER_MAILBOX_H_
#define ASCEND_SERVER_MAILBOX_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "core/base/ids.h"
#include "core/base/sync.h"
#include "core/command/command.h"
#include "core/machine/runners.h"
#include "server/host_clock.h"

namespace ascend::server {

// Commands of one session, in ticket order.
struct PostedCommands {
  core::SessionId session;
  std::vector<core::Command> commands;
};

struct EndedJob {
  core::JobId job;
  core::JobResult result;
};

// The session ends; `why` is ok when its client ended it.
struct EndOfSession {
  core::SessionId session;
  absl::Status why;
};

// Something to do on the machine thread.
using Errand = std::function<void()>;

using MailboxEntry =
    std::variant<PostedCommands, EndedJob, EndOfSession, Errand>;

class Mailbox {
 public:
  struct Contents {
    std::vector<MailboxEntry> entries;
    std::vector<core::SessionId> drained;
    bool is_closed = false;  // and nothing will follow
  };

  // As a deadline of Take: take what is there, without waiting.
  static constexpr HostClock::TimePoint kNoWait = HostClock::TimePoint::min();

  explicit Mailbox(uint64_t pending_max) : pending_max_(pending_max) {}

  // False: see back-pressure above. The commands are taken in all the same.
  bool PostCommands(core::SessionId session,
                    std::vector<core::Command> commands)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // False, and nothing done, when the mailbox is closed.
  bool Post(MailboxEntry entry) ABSL_LOCKS_EXCLUDED(mutex_);

  // No entry is accepted any more; Take hands out what is there.
  void Close() ABSL_LOCKS_EXCLUDED(mutex_);

  // Waits for an entry, for Close, or for `deadline` (none: for ever), and
  // takes all there is.
  Contents Take(std::optional<HostClock::TimePoint> deadline)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Pending {
    uint64_t command_count = 0;
    bool was_refused = false;
  };

  void Append(MailboxEntry entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const uint64_t pending_max_;
  core::Mutex mutex_;
  core::CondVar filled_;
  std::vector<MailboxEntry> entries_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<core::SessionId, Pending> pending_
      ABSL_GUARDED_BY(mutex_);
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  bool taker_waits_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_MAILBOX_H_
