// ClockGate: how far simulated time may go.
//
// If the device clock ran ahead whenever the device has something to do, the
// scheduler of the host and not the model would decide which clients' work
// overlaps. So a *lane* (one thread of a client) holds the clock while it may
// still submit earlier work:
//
//   RUNNING  the client computes; its next call has a stamp of at least c + L,
//            where c is the largest tick that the lane has shown or been shown
//            (a call that shows less than that counts as c + L), and L the
//            least host cost of a call;
//   BLOCKED  the client waits for the reply to a request: it submits nothing
//            before the reply, which makes it RUNNING with c at least the
//            reply's tick;
//   IDLE     it does not hold the clock.
//
//   horizon = min over RUNNING lanes of (c + L); kTickMax when there is none.
//
// The machine may carry out events before the horizon, and no others.
//
// Membership. A lane joins with its first work (a copy, fill, launch, record
// or wait of its own): a client that is attached, or only asks and allocates,
// holds nobody up.
//
// A lane that says LeaveClock is IDLE until its next call. A function of the
// host that is due holds the clock like a lane, until it has returned; then the
// lane that called it is IDLE.
//
// Runs. A lane that has joined a run (JoinClock) is RUNNING from its answer on,
// until it leaves or its session ends. Other lanes of its session do not hold
// the clock when the run begins: whoever waits for the threads that do the work
// says nothing.
//
// Patience. Nobody knows whether a RUNNING lane ever calls again. Once the
// lanes that hold the horizon have given no input for a while, in wall time,
// they are IDLE until they call again; such a call is *late* if the device
// clock has passed its stamp meanwhile, and counted. What differs between the
// clock modes is patience (clock_mode.h).
//
// A lane of a thread that waits for another one, in a way that the library does
// not see, is waited for in vain each time. So patience with a lane outside a
// run is halved, down to a least one, when it was in vain, and doubled, up to
// what the mode says, when the lane was waited for and did call. This is known
// of calls that follow a reply and of others apart: threads wait for each other
// mostly at the same point of their loop, and call by call elsewhere.
//
// A lane is given up before that if it cannot be heard: the daemon takes no
// more of its session, which has too much that waits for the clock already.
//
// Pace. With one, the device clock keeps behind wall time x pace, counted from
// when it last had nothing to do.
//
// Threading: thread-compatible; belongs to the holder of the turn. Wall time
// comes in as arguments. Ownership: owns lane states.
#ifndef ASCEND_SERVER_CLOCK_GATE_H_
#define ASCEND_SERVER_CLOCK_GATE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/base/ids.h"
#include "core/command/command.h"
#include "core/sim/tick.h"
#include "server/clock_mode.h"
#include "server/host_clock.h"

namespace ascend::server {

class ClockGate {
 public:
  struct Options {
    core::Tick lookahead_ticks = 0;  // L
    ClockMode mode;
  };

  // Of what makes a run depend on the host's speed; since the last run began.
  struct Counts {
    uint64_t late = 0;     // calls that the device clock had passed by
    uint64_t demoted = 0;  // lanes that were waited for long enough
    uint64_t evicted = 0;  // participants of the run that were
  };

  // The lanes of a session that are followed at once; further ones are taken
  // for idle, so that no session makes the gate slow for others.
  static constexpr size_t kLanesPerSessionMax = 1024;

  explicit ClockGate(Options options) : options_(options) {}

  // The machine was given `command`. `device_tick` is the device clock now.
  void OnCommand(core::SessionId session, const core::Command& command,
                 core::Tick device_tick, HostClock::TimePoint now);

  // The lane was answered: the request `ticket`, at `tick`.
  void OnReply(core::SessionId session, core::LaneId lane, core::Ticket ticket,
               core::Tick tick, bool is_ok, HostClock::TimePoint now);

  // The client was told to call the function `ticket`, and will say when it has
  // returned.
  void OnHostFunctionDue(core::SessionId session, core::Ticket ticket,
                         core::Tick tick, HostClock::TimePoint now);

  void OnSessionEnded(core::SessionId session);

  // The horizon. Lanes whose patience is over by `now`, and which would hold
  // `wanted` (the tick of the next event) back, become IDLE.
  core::Tick Horizon(core::Tick wanted, HostClock::TimePoint now);

  // The session of the lane that holds the horizon; none when no lane is
  // RUNNING.
  std::optional<core::SessionId> HoldingSession();
  // That lane cannot call: it becomes IDLE, as if its patience were over.
  void GiveHolderUp();

  // When a lane that holds the horizon becomes IDLE by itself; none when no
  // lane is RUNNING.
  std::optional<HostClock::TimePoint> PatienceEnd();

  // When the device clock, which stands at `device_tick`, may be at `wanted`;
  // none: now.
  std::optional<HostClock::TimePoint> PaceEnd(core::Tick device_tick,
                                              core::Tick wanted,
                                              HostClock::TimePoint now);
  // The device has nothing to do.
  void OnNothingToDo() { pace_base_.reset(); }

  const Counts& counts() const { return counts_; }

  size_t running_count() const { return running_.size(); }

 private:
  enum class State : uint8_t { kRunning, kBlocked, kIdle };

  struct Lane {
    core::SessionId session;
    State state = State::kIdle;
    bool was_given_up = false;  // became IDLE without saying so for good
    bool is_joining = false;    // BLOCKED in a JoinClock
    bool is_in_run = false;
    bool is_waited_for = false;  // holds an event back, since its last input
    bool last_was_reply = false;
    // Of patience, after an input that was no reply and after a reply.
    std::array<uint8_t, 2> halvings = {0, 0};
    core::Tick clock = 0;
    core::Ticket awaited;  // when BLOCKED
    HostClock::TimePoint last_input;
    size_t running_index = 0;  // in running_, when RUNNING
  };
  struct Session {
    absl::flat_hash_map<core::LaneId, std::unique_ptr<Lane>> lanes;
    absl::flat_hash_map<core::Ticket, std::unique_ptr<Lane>> host_functions;
    uint64_t swept_at = 0;  // idle_entries_ when idle lanes last made room
  };
  struct PaceBase {
    core::Tick tick;
    HostClock::TimePoint time;
  };

  // Null: the lane is not followed.
  Lane* Join(core::SessionId session, core::LaneId lane, bool may_join);
  Lane* Find(core::SessionId session, core::LaneId lane);
  void Enter(Lane& lane, State state);
  void EndHostFunction(core::SessionId session, core::Ticket ticket);
  void JoinRun(Session& session, Lane& lane);
  void LeaveRun(Lane& lane);
  void NoteInVain(Lane& lane);
  void NoteInput(Lane& lane, bool is_reply, HostClock::TimePoint now);
  HostClock::Duration PatienceWith(const Lane& lane) const;
  HostClock::TimePoint PatienceEndOf(const Lane& lane) const;
  // The RUNNING lane with the smallest clock; null when there is none.
  Lane* Holder();

  Options options_;
  absl::flat_hash_map<core::SessionId, Session> sessions_;
  std::vector<Lane*> running_;
  // Holder() as of the last change; meaningless while `holder_is_stale_`.
  Lane* holder_ = nullptr;
  bool holder_is_stale_ = false;
  uint64_t idle_entries_ = 0;  // how often any lane became IDLE
  size_t in_run_count_ = 0;
  Counts counts_;
  std::optional<PaceBase> pace_base_;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_CLOCK_GATE_H_
