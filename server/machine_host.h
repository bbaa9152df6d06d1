// MachineHost: gives the machine turns, a clock and hands.
//
// core::Machine is pure and single-threaded: it belongs to whoever has the
// *turn* (mailbox.h). Transports post commands into a mailbox from any thread,
// as do the pools whose jobs have ended; who posts while nobody has the turn
// gets it, the machine thread has those that are due at a time. A turn:
//   1. take the mailbox: commands, ended jobs, closings, questions of
//      operators;
//   2. submit them, each session's in ticket order;
//   3. AdvanceTo(clock gate's horizon): simulated time moves only as far as no
//      running lane can still submit before it (clock_gate.h);
//   4. hand replies and progress to the sessions' sinks.
// After it, the sinks are flushed, one Flush each, by the same thread.
// Nothing in a turn may be slow: no gRPC, no page faults, no disk. Kernels and
// copies run on the copy pool and the kernel threads through core::Runners, and
// come back as mailbox entries.
//
// Bulk bytes. An upload's job starts with OnTransferDue to the client; its
// chunks come in through ReceiveUpload and go to device memory on the copy
// pool; the last one ends the job. A download's job reads device memory on the
// copy pool and sends chunks through the BulkSink; the client's DownloadDone
// ends the job, so a reply never overtakes its bytes.
//
// Bytes that travel inline with replies have no chunks and no acknowledgement:
// their copies wait while the sink has no room (SessionSink::HasRoom), so that
// a client that reads slowly is served slowly.
//
// Threading: all public methods may be called on any thread, except that the
// constructor and Shutdown belong to the owner.
// Ownership: owns the machine, its thread, the pools and the segments; shares
// sinks with transports.
#ifndef ASCEND_SERVER_MACHINE_HOST_H_
#define ASCEND_SERVER_MACHINE_HOST_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/ids.h"
#include "core/command/command.h"
#include "core/machine/machine.h"
#include "core/obs/trace.h"
#include "server/clock_mode.h"
#include "server/session_sink.h"

namespace ascend::server {

// Who is at the other end. `pid` is for display only.
struct Peer {
  std::string transport;  // "unix", "tcp" or "in-process"
  std::string address;
  int64_t pid = 0;
  uint32_t uid = 0;
  uint32_t gid = 0;
};

struct SessionSnapshot;

struct MachineHostOptions {
  core::MachineOptions machine;
  uint64_t hbm_quota_per_session_bytes = 0;  // 0: none
  uint32_t sessions_max = 1024;
  uint32_t copy_threads = 2;
  uint32_t kernel_threads = 0;  // for one session; 0: one per core
  // How long a kernel may run on these, in wall time. That of an AI core of the
  // A2 generation, which is 1091 s.
  std::chrono::nanoseconds kernel_time_limit = std::chrono::seconds(1091);
  ClockMode clock = {};
  // The machine's inputs go to this file, to be replayed; empty: to none.
  std::string record_path;
  uint32_t trace_spans_max = 0;  // the last tasks that GetTrace has; 0: none
  // Test only: commands are carried out in the order in which they arrive
  // instead of ticket order, to show that tests of order can fail.
  bool ignore_tickets_for_test = false;
  // Told once of every session that has ended, with its last usage: `why` is ok
  // when the client left. In a turn; must not block.
  std::function<void(const SessionSnapshot& session, const absl::Status& why)>
      on_session_closed;
};

// A session that was let in.
struct SessionGrant {
  core::SessionId id;
  core::Tick tick = 0;  // the device clock
};

// One row of `ascend-rtctl sessions`.
struct SessionSnapshot {
  core::SessionId id;
  Peer peer;
  std::string program;
  std::chrono::nanoseconds age{};
  core::SessionUsage usage;
};

struct HostSnapshot {
  core::Tick tick = 0;
  std::chrono::nanoseconds uptime{};
  uint64_t sessions_opened = 0;
  uint64_t protocol_violations = 0;
  // If one is not zero, simulated times depend on the host's speed
  // (clock_gate.h).
  uint64_t late_calls = 0;
  uint64_t demoted_lanes = 0;
  uint64_t evicted_lanes = 0;
  std::vector<core::DeviceUsage> devices;
  std::vector<SessionSnapshot> sessions;
};

class MachineHost {
 public:
  static absl::StatusOr<std::unique_ptr<MachineHost>> Create(
      MachineHostOptions options);
  virtual ~MachineHost() = default;

  // Errors: kQuotaExceeded (too many sessions), kConnectionLost (shutting
  // down). Waits for one turn.
  virtual absl::StatusOr<SessionGrant> OpenSession(
      Peer peer, std::string program, std::shared_ptr<SessionSink> sink) = 0;

  // The client is gone or said goodbye. Returns at once; the session's
  // resources come back as soon as its running jobs end.
  virtual void CloseSession(core::SessionId session) = 0;

  // Hands over commands, and may run a turn. False: the session has more than
  // kPendingCommandsMax waiting for a turn or for their stamp, and the
  // transport should read no more until SessionSink::OnDrained.
  virtual bool Post(core::SessionId session,
                    std::vector<core::Command> commands) = 0;

  // Ends the session as one that broke the protocol, e.g. when its bytes could
  // not be decoded. The sink hears OnEnded.
  virtual void EndSession(core::SessionId session, absl::Status why) = 0;

  // The session's bulk stream is open. Replaces an earlier one.
  virtual void AttachBulk(core::SessionId session,
                          std::shared_ptr<BulkSink> sink) = 0;

  // One chunk of the host-to-device copy `ticket`. `consumed` is called once,
  // on any thread, when its bytes are no longer needed. Chunks out of order,
  // out of bounds or of no running copy break the protocol.
  virtual void ReceiveUpload(core::SessionId session, core::Ticket ticket,
                             uint64_t offset, BulkBytes bytes,
                             std::function<void()> consumed) = 0;

  // The client cannot provide the bytes of `ticket`: the copy fails.
  virtual void FailUpload(core::SessionId session, core::Ticket ticket,
                          absl::Status why) = 0;

  // The client has the bytes of the device-to-host copy, or failed to take
  // them.
  virtual void DownloadDone(core::SessionId session, core::Ticket ticket,
                            absl::Status status) = 0;

  // The sink that answered SessionSink::HasRoom with false has room again.
  // Returns at once.
  virtual void OnRoom(core::SessionId session) = 0;

  // Waits for one turn. Not in one.
  virtual HostSnapshot Snapshot() = 0;

  // What the machine did, as far as MachineHostOptions::trace_spans_max
  // reaches; nothing when that is 0. Waits for one turn, not in one. After
  // Shutdown: all to the end.
  virtual std::optional<core::Trace> GetTrace() = 0;

  virtual const MachineHostOptions& options() const = 0;

  // Refuses new sessions, waits until the open ones have ended or `deadline`
  // has passed, ends the rest, stops all threads. Idempotent.
  virtual void Shutdown(std::chrono::steady_clock::time_point deadline) = 0;

  static constexpr uint64_t kPendingCommandsMax = 16 * 1024;
  // The same of what they carry, once the machine has them.
  static constexpr uint64_t kPendingBytesMax = 16 * 1024 * 1024;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_MACHINE_HOST_H_
