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

absl::Status ParseHold(absl::string_view flag, absl::string_view value,
                       core::HoldMode* out) {
  for (const core::HoldMode hold :
       {core::HoldMode::kGang, core::HoldMode::kSplit,
        core::HoldMode::kBlock}) {
    if (value != core::NameOf(hold)) continue;
    *out = hold;
    return absl::OkStatus();
  }
  return Invalid(flag, " is '", value,
                 "', which is none of gang, split, block");
}

// "fifo" or "fifo,drfq": each by `parse_one`.
template <typename T, typename ParseOne>
absl::Status ParseList(absl::string_view value, ParseOne parse_one,
                       std::vector<T>* out) {
  out->clear();
  for (const absl::string_view text : absl::StrSplit(value, ',')) {
    ASCEND_RETURN_IF_ERROR(parse_one(text, &out->emplace_back()));
  }
  return absl::OkStatus();
}

absl::Status CheckCount(absl::string_view flag, size_t count,
                        uint32_t devices) {
  if (count <= 1 || count == devices) return absl::OkStatus();
  return Invalid(flag, " has ", count, " values, but --devices is ", devices,
                 "; give one for all, or one for each");
}

// A time in microseconds, up to an hour.
absl::Status ParseMicroseconds(absl::string_view flag, absl::string_view value,
                               core::Tick* out) {
  uint32_t us = 0;
  ASCEND_RETURN_IF_ERROR(ParseNumber(flag, value, 0, 3'600'000'000u, &us));
  *out = core::Microseconds(us);
  return absl::OkStatus();
}

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
  if (flag == "--soc") {
    if (value.empty()) return Invalid("--soc is empty");
    out->soc = std::string(value);
    return absl::OkStatus();
  }
  if (flag == "--hbm-quota-per-session") {
    return ParseBytes(flag, value, &out->hbm_quota_per_session_bytes);
  }
  if (flag == "--policy") {
    return ParseList(
        value,
        [&](absl::string_view text, std::string* one) {
          return ParseChoice(flag, text, core::PolicyNames(), one);
        },
        &out->policies);
  }
  if (flag == "--hold") {
    return ParseList(
        value,
        [&](absl::string_view text, core::HoldMode* one) {
          return ParseHold(flag, text, one);
        },
        &out->holds);
  }
  if (flag == "--preempt") {
    return ParseBool(flag, value, &out->policy_options.preempts);
  }
  if (flag == "--ageing-us") {
    return ParseMicroseconds(flag, value, &out->policy_options.ageing_ticks);
  }
  if (flag == "--reserve-after-us") {
    return ParseMicroseconds(flag, value,
                             &out->policy_options.reserve_after_ticks);
  }
  if (flag == "--rank-weights") {
    return ParseList(
        value,
        [&](absl::string_view text, uint32_t* one) {
          return ParseNumber(flag, text, 1, 1'000'000, one);
        },
        &out->rank_weights);
  }
  if (flag == "--kernel-timeout-s") {
    return ParseNumber(flag, value, 1, 1'000'000, &out->kernel_timeout_s);
  }
  if (flag == "--record") {
    if (value.empty()) return Invalid(flag, " has an empty path");
    out->record = std::string(value);
    return absl::OkStatus();
  }
  if (flag == "--seed") {
    if (absl::SimpleAtoi(value, &out->seed)) return absl::OkStatus();
    return Invalid(flag, " is '", value, "', which is no whole number");
  }
  if (flag == "--clock") {
    ASCEND_ASSIGN_OR_RETURN(out->clock, ParseClockMode(value));
    return absl::OkStatus();
  }
  if (flag == "--log-level") {
    return ParseChoice(flag, value, kLogLevels, &out->log_level);
  }
  if (flag == "--trace") {
    out->trace_path = std::string(value);
    if (!value.empty()) return absl::OkStatus();
    return Invalid("--trace is empty, which is no file");
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
  ASCEND_RETURN_IF_ERROR(
      CheckCount("--policy", out.policies.size(), out.devices));
  ASCEND_RETURN_IF_ERROR(CheckCount("--hold", out.holds.size(), out.devices));
  if (out.listen.empty()) out.listen.emplace_back(wire::kDefaultAddress);
  return out;
}

absl::string_view OptionsHelp() {
  return R"(ascend-rtd: a daemon that owns simulated Ascend NPUs.

usage: ascend-rtd [options]
       ascend-rtd replay FILE

  --listen ADDRESS    unix:PATH, 127.0.0.1:PORT or [::1]:PORT; port 0 picks a
                      free one; repeat it or separate by commas
                      (unix:/run/ascend-rtd/ascend-rtd.sock)
  --socket-mode MODE  permissions of UNIX sockets (0666)
  --devices N         simulated NPUs, 1 to 64 (1)
  --soc NAME|FILE     what the NPUs are: the name of a profile that ascend-rtd
                      has (an unknown one lists them), or a file with a '/' in
                      it or the ending .textproto (ascend910)
  --hbm-quota-per-session BYTES
                      device memory that a session may hold per device, with
                      suffix K, M or G; 0 is all of it (0)
  --policy NAME[,NAME...]
                      who gets units first: strict_priority, fifo, fair, drfq
                      or srf; one name for all devices or one for each, in
                      their order (strict_priority)
  --hold MODE[,MODE...]
                      how kernels hold units: gang, split or block; one for all
                      devices or one for each (as the profile says)
  --preempt BOOL      with strict_priority and block: kernels give units up to
                      more urgent ones between two slices (false)
  --ageing-us N       with strict_priority: waiting so long, in simulated time,
                      is worth one level; 0: nothing is (0)
  --reserve-after-us N
                      keep units for a kernel that does not fit once it has
                      waited so long, in simulated time (1000)
  --clock MODE        free: waits 1 ms for programs that may submit earlier
                      work; lockstep: waits long enough that the host's speed
                      does not matter; paced[:K]: free, and no faster than wall
                      time x K; ungated: waits for nobody (free)
  --seed N            of the jitter of simulated times (1)
  --kernel-timeout-s N
                      end a kernel that has computed for so long, in wall time;
                      its program gets 507014, or 507034 if it is one of vector
                      cores (1091)
  --record FILE       write what clients and jobs tell the devices to FILE;
                      ascend-rtd replay FILE repeats it, to the picosecond
  --rank-weights N,N,...
                      with drfq: weights of the sessions of a run, by their
                      ranks; those not named have 1
  --sessions-max N    sessions at a time, 1 to 65536 (1024)
  --log-level LEVEL   trace, debug, info, warn, error or off (info)
  --trace FILE        at the end, write what ran when to FILE, the last 1000000
                      tasks: a picture if it ends in .svg, else JSON for
                      ui.perfetto.dev; see also ascend-rtctl trace
  --ready-fd N        write one line, the addresses, to descriptor N once they
                      answer, and close it
  --lifeline-fd N     end when descriptor N reaches its end: when all processes
                      that hold the other end of a pipe are gone; then remove
                      the directories of the sockets too, if they are empty
  --version           print the version and exit
  --help              print this and exit

examples:
  ascend-rtd --devices 8 --soc ascend910b2
  ascend-rtd --listen unix:/tmp/npu.sock --listen 127.0.0.1:7700
  ascend-rtd --hbm-quota-per-session 8G --policy fifo
  ascend-rtd --devices 2 --policy fifo,drfq --hold gang,block
  ascend-rtd --trace /tmp/run.svg

SIGTERM and SIGINT refuse new sessions, give the open ones 5 s, and end.
)";
}

}  // namespace ascend::server
