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
#include "core/sched/policy.h"
#include "core/spec/device_spec.h"
#include "server/clock_mode.h"

namespace ascend::server {

struct DaemonOptions {
  std::vector<std::string> listen;           // never empty after parsing
  uint32_t devices = 1;                      // 1 to 64
  std::string soc = "ascend910";             // a profile's name or file
  uint64_t hbm_quota_per_session_bytes = 0;  // 0: none
  // One for all devices, or one by device; policies are of core::PolicyNames.
  std::vector<std::string> policies = {"strict_priority"};
  std::vector<core::HoldMode> holds;   // empty: the profile's
  core::PolicyOptions policy_options;  // of all devices
  ClockMode clock;
  uint64_t seed = 1;
  std::string record;  // a file; empty: none
  uint32_t kernel_timeout_s = 1091;
  std::vector<uint32_t> rank_weights;
  std::string log_level = "info";
  std::string trace_path;  // empty: no trace
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
