// StrictPriority: the smaller priority number first, equal ones in order of
// arrival; nothing that runs is preempted, and waiting raises nobody. That is
// what the chip's task scheduler does. With equal priorities it is Fifo.
//
// Threading: immutable.
#ifndef ASCEND_CORE_SCHED_POLICIES_STRICT_PRIORITY_H_
#define ASCEND_CORE_SCHED_POLICIES_STRICT_PRIORITY_H_

#include "core/sched/policy.h"

namespace ascend::core {

class StrictPriorityPolicy final : public Policy {
 public:
  static constexpr char kName[] = "strict_priority";

  absl::string_view name() const override { return kName; }
  uint32_t Urgency(const UnitRequest& request) const override {
    return request.priority;
  }
  Overtaking overtaken_by() const override { return Overtaking::kMoreUrgent; }
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_SCHED_POLICIES_STRICT_PRIORITY_H_
