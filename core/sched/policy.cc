#include "core/sched/policy.h"

#include "core/sched/policies/drfq.h"
#include "core/sched/policies/fair.h"
#include "core/sched/policies/fifo.h"
#include "core/sched/policies/srf.h"
#include "core/sched/policies/strict_priority.h"

namespace ascend::core {

std::unique_ptr<Policy> MakePolicy(absl::string_view name,
                                   const PolicyOptions& options) {
  if (name == StrictPriorityPolicy::kName) {
    return std::make_unique<StrictPriorityPolicy>(options);
  }
  if (name == FifoPolicy::kName) return std::make_unique<FifoPolicy>(options);
  if (name == FairPolicy::kName) return std::make_unique<FairPolicy>(options);
  if (name == DrfqPolicy::kName) return std::make_unique<DrfqPolicy>(options);
  if (name == SrfPolicy::kName) return std::make_unique<SrfPolicy>(options);
  return nullptr;
}

std::span<const absl::string_view> PolicyNames() {
  // Not constexpr: gcc's undefined-behaviour sanitizer finds no constant here.
  static const absl::string_view kNames[] = {
      StrictPriorityPolicy::kName, FifoPolicy::kName, FairPolicy::kName,
      DrfqPolicy::kName, SrfPolicy::kName};
  return kNames;
}

}  // namespace ascend::core
