#include "tests/testing/daemon_process.h"

#include <fcntl.h>
#include <signal.h>
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
#include "tests/testing/spawn.h"

namespace ascend::testing {
namespace {

std::string ReadFile(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
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
  return ProgramResult{.exit_code = AwaitExit(pid, std::nullopt),
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
  const int exit_code = AwaitExit(pid_, timeout);
  if (exit_code >= 0) pid_ = -1;
  return exit_code;
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
