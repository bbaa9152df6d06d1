#include "server/clock_gate.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace ascend::server {
namespace {

using core::Tick;

// Work that the device carries out in simulated time, or that orders it.
bool IsWork(const core::Operation& operation) {
  return std::holds_alternative<core::Copy>(operation) ||
         std::holds_alternative<core::Fill>(operation) ||
         std::holds_alternative<core::Launch>(operation) ||
         std::holds_alternative<core::RecordEvent>(operation) ||
         std::holds_alternative<core::ResetEvent>(operation) ||
         std::holds_alternative<core::WaitEvent>(operation) ||
         std::holds_alternative<core::RecordNotify>(operation) ||
         std::holds_alternative<core::WaitNotify>(operation) ||
         std::holds_alternative<core::WaitWord>(operation) ||
         std::holds_alternative<core::HostFunction>(operation);
}

}  // namespace

void ClockGate::OnCommand(core::SessionId session, const core::Command& command,
                          Tick device_tick, HostClock::TimePoint now) {
  const core::Operation& operation = command.operation;
  const bool is_joining = std::holds_alternative<core::JoinClock>(operation);
  if (const auto* done = std::get_if<core::HostFunctionDone>(&operation)) {
    EndHostFunction(session, done->ticket);
  }
  Lane* const lane =
      Join(session, command.lane, /*may_join=*/is_joining || IsWork(operation));
  if (lane == nullptr) return;
  Tick earliest = command.stamp;
  if (lane->was_given_up) {
    lane->was_given_up = false;
    // Who leaves again has no influence.
    if (command.stamp < device_tick &&
        !std::holds_alternative<core::LeaveClock>(operation)) {
      ++counts_.late;
    }
    // What it submits begins now at the earliest.
    earliest = std::max(earliest, device_tick);
  }
  // A stamp that stands still must not hold the clock for ever.
  lane->clock = std::max(
      core::SaturatingAdd(lane->clock, options_.lookahead_ticks), earliest);
  NoteInput(*lane, /*is_reply=*/false, now);
  if (core::IsRequest(operation)) {
    lane->awaited = command.ticket;
    lane->is_joining = is_joining;
    Enter(*lane, State::kBlocked);
  } else if (const auto* leave = std::get_if<core::LeaveClock>(&operation)) {
    if (leave->is_for_good) LeaveRun(*lane);
    lane->was_given_up = !leave->is_for_good;
    Enter(*lane, State::kIdle);
  } else if (std::holds_alternative<core::HostFunctionDone>(operation)) {
    Enter(*lane, State::kIdle);
  } else {
    // Also when it was BLOCKED: a lane that calls has given up waiting.
    Enter(*lane, State::kRunning);
  }
}

void ClockGate::OnReply(core::SessionId session, core::LaneId lane_id,
                        core::Ticket ticket, Tick tick, bool is_ok,
                        HostClock::TimePoint now) {
  Lane* const lane = Find(session, lane_id);
  if (lane == nullptr || lane->state != State::kBlocked ||
      lane->awaited != ticket) {
    return;
  }
  lane->clock = std::max(lane->clock, tick);
  NoteInput(*lane, /*is_reply=*/true, now);
  if (lane->is_joining && is_ok) JoinRun(sessions_[session], *lane);
  Enter(*lane, State::kRunning);
}

void ClockGate::OnHostFunctionDue(core::SessionId session, core::Ticket ticket,
                                  Tick tick, HostClock::TimePoint now) {
  auto lane = std::make_unique<Lane>();
  lane->session = session;
  lane->clock = tick;
  lane->last_input = now;
  Enter(*lane, State::kRunning);
  sessions_[session].host_functions[ticket] = std::move(lane);
}

void ClockGate::EndHostFunction(core::SessionId session, core::Ticket ticket) {
  const auto entry = sessions_.find(session);
  if (entry == sessions_.end()) return;
  const auto found = entry->second.host_functions.find(ticket);
  if (found == entry->second.host_functions.end()) return;
  Enter(*found->second, State::kIdle);
  entry->second.host_functions.erase(found);
}

void ClockGate::JoinRun(Session& session, Lane& lane) {
  lane.is_joining = false;
  if (in_run_count_ == 0) counts_ = {};
  if (!lane.is_in_run) ++in_run_count_;
  lane.is_in_run = true;
  for (auto& [id, other] : session.lanes) {
    if (other->state == State::kRunning && !other->is_in_run) {
      Enter(*other, State::kIdle);
    }
  }
}

void ClockGate::LeaveRun(Lane& lane) {
  if (!lane.is_in_run) return;
  lane.is_in_run = false;
  --in_run_count_;
}

void ClockGate::OnSessionEnded(core::SessionId session) {
  const auto entry = sessions_.find(session);
  if (entry == sessions_.end()) return;
  for (auto& [id, lane] : entry->second.lanes) {
    Enter(*lane, State::kIdle);
    LeaveRun(*lane);
  }
  for (auto& [ticket, lane] : entry->second.host_functions) {
    Enter(*lane, State::kIdle);
  }
  sessions_.erase(entry);
}

