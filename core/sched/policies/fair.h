// Fair: streams take turns. Who holds the fewest units gets the next, so that
// sliced kernels share the units evenly at block edges; requests that hold none
// go in order of arrival, which for streams of whole kernels is one kernel
// each, in turn. Priorities mean nothing.
//
// Threading: immutable.
#ifndef ASCEND_CORE_SCHED_POLICIES_FAIR_H_
#define ASCEND_CORE_SCHED_POLICIES_FAIR_H_

#include "core/sched/policy.h"

namespace ascend::core {

class FairPolicy final : public Policy {
 public:
  static constexpr char kName[] = "fair";

  using Policy::Policy;
  absl::string_view name() const override { return kName; }
  Rank RankOf(const Candidate& candidate) const override {
    return {.major = candidate.slices_running};
  }
  absl::optional<Tick> OvertakenFor(const UnitRequest&) const override {
    return 0;
  }
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_SCHED_POLICIES_FAIR_H_
