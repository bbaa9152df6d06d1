// The machine in this very process: no daemon, no gRPC. Its clock mode is what
// ASCEND_CONFORMANCE_CLOCK says, free when it is not set.
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "client/runtime/connection.h"
#include "core/kernels/catalog.h"
#include "core/spec/device_spec.h"
#include "gtest/gtest.h"
#include "server/clock_mode.h"
#include "server/machine_host.h"
#include "tests/conformance/backend.h"
#include "tests/conformance/fresh_process.h"
#include "tests/testing/in_process_transport.h"

namespace ascend::conformance {
namespace {

class InProcessBackend final : public Backend {
 public:
  void Start() override {
    server::MachineHostOptions options;
    options.machine.spec = core::Ascend910Spec();
    options.machine.device_count = kDeviceCount;
    options.machine.catalog = &core::Catalog::Builtin();
    if (const char* const text = std::getenv("ASCEND_CONFORMANCE_CLOCK")) {
      const auto mode = server::ParseClockMode(text);
      ASSERT_TRUE(mode.ok()) << mode.status();
      options.clock = *mode;
    }
    is_lockstep_ = options.clock.waits_for_jobs;
    options.machine.waits_for_jobs = options.clock.waits_for_jobs;
    auto host = server::MachineHost::Create(std::move(options));
    ASSERT_TRUE(host.ok()) << host.status();
    host_ = *std::move(host);
    client::SetTransportFactoryForTest(testing::InProcessConnections(*host_));
  }

  void Stop() override {
    EXPECT_EQ(host_->Snapshot().protocol_violations, 0u);
    // A fresh process may have left its session open.
    const std::chrono::seconds patience(IsFreshProcess() ? 0 : 30);
    host_->Shutdown(std::chrono::steady_clock::now() + patience);
  }

  std::optional<Holdings> FindSession(pid_t process) override {
    for (const server::SessionSnapshot& session : host_->Snapshot().sessions) {
      if (session.peer.pid != process) continue;
      return Holdings{.context_count = session.usage.context_count,
                      .stream_count = session.usage.stream_count,
                      .event_count = session.usage.event_count,
                      .hbm_bytes = session.usage.hbm_used_bytes,
                      .pending_task_count = session.usage.tasks_pending};
    }
    return std::nullopt;
  }

  size_t CountSessions() override { return host_->Snapshot().sessions.size(); }

  bool IsShared() const override { return false; }

  bool IsLockstep() const override { return is_lockstep_; }

 private:
  std::unique_ptr<server::MachineHost> host_;
  bool is_lockstep_ = false;
};

}  // namespace

Backend& Backend::Get() {
  static Backend* const backend = new InProcessBackend();
  return *backend;
}

}  // namespace ascend::conformance
