#include "server/service_thread.h"

#include <pthread.h>
#include <signal.h>

#include <string>

#include "core/base/thread_slice.h"
#include "gtest/gtest.h"

namespace ascend::server {
namespace {

sigset_t CurrentMask() {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return mask;
}

TEST(ServiceThreadTest, LeavesSignalsToTheMainThread) {
  sigset_t inside;
  std::string name(16, '\0');
  std::thread thread = StartServiceThread("tester", core::kPromptSlice, [&] {
    inside = CurrentMask();
    pthread_getname_np(pthread_self(), name.data(), name.size());
  });
  thread.join();
  for (const int signal : {SIGTERM, SIGHUP, SIGINT, SIGUSR1, SIGCHLD}) {
    EXPECT_EQ(sigismember(&inside, signal), 1) << signal;
  }
  EXPECT_EQ(sigismember(&inside, SIGSEGV), 0);
  EXPECT_STREQ(name.c_str(), "tester");
}

TEST(ServiceThreadTest, TheStartersMaskStaysAsItWas) {
  const sigset_t before = CurrentMask();
  StartServiceThread("tester", core::kPromptSlice, [] {}).join();
  const sigset_t after = CurrentMask();
  for (const int signal : {SIGTERM, SIGHUP, SIGINT, SIGUSR1, SIGCHLD}) {
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal));
  }
}

}  // namespace
}  // namespace ascend::server
