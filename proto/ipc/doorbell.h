// Doorbell: wakes a thread of another process through a word they share.
//
// Who waits reads Value(), looks for work, and when there is none calls Wait
// with that value; who has put work there calls Ring. Whatever the
// interleaving, a ring after Value() ends the wait. Ring makes a system call
// only when somebody may sleep, and then one for all: the first ring after
// somebody lay down takes `sleepers` back.
//
// A peer that writes nonsense into the word can make us look for work in vain,
// make an idle system call, or leave us asleep until the deadline, which is its
// own work that waits. It can also undo rings of our own threads: a wait that
// our process must be able to end has a deadline.
//
// Threading: any thread. Ownership: the word is the caller's and outlives this.
#ifndef ASCEND_PROTO_IPC_DOORBELL_H_
#define ASCEND_PROTO_IPC_DOORBELL_H_

#include <cstdint>

#include "proto/ipc/abi.h"
#include "proto/ipc/deadline.h"

namespace ascend::ipc {

class Doorbell {
 public:
  enum class Outcome { kRung, kDeadline };

  explicit Doorbell(DoorbellWord* word) : word_(word) {}

  uint32_t Value() const;
  void Ring();

  // Until the value is not `seen`: looks `spin_turns` times in a row, some ten
  // nanoseconds apart, then sleeps.
  Outcome Wait(uint32_t seen, int spin_turns, Deadline deadline);

 private:
  DoorbellWord* word_;
};

}  // namespace ascend::ipc

#endif  // ASCEND_PROTO_IPC_DOORBELL_H_
