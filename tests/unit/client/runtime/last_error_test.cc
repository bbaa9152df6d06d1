#include "client/runtime/last_error.h"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "gtest/gtest.h"

namespace ascend::client {
namespace {

class LastErrorTest : public ::testing::Test {
 protected:
  ~LastErrorTest() override {
    SetMessageScope(MessageScope::kThread);
    TakeLastError();
    TakeRecentMessages();
  }
};

TEST_F(LastErrorTest, PeekKeepsAndTakeForgets) {
  EXPECT_EQ(PeekLastError(), 0);
  RecordError(107000, "a");
  RecordError(107001, "b");
  EXPECT_EQ(PeekLastError(), 107001);
  EXPECT_EQ(TakeLastError(), 107001);
  EXPECT_EQ(TakeLastError(), 0);
}

TEST_F(LastErrorTest, MessagesAreGivenOutOnceTheNewestFirst) {
  EXPECT_EQ(TakeRecentMessages(), nullptr);
  RecordError(1, "first");
  RecordError(2, "second");
  EXPECT_STREQ(TakeRecentMessages(), "second\nfirst");
  EXPECT_EQ(TakeRecentMessages(), nullptr);
}

TEST_F(LastErrorTest, ThreadsDoNotSeeEachOthersFailures) {
  std::thread([] { RecordError(107000, "elsewhere"); }).join();
  EXPECT_EQ(PeekLastError(), 0);
  EXPECT_EQ(TakeRecentMessages(), nullptr);
}

TEST_F(LastErrorTest, ProcessScopeSharesTheMessagesButNotTheCode) {
  SetMessageScope(MessageScope::kProcess);
  std::thread([] { RecordError(107000, "elsewhere"); }).join();
  EXPECT_EQ(PeekLastError(), 0);
  EXPECT_STREQ(TakeRecentMessages(), "elsewhere");
}

TEST_F(LastErrorTest, AProgramThatNeverAsksDoesNotGrow) {
  for (int i = 0; i < 10000; ++i) RecordError(1, "message");
  EXPECT_LT(std::string(TakeRecentMessages()).size(), 10000u);
}

// A program's static object that ends after the main thread's own storage, and
// makes calls in its destructor.
struct CallsAtExit {
  ~CallsAtExit() {
    RecordError(107002, "too late");
    const char* const text = TakeRecentMessages();
    const bool is_right = PeekLastError() == 107002 && text != nullptr &&
                          std::string(text) == "too late";
    ::_exit(is_right ? 7 : 1);
  }
};

TEST(LastErrorDeathTest, StaticObjectsMayStillCall) {
  EXPECT_EXIT(
      {
        static CallsAtExit calls;
        RecordError(107000, "in time");
        std::exit(0);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace ascend::client
