// UnitLoop: streams of requests for the units of one device, over a Scheduler
// alone. There is no machine and no cost model: a request holds its claim, or
// each slice of it, for its `expected_ticks`.
//
// One pass per instant, after everything of that instant that ends or arrives.
// A stream has one request at a time; its task is the stream's index.
//
// Threading: thread-compatible; deterministic. Ownership: borrows the policy
// and the watcher.
#ifndef ASCEND_TESTS_TESTING_UNIT_LOOP_H_
#define ASCEND_TESTS_TESTING_UNIT_LOOP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/sched/claim.h"
#include "core/sched/scheduler.h"
#include "core/sim/event_queue.h"
#include "core/sim/rng.h"

namespace ascend::core {

struct StreamPlan {
  static constexpr uint32_t kForever = std::numeric_limits<uint32_t>::max();

  TenantId tenant;
  uint32_t priority = 0;
  Tick start = 0;
  Tick gap = 0;         // between the end of a request and the next one
  Tick gap_spread = 0;  // at most this much longer, at random
  // One after the other; task, tenant, priority and ready_tick are filled in.
  std::vector<UnitRequest> program;
  uint32_t rounds = 1;  // of the program
};

class UnitLoop {
 public:
  struct Stream {
    StreamPlan plan;
    size_t step = 0;  // of the program
    uint32_t round = 0;
    bool is_open = false;  // has a request that has not ended
    Candidate candidate;   // the request
    uint64_t arrival = 0;
    bool has_grant = false;
    uint64_t ended_count = 0;  // requests
    std::vector<Tick> waits;   // until the first grant, of each request

    // Whether a pass may grant it something.
    bool is_waiting() const {
      if (!is_open) return false;
      if (!candidate.is_sliced()) return !has_grant;
      return candidate.slices_left > 0 &&
             candidate.slices_running < candidate.request.slices_at_once;
    }
    const UnitRequest& request() const { return candidate.request; }
  };

  struct Grant {
    Tick tick;
    uint32_t stream;
    friend bool operator==(const Grant&, const Grant&) = default;
  };

  // What a test may look at as it happens.
  class Watcher {
   public:
    virtual ~Watcher() = default;
    virtual void OnRequest(const UnitLoop&, const Stream&) {}
    // Before the grant is counted.
    virtual void OnGrant(const UnitLoop&, const Stream&) {}
    // A whole request or a slice, after it is counted.
    virtual void OnEnd(const UnitLoop&, const Stream&) {}
    virtual void OnPassEnd(const UnitLoop&) {}
  };

  UnitLoop(const Policy& policy, const Claim& capacity,
           std::vector<StreamPlan> plans, Watcher* watcher = nullptr)
      : capacity_(capacity),
        free_(capacity),
        scheduler_(policy, capacity),
        watcher_(watcher == nullptr ? &nobody_ : watcher) {
    for (StreamPlan& plan : plans) {
      const Tick start = plan.start;
      streams_.push_back({.plan = std::move(plan)});
      Push(start, kReady, streams_.size() - 1);
    }
  }

  // Plays until nothing is left, or what happens next lies after `until`.
  void Run(Tick until = kTickMax - 1) {
    while (events_.NextTick() <= until) {
      now_ = events_.NextTick();
      while (events_.NextTick() == now_) {
        Event event;
        events_.Pop(&event);
        Stream& stream = streams_[event.target];
        event.kind == kEnd ? End(stream) : Ask(stream);
      }
      Pass();
    }
  }

  Scheduler& scheduler() { return scheduler_; }
  Tick now() const { return now_; }
  const Claim& capacity() const { return capacity_; }
  const Claim& free() const { return free_; }
  const std::vector<Stream>& streams() const { return streams_; }
  const std::vector<Grant>& grants() const { return grants_; }

  // The part of all units of a kind that the tenant has held so far, of the
  // kind of which that is most.
  double DominantShare(TenantId tenant) const {
    const auto found = held_.find(tenant);
    if (found == held_.end() || now_ == 0) return 0;
    const auto part = [&](UsageTicks held, uint32_t units) {
      return units == 0 ? 0.0
                        : static_cast<double>(held) /
                              (static_cast<double>(now_) * units);
    };
    return std::max({part(found->second.cube, capacity_.cube),
                     part(found->second.aiv, capacity_.aiv),
                     part(found->second.dma, capacity_.dma)});
  }

