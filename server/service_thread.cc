#include "server/service_thread.h"

#include <pthread.h>
#include <signal.h>

#include <utility>

#include "core/base/thread_slice.h"

namespace ascend::server {

std::thread StartServiceThread(const char* name,
                               std::chrono::microseconds slice,
                               std::function<void()> run) {
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
    sigdelset(&blocked, fault);
  }
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  std::thread thread([name, slice, run = std::move(run)] {
    pthread_setname_np(pthread_self(), name);
    core::SetThreadSlice(slice);
    run();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace ascend::server
