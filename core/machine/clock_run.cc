// Runs of lanes that have joined the clock: how they form, begin and end.

#include "core/machine/clock_run.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "core/machine/machine_impl.h"

namespace ascend::core {

void ClockRun::Begin(Tick now) {
  is_begun_ = true;
  begin_tick_ = now;
}

void ClockRun::Leave(SessionId session, LaneId lane) {
  if (!is_begun_) return;
  for (auto& [rank, participant] : joined_) {
    if (participant.session == session && participant.lane == lane) {
      Leave(participant);
    }
  }
}

void ClockRun::LeaveAll(SessionId session) {
  if (!is_begun_) {
    std::erase_if(joined_, [session](const auto& entry) {
      return entry.second.session == session;
    });
    return;
  }
  for (auto& [rank, participant] : joined_) {
    if (participant.session == session) Leave(participant);
  }
}

void ClockRun::Leave(Participant& participant) {
  if (participant.has_left) return;
  participant.has_left = true;
  ++left_count_;
}

void TraceHash::AddTask(std::initializer_list<uint64_t> facts) {
  ++task_count_;
  for (const uint64_t fact : facts) {
    // Multiplies by the golden ratio's bits and folds: each bit of a fact
    // reaches all of the hash within two steps.
    hash_ = (hash_ ^ fact) * 0x9E3779B97F4A7C15;
    hash_ ^= hash_ >> 32;
  }
}

ClockReply ClockRun::Report() const {
  ClockReply report;
  if (!is_begun_) return report;
  report.participants = participants_;
  report.left_count = left_count_;
  report.begin_tick = begin_tick_;
  report.trace_hash = trace_.hash();
  report.task_count = trace_.task_count();
  return report;
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const JoinClock& join) {
  const auto refuse = [&](absl::string_view why) {
    Answer(session, command,
           MakeError(Reason::kInvalidArgument,
                     absl::StrCat("participant ", join.rank, " of ",
                                  join.participants, " cannot join: ", why)));
    return absl::OkStatus();
  };
  if (run_.is_under_way()) {
    return refuse(absl::StrCat("a run of ", run_.participants(),
                               " is under way; wait until all have left it"));
  }
  if (!run_.is_forming()) {
    for (const auto& [rank, participant] : run_.joined()) {
      SessionState* const last = FindSession(participant.session);
      if (last != nullptr) last->is_in_run = false;
    }
    run_.Form(join.participants);
  }
  if (run_.participants() != join.participants) {
    return refuse(absl::StrCat("the run that forms has ", run_.participants()));
  }
  if (!run_.Join(join.rank, {.session = session.id,
                             .lane = command.lane,
                             .ticket = command.ticket})) {
    return refuse("its rank is taken");
  }
  if (run_.is_complete()) BeginRun();
  return absl::OkStatus();
}

void Machine::Impl::BeginRun() {
  run_.Begin(now_);
  for (const auto& npu : npus_) {
    for (CubeUnit& unit : npu->cube_units) unit.last_run = 0;
    npu->scheduler.ForgetUse();
  }
  for (const auto& [rank, participant] : run_.joined()) {
    SessionState& session = *FindSession(participant.session);
    session.input.ForgetRanks();
    session.is_in_run = false;
  }
  for (const auto& [rank, participant] : run_.joined()) {
    SessionState& session = *FindSession(participant.session);
    // The smallest, as these come in order.
    if (!session.is_in_run) session.options.rank = rank;
    session.is_in_run = true;
    if (session.options.rank < options_.rank_weights.size()) {
      for (const auto& npu : npus_) {
        npu->scheduler.SetWeight(session.options.tenant,
                                 options_.rank_weights[session.options.rank]);
      }
    }
    session.input.SetRank(participant.lane, rank);
    session.streams.ForEach([](StreamHandle, StreamState& stream) {
      stream.queue.ForgetDeviceWork();
      stream.tasks_before_run = stream.queue.submitted();
    });
  }
  for (const auto& [rank, participant] : run_.joined()) {
    Answer(*FindSession(participant.session), participant.ticket,
           participant.lane, absl::OkStatus());
  }
}

void Machine::Impl::NoteInTrace(const TaskRecord& record) {
  const uint64_t rank = record.session->options.rank;
  const uint64_t stream = record.stream == nullptr ? 0 : record.stream->number;
  const uint64_t value = record.stream == nullptr
                             ? 0
                             : record.stream->NumberInRun(record.is.value);
  const uint64_t kind = record.what.work.index();
  const auto add = [&](TraceHash& trace, Tick begin_tick) {
    trace.AddTask({rank, stream, value, kind,
                   static_cast<uint64_t>(record.is.start_tick - begin_tick),
                   static_cast<uint64_t>(now_ - begin_tick)});
  };
  add(trace_, 0);
  if (record.session->is_in_run && run_.is_under_way()) {
    add(run_.trace(), run_.begin_tick());
  }
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const LeaveClock& leave) {
  if (leave.is_for_good) run_.Leave(session.id, command.lane);
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const QueryClock&) {
  Answer(session, command, absl::OkStatus(), run_.Report());
  return absl::OkStatus();
}

}  // namespace ascend::core
