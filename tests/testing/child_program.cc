#include "tests/testing/child_program.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>

#include "core/base/check.h"

namespace ascend::testing {
namespace {

constexpr std::chrono::minutes kPatience{1};

}  // namespace

ChildProgram::ChildProgram(const std::vector<std::string>& command,
                           const std::vector<std::string>& environment) {
  // A socket, since writing to one can do without SIGPIPE.
  int input[2];
  ASCEND_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) ==
               0);
  const core::UniqueFd childs_input(input[0]);
  input_ = core::UniqueFd(input[1]);
  Pipe output = MakePipe();
  pid_ = Spawn(command, environment,
               {{childs_input.get(), 0}, {output.write.get(), 1}});
  output_ = std::move(output.read);
}

ChildProgram::~ChildProgram() {
  if (pid_ < 0) return;
  Kill();
  Wait();
}

std::string ChildProgram::ReadLine() {
  for (;;) {
    const size_t end = buffered_.find('\n');
    if (end != std::string::npos) {
      std::string line = buffered_.substr(0, end);
      buffered_.erase(0, end + 1);
      return line;
    }
    pollfd polled{.fd = output_.get(), .events = POLLIN};
    const auto patience = std::chrono::milliseconds(kPatience).count();
    char bytes[4096];
    if (::poll(&polled, 1, static_cast<int>(patience)) != 1) return "";
    const ssize_t got = ::read(output_.get(), bytes, sizeof(bytes));
    if (got <= 0) return "";
    buffered_.append(bytes, static_cast<size_t>(got));
  }
}

std::vector<std::string> ChildProgram::ReadLines() {
  std::vector<std::string> lines;
  for (std::string line = ReadLine(); !line.empty(); line = ReadLine()) {
    lines.push_back(std::move(line));
  }
  return lines;
}

void ChildProgram::WriteLine(const std::string& line) {
  const std::string bytes = line + "\n";
  // A program that has ended reads nothing; the test sees that otherwise.
  (void)!::send(input_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

void ChildProgram::Kill() { ::kill(pid_, SIGKILL); }

int ChildProgram::Wait() {
  const int exit_code = AwaitExit(pid_, kPatience);
  if (exit_code >= 0) pid_ = -1;
  return exit_code;
}

}  // namespace ascend::testing
