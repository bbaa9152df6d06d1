// Closing: what has not started is dropped, what runs is waited for, then
// everything goes back.

#include <utility>

#include "core/base/check.h"
#include "core/machine/machine_impl.h"

namespace ascend::core {

void Machine::Impl::BeginClose(SessionState& session) {
  session.is_closing = true;
  run_.LeaveAll(session.id);
  events_.Cancel(session.admit_event);
  session.input.Clear();
  session.early_frees.clear();
  session.pending.clear();
  session.waiting_mallocs.clear();
  session.streams.ForEach([this](StreamHandle, StreamState& stream) {
    stream.is_closing = true;
    TaskId id;
    while (stream.queue.DropLast(&id)) {
      DropTask(tasks_.Get(id), absl::OkStatus());
    }
  });
  const std::vector<TaskId> loose(session.loose_tasks.begin(),
                                  session.loose_tasks.end());
  for (const TaskId id : loose) {
    TaskRecord& record = tasks_.Get(id);
    if (record.is.state == TaskState::kReady) {
      DropTask(record, absl::OkStatus());
    }
  }
  for (const auto& [ticket, id] : std::exchange(session.due_functions, {})) {
    EndHostFunction(tasks_.Get(id));
  }
  runners_.CancelJobs(session.id);
  FinishCloseIfIdle(session);
}

void Machine::Impl::FinishCloseIfIdle(SessionState& session) {
  if (session.in_flight_count > 0) return;
  ASCEND_CHECK(session.tasks_pending == 0 && session.loose_tasks.empty())
      << session.tasks_pending << " tasks outlive session "
      << session.id.value();
  const SessionId id = session.id;
  SessionUsage last;
  GetSessionUsage(id, &last);
  session.streams.ForEach([this](StreamHandle, StreamState& stream) {
    fences_.Destroy(stream.queue.fence());
    --NpuOf(stream.device).stream_count;
  });
  for (const auto& npu : npus_) {
    if (session.has_own_tenant) {
      npu->scheduler.ForgetTenant(session.options.tenant);
    }
  }
  memory_.CloseSession(id);
  sessions_.erase(id);
  observer_.OnSessionClosed(id, last);
}

}  // namespace ascend::core
