#include "client/runtime/log.h"

#include <unistd.h>

#include <cstdio>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/runtime/environment.h"

namespace ascend::client {
namespace {

constexpr int kSilent = 4;

// The lowest level that is printed.
int ReadThreshold() {
  constexpr char kLevel[] = "ASCEND_GLOBAL_LOG_LEVEL";
  const absl::string_view text = ReadVariable(kLevel);
  int level = static_cast<int>(LogLevel::kError);
  if (!text.empty() &&
      (!absl::SimpleAtoi(text, &level) || level < 0 || level > kSilent)) {
    IgnoreVariable(kLevel, absl::StrCat("it is '", text,
                                        "', not 0 (debug), 1 (info), 2 "
                                        "(warning), 3 (error) or 4 (none)"));
    level = static_cast<int>(LogLevel::kError);
  }
  return IsSwitchedOn("ASCEND_SLOG_PRINT_TO_STDOUT") ? level : kSilent;
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
