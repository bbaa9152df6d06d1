#include "core/sim/event_queue.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/sim/rng.h"
#include "gtest/gtest.h"

namespace ascend::core {
namespace {

std::vector<uint64_t> PopTargets(EventQueue& queue) {
  std::vector<uint64_t> targets;
  Event event;
  while (queue.Pop(&event)) targets.push_back(event.target);
  return targets;
}

TEST(EventQueueTest, PopsInOrderOfTickThenPhaseThenTieThenPushing) {
  EventQueue queue;
  queue.Push({.tick = 5, .phase = Phase::kCompletion, .target = 7});
  queue.Push({.tick = 3, .phase = Phase::kStats, .target = 6});
  queue.Push({.tick = 3, .phase = Phase::kSchedule, .target = 5});
  queue.Push({.tick = 3, .phase = Phase::kAdmit, .tie = 2, .target = 4});
  queue.Push({.tick = 3, .phase = Phase::kAdmit, .tie = 1, .target = 2});
  queue.Push({.tick = 3, .phase = Phase::kAdmit, .tie = 1, .target = 3});
  queue.Push({.tick = 3, .phase = Phase::kFence, .tie = 9, .target = 1});
  queue.Push({.tick = 3, .phase = Phase::kCompletion, .tie = 9, .target = 0});
  EXPECT_EQ(PopTargets(queue), (std::vector<uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(EventQueueTest, CancelledEventsAreNeitherPoppedNorSeen) {
  EventQueue queue;
  const EventId first = queue.Push({.tick = 1, .target = 1});
  queue.Push({.tick = 2, .target = 2});
  const EventId last = queue.Push({.tick = 3, .target = 3});
  queue.Cancel(first);
  EXPECT_EQ(queue.NextTick(), 2);
  queue.Cancel(last);
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(PopTargets(queue), std::vector<uint64_t>{2});
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.NextTick(), kTickMax);
}

TEST(EventQueueTest, CancellingAPoppedEventDoesNotTouchTheNextOneOfItsSlot) {
  EventQueue queue;
  const EventId old = queue.Push({.tick = 1, .target = 1});
  Event event;
  ASSERT_TRUE(queue.Pop(&event));
  queue.Push({.tick = 2, .target = 2});
  queue.Cancel(old);
  queue.Cancel(EventId{});
  EXPECT_EQ(PopTargets(queue), std::vector<uint64_t>{2});
}

// Against a sorted vector.
TEST(EventQueueTest, AgreesWithANaiveModel) {
  struct Known {
    Event event;
    uint64_t sequence;
    EventId id;
  };
  constexpr uint64_t kSeed = 20240612;
  SCOPED_TRACE(kSeed);
  Rng rng(kSeed);
  EventQueue queue;
  std::vector<Known> model;
  const auto key = [](const Known& k) {
    return std::make_tuple(k.event.tick, k.event.phase, k.event.tie,
                           k.sequence);
  };
  uint64_t sequence = 0;
  for (int step = 0; step < 20000; ++step) {
    const uint64_t choice = rng.Below(10);
    if (choice < 5) {
      const Event event{.tick = static_cast<Tick>(rng.Below(50)),
                        .phase = static_cast<Phase>(rng.Below(5)),
                        .tie = rng.Below(3),
                        .target = sequence};
      model.push_back({event, sequence++, queue.Push(event)});
    } else if (choice < 7 && !model.empty()) {
      const size_t victim = rng.Below(model.size());
      queue.Cancel(model[victim].id);
      model.erase(model.begin() + static_cast<ptrdiff_t>(victim));
    } else {
      Event event;
      const bool popped = queue.Pop(&event);
      ASSERT_EQ(popped, !model.empty());
      if (!popped) continue;
      const auto least = std::min_element(
          model.begin(), model.end(),
          [&](const Known& a, const Known& b) { return key(a) < key(b); });
      ASSERT_EQ(event.target, least->event.target) << "at step " << step;
      model.erase(least);
    }
    ASSERT_EQ(queue.size(), model.size());
  }
}

TEST(EventQueueDeathTest, RefusesNegativeTicks) {
  EventQueue queue;
  EXPECT_DEATH(queue.Push({.tick = -1}), "event at tick -1");
}

}  // namespace
}  // namespace ascend::core
