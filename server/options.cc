#include "server/options.h"

#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "proto/wire.h"

namespace ascend::server {
namespace {

template <typename... Parts>
absl::Status Invalid(const Parts&... parts) {
  return core::MakeError(core::Reason::kInvalidArgument,
                         absl::StrCat(parts...));
}

absl::Status ParseNumber(absl::string_view flag, absl::string_view value,
                         uint32_t least, uint32_t most, uint32_t* out) {
  if (absl::SimpleAtoi(value, out) && *out >= least && *out <= most) {
    return absl::OkStatus();
  }
  return Invalid(flag, " is '", value, "', which is no number from ", least,
                 " to ", most);
}

absl::Status ParseFd(absl::string_view flag, absl::string_view value,
                     int* out) {
  uint32_t fd = 0;
  ASCEND_RETURN_IF_ERROR(
      ParseNumber(flag, value, 0, std::numeric_limits<int>::max(), &fd));
  *out = static_cast<int>(fd);
  return absl::OkStatus();
}

// "512M": a number, then at most one of the binary suffixes K, M, G.
absl::Status ParseBytes(absl::string_view flag, absl::string_view value,
                        uint64_t* out) {
  absl::string_view digits = value;
  int shift = 0;
  if (absl::ConsumeSuffix(&digits, "K")) {
    shift = 10;
  } else if (absl::ConsumeSuffix(&digits, "M")) {
    shift = 20;
  } else if (absl::ConsumeSuffix(&digits, "G")) {
    shift = 30;
  }
  uint64_t number = 0;
  if (!absl::SimpleAtoi(digits, &number) ||
      number > std::numeric_limits<uint64_t>::max() >> shift) {
    return Invalid(flag, " is '", value,
                   "', which is no number of bytes such as 4096, 512M or 8G");
  }
  *out = number << shift;
  return absl::OkStatus();
}

absl::Status ParseChoice(absl::string_view flag, absl::string_view value,
                         std::span<const absl::string_view> choices,
                         std::string* out) {
  for (const absl::string_view choice : choices) {
    if (value == choice) {
      *out = std::string(value);
      return absl::OkStatus();
    }
  }
  return Invalid(flag, " is '", value, "', which is none of ",
                 absl::StrJoin(choices, ", "));
}

absl::Status ParseMode(absl::string_view flag, absl::string_view value,
                       uint32_t* out) {
  uint32_t mode = 0;
  for (const char digit : value) {
    if (digit < '0' || digit > '7' || mode > 0777) {
      mode = 01000;
      break;
    }
    mode = mode * 8 + static_cast<uint32_t>(digit - '0');
  }
  if (value.empty() || mode > 0777) {
    return Invalid(flag, " is '", value, "', which is no mode such as 0660");
  }
  *out = mode;
  return absl::OkStatus();
}

absl::Status ParseBool(absl::string_view flag, absl::string_view value,
                       bool* out) {
  if (value != "true" && value != "false") {
    return Invalid(flag, " is '", value, "', which is neither true nor false");
  }
  *out = value == "true";
  return absl::OkStatus();
}

constexpr absl::string_view kPolicies[] = {"fifo", "strict_priority"};
constexpr absl::string_view kClocks[] = {"free"};
constexpr absl::string_view kLogLevels[] = {"trace", "debug", "info",
                                            "warn",  "error", "off"};

absl::Status Apply(absl::string_view flag, absl::string_view value,
                   DaemonOptions* out) {
  if (flag == "--listen") {
    for (absl::string_view address : absl::StrSplit(value, ',')) {
      if (address.empty()) return Invalid("--listen has an empty address");
      out->listen.emplace_back(address);
    }
    return absl::OkStatus();
  }
  if (flag == "--devices") {
    return ParseNumber(flag, value, 1, 64, &out->devices);
  }
  if (flag == "--hbm-quota-per-session") {
    return ParseBytes(flag, value, &out->hbm_quota_per_session_bytes);
  }
  if (flag == "--policy") {
    return ParseChoice(flag, value, kPolicies, &out->policy);
  }
  if (flag == "--clock") return ParseChoice(flag, value, kClocks, &out->clock);
  if (flag == "--log-level") {
    return ParseChoice(flag, value, kLogLevels, &out->log_level);
  }
  if (flag == "--sessions-max") {
    return ParseNumber(flag, value, 1, 65536, &out->sessions_max);
  }
  if (flag == "--socket-mode") return ParseMode(flag, value, &out->socket_mode);
  if (flag == "--ready-fd") return ParseFd(flag, value, &out->ready_fd);
  if (flag == "--lifeline-fd") return ParseFd(flag, value, &out->lifeline_fd);
  if (flag == "--ignore-tickets-for-test") {
    return ParseBool(flag, value, &out->ignore_tickets_for_test);
  }
  return Invalid("option '", flag, "' is unknown; see ascend-rtd --help");
}

}  // namespace

absl::StatusOr<DaemonOptions> ParseOptions(
    std::span<const char* const> arguments) {
  DaemonOptions out;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const absl::string_view argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      out.help = true;
      continue;
    }
    if (argument == "--version") {
      out.version = true;
      continue;
    }
    if (!absl::StartsWith(argument, "--")) {
      return Invalid("argument '", argument,
                     "' is no option; see ascend-rtd --help");
    }
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(argument, absl::MaxSplits('=', 1));
    absl::string_view value = parts.second;
    if (!absl::StrContains(argument, '=')) {
      if (++i == arguments.size()) {
        return Invalid("option '", argument, "' lacks its value");
      }
      value = arguments[i];
    }
    ASCEND_RETURN_IF_ERROR(Apply(parts.first, value, &out));
  }
  if (out.listen.empty()) out.listen.emplace_back(wire::kDefaultAddress);
  return out;
}

absl::string_view OptionsHelp() {
  return R"(ascend-rtd: a daemon that owns simulated Ascend NPUs.

usage: ascend-rtd [options]

  --listen ADDRESS    unix:PATH, 127.0.0.1:PORT or [::1]:PORT; port 0 picks a
                      free one; repeat it or separate by commas
                      (unix:/run/ascend-rtd/ascend-rtd.sock)
  --socket-mode MODE  permissions of UNIX sockets (0666)
  --devices N         simulated NPUs, 1 to 64 (1)
  --hbm-quota-per-session BYTES
                      device memory that a session may hold per device, with
                      suffix K, M or G; 0 is all of it (0)
  --policy NAME       fifo or strict_priority (strict_priority)
  --clock MODE        free: simulated time runs as fast as it can (free)
  --sessions-max N    sessions at a time, 1 to 65536 (1024)
  --log-level LEVEL   trace, debug, info, warn, error or off (info)
  --ready-fd N        write one line, the addresses, to descriptor N once they
                      answer, and close it
  --lifeline-fd N     end when descriptor N reaches its end: when all processes
                      that hold the other end of a pipe are gone; then remove
                      the directories of the sockets too, if they are empty
  --version           print the version and exit
  --help              print this and exit

examples:
  ascend-rtd --devices 8
  ascend-rtd --listen unix:/tmp/npu.sock --listen 127.0.0.1:7700
  ascend-rtd --hbm-quota-per-session 8G --policy fifo

SIGTERM and SIGINT refuse new sessions, give the open ones 5 s, and end.
)";
}

}  // namespace ascend::server
