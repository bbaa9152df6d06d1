// Mailbox: what other threads tell the machine, and whose turn it is to carry
// it out.
//
// One queue for all kinds of entry, so that the machine sees what one thread
// told it in the order in which it was told: a session's commands before its
// goodbye, a download's end before the snapshot that was asked later.
//
// The machine belongs to whoever holds the *turn*. Whoever posts while nobody
// holds it gets it and carries its entry out itself, which saves waking a
// thread and waiting for it: a launch goes from the thread that read it to the
// kernel thread, and a kernel thread starts the next kernel of a stream. What
// is posted meanwhile stays for the next holder. The machine thread takes the
// turns that nobody brought about: those that are due at a time, and the rest
// when a holder has done enough.
//
// Back-pressure. There is no room when more than `pending_max` commands of the
// session have not been taken, or while it is held; the session is then among
// the `refused` of the next Take.
//
// Threading: posting on any thread; Take, EndTurn for the holder of the turn;
// AwaitTurn on the machine thread. What one holder did happens before the next
// one's turn. Ownership: owns entries until they are taken.
#ifndef ASCEND_SERVER_MAILBOX_H_
#define ASCEND_SERVER_MAILBOX_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
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

// Something to do for the holder of the turn.
using Errand = std::function<void()>;

using MailboxEntry =
    std::variant<PostedCommands, EndedJob, EndOfSession, Errand>;

class Mailbox {
 public:
  struct Contents {
    std::vector<MailboxEntry> entries;
    std::vector<core::SessionId> refused;
  };

  struct Posted {
    bool has_turn = false;   // the poster holds the turn now
    bool has_room = true;    // of commands: see back-pressure above
    bool is_closed = false;  // the entry was not accepted
  };

  // As the time of the next turn: at once.
  static constexpr HostClock::TimePoint kAtOnce = HostClock::TimePoint::min();

  explicit Mailbox(uint64_t pending_max) : pending_max_(pending_max) {}

  // `commands` are taken in also when there is no room.
  Posted PostCommands(core::SessionId session,
                      std::vector<core::Command> commands)
      ABSL_LOCKS_EXCLUDED(mutex_);
  Posted Post(MailboxEntry entry) ABSL_LOCKS_EXCLUDED(mutex_);

  // No entry is accepted any more; those that are there are carried out.
  void Close() ABSL_LOCKS_EXCLUDED(mutex_);

  // From now on there is no room for the session's commands, or there is again:
  // the machine has many of them to work off. For the holder of the turn.
  void Hold(core::SessionId session, bool is_held) ABSL_LOCKS_EXCLUDED(mutex_);

  // All there is, without waiting.
  Contents Take() ABSL_LOCKS_EXCLUDED(mutex_);

  // Lets go of the turn. `next_turn`: when there is one even if nothing comes
  // (none: never). Whoever has seen kAtOnce calls TakeTurn or LeaveTurns.
  void EndTurn(std::optional<HostClock::TimePoint> next_turn)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // True: there is something to do now, nobody is at it, and the caller has the
  // turn.
  bool TakeTurn() ABSL_LOCKS_EXCLUDED(mutex_);

  // Leaves what there is to do to the machine thread.
  void LeaveTurns() ABSL_LOCKS_EXCLUDED(mutex_);

  // Waits until there is a turn for the machine thread, which then has it.
  // False: closed, and everything has been carried out.
  bool AwaitTurn() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Pending {
    uint64_t command_count = 0;
    bool was_refused = false;
  };

  // Returns whether the poster has the turn.
  bool Append(MailboxEntry entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !entries_.empty() || next_turn_ == kAtOnce;
  }

  const uint64_t pending_max_;
  core::Mutex mutex_;
  core::CondVar machine_thread_;
  std::vector<MailboxEntry> entries_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<core::SessionId, Pending> pending_
      ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<core::SessionId> held_ ABSL_GUARDED_BY(mutex_);
  std::optional<HostClock::TimePoint> next_turn_ ABSL_GUARDED_BY(mutex_);
  bool is_held_ ABSL_GUARDED_BY(mutex_) = false;  // somebody has the turn
  bool is_left_ ABSL_GUARDED_BY(mutex_) = false;  // to the machine thread
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  // Until when the machine thread sleeps; min: it is awake.
  HostClock::TimePoint sleeps_until_ ABSL_GUARDED_BY(mutex_) =
      HostClock::TimePoint::min();
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_MAILBOX_H_
