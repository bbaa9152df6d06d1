// Log: the few lines that this library says about itself.
//
// Silent unless asked: ASCEND_SLOG_PRINT_TO_STDOUT=1 prints to standard output
// what ASCEND_GLOBAL_LOG_LEVEL lets through (0 debug, 1 info, 2 warning, 3
// error, the default, 4 nothing). Both are read once.
//
// Threading: any thread.
#ifndef ASCEND_CLIENT_RUNTIME_LOG_H_
#define ASCEND_CLIENT_RUNTIME_LOG_H_

#include "absl/strings/string_view.h"

namespace ascend::client {

enum class LogLevel : int { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3 };

// Whether a line of that level is printed.
bool IsLogged(LogLevel level);

void Log(LogLevel level, absl::string_view line);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_LOG_H_
