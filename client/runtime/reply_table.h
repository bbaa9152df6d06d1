// ReplyTable: who waits for which reply.
//
// A thread that asks registers its PendingReply under the ticket before the
// command is posted, and waits afterwards. The completion thread finds it by
// the ticket; a reply that nobody waits for any more is dropped. Replies may
// come in any order.
//
// Threading: any thread. Ownership: a PendingReply lives on the stack of the
// thread that asks, and is known to the table from Expect until Wait returns
// anything but kTransferDue.
#ifndef ASCEND_CLIENT_RUNTIME_REPLY_TABLE_H_
#define ASCEND_CLIENT_RUNTIME_REPLY_TABLE_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "client/runtime/transport.h"
#include "core/base/ids.h"
#include "core/base/sync.h"
#include "core/command/reply.h"

namespace ascend::client {

struct PendingReply {
  core::Ticket ticket;
  core::Reply reply;  // once Wait says kDone

  // The rest is the table's.
  bool is_done = false;
  bool is_transfer_due = false;
  core::CondVar changed;
};

class ReplyTable {
 public:
  enum class Outcome {
    kDone,
    // The bytes of this upload are wanted now: send them, wait again.
    kTransferDue,
    kExpired,
  };

  // After Fail, the reply is that failure at once.
  void Expect(PendingReply& pending);

  Outcome Wait(PendingReply& pending, Deadline deadline);
  // Whether Wait would wait.
  bool IsAwaited(const PendingReply& pending);
  // Whether any reply is expected.
  bool IsAnyAwaited();

  // The completion thread's side. False: nobody waits for that ticket.
  bool Deliver(core::Reply reply);
  bool MarkTransferDue(core::Ticket ticket);

  // Nothing comes any more: all who wait, and will, get `why`.
  void Fail(const absl::Status& why);

 private:
  core::Mutex mutex_;
  absl::flat_hash_map<core::Ticket, PendingReply*> pending_
      ABSL_GUARDED_BY(mutex_);
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_REPLY_TABLE_H_
