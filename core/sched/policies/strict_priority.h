// StrictPriority: the smaller priority number first, equal ones in order of
// arrival; nothing that runs is preempted, and waiting raises nobody. That is
// what the chip's task scheduler does. With equal priorities it is Fifo.
//
// Two options change that. With `preempts`, a sliced kernel that has started
// gives units up at block edges; without, it has the units that it can use
// until its last slice. With `ageing_ticks` T, a request of priority p that
// became ready at t goes where one of priority 0 would that became ready at
// t + p T: since all age alike, that order never changes while they wait.
//
// Threading: immutable.
#ifndef ASCEND_CORE_SCHED_POLICIES_STRICT_PRIORITY_H_
#define ASCEND_CORE_SCHED_POLICIES_STRICT_PRIORITY_H_

#include "core/sched/policy.h"

namespace ascend::core {

class StrictPriorityPolicy final : public Policy {
 public:
  static constexpr char kName[] = "strict_priority";

  using Policy::Policy;
  absl::string_view name() const override { return kName; }

  Rank RankOf(const Candidate& candidate) const override {
    constexpr Rank kBeforeAll = {.major = -1};
    if (candidate.has_started() && !options().preempts) return kBeforeAll;
    const UnitRequest& request = candidate.request;
    if (options().ageing_ticks == 0) return {.major = request.priority};
    return {.minor =
                SaturatingAdd(request.ready_tick,
                              Tick{request.priority} * options().ageing_ticks)};
  }

  absl::optional<Tick> OvertakenFor(const UnitRequest& request) const override {
    if (request.priority == 0) return 0;
    if (options().ageing_ticks == 0) return absl::nullopt;
    return Tick{request.priority} * options().ageing_ticks;
  }
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_SCHED_POLICIES_STRICT_PRIORITY_H_