Tick ClockGate::Horizon(Tick wanted, HostClock::TimePoint now) {
  if (!options_.mode.is_gated) return core::kTickMax;
  while (Lane* const holder = Holder()) {
    const Tick horizon =
        core::SaturatingAdd(holder->clock, options_.lookahead_ticks);
    if (wanted < horizon) return horizon;
    holder->is_waited_for = true;
    if (now < PatienceEndOf(*holder)) return horizon;
    NoteInVain(*holder);
    GiveHolderUp();
  }
  return core::kTickMax;
}

std::optional<core::SessionId> ClockGate::HoldingSession() {
  const Lane* const holder = Holder();
  if (holder == nullptr) return std::nullopt;
  return holder->session;
}

void ClockGate::GiveHolderUp() {
  Lane* const holder = Holder();
  if (holder == nullptr) return;
  Enter(*holder, State::kIdle);
  holder->was_given_up = true;
  ++(holder->is_in_run ? counts_.evicted : counts_.demoted);
}

void ClockGate::NoteInVain(Lane& lane) {
  if (lane.is_in_run) return;
  if (PatienceWith(lane) > options_.mode.patience_least) {
    ++lane.halvings[lane.last_was_reply];
  }
}

void ClockGate::NoteInput(Lane& lane, bool is_reply, HostClock::TimePoint now) {
  uint8_t& halvings = lane.halvings[lane.last_was_reply];
  if (lane.is_waited_for && lane.state == State::kRunning && halvings > 0) {
    --halvings;
  }
  lane.is_waited_for = false;
  lane.last_was_reply = is_reply;
  lane.last_input = now;
}

HostClock::Duration ClockGate::PatienceWith(const Lane& lane) const {
  if (lane.is_in_run) return options_.mode.patience_in_run;
  return std::max(
      options_.mode.patience / (1 << lane.halvings[lane.last_was_reply]),
      options_.mode.patience_least);
}

HostClock::TimePoint ClockGate::PatienceEndOf(const Lane& lane) const {
  return lane.last_input + PatienceWith(lane);
}

std::optional<HostClock::TimePoint> ClockGate::PatienceEnd() {
  const Lane* const holder = Holder();
  if (holder == nullptr) return std::nullopt;
  return PatienceEndOf(*holder);
}

std::optional<HostClock::TimePoint> ClockGate::PaceEnd(
    Tick device_tick, Tick wanted, HostClock::TimePoint now) {
  if (options_.mode.pace == 0) return std::nullopt;
  if (!pace_base_.has_value()) pace_base_ = {device_tick, now};
  // In nanoseconds: ticks are picoseconds.
  const double ahead = static_cast<double>(wanted - pace_base_->tick) /
                       (options_.mode.pace * core::kTicksPerNanosecond);
  const HostClock::TimePoint end =
      pace_base_->time +
      HostClock::Duration(static_cast<int64_t>(std::min(ahead, 1e18)));
  if (end <= now) return std::nullopt;
  return end;
}

ClockGate::Lane* ClockGate::Find(core::SessionId session, core::LaneId lane) {
  const auto entry = sessions_.find(session);
  if (entry == sessions_.end()) return nullptr;
  const auto found = entry->second.lanes.find(lane);
  return found == entry->second.lanes.end() ? nullptr : found->second.get();
}

ClockGate::Lane* ClockGate::Join(core::SessionId session, core::LaneId id,
                                 bool may_join) {
  if (Lane* const lane = Find(session, id)) return lane;
  if (!may_join) return nullptr;
  Session& entry = sessions_[session];
  auto& lanes = entry.lanes;
  if (lanes.size() >= kLanesPerSessionMax) {
    // Threads come and go: idle lanes make room, if there can be any.
    if (entry.swept_at == idle_entries_) return nullptr;
    entry.swept_at = idle_entries_;
    absl::erase_if(lanes, [](const auto& lane) {
      return lane.second->state == State::kIdle;
    });
    if (lanes.size() >= kLanesPerSessionMax) return nullptr;
  }
  auto& lane = lanes[id] = std::make_unique<Lane>();
  lane->session = session;
  return lane.get();
}

void ClockGate::Enter(Lane& lane, State state) {
  holder_is_stale_ = true;
  if (lane.state == state) return;
  if (lane.state == State::kRunning) {
    Lane* const last = running_.back();
    running_[lane.running_index] = last;
    last->running_index = lane.running_index;
    running_.pop_back();
  }
  if (state == State::kRunning) {
    lane.running_index = running_.size();
    running_.push_back(&lane);
  }
  if (state == State::kIdle) ++idle_entries_;
  lane.state = state;
}

ClockGate::Lane* ClockGate::Holder() {
  if (holder_is_stale_) {
    holder_is_stale_ = false;
    const auto least = std::min_element(
        running_.begin(), running_.end(),
        [](const Lane* a, const Lane* b) { return a->clock < b->clock; });
    holder_ = least == running_.end() ? nullptr : *least;
  }
  return holder_;
}

}  // namespace ascend::server
