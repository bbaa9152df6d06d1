// Fifo: order of arrival; stream priorities mean nothing.
//
// Threading: immutable.
#ifndef ASCEND_CORE_SCHED_POLICIES_FIFO_H_
#define ASCEND_CORE_SCHED_POLICIES_FIFO_H_

#include "core/sched/policy.h"

namespace ascend::core {

class FifoPolicy final : public Policy {
 public:
  static constexpr char kName[] = "fifo";

  absl::string_view name() const override { return kName; }
  uint32_t Urgency(const UnitRequest&) const override { return 0; }
  Overtaking overtaken_by() const override { return Overtaking::kNobody; }
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_SCHED_POLICIES_FIFO_H_
