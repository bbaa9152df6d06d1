// ClockRun: a run of lanes that have joined (JoinClock), and what is said of
// it.
//
// Its trace hash is a number made of what each task of the participants'
// sessions was and when it began and ended, in the order of ends. Ticks count
// from the beginning of the run and sessions are named by rank, so that runs
// can be compared which began at different times.
//
// Threading: thread-compatible. Ownership: value type.
#ifndef ASCEND_CORE_MACHINE_CLOCK_RUN_H_
#define ASCEND_CORE_MACHINE_CLOCK_RUN_H_

#include <cstdint>
#include <initializer_list>
#include <map>

#include "core/base/ids.h"
#include "core/command/reply.h"
#include "core/sim/tick.h"

namespace ascend::core {

// A number made of facts about tasks, in the order in which they are told.
class TraceHash {
 public:
  void AddTask(std::initializer_list<uint64_t> facts);

  uint64_t hash() const { return hash_; }
  uint64_t task_count() const { return task_count_; }

 private:
  uint64_t hash_ = 0;
  uint64_t task_count_ = 0;
};

class ClockRun {
 public:
  struct Participant {
    SessionId session;
    LaneId lane;
    Ticket ticket;  // of its JoinClock
    bool has_left = false;
  };
  using Participants = std::map<uint32_t, Participant>;  // by rank

  // Begins to form; whoever joins is one of so many.
  void Form(uint32_t participants) { *this = ClockRun(participants); }
  ClockRun() = default;

  uint32_t participants() const { return participants_; }
  const Participants& joined() const { return joined_; }
  bool is_complete() const {
    return participants_ > 0 && joined_.size() == participants_;
  }
  bool is_forming() const { return !is_begun_ && !joined_.empty(); }
  // Has begun, and not all have left.
  bool is_under_way() const { return is_begun_ && left_count_ < participants_; }
  Tick begin_tick() const { return begin_tick_; }

  // False: the rank is taken.
  bool Join(uint32_t rank, const Participant& participant) {
    return joined_.emplace(rank, participant).second;
  }
  void Begin(Tick now);

  // Nothing if the lane does not take part.
  void Leave(SessionId session, LaneId lane);
  void LeaveAll(SessionId session);

  TraceHash& trace() { return trace_; }

  ClockReply Report() const;

 private:
  void Leave(Participant& participant);
  explicit ClockRun(uint32_t participants) : participants_(participants) {}

  uint32_t participants_ = 0;
  Participants joined_;
  bool is_begun_ = false;
  uint32_t left_count_ = 0;
  Tick begin_tick_ = 0;
  TraceHash trace_;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_CLOCK_RUN_H_
