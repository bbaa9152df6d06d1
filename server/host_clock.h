// HostClock: the only place where the server asks what time it is.
//
// Wall time never decides anything in core/. Here it does three things: it
// bounds the patience of the clock gate, it dates sessions for operators, and
// it sets deadlines for waiting. Logic that depends on it (clock_gate.h) takes
// time points as arguments, so that tests make their own.
//
// Threading: any thread.
#ifndef ASCEND_SERVER_HOST_CLOCK_H_
#define ASCEND_SERVER_HOST_CLOCK_H_

#include <chrono>

namespace ascend::server {

struct HostClock {
  using TimePoint = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::nanoseconds;

  static TimePoint Now() { return std::chrono::steady_clock::now(); }
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_HOST_CLOCK_H_
