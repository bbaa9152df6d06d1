#include "client/runtime/reply_table.h"

#include <utility>

#include "core/base/error.h"

namespace ascend::client {

void ReplyTable::Expect(PendingReply& pending) {
  core::MutexLock lock(mutex_);
  if (!failure_.ok()) {
    pending.reply.status = core::OwnCopy(failure_);
    pending.is_done = true;
    return;
  }
  pending_[pending.ticket] = &pending;
}

ReplyTable::Outcome ReplyTable::Wait(PendingReply& pending, Deadline deadline) {
  core::MutexLock lock(mutex_);
  while (!pending.is_done) {
    if (std::exchange(pending.is_transfer_due, false)) {
      return Outcome::kTransferDue;
    }
    if (!deadline.has_value()) {
      pending.changed.Wait(mutex_);
    } else if (!pending.changed.WaitUntil(mutex_, *deadline) &&
               !pending.is_done) {
      pending_.erase(pending.ticket);
      return Outcome::kExpired;
    }
  }
  pending_.erase(pending.ticket);
  return Outcome::kDone;
}

bool ReplyTable::IsAwaited(const PendingReply& pending) {
  core::MutexLock lock(mutex_);
  return !pending.is_done && !pending.is_transfer_due;
}

bool ReplyTable::IsAnyAwaited() {
  core::MutexLock lock(mutex_);
  return !pending_.empty();
}

bool ReplyTable::Deliver(core::Reply reply) {
  core::MutexLock lock(mutex_);
  const auto found = pending_.find(reply.ticket);
  if (found == pending_.end()) return false;
  PendingReply& pending = *found->second;
  pending_.erase(found);
  pending.reply = std::move(reply);
  pending.is_done = true;
  // Under the mutex: afterwards its thread may be gone, and it with it.
  pending.changed.NotifyOne();
  return true;
}

bool ReplyTable::MarkTransferDue(core::Ticket ticket) {
  core::MutexLock lock(mutex_);
  const auto found = pending_.find(ticket);
  if (found == pending_.end()) return false;
  found->second->is_transfer_due = true;
  found->second->changed.NotifyOne();
  return true;
}

void ReplyTable::Fail(const absl::Status& why) {
  core::MutexLock lock(mutex_);
  if (!failure_.ok()) return;
  failure_ = core::OwnCopy(why);
  for (auto& [ticket, pending] : pending_) {
    pending->reply.status = core::OwnCopy(why);
    pending->is_done = true;
    pending->changed.NotifyOne();
  }
  pending_.clear();
}

}  // namespace ascend::client
