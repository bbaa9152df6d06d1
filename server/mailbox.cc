#include "server/mailbox.h"

#include <algorithm>
#include <utility>

namespace ascend::server {

using core::MutexLock;

bool Mailbox::PostCommands(core::SessionId session,
                           std::vector<core::Command> commands) {
  MutexLock lock(mutex_);
  if (is_closed_) return true;
  Pending& pending = pending_[session];
  pending.command_count += commands.size();
  const bool has_room = pending.command_count <= pending_max_;
  if (!has_room) pending.was_refused = true;
  Append(PostedCommands{session, std::move(commands)});
  return has_room;
}

bool Mailbox::Post(MailboxEntry entry) {
  MutexLock lock(mutex_);
  if (is_closed_) return false;
  Append(std::move(entry));
  return true;
}

void Mailbox::Close() {
  MutexLock lock(mutex_);
  is_closed_ = true;
  filled_.NotifyOne();
}

Mailbox::Contents Mailbox::Take(std::optional<HostClock::TimePoint> deadline) {
  Contents contents;
  MutexLock lock(mutex_);
  taker_waits_ = true;
  while (entries_.empty() && !is_closed_) {
    if (!deadline.has_value()) {
      filled_.Wait(mutex_);
    } else if (*deadline == kNoWait || !filled_.WaitUntil(mutex_, *deadline)) {
      break;
    }
  }
  taker_waits_ = false;
  contents.is_closed = is_closed_ && entries_.empty();
  contents.entries.swap(entries_);
  for (const auto& [session, pending] : pending_) {
    if (pending.was_refused) contents.drained.push_back(session);
  }
  pending_.clear();
  return contents;
}

void Mailbox::Append(MailboxEntry entry) {
  entries_.push_back(std::move(entry));
  // Only the first entry finds the taker waiting for it.
  if (taker_waits_ && entries_.size() == 1) filled_.NotifyOne();
}

}  // namespace ascend::server
