#include "server/machine_host_impl.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "core/base/thread_slice.h"
#include "server/service_thread.h"

namespace ascend::server {
namespace {

using core::JobId;
using core::MakeError;
using core::MutexLock;
using core::Reason;
using core::SessionId;
using core::Tick;
using core::Ticket;

absl::Status ShuttingDown() {
  return MakeError(Reason::kConnectionLost,
                   "the daemon is shutting down; connect again once it runs");
}

}  // namespace

MachineHostImpl::MachineHostImpl(MachineHostOptions options,
                                 PrepareKernel prepare,
                                 std::unique_ptr<InputRecorder> recorder)
    : options_(std::move(options)),
      started_at_(HostClock::Now()),
      mailbox_(kPendingCommandsMax),
      copies_(options_.copy_threads),
      store_(copies_),
      transfers_(copies_, *this),
      kernels_({.threads = 2 * options_.kernel_threads,
                .per_session = options_.kernel_threads,
                .time_limit = options_.kernel_time_limit},
               std::move(prepare), store_, *this),
      runners_({copies_, kernels_, transfers_, store_, sessions_, *this,
                timers_,
                [this](SessionId id, Ticket ticket) {
                  if (HostSession* const session = sessions_.Touch(id)) {
                    session->sink->OnTransferDue(ticket);
                  }
                },
                [this](SessionId id, Ticket ticket) {
                  return ClientTicket(id, ticket);
                }}),
      gate_({options_.machine.spec.host_lookahead_ticks, options_.clock}),
      trace_(options_.trace_spans_max == 0
                 ? std::nullopt
                 : std::make_optional<TraceRecorder>(options_.machine,
                                                     options_.trace_spans_max)),
      recorder_(std::move(recorder)),
      machine_(MakeMachine()),
      thread_(StartServiceThread("machine", core::kPromptSlice,
                                 [this] { RunMachineThread(); })) {}

std::unique_ptr<core::Machine> MachineHostImpl::MakeMachine() {
  core::MachineOptions options = options_.machine;
  if (recorder_ != nullptr) {
    input_log_ = std::make_unique<core::InputLogWriter>(
        options,
        [this](std::string bytes) { recorder_->Append(std::move(bytes)); });
    options.input_log = input_log_.get();
  }
  return std::make_unique<core::Machine>(std::move(options), store_, runners_,
                                         static_cast<core::Observer&>(*this));
}

MachineHostImpl::~MachineHostImpl() { Shutdown(HostClock::Now()); }

// --- Any thread --------------------------------------------------------------

absl::StatusOr<SessionGrant> MachineHostImpl::OpenSession(
    Peer peer, std::string program, std::shared_ptr<SessionSink> sink) {
  absl::StatusOr<SessionGrant> grant = ShuttingDown();
  RunErrand([&] {
    grant = LetIn(std::move(peer), std::move(program), std::move(sink));
  });
  return grant;
}

void MachineHostImpl::CloseSession(SessionId session) {
  RunTurnsIf(mailbox_.Post(EndOfSession{session, absl::OkStatus()}));
}

bool MachineHostImpl::Post(SessionId session,
                           std::vector<core::Command> commands) {
  const Mailbox::Posted posted =
      mailbox_.PostCommands(session, std::move(commands));
  RunTurnsIf(posted);
  return posted.has_room;
}

void MachineHostImpl::EndSession(SessionId session, absl::Status why) {
  OnViolation(session, std::move(why));
}

void MachineHostImpl::AttachBulk(SessionId session,
                                 std::shared_ptr<BulkSink> sink) {
  transfers_.AttachBulk(session, std::move(sink));
}

void MachineHostImpl::ReceiveUpload(SessionId session, Ticket ticket,
                                    uint64_t offset, BulkBytes bytes,
                                    std::function<void()> consumed) {
  transfers_.ReceiveChunk(session, ticket, offset, std::move(bytes),
                          std::move(consumed));
}

void MachineHostImpl::FailUpload(SessionId session, Ticket ticket,
                                 absl::Status why) {
  transfers_.FailUpload(session, ticket, std::move(why));
}

void MachineHostImpl::DownloadDone(SessionId session, Ticket ticket,
                                   absl::Status status) {
  transfers_.FinishDownload(session, ticket, std::move(status));
}

void MachineHostImpl::OnRoom(SessionId session) {
  const Mailbox::Posted posted =
      mailbox_.Post(Errand([this, session] { runners_.GoOn(session); }));
  if (!posted.has_turn) return;
  // The caller is about to write; a turn here could bring it back here.
  mailbox_.EndTurn(Mailbox::kAtOnce);
  mailbox_.LeaveTurns();
}

HostSnapshot MachineHostImpl::Snapshot() {
  HostSnapshot snapshot;
  RunErrand([&] { snapshot = TakeSnapshot(); });
  return snapshot;
}

std::optional<core::Trace> MachineHostImpl::GetTrace() {
  if (options_.trace_spans_max == 0) return std::nullopt;
  std::optional<core::Trace> trace;
  return RunErrand([&] { trace = trace_->Snapshot(); }) ? std::move(trace)
                                                        : last_trace_;
}

void MachineHostImpl::Shutdown(HostClock::TimePoint deadline) {
  if (!thread_.joinable()) return;
  RunErrand([this] { refuses_sessions_ = true; });
  {
    MutexLock lock(session_count_mutex_);
    while (session_count_ != 0 &&
           sessions_gone_.WaitUntil(session_count_mutex_, deadline)) {
    }
  }
  RunErrand([this] { EndAllSessions(ShuttingDown()); });
  {
    // Their jobs end at the next slice or chunk.
    MutexLock lock(session_count_mutex_);
    while (session_count_ != 0) sessions_gone_.Wait(session_count_mutex_);
  }
  RunErrand([this] {
    if (trace_.has_value()) last_trace_ = trace_->Snapshot();
  });
  mailbox_.Close();
  thread_.join();
  kernels_.Stop();
  copies_.Stop();
}

void MachineHostImpl::OnJobEnded(JobId job, core::JobResult result) {
  RunTurnsIf(mailbox_.Post(EndedJob{job, std::move(result)}));
}

void MachineHostImpl::OnViolation(SessionId session, absl::Status why) {
  RunTurnsIf(mailbox_.Post(EndOfSession{session, std::move(why)}));
}

bool MachineHostImpl::RunErrand(const std::function<void()>& errand) {
  core::Mutex mutex;
  core::CondVar done;
  bool is_done = false;
  const Mailbox::Posted posted = mailbox_.Post(Errand([&] {
    errand();
    // Notified under the mutex: the waiter ends the condition's life.
    MutexLock lock(mutex);
    is_done = true;
    done.NotifyOne();
  }));
  if (posted.is_closed) return false;
  RunTurnsIf(posted);
  MutexLock lock(mutex);
  while (!is_done) done.Wait(mutex);
  return true;
}

void MachineHostImpl::RunMachineThread() {
  while (mailbox_.AwaitTurn()) RunTurns();
}

void MachineHostImpl::RunTurns() {
  std::vector<Parting> partings;
  int turns = 0;
  do {
    mailbox_.EndTurn(RunTurn(&partings));
    // After the turn, as a sink may write to its client.
    for (const Parting& parting : partings) {
      parting.is_drained ? parting.sink->OnDrained() : parting.sink->Flush();
    }
    partings.clear();
  } while (++turns < kTurnsPerVisitMax && mailbox_.TakeTurn());
  if (turns == kTurnsPerVisitMax) mailbox_.LeaveTurns();
}

// --- In a turn ---------------------------------------------------------------

std::optional<HostClock::TimePoint> MachineHostImpl::RunTurn(
    std::vector<Parting>* partings) {
  Mailbox::Contents contents = mailbox_.Take();
  turn_began_ = HostClock::Now();
  for (MailboxEntry& entry : contents.entries) TakeIn(std::move(entry));
  for (const core::TimerId timer : timers_.TakeEnded(turn_began_)) {
    machine_->OnTimer(timer);
  }
  const std::optional<HostClock::TimePoint> next_turn = Advance();
  CollectPartings(UpdateHolds(std::move(contents.refused)), partings);
  const std::optional<HostClock::TimePoint> timer_end = timers_.NextEnd();
  if (!next_turn.has_value()) return timer_end;
  return std::min(*next_turn, timer_end.value_or(*next_turn));
}

void MachineHostImpl::TakeIn(MailboxEntry entry) {
  if (auto* const posted = std::get_if<PostedCommands>(&entry)) {
    TakeInCommands(std::move(*posted));
  } else if (auto* const ended = std::get_if<EndedJob>(&entry)) {
    machine_->OnJobDone(ended->job, std::move(ended->result));
  } else if (auto* const end = std::get_if<EndOfSession>(&entry)) {
    TakeInEndOfSession(std::move(*end));
  } else {
    std::get<Errand>(entry)();
  }
}

void MachineHostImpl::TakeInCommands(PostedCommands posted) {
  if (options_.ignore_tickets_for_test) {
    arrival_order_.Renumber(posted.session, posted.commands);
  }
  posted_.insert(posted.session);
  for (core::Command& command : posted.commands) {
    // Each command may end the session.
    HostSession* const session = sessions_.Find(posted.session);
    if (session == nullptr || session->sink == nullptr) return;
    gate_.OnCommand(posted.session, command, machine_->now(), turn_began_);
    machine_->Submit(posted.session, std::move(command));
  }
}

void MachineHostImpl::TakeInEndOfSession(EndOfSession end) {
  HostSession* const session = sessions_.Find(end.session);
  if (session == nullptr || session->sink == nullptr) return;
  if (end.why.ok()) {
    session->sink.reset();
  } else {
    ++protocol_violations_;
    SayEnded(end.session, end.why);
  }
  gate_.OnSessionEnded(end.session);
  machine_->CloseSession(end.session);
}

std::optional<HostClock::TimePoint> MachineHostImpl::Advance() {
  for (int i = 0; i < kInstantsPerTurnMax; ++i) {
    const absl::optional<Tick> next = machine_->NextEventTime();
    if (!next.has_value()) {
      gate_.OnNothingToDo();
      return std::nullopt;
    }
    if (machine_->WaitsForJob()) return std::nullopt;
    const auto pace_end = gate_.PaceEnd(machine_->now(), *next, turn_began_);
    if (pace_end.has_value()) return pace_end;
    // Instant by instant: a reply may make its lane hold the clock.
    if (*next >= gate_.Horizon(*next, turn_began_)) {
      // What the lane says may be behind what other lanes of its session have
      // said for later, of which the machine takes no more (UpdateHolds).
      const auto holding = gate_.HoldingSession();
      if (!holding.has_value() || !IsFull(*holding)) return gate_.PatienceEnd();
      gate_.GiveHolderUp();
      continue;
    }
    machine_->AdvanceTo(*next + 1);
  }
  return Mailbox::kAtOnce;
}

bool MachineHostImpl::IsFull(SessionId id) const {
  const core::InputBacklog backlog = machine_->GetBacklog(id);
  return backlog.command_count > kPendingCommandsMax ||
         backlog.payload_bytes > kPendingBytesMax;
}

std::vector<SessionId> MachineHostImpl::UpdateHolds(
    std::vector<SessionId> refused) {
  std::vector<SessionId> drained;
  for (const SessionId id : std::exchange(posted_, {})) {
    HostSession* const session = sessions_.Find(id);
    if (session == nullptr) {
      mailbox_.Hold(id, false);
      continue;
    }
    const bool is_held = IsFull(id);
    if (is_held) posted_.insert(id);
    if (is_held == session->is_held) continue;
    session->is_held = is_held;
    mailbox_.Hold(id, is_held);
    if (!is_held) drained.push_back(id);
  }
  for (const SessionId id : refused) {
    const HostSession* const session = sessions_.Find(id);
    if (session != nullptr && !session->is_held) drained.push_back(id);
  }
  return drained;
}

void MachineHostImpl::CollectPartings(const std::vector<SessionId>& drained,
                                      std::vector<Parting>* partings) {
  for (HostSession* const session : sessions_.TakeTouched()) {
    partings->push_back({.sink = session->sink});
  }
  for (const SessionId id : drained) {
    HostSession* const session = sessions_.Find(id);
    if (session != nullptr && session->sink != nullptr) {
      partings->push_back({.sink = session->sink, .is_drained = true});
    }
  }
}

absl::StatusOr<SessionGrant> MachineHostImpl::LetIn(
    Peer peer, std::string program, std::shared_ptr<SessionSink> sink) {
  if (refuses_sessions_) return ShuttingDown();
  if (sessions_.size() >= options_.sessions_max) {
    return MakeError(
        Reason::kQuotaExceeded,
        absl::StrCat("the daemon has ", sessions_.size(),
                     " sessions and its "
                     "limit is ",
                     options_.sessions_max,
                     "; end a program that uses it or raise the limit"));
  }
  const SessionId id(++last_session_id_);
  core::SessionOptions session_options;
  // Behind those that have one by JoinClock.
  session_options.rank = (uint64_t{1} << 32) + id.value();
  session_options.hbm_quota_bytes = options_.hbm_quota_per_session_bytes;
  HostSession session;
  session.id = id;
  session.peer = std::move(peer);
  if (trace_.has_value()) trace_->OpenSession(id, program);
  session.program = std::move(program);
  session.opened_at = turn_began_;
  session.sink = std::move(sink);
  sessions_.Add(std::move(session));
  {
    MutexLock lock(session_count_mutex_);
    ++session_count_;
  }
  transfers_.OpenSession(id);
  machine_->OpenSession(id, session_options);
  return SessionGrant{id, machine_->now()};
}

void MachineHostImpl::EndAllSessions(const absl::Status& why) {
  std::vector<SessionId> ids;
  for (const HostSession* const session : sessions_.All()) {
    ids.push_back(session->id);
  }
  for (const SessionId id : ids) {
    SayEnded(id, why);
    gate_.OnSessionEnded(id);
    machine_->CloseSession(id);
  }
}

HostSnapshot MachineHostImpl::TakeSnapshot() {
  HostSnapshot snapshot;
  snapshot.tick = machine_->now();
  snapshot.uptime = turn_began_ - started_at_;
  snapshot.sessions_opened = last_session_id_;
  snapshot.protocol_violations = protocol_violations_;
  snapshot.late_calls = gate_.counts().late;
  snapshot.demoted_lanes = gate_.counts().demoted;
  snapshot.evicted_lanes = gate_.counts().evicted;
  for (uint32_t i = 0; i < options_.machine.device_count; ++i) {
    snapshot.devices.push_back(machine_->GetDeviceUsage(core::DeviceId(i)));
  }
  for (const HostSession* const session : sessions_.All()) {
    SessionSnapshot& row = snapshot.sessions.emplace_back(RowOf(*session));
    machine_->GetSessionUsage(session->id, &row.usage);
  }
  return snapshot;
}

SessionSnapshot MachineHostImpl::RowOf(const HostSession& session) const {
  SessionSnapshot row;
  row.id = session.id;
  row.peer = session.peer;
  row.program = session.program;
  row.age = turn_began_ - session.opened_at;
  return row;
}

void MachineHostImpl::SayEnded(SessionId id, const absl::Status& why) {
  HostSession* const session = sessions_.Find(id);
  if (session == nullptr || session->sink == nullptr) return;
  const std::shared_ptr<SessionSink> sink = std::move(session->sink);
  session->sink = nullptr;
  session->why_ended = why;
  sink->OnEnded(why);
}

Ticket MachineHostImpl::ClientTicket(SessionId session, Ticket ticket) {
  return options_.ignore_tickets_for_test
             ? arrival_order_.ClientTicket(session, ticket)
             : ticket;
}

void MachineHostImpl::OnReply(SessionId id, core::Reply reply) {
  // Not turn_began_: the turn may have taken a while, and the lane's patience
  // begins when it hears of this.
  gate_.OnReply(id, reply.lane, reply.ticket, reply.tick, reply.status.ok(),
                HostClock::Now());
  if (auto* const clock = std::get_if<core::ClockReply>(&reply.payload)) {
    clock->late_count = gate_.counts().late;
    clock->demoted_count = gate_.counts().demoted;
    clock->evicted_count = gate_.counts().evicted;
  }
  HostSession* const session = sessions_.Touch(id);
  if (session == nullptr) return;
  reply.ticket = ClientTicket(id, reply.ticket);
  session->sink->OnReply(std::move(reply));
}

void MachineHostImpl::OnHostData(SessionId id, Ticket ticket,
                                 std::string bytes) {
  HostSession* const session = sessions_.Touch(id);
  if (session == nullptr) return;
  session->reading_bytes -= bytes.size();
  session->sink->OnHostData(ClientTicket(id, ticket), std::move(bytes));
}

void MachineHostImpl::OnStreamProgress(SessionId id, core::StreamHandle stream,
                                       uint64_t retired) {
  HostSession* const session = sessions_.Touch(id);
  if (session == nullptr) return;
  session->sink->OnStreamProgress(stream, retired);
}

void MachineHostImpl::OnHostFunctionDue(SessionId id, Ticket ticket, Tick tick,
                                        bool is_awaited) {
  HostSession* const session = sessions_.Touch(id);
  if (session == nullptr) return;
  if (is_awaited) gate_.OnHostFunctionDue(id, ticket, tick, HostClock::Now());
  session->sink->OnHostFunctionDue(ClientTicket(id, ticket), tick);
}

void MachineHostImpl::OnTaskSpan(const core::TaskSpan& span) {
  trace_->Add(span);
}

void MachineHostImpl::OnDeviceSample(const core::DeviceSample& sample) {
  trace_->Add(sample);
}

void MachineHostImpl::OnTaskFailed(SessionId id, core::TaskFailure failure) {
  HostSession* const session = sessions_.Touch(id);
  if (session == nullptr) return;
  session->sink->OnTaskFailed(std::move(failure));
}

void MachineHostImpl::OnProtocolViolation(SessionId id, absl::Status why) {
  HostSession* const session = sessions_.Find(id);
  if (session == nullptr || session->sink == nullptr) return;
  ++protocol_violations_;
  SayEnded(id, why);
  gate_.OnSessionEnded(id);
}

void MachineHostImpl::OnSessionClosed(SessionId id,
                                      const core::SessionUsage& last) {
  transfers_.CancelSession(id);
  if (trace_.has_value()) trace_->CloseSession(id);
  if (options_.on_session_closed) {
    const HostSession& session = *sessions_.Find(id);
    SessionSnapshot row = RowOf(session);
    row.usage = last;
    options_.on_session_closed(row, session.why_ended);
  }
  sessions_.Remove(id);
  MutexLock lock(session_count_mutex_);
  --session_count_;
  if (session_count_ == 0) sessions_gone_.NotifyAll();
}

}  // namespace ascend::server
