// DaemonOptions: the command line of ascend-rtd.
//
// Parsed by hand rather than by absl::flags: a bad value is one sentence and
// exit code 2, --listen may be repeated, and tests call it like any function.
//
// Threading: value type, pure functions. Ownership: none.
#ifndef ASCEND_SERVER_OPTIONS_H_
#define ASCEND_SERVER_OPTIONS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ascend::server {

struct DaemonOptions {
  std::vector<std::string> listen;           // never empty after parsing
  uint32_t devices = 1;                      // 1 to 64
  uint64_t hbm_quota_per_session_bytes = 0;  // 0: none
  std::string policy = "strict_priority";    // or "fifo"
  std::string clock = "free";
  std::string log_level = "info";
  uint32_t sessions_max = 1024;
  uint32_t socket_mode = 0666;  // of UNIX sockets
  // For a daemon that a program starts for itself alone. -1: not given.
  int ready_fd = -1;     // gets one line, the addresses, once they answer
  int lifeline_fd = -1;  // the daemon ends when it reaches its end
  // For tests, not in --help (MachineHostOptions).
  bool ignore_tickets_for_test = false;
  bool help = false;
  bool version = false;
};

// `arguments` are those after the program's name. Errors: kInvalidArgument,
// one sentence.
absl::StatusOr<DaemonOptions> ParseOptions(
    std::span<const char* const> arguments);

// The text of --help.
absl::string_view OptionsHelp();

}  // namespace ascend::server

#endif  // ASCEND_SERVER_OPTIONS_H_