  // The part of all CUBE units that was held.
  double CubeBusy() const {
    UsageTicks cube = 0;
    for (const auto& [tenant, held] : held_) cube += held.cube;
    return static_cast<double>(cube) /
           (static_cast<double>(now_) * capacity_.cube);
  }

 private:
  enum Kind : uint8_t { kEnd, kReady };
  struct Held {
    UsageTicks cube = 0, aiv = 0, dma = 0;
  };

  void Push(Tick tick, Kind kind, size_t stream) {
    events_.Push({.tick = tick,
                  .phase = kind == kEnd ? Phase::kCompletion : Phase::kAdmit,
                  .kind = kind,
                  .target = stream});
  }

  Tick GapOf(const Stream& stream) const {
    const Tick spread = stream.plan.gap_spread;
    if (spread == 0) return stream.plan.gap;
    Rng rng(MixSeed({stream.request().task.value(), stream.ended_count}));
    return stream.plan.gap +
           static_cast<Tick>(rng.Below(static_cast<uint64_t>(spread)));
  }

  void Ask(Stream& stream) {
    const StreamPlan& plan = stream.plan;
    if (stream.step == plan.program.size()) {
      stream.step = 0;
      if (plan.rounds != StreamPlan::kForever) ++stream.round;
    }
    if (stream.round == plan.rounds) return;
    UnitRequest request = plan.program[stream.step++];
    request.task = TaskId(static_cast<uint32_t>(&stream - streams_.data()));
    request.tenant = plan.tenant;
    request.priority = plan.priority;
    request.ready_tick = now_;
    stream.is_open = true;
    stream.has_grant = false;
    stream.candidate = {.request = request, .slices_left = request.slice_count};
    stream.arrival = next_arrival_++;
    scheduler_.Enqueue(request);
    watcher_->OnRequest(*this, stream);
  }

  void Pass() {
    std::vector<TaskId> granted;
    scheduler_.Dispatch(free_, now_, &granted);
    for (const TaskId task : granted) {
      Stream& stream = streams_[task.value()];
      const UnitRequest& request = stream.request();
      watcher_->OnGrant(*this, stream);
      ASCEND_CHECK(stream.is_waiting()) << "granted without a request";
      ASCEND_CHECK(Fits(request.claim, free_)) << "more granted than free";
      free_ = free_ - request.claim;
      if (!stream.has_grant) stream.waits.push_back(now_ - request.ready_tick);
      stream.has_grant = true;
      if (stream.candidate.is_sliced()) {
        --stream.candidate.slices_left;
        ++stream.candidate.slices_running;
      }
      grants_.push_back({now_, task.value()});
      Push(now_ + request.expected_ticks, kEnd, task.value());
    }
    watcher_->OnPassEnd(*this);
  }

  void End(Stream& stream) {
    Candidate& candidate = stream.candidate;
    const UnitRequest& request = candidate.request;
    const Tick ticks = request.expected_ticks;
    free_ = free_ + request.claim;
    Held& held = held_[request.tenant];
    held.cube += UsageTicks{ticks} * request.claim.cube;
    held.aiv += UsageTicks{ticks} * request.claim.aiv;
    held.dma += UsageTicks{ticks} * request.claim.dma;
    if (candidate.is_sliced()) {
      --candidate.slices_running;
      stream.is_open = candidate.slices_left + candidate.slices_running > 0;
      const bool is_gone = scheduler_.EndSlice(request.task, ticks);
      ASCEND_CHECK(is_gone != stream.is_open) << "gone too early or too late";
    } else {
      stream.is_open = false;
      scheduler_.EndWhole(request.tenant, request.claim, ticks);
    }
    watcher_->OnEnd(*this, stream);
    if (stream.is_open) return;
    ++stream.ended_count;
    Push(now_ + GapOf(stream), kReady, request.task.value());
  }

  const Claim capacity_;
  Claim free_;
  Scheduler scheduler_;
  Watcher nobody_;
  Watcher* const watcher_;
  EventQueue events_;
  Tick now_ = 0;
  uint64_t next_arrival_ = 0;
  std::vector<Stream> streams_;
  std::vector<Grant> grants_;
  std::map<TenantId, Held> held_;
};

}  // namespace ascend::core

#endif  // ASCEND_TESTS_TESTING_UNIT_LOOP_H_
