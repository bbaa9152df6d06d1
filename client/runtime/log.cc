#include "client/runtime/log.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace ascend::client {
namespace {

constexpr int kSilent = 4;

// The lowest level that is printed.
int ReadThreshold() {
  const char* const to_stdout = std::getenv("ASCEND_SLOG_PRINT_TO_STDOUT");
  if (to_stdout == nullptr || absl::string_view(to_stdout) != "1") {
    return kSilent;
  }
  const char* const text = std::getenv("ASCEND_GLOBAL_LOG_LEVEL");
  int level = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &level)) {
    return static_cast<int>(LogLevel::kError);
  }
  return level;
}

absl::string_view LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "DEBUG";
    case LogLevel::kInfo:
      return "INFO";
    case LogLevel::kWarning:
      return "WARNING";
    case LogLevel::kError:
      return "ERROR";
  }
  return "LOG";
}

}  // namespace

bool IsLogged(LogLevel level) {
  static const int threshold = ReadThreshold();
  return static_cast<int>(level) >= threshold;
}

void Log(LogLevel level, absl::string_view line) {
  if (!IsLogged(level)) return;
  // One write a line, so that lines of several threads do not mix.
  const std::string text = absl::StrCat("[", LevelName(level), "] ascendcl(",
                                        getpid(), "): ", line, "\n");
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace ascend::client
