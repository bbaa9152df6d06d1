// ascend-rtd-bench: measures a daemon as its users feel it (README.md).
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
#include "absl/strings/str_cat.h"
#include "proto/malloc_policy.h"
#include "tests/bench/ladder/calls.h"
#include "tests/bench/ladder/floors.h"
#include "tests/bench/ladder/lives.h"
#include "tests/bench/ladder/report.h"
#include "tests/testing/daemon_process.h"

ABSL_FLAG(std::string, transport, "grpc-uds", "grpc-uds or grpc-tcp");
ABSL_FLAG(std::string, json, "", "also write the figures to this file");
ABSL_FLAG(bool, check, false, "exit 1 when a target is missed");

namespace ascend::ladder {
namespace {

constexpr char kUsage[] =
    "ascend-rtd-bench ladder [--transport grpc-uds|grpc-tcp] [--json FILE] "
    "[--check]";

int Misuse() {
  std::fprintf(stderr, "usage: %s\n", kUsage);
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
    return PlayRole(words[2]);
  }
  const std::string transport = absl::GetFlag(FLAGS_transport);
  const bool over_tcp = transport == "grpc-tcp";
  if (words.size() != 2 || (!over_tcp && transport != "grpc-uds")) {
    return Misuse();
  }
  const std::string command = words[1];
  if (command == "floors") return PrintFloors(over_tcp);
  if (command == "ladder") return Ladder(transport, over_tcp);
  return Misuse();
}

}  // namespace
}  // namespace ascend::ladder

int main(int argc, char** argv) { return ascend::ladder::Main(argc, argv); }
