// DaemonProcess: a daemon in a process of its own, for integration tests.
//
// Starts a program with the options of ascend-rtd plus --ready-fd, waits for
// its line, and ends it when destroyed. RunProgram runs any program to its end
// and collects what it says.
//
// Threading: one thread at a time. Ownership: owns the process.
#ifndef ASCEND_TESTS_TESTING_DAEMON_PROCESS_H_
#define ASCEND_TESTS_TESTING_DAEMON_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/base/unique_fd.h"

namespace ascend::testing {

struct ProgramResult {
  int exit_code = -1;  // 128 + signal when killed
  std::string out;
  std::string err;
};

// Runs `command` with `environment` ("NAME=value") on top of ours.
ProgramResult RunProgram(const std::vector<std::string>& command,
                         const std::vector<std::string>& environment = {});

// A directory that is gone, with all in it, when this is destroyed.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class DaemonProcess {
 public:
  // `program` listens at a UNIX socket of its own and at 127.0.0.1. Fails the
  // process (not the test) when the daemon does not get ready.
  explicit DaemonProcess(const std::string& program,
                         const std::vector<std::string>& options = {});
  ~DaemonProcess();

  const std::string& unix_address() const { return unix_address_; }
  const std::string& tcp_address() const { return tcp_address_; }
  pid_t pid() const { return pid_; }

  // SIGTERM; the exit code, 128 + signal, or -1 if it does not end in time.
  int Terminate(std::chrono::milliseconds timeout = std::chrono::seconds(15));
  // SIGKILL.
  void Kill();
  // Lets go of the lifeline; the exit code as Terminate gives it.
  int CutLifeline();
  // Standard error so far.
  std::string Log() const;

 private:
  int Wait(std::chrono::milliseconds timeout);

  TemporaryDirectory directory_;
  std::string unix_address_;
  std::string tcp_address_;
  pid_t pid_ = -1;
  core::UniqueFd lifeline_;
};

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_TESTING_DAEMON_PROCESS_H_
