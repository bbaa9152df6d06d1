#include "core/sched/policy.h"

#include "core/sched/policies/fifo.h"
#include "core/sched/policies/strict_priority.h"

namespace ascend::core {

std::unique_ptr<Policy> MakePolicy(absl::string_view name) {
  if (name == FifoPolicy::kName) return std::make_unique<FifoPolicy>();
  if (name == StrictPriorityPolicy::kName) {
    return std::make_unique<StrictPriorityPolicy>();
  }
  return nullptr;
}

std::span<const absl::string_view> PolicyNames() {
  // Not constexpr: gcc's undefined-behaviour sanitizer finds no constant here.
  static const absl::string_view kNames[] = {StrictPriorityPolicy::kName,
                                             FifoPolicy::kName};
  return kNames;
}

}  // namespace ascend::core
