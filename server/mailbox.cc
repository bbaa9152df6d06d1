#include "server/mailbox.h"

#include <algorithm>
#include <utility>

namespace ascend::server {

using core::MutexLock;

Mailbox::Posted Mailbox::PostCommands(core::SessionId session,
                                      std::vector<core::Command> commands) {
  MutexLock lock(mutex_);
  if (is_closed_) return {.is_closed = true};
  Pending& pending = pending_[session];
  pending.command_count += commands.size();
  const bool has_room =
      pending.command_count <= pending_max_ && !held_.contains(session);
  if (!has_room) pending.was_refused = true;
  const bool has_turn = Append(PostedCommands{session, std::move(commands)});
  return {.has_turn = has_turn, .has_room = has_room};
}

void Mailbox::Hold(core::SessionId session, bool is_held) {
  MutexLock lock(mutex_);
  if (is_held) {
    held_.insert(session);
  } else {
    held_.erase(session);
  }
}

Mailbox::Posted Mailbox::Post(MailboxEntry entry) {
  MutexLock lock(mutex_);
  if (is_closed_) return {.is_closed = true};
  return {.has_turn = Append(std::move(entry))};
}

bool Mailbox::Append(MailboxEntry entry) {
  entries_.push_back(std::move(entry));
  return !std::exchange(is_held_, true);
}

void Mailbox::Close() {
  MutexLock lock(mutex_);
  is_closed_ = true;
  machine_thread_.NotifyOne();
}

Mailbox::Contents Mailbox::Take() {
  Contents contents;
  MutexLock lock(mutex_);
  contents.entries.swap(entries_);
  for (const auto& [session, pending] : pending_) {
    if (pending.was_refused) contents.refused.push_back(session);
  }
  pending_.clear();
  return contents;
}

void Mailbox::EndTurn(std::optional<HostClock::TimePoint> next_turn) {
  MutexLock lock(mutex_);
  is_held_ = false;
  next_turn_ = next_turn;
  if (is_closed_) machine_thread_.NotifyOne();
  if (!next_turn.has_value() || next_turn == kAtOnce) return;
  // Patience is renewed with every call of a client; the machine thread is
  // woken only when it would sleep too long.
  if (*next_turn < sleeps_until_) machine_thread_.NotifyOne();
}

bool Mailbox::TakeTurn() {
  MutexLock lock(mutex_);
  if (is_held_ || !HasWork()) return false;
  is_held_ = true;
  return true;
}

void Mailbox::LeaveTurns() {
  MutexLock lock(mutex_);
  if (is_held_ || !HasWork()) return;
  is_left_ = true;
  machine_thread_.NotifyOne();
}

bool Mailbox::AwaitTurn() {
  MutexLock lock(mutex_);
  for (;;) {
    if (!is_held_) {
      const bool is_due =
          next_turn_.has_value() &&
          (*next_turn_ == kAtOnce || *next_turn_ <= HostClock::Now());
      if (is_due || ((is_left_ || is_closed_) && !entries_.empty())) {
        is_held_ = true;
        is_left_ = false;
        return true;
      }
      if (is_closed_) return false;
    }
    // While somebody has the turn, EndTurn says when the next one is due.
    const bool waits_for_time = !is_held_ && next_turn_.has_value();
    sleeps_until_ = waits_for_time ? *next_turn_ : HostClock::TimePoint::max();
    if (waits_for_time) {
      machine_thread_.WaitUntil(mutex_, sleeps_until_);
    } else {
      machine_thread_.Wait(mutex_);
    }
    sleeps_until_ = HostClock::TimePoint::min();
  }
}

}  // namespace ascend::server
