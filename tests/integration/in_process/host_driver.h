// HostDriver: one session of a MachineHost, driven by a test.
//
// Plays transport and client library: numbers commands, waits for replies,
// sends the bytes of uploads when they are due, and collects downloads. A
// driver that is `silent` does neither of the latter two.
//
// Threading: calls from the test's thread, or from several if the test itself
// orders its posts; the sinks on the host's threads. Ownership: borrows the
// host; the host shares the sinks.
#ifndef ASCEND_TESTS_INTEGRATION_IN_PROCESS_HOST_DRIVER_H_
#define ASCEND_TESTS_INTEGRATION_IN_PROCESS_HOST_DRIVER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/sync.h"
#include "core/command/command.h"
#include "core/command/reply.h"
#include "server/host_clock.h"
#include "server/machine_host.h"

namespace ascend::server {

class HostDriver {
 public:
  // Opens a session with a context and its default stream on device 0. Check
  // `status` before anything else.
  explicit HostDriver(MachineHost& host, bool is_silent = false);
  ~HostDriver();
  HostDriver(const HostDriver&) = delete;
  HostDriver& operator=(const HostDriver&) = delete;

  const absl::Status& status() const { return status_; }
  core::SessionId session() const { return session_; }
  core::StreamHandle stream() const { return {0, 1}; }

  // Numbers and posts; the ticket.
  core::Ticket Post(core::Operation operation);
  core::Ticket PostFrom(core::LaneId lane, core::Tick stamp,
                        core::Operation operation);
  // Numbers and posts them in one batch.
  void PostBatch(std::vector<core::Operation> operations);
  // Posts something of the test's own making.
  bool PostRaw(std::vector<core::Command> commands);

  // Half a minute at most; none: no reply came, or the session has ended.
  std::optional<core::Reply> WaitForReply(core::Ticket ticket);
  // Posts and waits; a missing reply is an error.
  absl::StatusOr<core::Reply> Call(core::Operation operation);

  absl::StatusOr<uint64_t> Malloc(uint64_t bytes, uint32_t policy = 0);
  // Synchronous copies, inline or in chunks as their size says.
  absl::Status Upload(uint64_t address, std::string bytes);
  absl::StatusOr<std::string> Download(uint64_t address, uint64_t bytes);
  // What came of a device-to-host copy so far.
  std::string HostData(core::Ticket ticket);
  absl::StatusOr<uint32_t> KernelId(const std::string& name);

  // Waits until the transfer was said to be due.
  bool WaitForTransferDue(core::Ticket ticket);
  // Waits for the host's OnEnded; its reason.
  std::optional<absl::Status> WaitForEnd();
  bool WaitForDrained();
  // As SessionSink::HasRoom; the host must be told of new room.
  void SetHasRoom(bool has_room);
  bool IsAnswered(core::Ticket ticket);
  uint64_t WaitForRetired(core::StreamHandle stream, uint64_t retired);

 private:
  struct State;
  class Sink;
  class Bulk;

  MachineHost& host_;
  const bool is_silent_;
  absl::Status status_;
  core::SessionId session_;
  std::shared_ptr<State> state_;
  uint64_t last_ticket_ = 0;
};

}  // namespace ascend::server

#endif  // ASCEND_TESTS_INTEGRATION_IN_PROCESS_HOST_DRIVER_H_
