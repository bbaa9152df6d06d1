// Fifo: order of arrival; stream priorities mean nothing. Of sliced kernels the
// oldest gets all units that it can use.
//
// Threading: immutable.
#ifndef ASCEND_CORE_SCHED_POLICIES_FIFO_H_
#define ASCEND_CORE_SCHED_POLICIES_FIFO_H_

#include "core/sched/policy.h"

namespace ascend::core {

class FifoPolicy final : public Policy {
 public:
  static constexpr char kName[] = "fifo";

  using Policy::Policy;
  absl::string_view name() const override { return kName; }
  Rank RankOf(const Candidate&) const override { return {}; }
  absl::optional<Tick> OvertakenFor(const UnitRequest&) const override {
    return 0;
  }
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_SCHED_POLICIES_FIFO_H_
