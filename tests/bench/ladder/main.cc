// ascend-rtd-bench: measures a daemon as its users feel it (README.md).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"
#include "proto/malloc_policy.h"
#include "tests/bench/decode/decode.h"
#include "tests/bench/ladder/calls.h"
#include "tests/bench/ladder/floors.h"
#include "tests/bench/ladder/lives.h"
#include "tests/bench/ladder/report.h"
#include "tests/bench/load/load.h"
#include "tests/testing/daemon_process.h"

ABSL_FLAG(std::string, transport, "grpc-uds", "grpc-uds or grpc-tcp");
ABSL_FLAG(std::string, json, "", "also write the figures to this file");
ABSL_FLAG(bool, check, false, "exit 1 when a target is missed");
ABSL_FLAG(absl::optional<int>, streams, absl::nullopt,
          "decode: streams of one process");
ABSL_FLAG(absl::optional<int>, processes, absl::nullopt,
          "decode: processes of one stream each");
ABSL_FLAG(std::string, layout, "",
          "decode: streams of each process, such as 4,1");
ABSL_FLAG(int, tokens, 20, "decode: tokens of each stream");
ABSL_FLAG(std::string, shape, "", "decode: a shape file (shape.h)");
ABSL_FLAG(int, rows, 0, "decode: tokens that a step computes; 0: the shape's");
ABSL_FLAG(bool, execute, false, "decode: kernels really compute");
ABSL_FLAG(std::string, clock, "lockstep", "decode: as ascend-rtd --clock");
ABSL_FLAG(std::string, policy, "fifo", "decode: as ascend-rtd --policy");
ABSL_FLAG(std::string, hold, "gang", "decode: as ascend-rtd --hold");
ABSL_FLAG(std::string, daemon_flags, "", "decode: more flags of ascend-rtd");
ABSL_FLAG(uint64_t, seed, 1, "decode: of starting times and of jitter");
ABSL_FLAG(int, delay_ms, 0, "decode: processes start at random times");

