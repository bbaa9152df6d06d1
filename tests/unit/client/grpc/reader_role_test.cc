#include "client/grpc/reader_role.h"

#include <unistd.h>

#include <atomic>
#include <thread>

#include "gtest/gtest.h"
#include "tests/testing/thread_state.h"

namespace ascend::client {
namespace {

// The thread of the test is the standby and the visitors, unless it says so.
class ReaderRoleTest : public ::testing::Test {
 protected:
  // A thread that waited for a reply would rather have read, and has it now.
  void RetireStandby() {
    ASSERT_FALSE(role_.TryVisit());
    is_awaited_ = false;
    ASSERT_FALSE(role_.GoesOn());
  }

  std::atomic<bool> is_awaited_{true};
  ReaderRole role_{[this] { return is_awaited_.load(); }};
};

TEST_F(ReaderRoleTest, TheStandbyReadsFromTheBeginning) {
  role_.AwaitTurn();
  EXPECT_FALSE(role_.TryVisit());
}

TEST_F(ReaderRoleTest, TheStandbyGoesOnWhileNobodyWouldRead) {
  is_awaited_ = false;
  EXPECT_TRUE(role_.GoesOn());
}

TEST_F(ReaderRoleTest, TheStandbyGoesOnUntilNobodyWaits) {
  EXPECT_FALSE(role_.TryVisit());
  EXPECT_TRUE(role_.GoesOn());
  is_awaited_ = false;
  EXPECT_FALSE(role_.GoesOn());
}

TEST_F(ReaderRoleTest, ThereIsOneVisitorAtATime) {
  RetireStandby();
  EXPECT_TRUE(role_.TryVisit());
  EXPECT_FALSE(role_.TryVisit());
  role_.Leave();
  EXPECT_TRUE(role_.TryVisit());
}

TEST_F(ReaderRoleTest, TheStandbyReadsForThoseWhoWaitWhenAVisitorLeaves) {
  RetireStandby();
  EXPECT_TRUE(role_.TryVisit());
  is_awaited_ = true;
  role_.Leave();
  EXPECT_FALSE(role_.TryVisit());
  role_.AwaitTurn();
  EXPECT_TRUE(role_.GoesOn());
}

TEST_F(ReaderRoleTest, TheStandbyComesWhenCalled) {
  RetireStandby();
  role_.Call();
  EXPECT_FALSE(role_.TryVisit());
  role_.AwaitTurn();
  role_.Call();  // it reads already
  is_awaited_ = false;
  EXPECT_FALSE(role_.GoesOn());
  EXPECT_TRUE(role_.TryVisit());
}

TEST_F(ReaderRoleTest, TheStandbyReadsWhenThereHasBeenNoVisitor) {
  RetireStandby();
  role_.AwaitTurn();
  EXPECT_FALSE(role_.TryVisit());
}

TEST_F(ReaderRoleTest, TheStandbyWaitsForTheEndOfALongVisit) {
  RetireStandby();
  ASSERT_TRUE(role_.TryVisit());
  std::atomic<pid_t> thread{0};
  std::atomic<bool> reads{false};
  std::thread standby([&] {
    thread = ::gettid();
    role_.AwaitTurn();
    reads = true;
  });
  while (thread == 0 || !ascend::testing::IsAsleep(thread)) {
  }
  EXPECT_FALSE(reads);
  role_.Leave();
  standby.join();
}

TEST_F(ReaderRoleTest, AtTheEndTheVisitorFinishesAndNobodyFollows) {
  RetireStandby();
  ASSERT_TRUE(role_.TryVisit());
  role_.End();
  std::thread standby([&] { role_.AwaitTurn(); });
  role_.Leave();
  standby.join();
  EXPECT_FALSE(role_.TryVisit());
  EXPECT_TRUE(role_.GoesOn());
}

}  // namespace
}  // namespace ascend::client
