// From the model's rates to ticks.
//
// Threading: pure functions.
#ifndef ASCEND_CORE_MACHINE_DURATIONS_H_
#define ASCEND_CORE_MACHINE_DURATIONS_H_

#include <algorithm>
#include <cmath>

#include "core/sim/tick.h"

namespace ascend::core {

// The longest duration of one piece of work, an hour: no device lets a kernel
// run so long, and no kernel may drag the clock of all sessions farther.
inline constexpr Tick kDurationMax = 3600 * kTicksPerSecond;

inline double SecondsOf(Tick ticks) {
  return static_cast<double>(ticks) / double{kTicksPerSecond};
}

// Whole ticks, rounded up, within [0, kDurationMax]; 0 for what is no number. A
// billionth of a tick is taken as the error of the quotient, not as time.
inline Tick TicksOf(double seconds) {
  const double ticks = std::ceil(seconds * double{kTicksPerSecond} - 1e-9);
  if (!(ticks > 0)) return 0;
  return static_cast<Tick>(std::min(ticks, double{kDurationMax}));
}

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_DURATIONS_H_
