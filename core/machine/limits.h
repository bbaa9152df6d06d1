// Limits: what one session may do to the machine that all sessions share.
//
// No client of ours comes near any of these; whoever passes one is broken or
// hostile, and without the limit would take memory or simulated time from the
// others. So passing one is a protocol violation, unless said otherwise: it
// ends that session and changes nothing for the rest.
//
// Time. The clock is one for all sessions, so a command stamped far ahead drags
// everybody there: their idle lanes catch up with it, and 64 bits of
// picoseconds end after 106 days. Each step is therefore bounded: a command by
// kStampLeadMax (core/command/command.h), a piece of work by kDurationMax
// (durations.h). The number of steps is not bounded here, since a session can
// be opened anew: how fast they may follow each other is for the owner's clock
// gate to say. Where the clock does come to its end, kClockEnd, nothing
// overflows and nobody hangs: tasks fail at once, with an error that says so.
//
// Memory. Contexts, streams and events are bounded by the device's limits. The
// limits below bound the rest: commands that wait for their stamp, tasks,
// requests without an answer, what they wait for, and allocations. What is kept
// of launches bounds itself (launch_cache.h).
//
// Threading: constants and a value type.
#ifndef ASCEND_CORE_MACHINE_LIMITS_H_
#define ASCEND_CORE_MACHINE_LIMITS_H_

#include <cstdint>

#include "core/sim/tick.h"

namespace ascend::core {

// Nothing starts at or after this tick, 104 days; stamps beyond count as this.
// What runs then ends long before kTickMax, so that no sum of ticks overflows.
inline constexpr Tick kClockEnd = kTickMax - 48 * 3600 * kTicksPerSecond;

// Of one session.
struct SessionLimits {
  // Commands not yet taken in and tasks not yet retired, together: as many as
  // 512 streams hold that are full to their depth, at less than 1 KiB each.
  uint64_t held_commands_max = uint64_t{1} << 20;
  // What those carry: bytes of host-to-device copies, argument blocks.
  uint64_t held_bytes_max = uint64_t{1} << 30;

  // Requests without an answer: each is a thread of the client that waits.
  uint64_t requests_max = 4096;
  // Streams that those wait for: 128 threads may each synchronise a device
  // whose streams are all busy.
  uint64_t waits_max = uint64_t{1} << 18;

  // Allocations, quarantined ones too. More are refused, as if memory were out.
  uint64_t allocations_max = uint64_t{1} << 20;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_LIMITS_H_
