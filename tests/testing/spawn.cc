#include "tests/testing/spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/check.h"

namespace ascend::testing {

Pipe MakePipe() {
  int fds[2];
  ASCEND_CHECK(::pipe2(fds, O_CLOEXEC) == 0);
  return Pipe{core::UniqueFd(fds[0]), core::UniqueFd(fds[1])};
}

pid_t Spawn(const std::vector<std::string>& command,
            const std::vector<std::string>& environment,
            const std::vector<std::pair<int, int>>& inherited) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  // Copies out of the way, or one of ours could have the number of a child's.
  std::vector<core::UniqueFd> copies;
  for (const auto& [ours, childs] : inherited) {
    constexpr int kAboveTheChilds = 64;
    copies.emplace_back(::fcntl(ours, F_DUPFD_CLOEXEC, kAboveTheChilds));
    ::posix_spawn_file_actions_adddup2(&actions, copies.back().get(), childs);
  }
  std::vector<char*> argv;
  for (const std::string& word : command) {
    argv.push_back(const_cast<char*>(word.c_str()));
  }
  argv.push_back(nullptr);
  std::vector<char*> envp;
  for (const std::string& entry : environment) {
    envp.push_back(const_cast<char*>(entry.c_str()));
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    envp.push_back(*entry);
  }
  envp.push_back(nullptr);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, command[0].c_str(), &actions, nullptr,
                                  argv.data(), envp.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ASCEND_CHECK(error == 0) << command[0] << " cannot be started";
  return pid;
}

bool AwaitGone(pid_t pid, std::chrono::milliseconds timeout) {
  const core::UniqueFd process(
      static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process.is_valid()) return true;
  pollfd polled{.fd = process.get(), .events = POLLIN};
  return ::poll(&polled, 1, static_cast<int>(timeout.count())) == 1;
}

int AwaitExit(pid_t pid, std::optional<std::chrono::milliseconds> timeout) {
  if (timeout.has_value() && !AwaitGone(pid, *timeout)) return -1;
  int status = 0;
  ASCEND_CHECK(::waitpid(pid, &status, 0) == pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace ascend::testing
