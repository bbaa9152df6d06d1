#include "server/fair_queue.h"

#include <string>

#include "gtest/gtest.h"

namespace ascend::server {
namespace {

using core::SessionId;

std::string Drain(FairQueue<char>& queue) {
  std::string items;
  while (!queue.empty()) items += queue.Pop().second;
  return items;
}

TEST(FairQueueTest, TakesTurnsBetweenSessionsAndKeepsOrderWithin) {
  FairQueue<char> queue;
  for (const char item : {'a', 'b', 'c', 'd'}) queue.Push(SessionId(1), item);
  for (const char item : {'x', 'y'}) queue.Push(SessionId(2), item);
  queue.Push(SessionId(3), '1');
  EXPECT_EQ(Drain(queue), "ax1bycd");
}

TEST(FairQueueTest, ANewSessionWaitsForOneRotationAtMost) {
  FairQueue<char> queue;
  for (int i = 0; i < 100; ++i) queue.Push(SessionId(1), 'a');
  queue.Pop();
  queue.Push(SessionId(2), 'x');
  EXPECT_EQ(queue.Pop().second, 'a');
  const auto [session, item] = queue.Pop();
  EXPECT_EQ(session, SessionId(2));
  EXPECT_EQ(item, 'x');
}

TEST(FairQueueTest, PassesOverSessionsThatAreNotAdmitted) {
  FairQueue<char> queue;
  queue.Push(SessionId(1), 'a');
  queue.Push(SessionId(2), 'x');
  queue.Push(SessionId(1), 'b');
  const auto only_2 = [](SessionId id) { return id == SessionId(2); };
  EXPECT_EQ(queue.PopIf(only_2)->second, 'x');
  EXPECT_EQ(queue.PopIf(only_2), std::nullopt);
  EXPECT_EQ(Drain(queue), "ab");
}

TEST(FairQueueTest, MovesItemsThatCannotBeCopied) {
  FairQueue<std::unique_ptr<int>> queue;
  queue.Push(SessionId(1), std::make_unique<int>(5));
  EXPECT_EQ(*queue.Pop().second, 5);
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace ascend::server
