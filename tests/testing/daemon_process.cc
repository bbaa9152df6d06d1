#include "tests/testing/daemon_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/check.h"

namespace ascend::testing {
namespace {

struct Pipe {
  core::UniqueFd read;
  core::UniqueFd write;
};

Pipe MakePipe() {
  int fds[2];
  ASCEND_CHECK(::pipe2(fds, O_CLOEXEC) == 0);
  return Pipe{core::UniqueFd(fds[0]), core::UniqueFd(fds[1])};
}

std::string ReadFile(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

// Starts `command`; `inherited` are (ours, the child's) descriptors.
pid_t Spawn(const std::vector<std::string>& command,
            const std::vector<std::string>& environment,
            const std::vector<std::pair<int, int>>& inherited) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const auto& [ours, childs] : inherited) {
    ::posix_spawn_file_actions_adddup2(&actions, ours, childs);
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

int ExitCode(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Descriptors of the child, above the standard ones.
constexpr int kReadyFd = 10;
constexpr int kLifelineFd = 11;

}  // namespace

ProgramResult RunProgram(const std::vector<std::string>& command,
                         const std::vector<std::string>& environment) {
  const TemporaryDirectory directory;
  const std::string out_path = directory.path() + "/out";
  const std::string err_path = directory.path() + "/err";
  const core::UniqueFd out(
      ::open(out_path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  const core::UniqueFd err(
      ::open(err_path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  const pid_t pid =
      Spawn(command, environment, {{out.get(), 1}, {err.get(), 2}});
  int status = 0;
  ASCEND_CHECK(::waitpid(pid, &status, 0) == pid);
  return ProgramResult{.exit_code = ExitCode(status),
                       .out = ReadFile(out_path),
                       .err = ReadFile(err_path)};
}

TemporaryDirectory::TemporaryDirectory() {
  std::string name = "/tmp/ascend-rtd-test-XXXXXX";
  ASCEND_CHECK(::mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

DaemonProcess::DaemonProcess(const std::string& program,
                             const std::vector<std::string>& options) {
  Pipe ready = MakePipe();
  Pipe lifeline = MakePipe();
  const core::UniqueFd err(::open((directory_.path() + "/log").c_str(),
                                  O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  std::vector<std::string> command{
      program, "--listen",
      absl::StrCat("unix:", directory_.path(), "/rtd.sock,127.0.0.1:0"),
      absl::StrCat("--ready-fd=", kReadyFd),
      absl::StrCat("--lifeline-fd=", kLifelineFd)};
  command.insert(command.end(), options.begin(), options.end());
  pid_ = Spawn(command, {},
               {{err.get(), 2},
                {ready.write.get(), kReadyFd},
                {lifeline.read.get(), kLifelineFd}});
  ready.write.Reset();
  lifeline_ = std::move(lifeline.write);

  std::string line;
  char buffer[512];
  ssize_t got = 0;
  while ((got = ::read(ready.read.get(), buffer, sizeof(buffer))) > 0) {
    line.append(buffer, static_cast<size_t>(got));
  }
  ASCEND_CHECK(!line.empty()) << program << " does not get ready: " << Log();
  const std::pair<std::string, std::string> addresses =
      absl::StrSplit(absl::StripSuffix(line, "\n"), ',');
  unix_address_ = addresses.first;
  tcp_address_ = addresses.second;
}

DaemonProcess::~DaemonProcess() {
  if (pid_ > 0) Kill();
}

int DaemonProcess::Wait(std::chrono::milliseconds timeout) {
  const core::UniqueFd process(
      static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  pollfd polled{.fd = process.get(), .events = POLLIN};
  if (::poll(&polled, 1, static_cast<int>(timeout.count())) != 1) return -1;
  int status = 0;
  ASCEND_CHECK(::waitpid(pid_, &status, 0) == pid_);
  pid_ = -1;
  return ExitCode(status);
}

int DaemonProcess::Terminate(std::chrono::milliseconds timeout) {
  ::kill(pid_, SIGTERM);
  return Wait(timeout);
}

void DaemonProcess::Kill() {
  ::kill(pid_, SIGKILL);
  Wait(std::chrono::seconds(10));
}

int DaemonProcess::CutLifeline() {
  lifeline_.Reset();
  return Wait(std::chrono::seconds(15));
}

std::string DaemonProcess::Log() const {
  return ReadFile(directory_.path() + "/log");
}

}  // namespace ascend::testing
