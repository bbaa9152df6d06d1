#include "core/machine/lane_inputs.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace ascend::core {

bool LaneInputs::Push(Command command) {
  Lane& lane = Get(command.lane);
  command.stamp = std::max(command.stamp, lane.last_stamp);
  lane.last_stamp = command.stamp;
  payload_bytes_ += PayloadBytes(command.operation);
  ++count_;
  lane.commands.push_back(std::move(command));
  if (lane.commands.size() > 1) return false;
  const Front front = FrontOf(lane);
  AddFront(front);
  return front == *first_;
}

const Command& LaneInputs::First() const {
  ASCEND_CHECK(!empty()) << "there is no command";
  return lanes_.find(first_->lane)->second.commands.front();
}

Ticket LaneInputs::FirstTicket() const {
  ASCEND_CHECK(!empty()) << "there is no command";
  Ticket first = first_->ticket;
  for (const Front& front : others_) first = std::min(first, front.ticket);
  return first;
}

Command LaneInputs::Pop() {
  ASCEND_CHECK(!empty()) << "there is no command";
  const Front front = *first_;
  Lane& lane = Get(front.lane);
  Command command = std::move(lane.commands.front());
  lane.commands.pop_front();
  payload_bytes_ -= PayloadBytes(command.operation);
  --count_;
  RemoveFront(front);
  if (!lane.commands.empty()) AddFront(FrontOf(lane));
  ForgetIfIdle(command.lane, lane);
  return command;
}

void LaneInputs::Clear() {
  lanes_.clear();
  ranked_.clear();
  first_.reset();
  others_.clear();
  count_ = 0;
  payload_bytes_ = 0;
}

void LaneInputs::SetRank(LaneId id, uint32_t rank) {
  Lane& lane = Get(id);
  if (!lane.commands.empty()) RemoveFront(FrontOf(lane));
  lane.rank = rank;
  ranked_.insert(id);
  if (!lane.commands.empty()) AddFront(FrontOf(lane));
}

void LaneInputs::ForgetRanks() {
  for (const LaneId id : std::exchange(ranked_, {})) {
    Lane& lane = Get(id);
    if (!lane.commands.empty()) RemoveFront(FrontOf(lane));
    lane.rank = RankOfUnranked(id);
    if (!lane.commands.empty()) AddFront(FrontOf(lane));
  }
}

void LaneInputs::ForgetIfIdle(LaneId id, const Lane& lane) {
  if (lanes_.size() > kLanesKeptMax && lane.commands.empty() &&
      lane.rank == RankOfUnranked(id)) {
    lanes_.erase(id);
  }
}

void LaneInputs::AddFront(const Front& front) {
  if (!first_.has_value()) {
    first_ = front;
  } else if (front < *first_) {
    others_.insert(*std::exchange(first_, front));
  } else {
    others_.insert(front);
  }
}

void LaneInputs::RemoveFront(const Front& front) {
  if (front != *first_) {
    others_.erase(front);
    return;
  }
  first_.reset();
  if (others_.empty()) return;
  first_ = *others_.begin();
  others_.erase(others_.begin());
}

LaneInputs::Front LaneInputs::FrontOf(const Lane& lane) {
  const Command& command = lane.commands.front();
  return {.stamp = command.stamp,
          .rank = lane.rank,
          .ticket = command.ticket,
          .lane = command.lane};
}

LaneInputs::Lane& LaneInputs::Get(LaneId id) {
  const auto [found, is_new] = lanes_.try_emplace(id);
  if (is_new) found->second.rank = RankOfUnranked(id);
  return found->second;
}

}  // namespace ascend::core
