// EventDoorbell: wakes a thread that sleeps on many things with epoll.
//
// An event descriptor, and a word in shared memory by which the sleeper says
// that it wants to be woken, so that a ring is one instruction while it is
// awake and one system call for each time that it sleeps. The sleeper calls
// Arm, then looks for work once more; if there is none it sleeps until event()
// is readable; either way it calls Disarm before it works. A ring that follows
// work which that last look missed makes the event readable. It may be readable
// for no reason.
//
// The peer holds the same open file and may change its flags: Disarm does not
// block whatever they are, but write(2) knows no such form. So who must not be
// held up is the sleeper of this doorbell and rings by Doorbell; the daemon is.
//
// Threading: any thread; Arm and Disarm, one sleeper.
// Ownership: owns the descriptor; the word is the caller's and outlives this.
#ifndef ASCEND_PROTO_IPC_EVENT_DOORBELL_H_
#define ASCEND_PROTO_IPC_EVENT_DOORBELL_H_

#include "absl/status/statusor.h"
#include "core/base/unique_fd.h"
#include "proto/ipc/abi.h"

namespace ascend::ipc {

class EventDoorbell {
 public:
  // The sleeper's side makes the event.
  static absl::StatusOr<EventDoorbell> Create(SleepWord* word);
  // The side that rings has been sent it.
  EventDoorbell(SleepWord* word, core::UniqueFd event);

  void Ring();

  void Arm();
  void Disarm();

  int event() const { return event_.get(); }

 private:
  SleepWord* word_;
  core::UniqueFd event_;
};

}  // namespace ascend::ipc

#endif  // ASCEND_PROTO_IPC_EVENT_DOORBELL_H_
