// WallTimers: the machine's timers, which run on the host's clock.
//
// Few at a time: one per stream whose head waits with a time-out.
//
// Threading: in a turn. Time comes in as arguments. Ownership: value type.
#ifndef ASCEND_SERVER_WALL_TIMERS_H_
#define ASCEND_SERVER_WALL_TIMERS_H_

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/machine/runners.h"
#include "core/sim/tick.h"
#include "server/host_clock.h"

namespace ascend::server {

class WallTimers {
 public:
  void Start(core::TimerId timer, core::Tick ticks, HostClock::TimePoint now) {
    // The longest timer is shorter than the device clock is long, so this fits.
    const auto due = now + HostClock::Duration(ticks / core::Nanoseconds(1));
    due_.emplace(due, timer);
    times_.emplace(timer, due);
  }

  void Cancel(core::TimerId timer) {
    const auto found = times_.find(timer);
    if (found == times_.end()) return;
    due_.erase({found->second, timer});
    times_.erase(found);
  }

  // When the next one ends; none: never.
  std::optional<HostClock::TimePoint> NextEnd() const {
    if (due_.empty()) return std::nullopt;
    return due_.begin()->first;
  }

  // Removes those that have ended by `now`, in order of their ends.
  std::vector<core::TimerId> TakeEnded(HostClock::TimePoint now) {
    std::vector<core::TimerId> ended;
    while (!due_.empty() && due_.begin()->first <= now) {
      ended.push_back(due_.begin()->second);
      times_.erase(ended.back());
      due_.erase(due_.begin());
    }
    return ended;
  }

 private:
  std::set<std::pair<HostClock::TimePoint, core::TimerId>> due_;
  std::map<core::TimerId, HostClock::TimePoint> times_;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_WALL_TIMERS_H_
