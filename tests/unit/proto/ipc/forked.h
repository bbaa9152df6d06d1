// Forked: a function that runs in a process of its own, forked from the test.
//
// The function returns whether all was well; it asserts nothing itself, and
// ends with the test if the test ends first.
//
// Threading: one thread at a time; fork before the test starts threads.
// Ownership: owns the process and kills it when destroyed.
#ifndef ASCEND_TESTS_UNIT_PROTO_IPC_FORKED_H_
#define ASCEND_TESTS_UNIT_PROTO_IPC_FORKED_H_

#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace ascend::ipc {

class Forked {
 public:
  template <typename Function>
  explicit Forked(Function&& function) : pid_(::fork()) {
    if (pid_ < 0) std::abort();
    if (pid_ > 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::_exit(std::forward<Function>(function)() ? 0 : 1);
  }
  ~Forked() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    Succeeds();
  }
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;

  // Waits for its end.
  bool Succeeds() {
    int status = -1;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  pid_t pid_;
};

}  // namespace ascend::ipc

#endif  // ASCEND_TESTS_UNIT_PROTO_IPC_FORKED_H_
