// LaneInputs: the commands of one session that wait for their stamps.
//
// Those of a lane are taken in ticket order. Among lanes the smallest stamp
// comes first; of equal stamps, the lane of the smallest rank, then the
// smallest ticket. Tickets alone would not do: which of two threads that do not
// wait for each other gets its ticket first is decided by the host's scheduler,
// and would decide what happens when. What one of them does with an object
// after the other did something with it is stamped later (command.h).
//
// A lane's clock does not go back: a smaller stamp than one that waits counts
// as that one.
//
// Threading: thread-compatible. Ownership: owns the commands.
#ifndef ASCEND_CORE_MACHINE_LANE_INPUTS_H_
#define ASCEND_CORE_MACHINE_LANE_INPUTS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "core/base/ids.h"
#include "core/command/command.h"
#include "core/sim/tick.h"

namespace ascend::core {

class LaneInputs {
 public:
  // True: it has become the first.
  bool Push(Command command);

  bool empty() const { return !first_.has_value(); }
  size_t size() const { return count_; }
  // The payloads of all.
  uint64_t payload_bytes() const { return payload_bytes_; }

  // Of the one that Pop would give; not empty.
  const Command& First() const;
  // The smallest ticket of all; not empty.
  Ticket FirstTicket() const;
  Command Pop();
  void Clear();

  // Before lanes of greater rank, at equal stamps. Lanes without a rank come
  // after those that have one, by number.
  void SetRank(LaneId lane, uint32_t rank);
  // No lane has a rank any more.
  void ForgetRanks();

 private:
  struct Lane {
    uint64_t rank = 0;
    Tick last_stamp = 0;
    std::deque<Command> commands;
  };
  struct Front {
    Tick stamp = 0;
    uint64_t rank = 0;
    Ticket ticket;
    LaneId lane;
    friend auto operator<=>(const Front&, const Front&) = default;
  };

  static uint64_t RankOfUnranked(LaneId lane) {
    return uint64_t{1} << 32 | lane.value();
  }
  static Front FrontOf(const Lane& lane);
  void AddFront(const Front& front);
  void RemoveFront(const Front& front);
  Lane& Get(LaneId id);
  void ForgetIfIdle(LaneId id, const Lane& lane);

  // Idle lanes of no rank are kept while there are no more than this.
  static constexpr size_t kLanesKeptMax = 64;

  // Looked up only; never walked.
  absl::flat_hash_map<LaneId, Lane> lanes_;
  absl::btree_set<LaneId> ranked_;
  // Of the lanes that have commands: the first one apart, since a lane mostly
  // follows itself, and the others.
  absl::optional<Front> first_;
  absl::btree_set<Front> others_;
  size_t count_ = 0;
  uint64_t payload_bytes_ = 0;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_LANE_INPUTS_H_
