#include "server/rpc/operator_threads.h"

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "core/base/sync.h"
#include "gtest/gtest.h"

namespace ascend::server {
namespace {

// Works that wait until they are let go.
class Held {
 public:
  void Enter() {
    core::MutexLock lock(mutex_);
    ++inside_;
    changed_.NotifyAll();
    while (!is_open_) changed_.Wait(mutex_);
  }
  void Open() {
    core::MutexLock lock(mutex_);
    is_open_ = true;
    changed_.NotifyAll();
  }
  // False: not within half a minute.
  bool AwaitInside(size_t count) {
    const auto deadline =
        core::CondVar::Clock::now() + std::chrono::seconds(30);
    core::MutexLock lock(mutex_);
    while (inside_ < count) {
      if (!changed_.WaitUntil(mutex_, deadline)) return false;
    }
    return true;
  }
  size_t inside() {
    core::MutexLock lock(mutex_);
    return inside_;
  }

 private:
  core::Mutex mutex_;
  core::CondVar changed_;
  size_t inside_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_open_ ABSL_GUARDED_BY(mutex_) = false;
};

TEST(OperatorThreads, OneThatWaitsHoldsUpNoOther) {
  Held slow;
  Held quick;
  quick.Open();
  OperatorThreads threads;
  for (size_t i = 1; i < OperatorThreads::kThreadsMax; ++i) {
    threads.Run([&] { slow.Enter(); });
  }
  for (size_t i = 0; i < 100; ++i) threads.Run([&] { quick.Enter(); });
  EXPECT_TRUE(quick.AwaitInside(100));
  slow.Open();
}

TEST(OperatorThreads, NoMoreThanTheMostRunTogether) {
  Held held;
  OperatorThreads threads;
  for (size_t i = 0; i < OperatorThreads::kThreadsMax + 5; ++i) {
    threads.Run([&] { held.Enter(); });
  }
  ASSERT_TRUE(held.AwaitInside(OperatorThreads::kThreadsMax));
  EXPECT_EQ(held.inside(), OperatorThreads::kThreadsMax);
  held.Open();
  EXPECT_TRUE(held.AwaitInside(OperatorThreads::kThreadsMax + 5));
}

TEST(OperatorThreads, AThreadThatHasNothingToDoIsUsedAgain) {
  std::set<std::thread::id> ids;
  OperatorThreads threads;
  for (int i = 0; i < 100; ++i) {
    Held done;
    done.Open();
    threads.Run([&] {
      ids.insert(std::this_thread::get_id());
      done.Enter();
    });
    ASSERT_TRUE(done.AwaitInside(1));
  }
  threads.Stop();
  // One may not be back yet when the next work comes.
  EXPECT_LT(ids.size(), OperatorThreads::kThreadsMax);
}

TEST(OperatorThreads, NothingIsBegunOnceItHasStopped) {
  std::atomic<bool> was_run = false;
  OperatorThreads threads;
  threads.Stop();
  threads.Run([&] { was_run = true; });
  threads.Stop();
  EXPECT_FALSE(was_run);
}

}  // namespace
}  // namespace ascend::server
