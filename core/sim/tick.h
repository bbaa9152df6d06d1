// Tick: simulated time, in picoseconds.
//
// 64 signed bits of picoseconds reach 106 days. All durations of the model are
// Ticks; reports convert to nanoseconds at the very end. Sums over many tasks
// (usage) use UsageTicks, 128 bits, so that no month of accounting overflows.
//
// Threading: value types.
#ifndef ASCEND_CORE_SIM_TICK_H_
#define ASCEND_CORE_SIM_TICK_H_

#include <cstdint>
#include <limits>

namespace ascend::core {

using Tick = int64_t;
__extension__ typedef __int128 UsageTicks;

inline constexpr Tick kTicksPerNanosecond = 1000;
inline constexpr Tick kTicksPerMicrosecond = 1000 * kTicksPerNanosecond;
inline constexpr Tick kTicksPerMillisecond = 1000 * kTicksPerMicrosecond;
inline constexpr Tick kTicksPerSecond = 1000 * kTicksPerMillisecond;
// Later than every event.
inline constexpr Tick kTickMax = std::numeric_limits<Tick>::max();

constexpr Tick Nanoseconds(int64_t n) { return n * kTicksPerNanosecond; }
constexpr Tick Microseconds(int64_t n) { return n * kTicksPerMicrosecond; }
constexpr Tick Milliseconds(int64_t n) { return n * kTicksPerMillisecond; }

// a + b, but kTickMax when that does not fit. Both non-negative.
constexpr Tick SaturatingAdd(Tick a, Tick b) {
  return a > kTickMax - b ? kTickMax : a + b;
}

constexpr int64_t UsageNanoseconds(UsageTicks ticks) {
  return static_cast<int64_t>(ticks / kTicksPerNanosecond);
}

}  // namespace ascend::core

#endif  // ASCEND_CORE_SIM_TICK_H_
