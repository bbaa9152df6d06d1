#include "client/runtime/private_daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/runtime/installation.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

using core::MakeError;
using core::Reason;
using core::UniqueFd;

// A daemon is up in tens of milliseconds; a loaded machine gets time.
constexpr std::chrono::seconds kStartTimeout{20};

absl::Status Refuse(absl::string_view what, int error) {
  return MakeError(Reason::kConnectionLost,
                   absl::StrCat("a private daemon cannot be started: ", what,
                                ": ", std::strerror(error)));
}

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

absl::StatusOr<Pipe> MakePipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return Refuse("pipe", errno);
  return Pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

// Waits for the first byte that the daemon writes when it is ready.
absl::Status AwaitReady(const UniqueFd& ready, const std::string& program) {
  const auto deadline = std::chrono::steady_clock::now() + kStartTimeout;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd entry{ready.get(), POLLIN, 0};
    const int count =
        poll(&entry, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (count < 0 && errno == EINTR) continue;
    char byte;
    if (count > 0 && read(ready.get(), &byte, 1) == 1) return absl::OkStatus();
    return MakeError(Reason::kConnectionLost,
                     absl::StrCat("the private daemon ", program,
                                  count == 0 ? " is not ready in time"
                                             : " ends before it is ready",
                                  ": start it by hand to see why, or set "
                                  "ASCEND_RTD_ADDRESS to a daemon that runs"));
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<PrivateDaemon>> PrivateDaemon::Start() {
  const char* const variable = std::getenv("TMPDIR");
  std::string directory =
      absl::StrCat(variable == nullptr || *variable == '\0' ? "/tmp" : variable,
                   "/ascend-rtd-XXXXXX");
  // Mode 0700: the socket is for this user alone.
  if (mkdtemp(directory.data()) == nullptr) {
    return Refuse(absl::StrCat("directory ", directory), errno);
  }
  std::unique_ptr<PrivateDaemon> daemon(
      new PrivateDaemon(std::move(directory)));
  ASCEND_RETURN_IF_ERROR(daemon->Spawn());
  return daemon;
}

PrivateDaemon::~PrivateDaemon() {
  unlink(SocketPath().c_str());
  rmdir(directory_.c_str());
}

std::string PrivateDaemon::SocketPath() const {
  return absl::StrCat(directory_, "/rtd.sock");
}

std::string PrivateDaemon::address() const {
  return absl::StrCat("unix:", SocketPath());
}

absl::Status PrivateDaemon::Spawn() {
  const std::string program = DaemonPath();
  if (access(program.c_str(), X_OK) != 0) {
    return MakeError(
        Reason::kConnectionLost,
        absl::StrCat("no daemon answers and ", program,
                     " cannot be started: ", std::strerror(errno),
                     "; start ascend-rtd, set ASCEND_RTD_ADDRESS to it, or set "
                     "ASCEND_RTD_HOME to the directory of the installation"));
  }
  ASCEND_ASSIGN_OR_RETURN(Pipe ready, MakePipe());
  ASCEND_ASSIGN_OR_RETURN(Pipe lifeline, MakePipe());
  // The shell's numbers of the two ends that the daemon gets.
  constexpr int kReadyFd = 3;
  constexpr int kLifelineFd = 4;
  // Moved out of the way first, since a dup onto itself would keep CLOEXEC.
  UniqueFd ready_end(fcntl(ready.write.get(), F_DUPFD_CLOEXEC, 10));
  const UniqueFd life_end(fcntl(lifeline.read.get(), F_DUPFD_CLOEXEC, 10));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ready_end.get(), kReadyFd);
  posix_spawn_file_actions_adddup2(&actions, life_end.get(), kLifelineFd);
  // Nothing else of the program's: its other files and signals are its own.
  posix_spawn_file_actions_addclosefrom_np(&actions, kLifelineFd + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  sigset_t no_signals;
  sigemptyset(&no_signals);
  posix_spawnattr_setsigmask(&attributes, &no_signals);

  // $0 is the program, "$@" its arguments.
  std::string script = "\"$0\" \"$@\" &";
  std::string path = program;
  std::string flags[] = {"--listen", address(), "--ready-fd",
                         absl::StrCat(kReadyFd), "--lifeline-fd",
                         absl::StrCat(kLifelineFd),
                         // What it says stands between the program's own lines.
                         "--log-level", "warn"};
  char shell[] = "/bin/sh";
  char option[] = "-c";
  char* arguments[] = {shell,           option,          script.data(),
                       path.data(),     flags[0].data(), flags[1].data(),
                       flags[2].data(), flags[3].data(), flags[4].data(),
                       flags[5].data(), flags[6].data(), flags[7].data(),
                       nullptr};
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, shell, &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return Refuse(shell, error);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  // Ours must go, or the end of the daemon would not close the pipe.
  ready.write.Reset();
  ready_end.Reset();
  lifeline_ = std::move(lifeline.write);
  return AwaitReady(ready.read, program);
}

}  // namespace ascend::client
