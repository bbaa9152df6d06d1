// ClockMode: how the device clock keeps with its clients and with the wall.
//
//   free      waits for lanes that may submit earlier work, at most 1 ms, and
//             less for those that were often waited for in vain. Ordinary
//             programs never hang or stall a neighbour. Only the stream of a
//             kernel is late that the host computes slower than the device
//             would.
//   lockstep  waits long enough that the host's speed does not matter: 10 s for
//             participants of a run, 200 ms for other lanes, and for every job.
//             Equal programs get equal times, to the tick, unless a count in
//             ClockReply says otherwise.
//   paced[:K] free, and no faster than wall time x K (1).
//   ungated   waits for nobody: the control of experiments on lockstep.
//
// Threading: value type, pure functions. Ownership: none.
#ifndef ASCEND_SERVER_CLOCK_MODE_H_
#define ASCEND_SERVER_CLOCK_MODE_H_

#include <chrono>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/host_clock.h"

namespace ascend::server {

struct ClockMode {
  std::string name = "free";
  bool is_gated = true;
  // How long, in wall time, a lane may hold the clock without a call.
  HostClock::Duration patience = std::chrono::milliseconds(1);
  // The least that is left of it where it was in vain (clock_gate.h).
  HostClock::Duration patience_least = std::chrono::microseconds(50);
  HostClock::Duration patience_in_run = std::chrono::milliseconds(1);
  bool waits_for_jobs = false;
  double pace = 0;  // simulated time per wall time; 0: none
};

// Errors: kInvalidArgument, with the modes there are.
absl::StatusOr<ClockMode> ParseClockMode(absl::string_view text);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_CLOCK_MODE_H_
