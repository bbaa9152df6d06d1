// What keeps tasks of a stream from starting: abort, and a failure that stops
// the context.

#include <algorithm>
#include <utility>
#include <vector>

#include "core/machine/machine_impl.h"
#include "core/machine/violation.h"

namespace ascend::core {

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const AbortStream& abort) {
  StreamState* const stream = session.FindStream(abort.stream);
  if (stream == nullptr) {
    return HandleViolation("AbortStream", "stream", abort.stream.ToBits());
  }
  PendingRequest& pending = session.pending[command.ticket];
  pending.kind = PendingRequest::Kind::kAbortStream;
  pending.lane = command.lane;
  // In front of all: every Synchronize covers it.
  stream->first_error = {.status = AbortedError(),
                         .number = ++session.error_count};
  DropQueued(session, *stream, AbortedError());
  AwaitStream(session, command.ticket, *stream, stream->queue.submitted());
  if (pending.fences_left == 0) FinishRequest(session, command.ticket);
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command&,
                               const SetStreamPriority& set) {
  StreamState* const stream = session.FindStream(set.stream);
  if (stream == nullptr) {
    return HandleViolation("SetStreamPriority", "stream", set.stream.ToBits());
  }
  stream->priority = std::min(set.priority, kPriorityLeast);
  if (!stream->queue.has_head()) return absl::OkStatus();
  const TaskRecord& head = tasks_.Get(stream->queue.head());
  NpuOf(stream->device)
      .scheduler.SetPriority(head.id, InheritedPriority(*stream));
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command&,
                               const StopContextOnFailure& set) {
  StreamState* const stream = session.FindStream(set.stream);
  if (stream == nullptr) {
    return HandleViolation("StopContextOnFailure", "stream",
                           set.stream.ToBits());
  }
  stream->stops_context = true;
  return absl::OkStatus();
}

void Machine::Impl::NoteFailure(const TaskRecord& record) {
  SessionState& session = *record.session;
  StreamState& stream = *record.stream;
  const absl::Status& status = stream.last_error.status;
  ContextState& context = *session.contexts.Find(stream.context);
  const bool stops = stream.stops_context && context.failure.ok();
  if (stops) {
    context.failure = status;
    session.stopping_contexts.push_back(stream.context);
    Push(now_, Phase::kFence, EventKind::kContextsStop, session.id.value());
  }
  observer_.OnTaskFailed(session.id, {.stream = stream.handle,
                                      .lane = record.is.lane,
                                      .task = record.is.value,
                                      .status = status,
                                      .stops_context = stops});
}

void Machine::Impl::StopContexts(SessionState& session) {
  for (const ContextHandle handle :
       std::exchange(session.stopping_contexts, {})) {
    const ContextState* const context = session.contexts.Find(handle);
    if (context == nullptr) continue;
    // Copies: dropping tasks may finish the destruction of all of these.
    const absl::Status failure = context->failure;
    const std::vector<StreamHandle> streams = context->streams;
    for (const StreamHandle stream_handle : streams) {
      StreamState* const stream = session.streams.Find(stream_handle);
      if (stream != nullptr) DropQueued(session, *stream, failure);
    }
  }
}

void Machine::Impl::DropQueued(SessionState& session, StreamState& stream,
                               const absl::Status& why) {
  stream.dropped_value = stream.queue.submitted();
  stream.dropped_why = why;
  TaskId id;
  while (stream.queue.DropLast(&id)) DropTask(tasks_.Get(id), why);
  RetireMemory(session);
  ReportProgress(session, stream);
  if (!stream.queue.head_in_flight()) RaiseFence(stream);
}

void Machine::Impl::DropTask(TaskRecord& record, const absl::Status& why) {
  StopWaitTimer(record);
  const WaitCondition& condition = record.what.condition;
  if (condition.kind == WaitCondition::Kind::kFence &&
      !record.stream->queue.has_head()) {  // so it was the head
    fences_.RemoveWaiter(condition.fence, WaiterOf(record));
  }
  Unpark(record);
  if (record.is.state == TaskState::kReady) {
    NpuOf(record.what.device).scheduler.Withdraw(record.id);
  }
  if (!record.session->is_closing) {
    record.result = why;
    SettleResult(record);
  }
  ReleaseTask(record);
}

}  // namespace ascend::core
