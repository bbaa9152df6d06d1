// Tasks whose wait may expire.
//
// A wait expires when its time has passed on two clocks. On the device clock,
// since that is what the caller means; on the host's as well, since a device
// clock with nothing to do jumps to whatever is due next, and would expire a
// wait of seconds before the host had a chance to submit what ends it.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "core/machine/limits.h"
#include "core/machine/machine_impl.h"

namespace ascend::core {

void Machine::Impl::StartWaitTimer(TaskRecord& record) {
  const Tick timeout = record.what.condition.timeout_ticks;
  if (timeout == 0) return;
  record.wait_end_tick = SaturatingAdd(now_, timeout);
  if (record.wait_end_tick >= kClockEnd) return;  // no clock gets there
  if (options_.waits_for_jobs) {  // the host's clock does not count
    record.event = Push(record.wait_end_tick, Phase::kFence,
                        EventKind::kWaitExpires, record.id.value());
    return;
  }
  record.timer = TimerId(++last_timer_);
  timers_.emplace(record.timer, record.id);
  runners_.StartTimer(record.timer, timeout);
}

void Machine::Impl::StopWaitTimer(TaskRecord& record) {
  events_.Cancel(record.event);
  if (timers_.erase(record.timer) == 0) return;
  runners_.CancelTimer(record.timer);
  record.timer = {};
}

void Machine::Impl::OnTimer(TimerId timer) {
  const auto found = timers_.find(timer);
  if (found == timers_.end()) return;
  TaskRecord& record = tasks_.Get(found->second);
  timers_.erase(found);
  record.timer = {};
  // After what ends in the same instant, which may be what it waits for.
  record.event = Push(std::max(now_, record.wait_end_tick), Phase::kFence,
                      EventKind::kWaitExpires, record.id.value());
}

void Machine::Impl::ExpireWait(TaskRecord& record) {
  // On the chip, what the host is late with would be done by now.
  if (record.session->late_count > 0) return StartWaitTimer(record);
  if (record.what.condition.kind == WaitCondition::Kind::kFence) {
    fences_.RemoveWaiter(record.what.condition.fence, WaiterOf(record));
  }
  Unpark(record);
  record.what.refusal = MakeError(
      Reason::kEventSyncTimeout,
      absl::StrCat("a wait of the stream is not over after ",
                   record.what.condition.timeout_ticks / kTicksPerMillisecond,
                   " ms, the time that it was given"));
  PumpStream(*record.stream);
}

}  // namespace ascend::core
