#include "client/runtime/lane.h"

#include <thread>

#include "gtest/gtest.h"

namespace ascend::client {
namespace {

TEST(LaneTest, PaysForEachCall) {
  Lane lane(core::LaneId(1));
  lane.Attach(1, 100);
  EXPECT_EQ(lane.Advance(6, {}), 106);
  EXPECT_EQ(lane.Advance(6, {}), 112);
}

TEST(LaneTest, CatchesUpWithWhatItTouchesAndLeavesItsTime) {
  Lane lane(core::LaneId(1));
  lane.Attach(1, 100);
  core::Tick ahead = 500;
  core::Tick behind = 3;
  EXPECT_EQ(lane.Advance(6, {&ahead, &behind}), 506);
  EXPECT_EQ(ahead, 506);
  EXPECT_EQ(behind, 506);
}

TEST(LaneTest, AReplyMovesTheClockForwardOnly) {
  Lane lane(core::LaneId(1));
  lane.Attach(1, 100);
  lane.Resume(200, 30);
  EXPECT_EQ(lane.clock(), 230);
  lane.Resume(10, 5);
  EXPECT_EQ(lane.clock(), 230);
}

TEST(LaneTest, KnowsWhatNoCallHasToldYet) {
  Lane lane(core::LaneId(1));
  lane.Attach(1, 100);
  lane.Skip(50);
  lane.Skip(7);
  EXPECT_EQ(lane.clock(), 157);
  EXPECT_EQ(lane.skipped_ticks(), 57);
  EXPECT_EQ(lane.Advance(6, {}), 163);
  EXPECT_EQ(lane.skipped_ticks(), 0);
  lane.Skip(1);
  lane.Attach(2, 40);
  EXPECT_EQ(lane.skipped_ticks(), 0);
}

TEST(LaneTest, ANewSessionStartsANewClock) {
  Lane lane(core::LaneId(1));
  lane.Attach(1, 100);
  lane.Resume(900, 0);
  lane.Attach(1, 100);
  EXPECT_EQ(lane.clock(), 900);
  lane.Attach(2, 40);
  EXPECT_EQ(lane.clock(), 40);
}

TEST(LaneTest, LivingThreadsHaveLanesOfTheirOwnAndDeadOnesHandThemOn) {
  const core::LaneId own = CurrentLane().id();
  core::LaneId first;
  core::LaneId second;
  std::thread([&] { first = CurrentLane().id(); }).join();
  std::thread([&] { second = CurrentLane().id(); }).join();
  EXPECT_NE(first, own);
  EXPECT_EQ(first, second);
  EXPECT_EQ(CurrentLane().id(), own);
}

}  // namespace
}  // namespace ascend::client
