// Stepped: a function in a process of its own that the test runs instruction by
// instruction, to stop it at every place where the scheduler might.
//
// Threading: one thread, the one that made it. Ownership: owns the process and
// kills it when destroyed.
#ifndef ASCEND_TESTS_UNIT_PROTO_IPC_STEPPED_H_
#define ASCEND_TESTS_UNIT_PROTO_IPC_STEPPED_H_

#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

namespace ascend::ipc {

class Stepped {
 public:
  enum class State { kStopped, kAsleep, kEnded };

  // Stops just before `function`, which returns whether all was well. Ended at
  // once where a process may not trace another.
  template <typename Function>
  explicit Stepped(Function&& function) {
    // Binds the symbol, lest the child's few instructions become thousands.
    const long me = ::syscall(SYS_getpid);
    pid_ = ::fork();
    if (pid_ < 0 || me < 0) std::abort();
    if (pid_ == 0) {
      if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(1);
      ::syscall(SYS_kill, ::getpid(), SIGSTOP);
      ::syscall(SYS_exit_group, std::forward<Function>(function)() ? 0 : 1);
    }
    AwaitChange();
  }
  ~Stepped() {
    if (state_ == State::kEnded) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Stepped(const Stepped&) = delete;
  Stepped& operator=(const Stepped&) = delete;

  State state() const { return state_; }

  // Up to `count` instructions; fewer when it falls asleep or ends.
  void Step(int count) {
    for (int i = 0; i < count && state_ == State::kStopped; ++i) {
      const bool may_sleep = IsAtSystemCall();
      ::ptrace(PTRACE_SINGLESTEP, pid_, nullptr, nullptr);
      if (may_sleep) {
        Await();
      } else {
        AwaitChange();
      }
    }
  }
  // Until it sleeps or ends.
  void Run() {
    while (state_ == State::kStopped) {
      ::ptrace(PTRACE_CONT, pid_, nullptr, nullptr);
      Await();
    }
  }
  // Until it ends, woken by somebody if need be.
  bool Succeeds() {
    while (state_ != State::kEnded) {
      if (state_ == State::kStopped) {
        ::ptrace(PTRACE_CONT, pid_, nullptr, nullptr);
      }
      AwaitChange();
    }
    return WIFEXITED(status_) && WEXITSTATUS(status_) == 0;
  }

 private:
  void Await() {
    while (::waitpid(pid_, &status_, WNOHANG) != pid_) {
      if (IsAsleep()) {
        state_ = State::kAsleep;
        return;
      }
      ::sched_yield();
    }
    state_ = WIFSTOPPED(status_) ? State::kStopped : State::kEnded;
  }
  void AwaitChange() {
    ::waitpid(pid_, &status_, 0);
    state_ = WIFSTOPPED(status_) ? State::kStopped : State::kEnded;
  }
  // Whether the next instruction is one. It is not looked for on other
  // machines.
  bool IsAtSystemCall() const {
#if defined(__x86_64__)
    const long at = ::ptrace(PTRACE_PEEKUSER, pid_,
                             offsetof(user_regs_struct, rip), nullptr);
    return (::ptrace(PTRACE_PEEKTEXT, pid_, at, nullptr) & 0xFFFF) == 0x050F;
#else
    return true;
#endif
  }
  bool IsAsleep() const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/stat");
    std::string text;
    std::getline(file, text);
    const size_t end_of_name = text.rfind(')');
    return end_of_name != std::string::npos && text[end_of_name + 2] == 'S';
  }

  pid_t pid_ = -1;
  int status_ = 0;
  State state_ = State::kEnded;
};

}  // namespace ascend::ipc

#endif  // ASCEND_TESTS_UNIT_PROTO_IPC_STEPPED_H_
