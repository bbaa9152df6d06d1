#include "core/base/sync.h"

#include <unistd.h>

#include <chrono>
#include <thread>

#include "core/base/thread_checker.h"
#include "core/base/unique_fd.h"
#include "gtest/gtest.h"

namespace ascend::core {
namespace {

TEST(CondVarTest, WaitEndsOnNotify) {
  Mutex mutex;
  CondVar condition;
  bool ready = false;
  std::thread setter([&] {
    MutexLock lock(mutex);
    ready = true;
    condition.NotifyAll();
  });
  {
    MutexLock lock(mutex);
    while (!ready) condition.Wait(mutex);
  }
  setter.join();
  EXPECT_TRUE(ready);
}

TEST(CondVarTest, WaitUntilSaysWhenTheDeadlineHasPassed) {
  Mutex mutex;
  CondVar condition;
  MutexLock lock(mutex);
  EXPECT_FALSE(condition.WaitUntil(mutex, CondVar::Clock::now()));
}

TEST(UniqueFdTest, ClosesOnceAndMovesOwnership) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  UniqueFd reader(ends[0]);
  {
    UniqueFd writer(ends[1]);
    UniqueFd moved(std::move(writer));
    EXPECT_FALSE(writer.is_valid());  // NOLINT: the moved-from state is defined
    EXPECT_EQ(moved.get(), ends[1]);
  }
  // The writer is closed, so the reader sees the end.
  char byte;
  EXPECT_EQ(read(reader.get(), &byte, 1), 0);
}

#ifndef NDEBUG
TEST(ThreadCheckerDeathTest, RefusesASecondThread) {
  ThreadChecker checker;
  checker.CheckOnOwner();
  EXPECT_DEATH(std::thread([&] { checker.CheckOnOwner(); }).join(),
               "used by two threads");
  checker.Detach();
  std::thread([&] { checker.CheckOnOwner(); }).join();
}
#endif

}  // namespace
}  // namespace ascend::core
