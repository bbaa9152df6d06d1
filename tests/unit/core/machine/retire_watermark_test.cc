#include "core/machine/session_state.h"
#include "core/sim/rng.h"
#include "gtest/gtest.h"

namespace ascend::core {
namespace {

TEST(RetireWatermarkTest, IsTheLastBeforeTheFirstThatHasNotRetired) {
  RetireWatermark tasks;
  EXPECT_EQ(tasks.watermark(), 0u);
  for (uint64_t i = 1; i <= 4; ++i) EXPECT_EQ(tasks.Submit(), i);
  EXPECT_FALSE(tasks.Retire(2));
  EXPECT_FALSE(tasks.Retire(4));
  EXPECT_EQ(tasks.watermark(), 0u);
  EXPECT_TRUE(tasks.Retire(1));
  EXPECT_EQ(tasks.watermark(), 2u);
  EXPECT_TRUE(tasks.Retire(3));
  EXPECT_EQ(tasks.watermark(), 4u);
  EXPECT_EQ(tasks.submitted(), 4u);
}

TEST(RetireWatermarkTest, ATaskThatNeverEndsCostsNoMemory) {
  RetireWatermark tasks;
  tasks.Submit();
  for (int i = 0; i < 100'000; ++i) {
    EXPECT_FALSE(tasks.Retire(tasks.Submit()));
    ASSERT_LE(tasks.entry_count(), 70u);
  }
  EXPECT_EQ(tasks.watermark(), 0u);
  EXPECT_TRUE(tasks.Retire(1));
  EXPECT_EQ(tasks.watermark(), 100'001u);
}

TEST(RetireWatermarkTest, AgreesWithASet) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    RetireWatermark tasks;
    std::set<uint64_t> open;
    for (int i = 0; i < 5000; ++i) {
      if (open.empty() || rng.Below(1 + open.size()) < 100) {
        open.insert(tasks.Submit());
      } else {
        auto picked = open.begin();
        std::advance(picked, static_cast<long>(rng.Below(open.size())));
        tasks.Retire(*picked);
        open.erase(picked);
      }
      ASSERT_EQ(tasks.watermark(),
                open.empty() ? tasks.submitted() : *open.begin() - 1);
      ASSERT_LE(tasks.entry_count(), 2 * open.size() + 65);
    }
  }
}

TEST(RetireWatermarkDeathTest, NoTaskRetiresTwice) {
  RetireWatermark tasks;
  tasks.Submit();
  tasks.Submit();
  tasks.Retire(2);
  EXPECT_DEATH(tasks.Retire(2), "task 2 retires");
}

}  // namespace
}  // namespace ascend::core
