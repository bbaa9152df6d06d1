// ReaderRole: which thread reads what comes from the daemon.
//
// To be told of a reply by another thread costs a switch between threads, which
// is most of what a short call takes. So a thread that waits reads by itself:
// it is a *visitor* that handles whatever arrives, for whomever, until its own
// reply is there. The stream's own thread, the *standby*, reads when there is
// no visitor to do it:
//
//   - from the beginning on, until a thread would rather have read itself and
//     nobody waits any more;
//   - when a visitor leaves while others wait, or is Called for;
//   - when there has been no visitor for kLinger, so that what comes unasked is
//     late by no more than that, and a program that calls in quick succession
//     wakes nobody;
//   - from End on.
//
// There is one reader at a time, so whoever handles events needs no lock of its
// own against other readers.
//
// Threading: any thread, but AwaitTurn and GoesOn, which are the standby's.
// Ownership: borrows nothing; `is_awaited` must stay callable.
#ifndef ASCEND_CLIENT_GRPC_READER_ROLE_H_
#define ASCEND_CLIENT_GRPC_READER_ROLE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include "core/base/sync.h"

namespace ascend::client {

class ReaderRole {
 public:
  static constexpr std::chrono::milliseconds kLinger{1};

  // `is_awaited`: whether any thread waits for a reply. It counts as waiting
  // before it tries to become a visitor.
  explicit ReaderRole(std::function<bool()> is_awaited)
      : is_awaited_(std::move(is_awaited)) {}

  // True: the caller reads, until it leaves. False: another thread does, or it
  // is not worth beginning any more.
  bool TryVisit();
  void Leave();

  // Something is to be read, or written after what is to be read, that no
  // visitor comes for.
  void Call();

  // There are no more visitors; the one that reads may finish.
  void End();

  // The standby's. Returns when it is to read.
  void AwaitTurn();
  // After each event: whether it goes on reading.
  bool GoesOn();

 private:
  enum class Reader : uint8_t { kNobody, kVisitor, kStandby };

  bool StandbyIsDue() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::function<bool()> is_awaited_;
  core::Mutex mutex_;
  core::CondVar changed_;  // for the standby
  Reader reader_ ABSL_GUARDED_BY(mutex_) = Reader::kStandby;
  bool is_wanted_ ABSL_GUARDED_BY(mutex_) = false;  // by a visitor to be
  bool is_called_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_ended_ ABSL_GUARDED_BY(mutex_) = false;
  bool sleeps_ ABSL_GUARDED_BY(mutex_) = false;  // until told
  uint64_t visits_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_GRPC_READER_ROLE_H_
