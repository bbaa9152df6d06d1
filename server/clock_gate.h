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
// Patience. Nobody knows whether a RUNNING lane ever calls again. Once the
// lanes that hold the horizon have given no input for `patience` of wall time,
// they are IDLE until they call again; such a call is *late* if the device
// clock has passed its stamp meanwhile, and counted. With 1 ms this is clock
// mode `free`; other modes are other patience.
//
// Threading: thread-compatible; belongs to the holder of the turn. Wall time
// comes in as arguments. Ownership: owns lane states.
#ifndef ASCEND_SERVER_CLOCK_GATE_H_
#define ASCEND_SERVER_CLOCK_GATE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/base/ids.h"
#include "core/command/command.h"
#include "core/sim/tick.h"
#include "server/host_clock.h"

namespace ascend::server {

class ClockGate {
 public:
  struct Options {
    core::Tick lookahead_ticks = 0;  // L
    HostClock::Duration patience{};
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
               core::Tick tick, HostClock::TimePoint now);

  void OnSessionEnded(core::SessionId session);

  // The horizon. Lanes whose patience is over by `now`, and which would hold
  // `wanted` (the tick of the next event) back, become IDLE.
  core::Tick Horizon(core::Tick wanted, HostClock::TimePoint now);

  // When a lane that holds the horizon becomes IDLE by itself; none when no
  // lane is RUNNING.
  std::optional<HostClock::TimePoint> PatienceEnd();

  // Calls that came after the device clock had passed them by, of lanes that
  // had not been waited for long enough.
  uint64_t late_count() const { return late_count_; }

  size_t running_count() const { return running_.size(); }

 private:
  enum class State : uint8_t { kRunning, kBlocked, kIdle };

  struct Lane {
    State state = State::kIdle;
    bool was_given_up = false;  // became IDLE by patience
    core::Tick clock = 0;
    core::Ticket awaited;  // when BLOCKED
    HostClock::TimePoint last_input;
    size_t running_index = 0;  // in running_, when RUNNING
  };
  struct Session {
    absl::flat_hash_map<core::LaneId, std::unique_ptr<Lane>> lanes;
    uint64_t swept_at = 0;  // idle_entries_ when idle lanes last made room
  };

  // Null: the lane is not followed.
  Lane* Join(core::SessionId session, core::LaneId lane, bool may_join);
  Lane* Find(core::SessionId session, core::LaneId lane);
  void Enter(Lane& lane, State state);
  // The RUNNING lane with the smallest clock; null when there is none.
  Lane* Holder();

  const Options options_;
  absl::flat_hash_map<core::SessionId, Session> sessions_;
  std::vector<Lane*> running_;
  // Holder() as of the last change; meaningless while `holder_is_stale_`.
  Lane* holder_ = nullptr;
  bool holder_is_stale_ = false;
  uint64_t idle_entries_ = 0;  // how often any lane became IDLE
  uint64_t late_count_ = 0;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_CLOCK_GATE_H_
