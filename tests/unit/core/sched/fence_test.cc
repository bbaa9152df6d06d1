#include "core/sched/fence.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ascend::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

FenceWaiter Request(uint64_t ticket) {
  return {.kind = FenceWaiter::Kind::kRequest,
          .session = SessionId(1),
          .key = ticket};
}

TEST(FenceTest, WakesThoseWhoseValueIsReachedInOrderOfValueThenOfWaiting) {
  FenceTable fences;
  const FenceId fence = fences.Create();
  fences.AddWaiter(fence, 3, Request(30));
  fences.AddWaiter(fence, 1, Request(10));
  fences.AddWaiter(fence, 2, Request(20));
  fences.AddWaiter(fence, 1, Request(11));
  std::vector<FenceWaiter> woken;
  fences.Raise(fence, 2, &woken);
  EXPECT_THAT(woken, ElementsAre(Request(10), Request(11), Request(20)));
  woken.clear();
  fences.Raise(fence, 3, &woken);
  EXPECT_THAT(woken, ElementsAre(Request(30)));
}

TEST(FenceTest, IsReachedFromItsValueDown) {
  FenceTable fences;
  const FenceId fence = fences.Create();
  EXPECT_TRUE(fences.IsReached(fence, 0));
  EXPECT_FALSE(fences.IsReached(fence, 1));
  std::vector<FenceWaiter> woken;
  fences.Raise(fence, 1, &woken);
  EXPECT_TRUE(fences.IsReached(fence, 1));
  EXPECT_FALSE(fences.IsReached(fence, 2));
}

TEST(FenceTest, ADestroyedFenceIsReachedEvenWhenItsPlaceIsUsedAnew) {
  FenceTable fences;
  const FenceId old = fences.Create();
  fences.AddWaiter(old, 5, Request(1));
  fences.Destroy(old);
  EXPECT_TRUE(fences.IsReached(old, 5));
  const FenceId fresh = fences.Create();
  EXPECT_EQ(fresh.index, old.index);
  EXPECT_TRUE(fences.IsReached(old, 5));
  EXPECT_FALSE(fences.IsReached(fresh, 5));
  std::vector<FenceWaiter> woken;
  fences.Raise(fresh, 9, &woken);
  EXPECT_THAT(woken, IsEmpty()) << "waiters go with their fence";
  EXPECT_EQ(fences.live_count(), 1u);
}

TEST(FenceTest, ARemovedWaiterIsNotWokenAndTheOthersAreInOrder) {
  FenceTable fences;
  const FenceId fence = fences.Create();
  for (uint64_t i = 1; i <= 9; ++i) {
    fences.AddWaiter(fence, 10 - i, Request(i));
    fences.AddWaiter(fence, i, Request(100));
  }
  fences.RemoveWaiter(fence, Request(100));
  fences.RemoveWaiter(fence, Request(5));
  fences.RemoveWaiter(fence, Request(77));  // does not wait
  std::vector<FenceWaiter> woken;
  fences.Raise(fence, 20, &woken);
  EXPECT_THAT(woken, ElementsAre(Request(9), Request(8), Request(7), Request(6),
                                 Request(4), Request(3), Request(2),
                                 Request(1)));
  fences.Destroy(fence);
  fences.RemoveWaiter(fence, Request(1));
}

TEST(FenceDeathTest, NeverGoesBack) {
  FenceTable fences;
  const FenceId fence = fences.Create();
  std::vector<FenceWaiter> woken;
  fences.Raise(fence, 4, &woken);
  EXPECT_DEATH(fences.Raise(fence, 3, &woken), "goes back from 4 to 3");
}

}  // namespace
}  // namespace ascend::core