namespace ascend::ladder {
namespace {

constexpr char kUsage[] =
    "ascend-rtd-bench ladder [--transport grpc-uds|grpc-tcp] [--json FILE] "
    "[--check]\n"
    "       ascend-rtd-bench sweep | costs\n"
    "       ascend-rtd-bench decode --streams N | --processes N | --layout "
    "N,N,... [--tokens N] "
    "[--policy NAME] [--hold MODE] [--clock MODE] [--shape FILE] [--rows N] "
    "[--execute=true] [--seed N] [--delay_ms N] [--daemon_flags 'FLAG ...'] "
    "[--json FILE]";

int Misuse(const std::string& why) {
  std::fprintf(stderr, "ascend-rtd-bench: %s\nusage: %s\n", why.c_str(),
               kUsage);
  return 2;
}

// In a process of its own: gRPC of the bench and of the plug-in would be one.
int PrintFloors(bool over_tcp) {
  wire::KeepFreedMemory();
  Floors floors(over_tcp);
  const nlohmann::json out = {
      {"ping_pong_us", floors.PingPongMicroseconds()},
      {"upload_1m_gbs", floors.UploadGigabytesPerSecond(1 << 20)},
      {"upload_64m_gbs", floors.UploadGigabytesPerSecond(64 << 20)},
      {"download_1m_gbs", floors.DownloadGigabytesPerSecond(1 << 20)},
      {"download_64m_gbs", floors.DownloadGigabytesPerSecond(64 << 20)}};
  std::printf("%s\n", out.dump().c_str());
  return 0;
}

FloorValues MeasureFloors(const std::string& transport) {
  const testing::ProgramResult result = testing::RunProgram(
      {"/proc/self/exe", "floors", "--transport", transport});
  const nlohmann::json in = nlohmann::json::parse(result.out);
  return {.ping_pong_us = in["ping_pong_us"],
          .upload_1m_gbs = in["upload_1m_gbs"],
          .upload_64m_gbs = in["upload_64m_gbs"],
          .download_1m_gbs = in["download_1m_gbs"],
          .download_64m_gbs = in["download_64m_gbs"]};
}

// The decode model in lockstep, beside a daemon of its own; by sockets in the
// file system whatever the transport.
void MeasureDecode(Report* report) {
  const testing::TemporaryDirectory directory;
  const std::string file = directory.path() + "/decode.json";
  testing::RunProgram({"/proc/self/exe", "decode", "--processes", "4",
                       "--tokens", "100", "--json", file});
  report->Add({.name = "decode kernels, 4 processes, lockstep",
               .unit = "1/s",
               .value = nlohmann::json::parse(
                   std::ifstream(file))["kernels_per_wall_s"],
               .target = 0.3e6,
               .more_is_better = true});
}

int Ladder(const std::string& transport, bool over_tcp) {
  const FloorValues floors = MeasureFloors(transport);
  testing::DaemonProcess daemon(LADDER_DAEMON, {"--log-level=warn"});
  ::setenv("ASCEND_RTD_ADDRESS",
           (over_tcp ? daemon.tcp_address() : daemon.unix_address()).c_str(),
           1);
  Report report;
  MeasureIdle(daemon.pid(), &report);
  MeasureCalls(floors, &report);
  MeasureLives(&report);
  MeasureDecode(&report);
  std::printf("ladder over %s\n\n%s", transport.c_str(),
              report.Table().c_str());
  const std::string json = absl::GetFlag(FLAGS_json);
  if (!json.empty() &&
      !(std::ofstream(json) << report.Json(transport)).flush()) {
    std::fprintf(stderr, "ascend-rtd-bench: %s cannot be written\n",
                 json.c_str());
    return 1;
  }
  return absl::GetFlag(FLAGS_check) && !report.AllMet() ? 1 : 0;
}

// The command in a process of its own, beside a daemon in lockstep.
int OnADaemon(const std::string& command) {
  const testing::DaemonProcess daemon(LADDER_DAEMON,
                                      {"--log-level=warn", "--clock=lockstep"});
  const testing::ProgramResult result =
      testing::RunProgram({"/proc/self/exe", "role", command},
                          {"ASCEND_RTD_ADDRESS=" + daemon.unix_address()});
  std::fputs(result.out.c_str(), stdout);
  std::fputs(result.err.c_str(), stderr);
  return result.exit_code;
}

absl::Status CheckCount(absl::string_view flag, absl::string_view text,
                        int* count) {
  constexpr int kMax = 1024;
  if (absl::SimpleAtoi(text, count) && *count >= 1 && *count <= kMax) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(flag, ": '", text, "' is no whole number from 1 to ", kMax));
}

// The streams of each process.
absl::Status ReadStreams(std::vector<int>* out) {
  const absl::optional<int> streams = absl::GetFlag(FLAGS_streams);
  const absl::optional<int> processes = absl::GetFlag(FLAGS_processes);
  const std::string layout = absl::GetFlag(FLAGS_layout);
  if (streams.has_value() + processes.has_value() + !layout.empty() != 1) {
    return absl::InvalidArgumentError(
        "decode takes one of --streams, --processes and --layout");
  }
  if (streams.has_value()) {
    return CheckCount("--streams", absl::StrCat(*streams),
                      &out->emplace_back());
  }
  if (processes.has_value()) {
    int count = 0;
    const absl::Status status =
        CheckCount("--processes", absl::StrCat(*processes), &count);
    out->assign(static_cast<size_t>(std::max(count, 0)), 1);
    return status;
  }
  for (const absl::string_view text : absl::StrSplit(layout, ',')) {
    const absl::Status status =
        CheckCount("--layout", text, &out->emplace_back());
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

int Decode() {
  decode::DecodeOptions options;
  const absl::Status read = ReadStreams(&options.streams);
  if (!read.ok()) return Misuse(std::string(read.message()));
  options.tokens = absl::GetFlag(FLAGS_tokens);
  if (options.tokens < 2) {
    return Misuse(absl::StrCat("--tokens is ", options.tokens,
                               ", and at least 2 are needed"));
  }
  const std::string path = absl::GetFlag(FLAGS_shape);
  if (!path.empty()) {
    const auto shape = decode::LoadShape(path);
    if (!shape.ok()) {
      std::fprintf(stderr, "ascend-rtd-bench: %s\n",
                   std::string(shape.status().message()).c_str());
      return 2;
    }
    options.shape = *shape;
  }
  if (absl::GetFlag(FLAGS_rows) != 0) {
    options.shape.rows = absl::GetFlag(FLAGS_rows);
  }
  options.is_executed = absl::GetFlag(FLAGS_execute);
  options.seed = absl::GetFlag(FLAGS_seed);
  options.delay_ms_max = absl::GetFlag(FLAGS_delay_ms);
  options.json = absl::GetFlag(FLAGS_json);
  options.daemon_flags = {
      absl::StrCat("--clock=", absl::GetFlag(FLAGS_clock)),
      absl::StrCat("--policy=", absl::GetFlag(FLAGS_policy)),
      absl::StrCat("--hold=", absl::GetFlag(FLAGS_hold)),
      absl::StrCat("--seed=", absl::GetFlag(FLAGS_seed))};
  // Weights of several processes do not fit in the default device.
  if (options.streams.size() > 1) {
    options.daemon_flags.push_back("--soc=ascend910_bench");
  }
  for (const absl::string_view flag : absl::StrSplit(
           absl::GetFlag(FLAGS_daemon_flags), ' ', absl::SkipEmpty())) {
    options.daemon_flags.emplace_back(flag);
  }
  return decode::RunDecode(options);
}

int Main(int argc, char** argv) {
  absl::SetProgramUsageMessage(kUsage);
  // Abseil knows a flag without a value by the address of its type's tag, of
  // which hidden visibility gives this program one of its own.
  static char check_is_true[] = "--check=true";
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--check") argv[i] = check_is_true;
  }
  const std::vector<char*> words = absl::ParseCommandLine(argc, argv);
  if (words.size() == 3 && std::string(words[1]) == "role") {
    const std::string role = words[2];
    if (role == "run-info") return decode::PlayRunInfo();
    if (role == "sweep") return load::PlaySweep();
    if (role == "costs") return load::PlayCosts();
    return PlayRole(words[2]);
  }
  if (words.size() == 4 && std::string(words[1]) == "role" &&
      std::string(words[2]) == "decode-rank") {
    return decode::PlayDecodeRank(words[3]);
  }
  if (words.size() == 4 && std::string(words[1]) == "role") {
    const std::string role = words[2];
    if (role == "load") return load::PlayLoad(words[3]);
    if (role == "layout") return load::PlayLayout(words[3]);
  }
  const std::string transport = absl::GetFlag(FLAGS_transport);
  const bool over_tcp = transport == "grpc-tcp";
  if (!over_tcp && transport != "grpc-uds") {
    return Misuse(absl::StrCat("--transport is '", transport,
                               "', which is neither grpc-uds nor grpc-tcp"));
  }
  if (words.size() == 1) return Misuse("a command is missing");
  if (words.size() > 2) {
    return Misuse(absl::StrCat("'", words[2], "' is one word too many"));
  }
  const std::string command = words[1];
  if (command == "decode") return Decode();
  if (command == "sweep" || command == "costs") return OnADaemon(command);
  if (command == "floors") return PrintFloors(over_tcp);
  if (command == "ladder") return Ladder(transport, over_tcp);
  return Misuse(absl::StrCat("command '", command, "' is unknown"));
}

}  // namespace
}  // namespace ascend::ladder

int main(int argc, char** argv) { return ascend::ladder::Main(argc, argv); }
