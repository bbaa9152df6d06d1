// From the model's rates to ticks.
//
// Threading: pure functions.
#ifndef ASCEND_CORE_MACHINE_DURATIONS_H_
#define ASCEND_CORE_MACHINE_DURATIONS_H_

#include <algorithm>
#include <cmath>

#include "core/sim/tick.h"

namespace ascend::core {

// The longest duration of one piece of work, some 28 hours: no device lets a
// kernel run so long, and the clock can add many of them.
inline constexpr Tick kDurationMax = 100'000 * kTicksPerSecond;

// Whole ticks, rounded up, within [0, kDurationMax]. A billionth of a tick is
// taken as the error of the quotient, not as time.
inline Tick TicksOf(double seconds) {
  const double ticks = std::ceil(seconds * double{kTicksPerSecond} - 1e-9);
  return static_cast<Tick>(std::clamp(ticks, 0.0, double{kDurationMax}));
}

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_DURATIONS_H_
