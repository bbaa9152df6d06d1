// What a stream waits for besides work: notifies, words of memory, functions
// of the host.
//
// All three may wait for something that only a further call of the client
// brings. While a task of the session does, no malloc of it waits for memory in
// quarantine: nothing says that it would ever come back.

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "core/machine/machine_impl.h"
#include "core/machine/violation.h"

namespace ascend::core {
namespace {

constexpr uint64_t kWordBytes = sizeof(uint64_t);

bool Meets(uint64_t word, const WaitCondition& condition) {
  switch (condition.word) {
    case WordCondition::kGreaterOrEqual:
      return static_cast<int64_t>(word - condition.value) >= 0;
    case WordCondition::kEqual:
      return word == condition.value;
    case WordCondition::kAnd:
      return (word & condition.value) != 0;
    case WordCondition::kNor:
      return ~(word | condition.value) != 0;
  }
  return true;
}

}  // namespace

absl::Status Machine::Impl::Do(SessionState& session, const Command&,
                               const CreateNotify& create) {
  if (create.device.value() >= npus_.size()) {
    return Violation(absl::StrCat("CreateNotify names device ",
                                  create.device.value(), " of ", npus_.size()));
  }
  if (!session.notifies.Insert(create.notify,
                               std::make_unique<NotifyState>())) {
    return HandleViolation("CreateNotify", "notify", create.notify.ToBits());
  }
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command&,
                               const DestroyNotify& destroy) {
  std::unique_ptr<NotifyState> notify = session.notifies.Erase(destroy.notify);
  if (notify == nullptr) {
    return HandleViolation("DestroyNotify", "notify", destroy.notify.ToBits());
  }
  if (notify->task_count > 0) {
    session.destroyed_notifies[destroy.notify] = std::move(notify);
  }
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const RecordNotify& record) {
  NotifyState* const notify = session.notifies.Find(record.notify);
  if (notify == nullptr) {
    return HandleViolation("RecordNotify", "notify", record.notify.ToBits());
  }
  if (session.FindStream(record.stream) == nullptr) {
    return HandleViolation("RecordNotify", "stream", record.stream.ToBits());
  }
  ++notify->task_count;
  TaskTemplate what;
  what.work = NotifyWork{.notify = record.notify, .is_record = true};
  return AddToStream(session, command, record.stream, std::move(what));
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const WaitNotify& wait) {
  NotifyState* const notify = session.notifies.Find(wait.notify);
  if (notify == nullptr) {
    return HandleViolation("WaitNotify", "notify", wait.notify.ToBits());
  }
  if (session.FindStream(wait.stream) == nullptr) {
    return HandleViolation("WaitNotify", "stream", wait.stream.ToBits());
  }
  if (wait.timeout_ticks < 0) {
    return Violation(
        absl::StrCat("WaitNotify has a time-out of ", wait.timeout_ticks));
  }
  ++notify->task_count;
  TaskTemplate what;
  what.work = NotifyWork{.notify = wait.notify};
  what.condition = {.kind = WaitCondition::Kind::kNotify,
                    .timeout_ticks = wait.timeout_ticks};
  return AddToStream(session, command, wait.stream, std::move(what));
}

NotifyState& Machine::Impl::NotifyOf(const TaskRecord& record) {
  SessionState& session = *record.session;
  const NotifyHandle handle = std::get<NotifyWork>(record.what.work).notify;
  NotifyState* const notify = session.notifies.Find(handle);
  return notify != nullptr ? *notify
                           : *session.destroyed_notifies.find(handle)->second;
}

void Machine::Impl::AwaitNotify(TaskRecord& record) {
  NotifyState& notify = NotifyOf(record);
  if (notify.is_set) {
    notify.is_set = false;
    record.what.condition.kind = WaitCondition::Kind::kNone;
    return PumpStream(*record.stream);
  }
  notify.waiters.push_back(record.id);
  StartWaitTimer(record);
  NoteParked(*record.session);
}

void Machine::Impl::SetNotify(TaskRecord& record) {
  NotifyState& notify = NotifyOf(record);
  if (notify.waiters.empty()) {
    notify.is_set = true;
    return;
  }
  TaskRecord& woken = tasks_.Get(notify.waiters.front());
  notify.waiters.pop_front();
  --record.session->parked_count;
  woken.what.condition.kind = WaitCondition::Kind::kNone;
  PumpStream(*woken.stream);
}

void Machine::Impl::LeaveNotify(TaskRecord& record) {
  NotifyState& notify = NotifyOf(record);
  if (--notify.task_count > 0) return;
  // No effect on a notify that is live.
  record.session->destroyed_notifies.erase(
      std::get<NotifyWork>(record.what.work).notify);
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const WaitWord& wait) {
  if (session.FindStream(wait.stream) == nullptr) {
    return HandleViolation("WaitWord", "stream", wait.stream.ToBits());
  }
  if (wait.address % kWordBytes != 0) {
    return Violation(absl::StrCat("WaitWord names 0x", absl::Hex(wait.address),
                                  ", which is not aligned"));
  }
  TaskTemplate what;
  what.work = WordWork{.address = wait.address};
  what.condition = {.kind = WaitCondition::Kind::kWord,
                    .value = wait.value,
                    .word = wait.condition};
  const absl::Status found =
      CheckRange(session, wait.address, kWordBytes, Reach::kLive);
  if (!found.ok()) {
    what.refusal =
        MakeError(Reason::kInvalidArgument,
                  absl::StrCat("wait for the word at device address 0x",
                               absl::Hex(wait.address),
                               " is refused: ", found.message()));
  }
  return AddToStream(session, command, wait.stream, std::move(what));
}

void Machine::Impl::ReadWord(TaskRecord& record) {
  record.writes_seen = record.session->write_count;
  StartFetch(record, std::get<WordWork>(record.what.work).address, kWordBytes);
}

void Machine::Impl::OnWordRead(TaskRecord& record) {
  SessionState& session = *record.session;
  uint64_t word = 0;
  if (record.payload.size() == kWordBytes) {
    std::memcpy(&word, record.payload.data(), kWordBytes);
  }
  record.payload.clear();
  if (!record.result.ok()) {
    record.what.refusal = record.result;
  } else if (Meets(word, record.what.condition)) {
    record.what.condition.kind = WaitCondition::Kind::kNone;
  } else if (record.writes_seen == session.write_count) {
    session.word_waits.push_back(record.id);
    return NoteParked(session);
  }
  PumpStream(*record.stream);
}

void Machine::Impl::NoteWrite(SessionState& session) {
  ++session.write_count;
  for (const TaskId id : std::exchange(session.word_waits, {})) {
    --session.parked_count;
    PumpStream(*tasks_.Get(id).stream);
  }
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const HostFunction& function) {
  if (session.FindStream(function.stream) == nullptr) {
    return HandleViolation("HostFunction", "stream", function.stream.ToBits());
  }
  TaskTemplate what;
  what.work = HostWork{.is_awaited = function.is_awaited};
  return AddToStream(session, command, function.stream, std::move(what));
}

void Machine::Impl::StartHostFunction(TaskRecord& record) {
  const bool is_awaited = std::get<HostWork>(record.what.work).is_awaited;
  observer_.OnHostFunctionDue(record.session->id, record.is.ticket, now_,
                              is_awaited);
  if (!is_awaited) {
    return EndAfter(record, options_.spec.event_record_ticks);
  }
  record.session->due_functions.emplace(record.is.ticket, record.id);
  NoteParked(*record.session);
}

absl::Status Machine::Impl::Do(SessionState& session, const Command&,
                               const HostFunctionDone& done) {
  const auto found = session.due_functions.find(done.ticket);
  if (found == session.due_functions.end()) {
    return Violation(absl::StrCat("HostFunctionDone names ticket ",
                                  done.ticket.value(),
                                  ", whose function is not due"));
  }
  EndHostFunction(tasks_.Get(found->second));
  session.due_functions.erase(found);
  return absl::OkStatus();
}

void Machine::Impl::EndHostFunction(TaskRecord& record) {
  --record.session->parked_count;
  EndAfter(record, options_.spec.event_record_ticks);
}

void Machine::Impl::Unpark(TaskRecord& record) {
  SessionState& session = *record.session;
  switch (record.what.condition.kind) {
    case WaitCondition::Kind::kNotify:
      session.parked_count -= std::erase(NotifyOf(record).waiters, record.id);
      return;
    case WaitCondition::Kind::kWord:
      session.parked_count -= std::erase(session.word_waits, record.id);
      return;
    case WaitCondition::Kind::kNone:
    case WaitCondition::Kind::kFence:
      return;
  }
}

void Machine::Impl::NoteParked(SessionState& session) {
  ++session.parked_count;
  std::deque<Ticket> waiting;
  waiting.swap(session.waiting_mallocs);
  for (const Ticket ticket : waiting) {
    const PendingRequest& pending = session.pending.find(ticket)->second;
    const AllocationResult result =
        TryMalloc(session, pending.lane, pending.malloc);
    AnswerPending(session, ticket, result.status,
                  MallocReply{.address = result.va});
  }
}

}  // namespace ascend::core
