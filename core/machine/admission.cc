// Commands: their order, and those that need no waiting and no engine.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "core/machine/limits.h"
#include "core/machine/machine_impl.h"
#include "core/machine/violation.h"

namespace ascend::core {
namespace {

constexpr char kBuiltinPackage[] = "builtin:ops";

}  // namespace

void Machine::Impl::Submit(SessionId id, Command command) {
  SessionState* session = FindSession(id);
  if (session == nullptr || session->is_closing) return;
  if (command.ticket.value() != session->last_ticket + 1) {
    return Violate(*session, Violation(absl::StrCat(
                                 "ticket ", command.ticket.value(),
                                 " follows ticket ", session->last_ticket)));
  }
  ++session->last_ticket;
  session->held_bytes += PayloadBytes(command.operation);
  const bool is_first = session->input.Push(std::move(command));
  const uint64_t held = session->input.size() + session->early_frees.size() +
                        session->tasks_pending;
  if (held > options_.limits.held_commands_max ||
      session->held_bytes > options_.limits.held_bytes_max) {
    return Violate(*session,
                   Violation(absl::StrCat(
                       "session has ", held, " commands and tasks with ",
                       session->held_bytes, " bytes on their way, of at most ",
                       options_.limits.held_commands_max, " with ",
                       options_.limits.held_bytes_max)));
  }
  if (is_first) ScheduleAdmission(*session);
}

void Machine::Impl::ScheduleAdmission(SessionState& session) {
  const Command& front = session.input.First();
  if (front.stamp > SaturatingAdd(now_, kStampLeadMax)) {
    return Violate(session,
                   Violation(absl::StrCat(
                       OperationName(front.operation), " of ticket ",
                       front.ticket.value(), " is stamped ", front.stamp,
                       ", more than ", kStampLeadMax / kTicksPerSecond,
                       " s ahead of the clock, which stands at ", now_)));
  }
  const Tick tick = std::max(std::min(front.stamp, kClockEnd), now_);
  events_.Cancel(session.admit_event);
  session.admit_event = Push(tick, Phase::kAdmit, EventKind::kAdmit,
                             session.id.value(), session.options.rank);
}

void Machine::Impl::AdmitFront(SessionState& session) {
  Command command = session.input.Pop();
  session.held_bytes -= PayloadBytes(command.operation);
  absl::Status status = Execute(session, command);
  if (status.ok()) status = DoEarlyFrees(session);
  if (status.ok()) status = CheckLimits(session);
  if (!status.ok()) return Violate(session, status);
  if (!session.input.empty()) ScheduleAdmission(session);
}

absl::Status Machine::Impl::CheckLimits(const SessionState& session) const {
  if (session.pending.size() > options_.limits.requests_max) {
    return Violation(absl::StrCat("session waits for ", session.pending.size(),
                                  " replies, of at most ",
                                  options_.limits.requests_max));
  }
  if (session.wait_count > options_.limits.waits_max) {
    return Violation(absl::StrCat(
        "requests of the session wait for ", session.wait_count,
        " streams in all, of at most ", options_.limits.waits_max));
  }
  return absl::OkStatus();
}

void Machine::Impl::Violate(SessionState& session, absl::Status why) {
  observer_.OnProtocolViolation(session.id, std::move(why));
  BeginClose(session);
}

void Machine::Impl::Answer(SessionState& session, const Command& command,
                           absl::Status status, ReplyPayload payload) {
  Answer(session, command.ticket, command.lane, std::move(status),
         std::move(payload));
}

void Machine::Impl::Answer(SessionState& session, Ticket ticket, LaneId lane,
                           absl::Status status, ReplyPayload payload) {
  Reply reply;
  reply.ticket = ticket;
  reply.lane = lane;
  reply.tick = now_;
  if (status.ok()) reply.payload = std::move(payload);
  reply.status = std::move(status);
  observer_.OnReply(session.id, std::move(reply));
}

absl::Status Machine::Impl::Execute(SessionState& session, Command& command) {
  return std::visit(
      [&](auto& operation) { return Do(session, command, operation); },
      command.operation);
}

bool Machine::Impl::HasStreamLeft(DeviceId device) const {
  return npus_[device.value()]->stream_count < options_.spec.streams_max;
}

bool Machine::Impl::AddStream(SessionState& session, StreamHandle handle,
                              ContextHandle context_handle,
                              ContextState& context, uint32_t priority,
                              bool is_default) {
  const FenceId fence = fences_.Create();
  auto stream = std::make_unique<StreamState>(handle, fence);
  stream->device = context.device;
  stream->context = context_handle;
  stream->priority = std::min(priority, kPriorityLeast);
  stream->is_default = is_default;
  stream->number = ++session.streams_created;
  if (!session.streams.Insert(handle, std::move(stream))) {
    fences_.Destroy(fence);
    return false;
  }
  context.streams.push_back(handle);
  ++NpuOf(context.device).stream_count;
  return true;
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const CreateContext& create) {
  if (create.device.value() >= npus_.size()) {
    Answer(session, command,
           MakeError(Reason::kUnknownDevice,
                     absl::StrCat("device is ", create.device.value(),
                                  ", but the daemon has ", npus_.size(),
                                  " devices; ids begin at 0")));
    return absl::OkStatus();
  }
  if (!HasStreamLeft(create.device)) {
    Answer(session, command, StreamsExhausted(options_.spec.streams_max));
    return absl::OkStatus();
  }
  auto context = std::make_unique<ContextState>();
  context->device = create.device;
  ContextState& state = *context;
  if (!session.contexts.Insert(create.context, std::move(context))) {
    return HandleViolation("CreateContext", "context", create.context.ToBits());
  }
  if (!AddStream(session, create.default_stream, create.context, state,
                 /*priority=*/0, /*is_default=*/true)) {
    return HandleViolation("CreateContext", "default stream",
                           create.default_stream.ToBits());
  }
  Answer(session, command, absl::OkStatus());
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const CreateStream& create) {
  ContextState* context = session.FindContext(create.context);
  if (context == nullptr) {
    return HandleViolation("CreateStream", "context", create.context.ToBits());
  }
  if (!HasStreamLeft(context->device)) {
    Answer(session, command, StreamsExhausted(options_.spec.streams_max));
    return absl::OkStatus();
  }
  if (!AddStream(session, create.stream, create.context, *context,
                 create.priority, /*is_default=*/false)) {
    return HandleViolation("CreateStream", "stream", create.stream.ToBits());
  }
  Answer(session, command, absl::OkStatus());
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const QueryStream& query) {
  const StreamState* stream = session.FindStream(query.stream);
  if (stream == nullptr) {
    return HandleViolation("QueryStream", "stream", query.stream.ToBits());
  }
  Answer(session, command, absl::OkStatus(),
         QueryReply{.complete = stream->queue.pending() == 0});
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command&,
                               const CreateEvent& create) {
  if (create.device.value() >= npus_.size()) {
    return Violation(absl::StrCat("CreateEvent names device ",
                                  create.device.value(), " of ", npus_.size()));
  }
  if (!session.events.Insert(create.event, std::make_unique<EventState>())) {
    return HandleViolation("CreateEvent", "event", create.event.ToBits());
  }
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command&,
                               const DestroyEvent& destroy) {
  if (session.events.Erase(destroy.event) == nullptr) {
    return HandleViolation("DestroyEvent", "event", destroy.event.ToBits());
  }
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const QueryEvent& query) {
  const EventState* event = session.events.Find(query.event);
  if (event == nullptr) {
    return HandleViolation("QueryEvent", "event", query.event.ToBits());
  }
  Answer(session, command, absl::OkStatus(),
         EventReply{.recorded = event->is_recorded,
                    .complete = event->is_complete,
                    .record_tick = event->record_tick,
                    .is_awaited = event->wait_count > 0});
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const QueryUtilization& query) {
  if (query.device.value() >= npus_.size()) {
    return Violation(absl::StrCat("QueryUtilization names device ",
                                  query.device.value(), " of ", npus_.size()));
  }
  const UnitTicks integral = NpuOf(query.device).units.Integral(now_);
  const UtilizationMark mark = std::exchange(
      session.utilization[query.device.value()], {now_, integral});
  const auto percent = [&](UsageTicks held, uint32_t units) {
    const UsageTicks all = UsageTicks{units} * (now_ - mark.tick);
    return all == 0 ? 0 : static_cast<uint32_t>(held * 100 / all);
  };
  Answer(session, command, absl::OkStatus(),
         UtilizationReply{
             .cube_percent = percent(integral.cube - mark.unit_ticks.cube,
                                     options_.spec.cube_units),
             .aiv_percent = percent(integral.aiv - mark.unit_ticks.aiv,
                                    options_.spec.aiv_units)});
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const LoadPackage& load) {
  if (load.name != kBuiltinPackage) {
    Answer(session, command,
           MakeError(Reason::kUnknownKernel,
                     absl::StrCat("package is '", load.name, "', but only '",
                                  kBuiltinPackage, "' can be loaded")));
    return absl::OkStatus();
  }
  PackageReply package;
  for (const KernelDescriptor& kernel : options_.catalog->descriptors()) {
    package.kernels.push_back(
        {kernel.id.value(), kernel.name, kernel.args_bytes});
  }
  Answer(session, command, absl::OkStatus(), std::move(package));
  return absl::OkStatus();
}

}  // namespace ascend::core
