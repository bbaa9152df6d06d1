#include "client/capi/call_trace.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace ascend::client {
namespace {

constexpr size_t kTextMax = 80;

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The name that a declaration "type name" gives, also in "type (*name)(...)".
std::string DeclaredName(absl::string_view declaration) {
  const size_t function_pointer = declaration.find("(*");
  if (function_pointer != declaration.npos) {
    declaration =
        declaration.substr(0, declaration.find(')', function_pointer));
  }
  declaration = declaration.substr(0, declaration.find('['));
  size_t end = declaration.size();
  while (end > 0 && !IsWordCharacter(declaration[end - 1])) --end;
  size_t begin = end;
  while (begin > 0 && IsWordCharacter(declaration[begin - 1])) --begin;
  return std::string(declaration.substr(begin, end - begin));
}

// A file that is full or gone is no reason for a program to fail.
void WriteAll(int fd, const std::string& text) {
  ssize_t written = 0;
  do {
    written = write(fd, text.data(), text.size());
  } while (written < 0 && errno == EINTR);
}

}  // namespace

std::vector<std::string> ParameterNames(absl::string_view parameters) {
  parameters = parameters.substr(1, parameters.size() - 2);
  std::vector<std::string> names;
  if (parameters == "void") return names;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= parameters.size(); ++i) {
    const char c = i < parameters.size() ? parameters[i] : ',';
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != ',' || depth > 0) continue;
    names.push_back(DeclaredName(parameters.substr(begin, i - begin)));
    begin = i + 1;
  }
  return names;
}

std::string DescribeText(const char* text) {
  if (text == nullptr) return "null";
  const size_t length = strnlen(text, kTextMax);
  return absl::StrCat("\"", absl::CEscape(absl::string_view(text, length)),
                      length < kTextMax ? "\"" : "\"...");
}

std::string DescribePointer(const volatile void* pointer) {
  if (pointer == nullptr) return "null";
  return absl::StrCat("0x", absl::Hex(reinterpret_cast<uintptr_t>(pointer)));
}

bool HasPointerResults(const PublicFunction& function) {
  return function.name.find("Batch") == std::string_view::npos &&
         function.name.find("Array") == std::string_view::npos;
}

std::string TraceLine(const TracedCall& call, int64_t thread) {
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  const int64_t start =
      duration_cast<microseconds>(call.start.time_since_epoch()).count();
  const int64_t nanoseconds = call.duration.count();
  const absl::string_view parameters(call.function->parameters.data(),
                                     call.function->parameters.size());
  std::vector<std::string> arguments = ParameterNames(parameters);
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::StrAppend(&arguments[i], "=", call.arguments[i]);
  }
  return absl::StrFormat(
      "%d.%06d %d %s(%s)%s%s <%d.%09d>%s\n", start / 1000000, start % 1000000,
      thread, std::string(call.function->name), absl::StrJoin(arguments, ", "),
      call.result.empty() ? "" : " = ", call.result, nanoseconds / 1000000000,
      nanoseconds % 1000000000, call.is_injected ? " (injected)" : "");
}

absl::StatusOr<CallTrace> CallTrace::Open(const std::string& path) {
  core::UniqueFd file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (file.get() < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the file '", path, "' cannot be written: ", std::strerror(errno)));
  }
  WriteAll(file.get(), absl::StrCat("# calls of process ", getpid(), " (",
                                    program_invocation_short_name, ")\n"));
  return CallTrace(std::move(file));
}

void CallTrace::Write(const TracedCall& call) {
  WriteAll(file_.get(), TraceLine(call, syscall(SYS_gettid)));
}

}  // namespace ascend::client
