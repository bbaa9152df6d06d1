// Time-outs that AscendCL gives in whole seconds.
//
// Threading: pure.
#ifndef ASCEND_CLIENT_RUNTIME_SECONDS_H_
#define ASCEND_CLIENT_RUNTIME_SECONDS_H_

#include <cstdint>

#include "core/sim/tick.h"

namespace ascend::client {

// As long as ticks can say, at most.
inline core::Tick TicksOfSeconds(uint32_t seconds) {
  if (seconds > core::kTickMax / core::kTicksPerSecond) return core::kTickMax;
  return seconds * core::kTicksPerSecond;
}

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_SECONDS_H_
