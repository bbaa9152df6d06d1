// FakeMachineHost: a MachineHost with a thread but no machine, for tests of
// transports.
//
// It keeps to the contract of MachineHost and SessionSink (ticket order, one
// Flush per turn, OnDrained, chunks), gives memory, copies and fills bytes, and
// takes every other command as done at once. No simulated time passes.
//
// Threading and ownership: as MachineHost says. HoldTurns is for any thread.
#ifndef ASCEND_TESTS_TESTING_FAKE_MACHINE_HOST_H_
#define ASCEND_TESTS_TESTING_FAKE_MACHINE_HOST_H_

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/sync.h"
#include "server/machine_host.h"

namespace ascend::testing {

class FakeMachineHost final : public server::MachineHost {
 public:
  explicit FakeMachineHost(server::MachineHostOptions options);
  ~FakeMachineHost() override;

  absl::StatusOr<server::SessionGrant> OpenSession(
      server::Peer peer, std::string program,
      std::shared_ptr<server::SessionSink> sink) override;
  void CloseSession(core::SessionId session) override;
  bool Post(core::SessionId session,
            std::vector<core::Command> commands) override;
  void EndSession(core::SessionId session, absl::Status why) override;
  void AttachBulk(core::SessionId session,
                  std::shared_ptr<server::BulkSink> sink) override;
  void ReceiveUpload(core::SessionId session, core::Ticket ticket,
                     uint64_t offset, server::BulkBytes bytes,
                     std::function<void()> consumed) override;
  void FailUpload(core::SessionId session, core::Ticket ticket,
                  absl::Status why) override;
  void DownloadDone(core::SessionId session, core::Ticket ticket,
                    absl::Status status) override;
  void OnRoom(core::SessionId) override {}
  server::HostSnapshot Snapshot() override;
  std::optional<core::Trace> GetTrace() override { return std::nullopt; }
  const server::MachineHostOptions& options() const override {
    return options_;
  }
  void Shutdown(std::chrono::steady_clock::time_point deadline) override;

  // While held, nothing is taken in: commands pile up.
  void HoldTurns(bool hold);
  // Sessions that are open or were asked for.
  size_t open_count() const;
  // Commands posted and not taken in, over all sessions.
  uint64_t pending_count() const;

 private:
  struct Upload {
    core::Copy copy;
    core::LaneId lane;
    uint64_t received_bytes = 0;
  };
  struct Session {
    server::SessionSnapshot snapshot;
    std::chrono::steady_clock::time_point opened;
    std::shared_ptr<server::SessionSink> sink;
    std::shared_ptr<server::BulkSink> bulk;
    std::map<core::Ticket, core::Command> early;  // by ticket, not yet due
    uint64_t next_ticket = 1;
    uint64_t next_address = 0x120000000000;
    std::map<uint64_t, std::string> memory;  // by base address
    std::map<core::Ticket, Upload> uploads;
    std::map<core::Ticket, core::Command> downloads;
    std::map<core::StreamHandle, uint64_t> retired;
    uint64_t pending_count = 0;
    bool told = false;  // an event since the last Flush
  };
  struct Carry;  // carries one command out

  // Runs `job` on the machine thread.
  void Enqueue(std::function<void()> job);
  void Run();
  Session* Find(core::SessionId session);
  void Take(Session& session, std::vector<core::Command> commands);
  void End(core::SessionId session, const absl::Status& why, bool tell);
  static void Reply(Session& session, const core::Command& command,
                    absl::Status status, core::ReplyPayload payload = {});
  static char* Translate(Session& session, uint64_t address, uint64_t bytes);

  const server::MachineHostOptions options_;
  const std::chrono::steady_clock::time_point started_;

  // The machine thread's own.
  std::map<core::SessionId, Session> sessions_;
  uint64_t next_session_ = 1;
  uint64_t protocol_violations_ = 0;

  mutable core::Mutex mutex_;
  core::CondVar changed_;
  std::deque<std::function<void()>> jobs_ ABSL_GUARDED_BY(mutex_);
  std::map<core::SessionId, uint64_t> pending_ ABSL_GUARDED_BY(mutex_);
  bool held_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  bool refusing_ ABSL_GUARDED_BY(mutex_) = false;
  size_t open_count_ ABSL_GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_TESTING_FAKE_MACHINE_HOST_H_
