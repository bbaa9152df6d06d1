#include "core/sched/stream.h"

#include "core/base/check.h"
#include "core/sched/claim.h"

namespace ascend::core {

uint64_t Stream::Append(TaskId task) {
  tasks_.push_back(task);
  return ++submitted_;
}

void Stream::RetireHead() {
  ASCEND_CHECK(head_in_flight_) << "retired a task that did not start";
  head_in_flight_ = false;
  tasks_.pop_front();
  ++retired_;
}

bool Stream::DropLast(TaskId* task) {
  if (tasks_.size() <= (head_in_flight_ ? 1u : 0u)) return false;
  *task = tasks_.back();
  tasks_.pop_back();
  ++retired_;
  return true;
}

Tick Stream::GapEnd(Tick gap_ticks) const {
  if (device_work_end_ == kNever) return 0;
  return SaturatingAdd(device_work_end_, gap_ticks);
}

HeadStep Stream::NextStep(const TaskTemplate& head, Tick gap_ticks,
                          const FenceTable& fences, Tick now) const {
  if (tasks_.empty() || head_in_flight_) return HeadStep::kNone;
  if (!head.refusal.ok()) return HeadStep::kStart;
  switch (head.condition.kind) {
    case WaitCondition::Kind::kNone:
      break;
    case WaitCondition::Kind::kFence:
      if (!fences.IsReached(head.condition.fence, head.condition.value)) {
        return HeadStep::kAwaitFence;
      }
      break;
    case WaitCondition::Kind::kNotify:
      return HeadStep::kAwaitNotify;
    case WaitCondition::Kind::kWord:
      return HeadStep::kReadWord;
  }
  if (const auto* kernel = std::get_if<KernelWork>(&head.work)) {
    if (now < GapEnd(gap_ticks)) return HeadStep::kAwaitGap;
    if (kernel->args_address != 0) return HeadStep::kFetch;
  }
  return IsEmpty(head.claim) ? HeadStep::kStart : HeadStep::kClaim;
}

}  // namespace ascend::core
