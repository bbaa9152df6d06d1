// Session: one connection to a daemon, seen from the side that calls.
//
// It numbers commands (tickets), stamps them with the lane's clock, posts them
// and waits for replies. The runtime's order mutex is what makes a ticket the
// place of a call in the order of calls: Post and Ask are made while it is
// held, together with the checks and the bookkeeping of the call.
//
// Threading: Post and Ask under the order mutex, everything else on any
// thread. Ownership: shared by the runtime and the calls that are under way;
// owns the transport and what hears from it.
#ifndef ASCEND_CLIENT_RUNTIME_SESSION_H_
#define ASCEND_CLIENT_RUNTIME_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/runtime/completion.h"
#include "client/runtime/connection.h"
#include "client/runtime/lane.h"
#include "client/runtime/transport.h"
#include "core/base/pitched_bytes.h"

namespace ascend::client {

using StampList = std::initializer_list<core::Tick*>;

class Session {
 public:
  // Connects and says hello. Errors: kConnectionLost with what to do.
  static absl::StatusOr<std::shared_ptr<Session>> Open(
      const ConnectionMaker& make_connection);
  ~Session();

  const ServerDescription& description() const { return description_; }
  Completion& completion() { return completion_; }
  // Ok, or why the session is over.
  absl::Status status() const { return completion_.status(); }

  // The ticket that the next Post or Ask takes.
  core::Ticket next_ticket() const { return next_ticket_; }

  // The latest stamp of all. A call that is to come after all earlier ones,
  // whatever objects and lanes they were of, touches it.
  core::Tick* latest_stamp() { return &latest_stamp_; }
  // The same for a call whose place among those of other lanes matters little.
  // How far those are is for the host's scheduler to say, so it is the calling
  // lane's own clock if that takes part in a run.
  core::Tick* latest_stamp_outside_run();

  // Posts a command of the calling lane, which pays `cost` and touches the
  // objects with these stamps.
  void Post(core::Operation operation, core::Tick cost, StampList touched);

  // Posts a request whose reply goes to `pending`.
  void Ask(PendingReply& pending, core::Operation operation, core::Tick cost,
           StampList touched);

  // Waits for the reply; `wake` is what it costs the lane to act on it. The
  // status is that of the reply. `upload` is what the daemon may ask for
  // meanwhile. False: the deadline passed first.
  bool Await(PendingReply& pending, core::Tick wake, Deadline deadline = {},
             const core::PitchedBytes& upload = {});

  // The calling lane acts on what it was told at `tick`.
  void Resume(core::Tick tick);
  // The lane of the calling thread, with this session's clock.
  Lane& AttachedLane() const;

  // Says goodbye. Calls that wait fail with `why`.
  void Close(const absl::Status& why);

  // The end of this process's lifeline to its private daemon, or -1.
  int lifeline_fd() const;

 private:
  Session();

  const uint64_t epoch_;
  Connection connection_;
  Completion completion_;
  ServerDescription description_;
  core::Ticket next_ticket_{1};
  core::Tick latest_stamp_ = 0;
  core::Tick scratch_stamp_ = 0;
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_SESSION_H_
