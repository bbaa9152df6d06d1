#include "client/runtime/lane.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/base/sync.h"

namespace ascend::client {
namespace {

// Numbers of lanes. Lives for ever: threads may end after main has.
class LaneNumbers {
 public:
  static LaneNumbers& Get() {
    static LaneNumbers* const numbers = new LaneNumbers();
    return *numbers;
  }

  core::LaneId Take() {
    core::MutexLock lock(mutex_);
    core::LaneId id(next_);
    if (free_.empty()) {
      ++next_;
      threads_.resize(next_);
    } else {
      id = free_.back();
      free_.pop_back();
    }
    threads_[id.value()] = static_cast<uint32_t>(::gettid());
    return id;
  }

  uint32_t ThreadOf(core::LaneId lane) {
    core::MutexLock lock(mutex_);
    return lane.value() < threads_.size() ? threads_[lane.value()]
                                          : ~uint32_t{0};
  }

  void Return(core::LaneId id) {
    core::MutexLock lock(mutex_);
    free_.push_back(id);
  }

 private:
  core::Mutex mutex_;
  uint32_t next_ ABSL_GUARDED_BY(mutex_) = 1;
  std::vector<core::LaneId> free_ ABSL_GUARDED_BY(mutex_);
  std::vector<uint32_t> threads_ ABSL_GUARDED_BY(mutex_);  // by lane
};

std::atomic<void (*)()> lane_end_listener{nullptr};

struct ThreadLane {
  Lane lane{LaneNumbers::Get().Take()};
  ~ThreadLane() {
    void (*const listener)() = lane_end_listener.load();
    if (lane.is_expected() && listener != nullptr) listener();
    LaneNumbers::Get().Return(lane.id());
  }
};

}  // namespace

void Lane::Attach(uint64_t epoch, core::Tick start) {
  if (epoch_ == epoch) return;
  epoch_ = epoch;
  clock_ = start;
  skipped_ticks_ = 0;
  last_task_ = 0;
  is_in_run_ = false;
  is_blocked_ = false;
}

core::Tick Lane::Advance(core::Tick cost,
                         std::initializer_list<core::Tick*> touched) {
  for (const core::Tick* stamp : touched) clock_ = std::max(clock_, *stamp);
  clock_ = core::SaturatingAdd(clock_, cost);
  skipped_ticks_ = 0;
  for (core::Tick* stamp : touched) *stamp = clock_;
  return clock_;
}

void Lane::Skip(core::Tick ticks) {
  clock_ = core::SaturatingAdd(clock_, ticks);
  skipped_ticks_ = core::SaturatingAdd(skipped_ticks_, ticks);
}

void Lane::Resume(core::Tick tick, core::Tick wake) {
  clock_ = std::max(clock_, core::SaturatingAdd(tick, wake));
}

void SetLaneEndListener(void (*listener)()) {
  lane_end_listener.store(listener);
}

uint32_t ThreadOfLane(core::LaneId lane) {
  return LaneNumbers::Get().ThreadOf(lane);
}

Lane& CurrentLane() {
  static thread_local ThreadLane current;
  return current.lane;
}

}  // namespace ascend::client
