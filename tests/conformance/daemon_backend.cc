// A real ascend-rtd, reached as programs reach it: by ASCEND_RTD_ADDRESS. Which
// of its listeners is asked for by ASCEND_CONFORMANCE_LISTENER, unix (default)
// or tcp. What it holds is what ascend-rtctl says.
#include <chrono>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/conformance/backend.h"
#include "tests/conformance/fresh_process.h"
#include "tests/testing/daemon_process.h"

namespace ascend::conformance {
namespace {

using nlohmann::json;

constexpr char kAddressVariable[] = "ASCEND_RTD_ADDRESS";

// Protobuf writes 64-bit numbers as strings.
uint64_t Number(const json& object, const char* key) {
  const json& value = object.at(key);
  if (value.is_number()) return value.get<uint64_t>();
  return std::strtoull(value.get<std::string>().c_str(), nullptr, 10);
}

class DaemonBackend final : public Backend {
 public:
  void Start() override {
    if (IsFreshProcess()) return;
    daemon_ = std::make_unique<testing::DaemonProcess>(
        ASCEND_TEST_DAEMON,
        std::vector<std::string>{absl::StrCat("--devices=", kDeviceCount)});
    const char* const listener = std::getenv("ASCEND_CONFORMANCE_LISTENER");
    const bool is_tcp = listener != nullptr && std::string(listener) == "tcp";
    const std::string& address =
        is_tcp ? daemon_->tcp_address() : daemon_->unix_address();
    std::printf("back end: ascend-rtd at %s\n", address.c_str());
    setenv(kAddressVariable, address.c_str(), /*replace=*/1);
  }

  void Stop() override {
    EXPECT_EQ(Number(Ask("info"), "protocol_violations"), 0u);
    if (daemon_ == nullptr) return;
    EXPECT_EQ(daemon_->Terminate(std::chrono::seconds(60)), 0)
        << daemon_->Log();
  }

  std::optional<Holdings> FindSession(pid_t process) override {
    const json reply = Ask("sessions");
    for (const json& session : reply.at("sessions")) {
      const auto pid = static_cast<uint64_t>(process);
      if (Number(session.at("peer"), "pid") != pid) continue;
      return Holdings{.context_count = Number(session, "context_count"),
                      .stream_count = Number(session, "stream_count"),
                      .event_count = Number(session, "event_count"),
                      .hbm_bytes = Number(session, "hbm_used_bytes"),
                      .pending_task_count = Number(session, "tasks_pending")};
    }
    return std::nullopt;
  }

  size_t CountSessions() override {
    return Ask("sessions").at("sessions").size();
  }

  bool IsShared() const override { return true; }

 private:
  json Ask(const char* question) {
    const testing::ProgramResult result =
        testing::RunProgram({ASCEND_TEST_RTCTL, question, "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out);
  }

  std::unique_ptr<testing::DaemonProcess> daemon_;
};

}  // namespace

Backend& Backend::Get() {
  static Backend* const backend = new DaemonBackend();
  return *backend;
}

}  // namespace ascend::conformance
