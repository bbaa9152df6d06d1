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
  Lane* const lane =
      Join(session, command.lane, /*may_join=*/IsWork(command.operation));
  if (lane == nullptr) return;
  if (lane->was_given_up) {
    lane->was_given_up = false;
    if (command.stamp < device_tick) ++late_count_;
  }
  // A stamp that stands still must not hold the clock for ever.
  lane->clock =
      std::max(core::SaturatingAdd(lane->clock, options_.lookahead_ticks),
               command.stamp);
  lane->last_input = now;
  if (core::IsRequest(command.operation)) {
    lane->awaited = command.ticket;
    Enter(*lane, State::kBlocked);
  } else {
    // Also when it was BLOCKED: a lane that calls has given up waiting.
    Enter(*lane, State::kRunning);
  }
}

void ClockGate::OnReply(core::SessionId session, core::LaneId lane_id,
                        core::Ticket ticket, Tick tick,
                        HostClock::TimePoint now) {
  Lane* const lane = Find(session, lane_id);
  if (lane == nullptr || lane->state != State::kBlocked ||
      lane->awaited != ticket) {
    return;
  }
  lane->clock = std::max(lane->clock, tick);
  lane->last_input = now;
  Enter(*lane, State::kRunning);
}

void ClockGate::OnSessionEnded(core::SessionId session) {
  const auto entry = sessions_.find(session);
  if (entry == sessions_.end()) return;
  for (auto& [id, lane] : entry->second.lanes) Enter(*lane, State::kIdle);
  sessions_.erase(entry);
}

Tick ClockGate::Horizon(Tick wanted, HostClock::TimePoint now) {
  while (Lane* const holder = Holder()) {
    const Tick horizon =
        core::SaturatingAdd(holder->clock, options_.lookahead_ticks);
    if (wanted < horizon) return horizon;
    if (now < holder->last_input + options_.patience) return horizon;
    Enter(*holder, State::kIdle);
    holder->was_given_up = true;
  }
  return core::kTickMax;
}

std::optional<HostClock::TimePoint> ClockGate::PatienceEnd() {
  const Lane* const holder = Holder();
  if (holder == nullptr) return std::nullopt;
  return holder->last_input + options_.patience;
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
  return (lanes[id] = std::make_unique<Lane>()).get();
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
