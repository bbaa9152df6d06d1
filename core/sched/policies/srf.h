// Srf: shortest remaining work first, at block edges. Short kernels slip
// through between the slices of long ones, so that streams that alternate long
// and short kernels interleave. Ageing: a request goes where one of no length
// would that became ready kPatience times its remaining work later, so a long
// one is passed for that long at most.
//
// Threading: immutable.
#ifndef ASCEND_CORE_SCHED_POLICIES_SRF_H_
#define ASCEND_CORE_SCHED_POLICIES_SRF_H_

#include <algorithm>

#include "core/sched/policy.h"

namespace ascend::core {

class SrfPolicy final : public Policy {
 public:
  static constexpr char kName[] = "srf";
  // Large enough that kernels which meet are told apart by length: a decode
  // step's longest takes 0.12 ms and is passed for 2 ms, a prefill's takes 1.5
  // and is passed for 24.
  static constexpr Tick kPatience = 16;

  using Policy::Policy;
  absl::string_view name() const override { return kName; }
  Rank RankOf(const Candidate& candidate) const override {
    return {.minor = SaturatingAdd(candidate.request.ready_tick,
                                   Patience(candidate.RemainingTicks()))};
  }
  absl::optional<Tick> OvertakenFor(const UnitRequest& request) const override {
    return Patience(Candidate{request, request.slice_count}.RemainingTicks());
  }

 private:
  static Tick Patience(Tick remaining) {
    return std::min(remaining, kTickMax / kPatience) * kPatience;
  }
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_SCHED_POLICIES_SRF_H_
