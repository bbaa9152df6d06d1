#include "core/machine/hbm_timing.h"

#include "core/machine/durations.h"
#include "gtest/gtest.h"

namespace ascend::core {
namespace {

// Follows the owner's contract until all flows have ended; the ticks of the
// ends, in order.
std::vector<std::pair<Tick, uint32_t>> Ends(HbmTiming& hbm) {
  std::vector<std::pair<Tick, uint32_t>> ends;
  Tick last = -1;
  for (int i = 0; i < 1000 && hbm.NextEnd() != kTickMax; ++i) {
    const Tick now = hbm.NextEnd();
    EXPECT_GE(now, last);
    last = now;
    std::vector<FlowId> ended;
    hbm.TakeEnded(now, &ended);
    for (const FlowId task : ended) ends.emplace_back(now, task.value());
  }
  EXPECT_EQ(hbm.NextEnd(), kTickMax) << "a flow never ends";
  return ends;
}

TEST(HbmTimingTest, AFlowLongerThanTheLongestStepEndsAllTheSame) {
  HbmTiming hbm(1e9);
  hbm.StartFlow(FlowId(1), 1e9 * 3 * double{kDurationMax} / kTicksPerSecond,
                1e9, 0);
  const auto ends = Ends(hbm);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_NEAR(static_cast<double>(ends[0].first), 3.0 * kDurationMax, 1e6);
}

// Bytes of a size at which the sums of the fluid model are off by more than
// what counts as done.
TEST(HbmTimingTest, RoundingNeverKeepsAFlowAlive) {
  for (const double bytes : {4.6e14, 3.3e14 + 1, 7.7e15, 1.0}) {
    HbmTiming hbm(1020e9);
    for (uint32_t i = 0; i < 8; ++i) {
      hbm.StartFlow(FlowId(i), bytes / (i + 1), 128e9, i * 12345);
    }
    EXPECT_EQ(Ends(hbm).size(), 8u);
  }
}

TEST(HbmTimingTest, FlowsThatEndTogetherEndInOrderOfStarting) {
  HbmTiming hbm(1000e9);
  hbm.StartFlow(FlowId(5), 1e6, 400e9, 0);
  hbm.StartFlow(FlowId(2), 1e6, 400e9, 0);
  const auto ends = Ends(hbm);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0], std::make_pair(Tick{2'500'000}, 5u));
  EXPECT_EQ(ends[1], std::make_pair(Tick{2'500'000}, 2u));
}

}  // namespace
}  // namespace ascend::core
