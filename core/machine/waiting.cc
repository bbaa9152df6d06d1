// Requests that wait for tasks: synchronise, destroy; and their cancelling.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/check.h"
#include "core/machine/machine_impl.h"
#include "core/machine/violation.h"

namespace ascend::core {

std::vector<StreamState*> Machine::Impl::StreamsOf(
    const SessionState& session, const Synchronize& target) const {
  std::vector<StreamState*> streams;
  const auto add = [&](StreamHandle handle) {
    StreamState* stream = session.streams.Find(handle);
    if (stream != nullptr) streams.push_back(stream);
  };
  switch (target.target) {
    case Synchronize::Target::kEvent:
    case Synchronize::Target::kStream:
      add(target.stream);
      break;
    case Synchronize::Target::kContext:
      if (const ContextState* context = session.contexts.Find(target.context)) {
        for (const StreamHandle handle : context->streams) add(handle);
      }
      break;
    case Synchronize::Target::kDevice:
      session.contexts.ForEach([&](ContextHandle, const ContextState& context) {
        if (context.device != target.device) return;
        for (const StreamHandle handle : context.streams) add(handle);
      });
      break;
  }
  return streams;
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const Synchronize& synchronize) {
  Synchronize target = synchronize;
  uint64_t event_value = 0;
  if (target.target == Synchronize::Target::kEvent) {
    const EventState* event = session.events.Find(target.event);
    if (event == nullptr) {
      return HandleViolation("Synchronize", "event", target.event.ToBits());
    }
    target.stream = event->stream;
    event_value = event->value;
  }
  if ((target.target == Synchronize::Target::kStream &&
       session.FindStream(target.stream) == nullptr)) {
    return HandleViolation("Synchronize", "stream", target.stream.ToBits());
  }
  if (target.target == Synchronize::Target::kContext &&
      session.FindContext(target.context) == nullptr) {
    return HandleViolation("Synchronize", "context", target.context.ToBits());
  }
  if (target.target == Synchronize::Target::kDevice &&
      target.device.value() >= npus_.size()) {
    return Violation(absl::StrCat("Synchronize names device ",
                                  target.device.value(), " of ", npus_.size()));
  }
  PendingRequest& pending = session.pending[command.ticket];
  pending.kind = PendingRequest::Kind::kSynchronize;
  pending.lane = command.lane;
  pending.synchronize = target;
  // An event that was never recorded, or whose stream is gone, covers nothing.
  for (StreamState* stream : StreamsOf(session, target)) {
    const uint64_t value = target.target == Synchronize::Target::kEvent
                               ? event_value
                               : stream->queue.submitted();
    AwaitStream(session, command.ticket, *stream, value);
    if (!target.stream.is_null()) pending.covered_value = value;
  }
  if (pending.fences_left == 0) FinishRequest(session, command.ticket);
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const AwaitProgress& await) {
  StreamState* const stream = session.FindStream(await.stream);
  if (stream == nullptr) {
    return HandleViolation("AwaitProgress", "stream", await.stream.ToBits());
  }
  if (await.retired > stream->queue.submitted()) {
    return Violation(absl::StrCat("AwaitProgress waits for ", await.retired,
                                  " tasks of ", stream->queue.submitted()));
  }
  PendingRequest& pending = session.pending[command.ticket];
  pending.kind = PendingRequest::Kind::kProgress;
  pending.lane = command.lane;
  AwaitStream(session, command.ticket, *stream, await.retired);
  if (pending.fences_left == 0) FinishRequest(session, command.ticket);
  return absl::OkStatus();
}

void Machine::Impl::AwaitStream(SessionState& session, Ticket ticket,
                                StreamState& stream, uint64_t value) {
  const FenceId fence = stream.queue.fence();
  if (fences_.IsReached(fence, value)) return;
  fences_.AddWaiter(fence, value, WaiterOf(session, ticket));
  ++session.pending[ticket].fences_left;
  ++session.wait_count;
}

FenceWaiter Machine::Impl::WaiterOf(const SessionState& session,
                                    Ticket ticket) {
  return {.kind = FenceWaiter::Kind::kRequest,
          .session = session.id,
          .key = ticket.value()};
}

void Machine::Impl::DropSynchronize(SessionState& session, Ticket ticket) {
  const auto found = session.pending.find(ticket);
  const PendingRequest& pending = found->second;
  for (const StreamState* stream : StreamsOf(session, pending.synchronize)) {
    fences_.RemoveWaiter(stream->queue.fence(), WaiterOf(session, ticket));
  }
  session.wait_count -= pending.fences_left;
  session.pending.erase(found);
}

absl::Status Machine::Impl::Do(SessionState& session, const Command&,
                               const CancelWait& cancel) {
  const auto found = session.pending.find(cancel.ticket);
  if (found == session.pending.end()) return absl::OkStatus();
  switch (found->second.kind) {
    case PendingRequest::Kind::kMalloc:
      std::erase(session.waiting_mallocs, cancel.ticket);
      session.pending.erase(found);
      break;
    case PendingRequest::Kind::kSynchronize:
      DropSynchronize(session, cancel.ticket);
      break;
    case PendingRequest::Kind::kCopy:
    case PendingRequest::Kind::kDestroyStream:
    case PendingRequest::Kind::kDestroyContext:
    case PendingRequest::Kind::kAbortStream:
    case PendingRequest::Kind::kProgress:
      found->second.is_cancelled = true;
      break;
  }
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const DestroyStream& destroy) {
  StreamState* stream = session.FindStream(destroy.stream);
  if (stream == nullptr || stream->is_default) {
    return HandleViolation("DestroyStream", "stream", destroy.stream.ToBits());
  }
  stream->is_closing = true;
  PendingRequest& pending = session.pending[command.ticket];
  pending.kind = PendingRequest::Kind::kDestroyStream;
  pending.lane = command.lane;
  pending.stream = destroy.stream;
  if (destroy.force) DropQueued(session, *stream, DroppedError());
  AwaitStream(session, command.ticket, *stream, stream->queue.submitted());
  if (pending.fences_left == 0) FinishRequest(session, command.ticket);
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const DestroyContext& destroy) {
  ContextState* context = session.FindContext(destroy.context);
  if (context == nullptr) {
    return HandleViolation("DestroyContext", "context",
                           destroy.context.ToBits());
  }
  context->is_closing = true;
  PendingRequest& pending = session.pending[command.ticket];
  pending.kind = PendingRequest::Kind::kDestroyContext;
  pending.lane = command.lane;
  pending.context = destroy.context;
  // A copy: dropping tasks may finish the destruction of one of the streams.
  const std::vector<StreamHandle> handles = context->streams;
  for (const StreamHandle handle : handles) {
    StreamState* stream = session.streams.Find(handle);
    if (stream == nullptr) continue;
    stream->is_closing = true;
    if (destroy.force) DropQueued(session, *stream, DroppedError());
  }
  for (const StreamHandle handle : handles) {
    StreamState* stream = session.streams.Find(handle);
    if (stream == nullptr) continue;
    AwaitStream(session, command.ticket, *stream, stream->queue.submitted());
  }
  if (pending.fences_left == 0) FinishRequest(session, command.ticket);
  return absl::OkStatus();
}

void Machine::Impl::RaiseFence(StreamState& stream) {
  std::vector<FenceWaiter> woken;
  fences_.Raise(stream.queue.fence(), stream.queue.retired(), &woken);
  Wake(woken);
}

void Machine::Impl::Wake(const std::vector<FenceWaiter>& woken) {
  for (const FenceWaiter& waiter : woken) {
    SessionState& session = *FindSession(waiter.session);
    if (waiter.kind == FenceWaiter::Kind::kStream) {
      StreamState* stream =
          session.streams.Find(StreamHandle::FromBits(waiter.key));
      if (stream != nullptr) PumpStream(*stream);
      continue;
    }
    const Ticket ticket(waiter.key);
    const auto found = session.pending.find(ticket);
    ASCEND_CHECK(found != session.pending.end())
        << "request " << ticket.value() << " is woken but does not wait";
    --session.wait_count;
    if (--found->second.fences_left == 0) FinishRequest(session, ticket);
  }
}

void Machine::Impl::FinishRequest(SessionState& session, Ticket ticket) {
  const PendingRequest& pending = session.pending.find(ticket)->second;
  absl::Status status;
  switch (pending.kind) {
    case PendingRequest::Kind::kSynchronize:
      status = TakeError(session, pending);
      break;
    case PendingRequest::Kind::kAbortStream:
    case PendingRequest::Kind::kProgress:
      break;
    case PendingRequest::Kind::kDestroyStream:
      EraseStream(session, pending.stream);
      break;
    case PendingRequest::Kind::kDestroyContext: {
      const std::vector<StreamHandle> handles =
          session.contexts.Find(pending.context)->streams;
      for (const StreamHandle handle : handles) EraseStream(session, handle);
      session.contexts.Erase(pending.context);
      break;
    }
    case PendingRequest::Kind::kCopy:
    case PendingRequest::Kind::kMalloc:
      ASCEND_CHECK(false) << "request " << ticket.value()
                          << " does not wait for a fence";
  }
  AnswerPending(session, ticket, std::move(status));
}

absl::Status Machine::Impl::TakeError(SessionState& session,
                                      const PendingRequest& request) {
  StreamState* first = nullptr;
  for (StreamState* stream : StreamsOf(session, request.synchronize)) {
    const StreamError& error = stream->first_error;
    if (error.status.ok() || error.value > request.covered_value) continue;
    if (first == nullptr || error.number < first->first_error.number) {
      first = stream;
    }
  }
  if (first == nullptr) return absl::OkStatus();
  if (first->last_error.value <= request.covered_value) first->last_error = {};
  return std::exchange(first->first_error, first->last_error).status;
}

void Machine::Impl::EraseStream(SessionState& session, StreamHandle handle) {
  const std::unique_ptr<StreamState> stream = session.streams.Erase(handle);
  if (stream == nullptr) return;  // destroyed apart from its context
  ASCEND_CHECK(stream->queue.pending() == 0)
      << stream->queue.pending() << " tasks in a stream that goes away";
  fences_.Destroy(stream->queue.fence());
  ContextState* context = session.contexts.Find(stream->context);
  std::erase(context->streams, handle);
  --NpuOf(stream->device).stream_count;
}

void Machine::Impl::AnswerPending(SessionState& session, Ticket ticket,
                                  absl::Status status, ReplyPayload payload) {
  const auto found = session.pending.find(ticket);
  ASCEND_CHECK(found != session.pending.end())
      << "request " << ticket.value() << " is answered twice";
  const PendingRequest pending = std::move(found->second);
  session.pending.erase(found);
  if (pending.is_cancelled) return;
  Answer(session, ticket, pending.lane, std::move(status), std::move(payload));
}

}  // namespace ascend::core
