// Drfq: dominant-resource fair queueing. Across tenants the one that has had
// the least of its dominant resource, over time and by weight, goes first; a
// tenant cannot get ahead by asking for priority. Inside a tenant the smaller
// priority number goes first, then who holds the fewest units, then order of
// arrival. Source: Ghodsi et al., Multi-Resource Fair Queueing (SIGCOMM 2012),
// with time on units in the place of packets.
//
// Threading: immutable.
#ifndef ASCEND_CORE_SCHED_POLICIES_DRFQ_H_
#define ASCEND_CORE_SCHED_POLICIES_DRFQ_H_

#include "core/sched/policy.h"

namespace ascend::core {

class DrfqPolicy final : public Policy {
 public:
  static constexpr char kName[] = "drfq";

  using Policy::Policy;
  absl::string_view name() const override { return kName; }
  Rank RankOf(const Candidate& candidate) const override {
    return {.major = candidate.request.priority,
            .minor = candidate.slices_running};
  }
  bool shares_among_tenants() const override { return true; }
  absl::optional<Tick> OvertakenFor(const UnitRequest& request) const override {
    if (request.priority == 0) return 0;
    return absl::nullopt;
  }
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_SCHED_POLICIES_DRFQ_H_
