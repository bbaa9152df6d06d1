// MachineHostImpl: MachineHost with threads of this process.
//
// Threading: public methods as in machine_host.h. Everything below "in a turn"
// in the members belongs to whoever has the turn (mailbox.h); others reach it
// through the mailbox. Ownership: as in machine_host.h. Members are declared in
// the order in which one needs the other, so that they end in reverse.
#ifndef ASCEND_SERVER_MACHINE_HOST_IMPL_H_
#define ASCEND_SERVER_MACHINE_HOST_IMPL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/base/sync.h"
#include "core/machine/input_log.h"
#include "core/machine/machine.h"
#include "core/machine/observer.h"
#include "server/arrival_order_for_test.h"
#include "server/clock_gate.h"
#include "server/copy_pool.h"
#include "server/input_recorder.h"
#include "server/job_events.h"
#include "server/job_runners.h"
#include "server/kernel_threads.h"
#include "server/machine_host.h"
#include "server/mailbox.h"
#include "server/segment_store.h"
#include "server/session_registry.h"
#include "server/trace_recorder.h"
#include "server/transfers.h"
#include "server/wall_timers.h"

namespace ascend::server {

class MachineHostImpl final : public MachineHost,
                              private core::Observer,
                              private JobEvents {
 public:
  // The options have been checked and completed. `prepare` makes kernels' jobs;
  // `recorder` gets the machine's inputs, null: nobody does.
  MachineHostImpl(MachineHostOptions options, PrepareKernel prepare,
                  std::unique_ptr<InputRecorder> recorder = nullptr);
  ~MachineHostImpl() override;

  absl::StatusOr<SessionGrant> OpenSession(
      Peer peer, std::string program,
      std::shared_ptr<SessionSink> sink) override;
  void CloseSession(core::SessionId session) override;
  bool Post(core::SessionId session,
            std::vector<core::Command> commands) override;
  void EndSession(core::SessionId session, absl::Status why) override;
  void AttachBulk(core::SessionId session,
                  std::shared_ptr<BulkSink> sink) override;
  void ReceiveUpload(core::SessionId session, core::Ticket ticket,
                     uint64_t offset, BulkBytes bytes,
                     std::function<void()> consumed) override;
  void FailUpload(core::SessionId session, core::Ticket ticket,
                  absl::Status why) override;
  void DownloadDone(core::SessionId session, core::Ticket ticket,
                    absl::Status status) override;
  void OnRoom(core::SessionId session) override;
  HostSnapshot Snapshot() override;
  std::optional<core::Trace> GetTrace() override;
  const MachineHostOptions& options() const override { return options_; }
  void Shutdown(HostClock::TimePoint deadline) override;

 private:
  // Instants of simulated time in one turn, so that replies leave and new input
  // is seen in between.
  static constexpr int kInstantsPerTurnMax = 256;
  // Turns in a row of a thread that has its own work to do.
  static constexpr int kTurnsPerVisitMax = 8;

  // A turn's words to a sink, which it hears after the turn.
  struct Parting {
    std::shared_ptr<SessionSink> sink;
    bool is_drained = false;  // else: flush
  };

  // --- Any thread -----------------------------------------------------------

  // JobEvents.
  void OnJobEnded(core::JobId job, core::JobResult result) override;
  void OnViolation(core::SessionId session, absl::Status why) override;

  // Carries `errand` out in a turn and waits. False, and not carried out: the
  // machine has ended.
  bool RunErrand(const std::function<void()>& errand);

  void RunMachineThread();
  // The caller has the turn; afterwards it has not.
  void RunTurns();
  void RunTurnsIf(const Mailbox::Posted& posted) {
    if (posted.has_turn) RunTurns();
  }

  // --- In a turn ------------------------------------------------------------

  // The steps of a turn (machine_host.h).
  std::optional<HostClock::TimePoint> RunTurn(std::vector<Parting>* partings);
  void TakeIn(MailboxEntry entry);
  void TakeInCommands(PostedCommands posted);
  void TakeInEndOfSession(EndOfSession end);
  // Returns until when to sleep if nothing comes in; none: for ever.
  std::optional<HostClock::TimePoint> Advance();
  // The machine has too many commands of the session to work off.
  bool IsFull(core::SessionId id) const;
  // Holds sessions of which the machine has too many commands to work off, and
  // lets go of those of which it no longer has. `refused`: see the mailbox. The
  // sessions that have room now and were told otherwise.
  std::vector<core::SessionId> UpdateHolds(
      std::vector<core::SessionId> refused);
  void CollectPartings(const std::vector<core::SessionId>& drained,
                       std::vector<Parting>* partings);

  absl::StatusOr<SessionGrant> LetIn(Peer peer, std::string program,
                                     std::shared_ptr<SessionSink> sink);
  void EndAllSessions(const absl::Status& why);
  HostSnapshot TakeSnapshot();
  SessionSnapshot RowOf(const HostSession& session) const;
  // Takes the sink's leave with `why`, if the session still has one.
  void SayEnded(core::SessionId session, const absl::Status& why);
  // The number by which the client knows the ticket.
  core::Ticket ClientTicket(core::SessionId session, core::Ticket ticket);

  // core::Observer.
  void OnReply(core::SessionId session, core::Reply reply) override;
  void OnHostData(core::SessionId session, core::Ticket ticket,
                  std::string bytes) override;
  void OnStreamProgress(core::SessionId session, core::StreamHandle stream,
                        uint64_t retired) override;
  void OnHostFunctionDue(core::SessionId session, core::Ticket ticket,
                         core::Tick tick, bool is_awaited) override;
  void OnTaskSpan(const core::TaskSpan& span) override;
  void OnDeviceSample(const core::DeviceSample& sample) override;
  void OnTaskFailed(core::SessionId session,
                    core::TaskFailure failure) override;
  void OnProtocolViolation(core::SessionId session, absl::Status why) override;
  void OnSessionClosed(core::SessionId session,
                       const core::SessionUsage& last) override;

  std::unique_ptr<core::Machine> MakeMachine();

  const MachineHostOptions options_;
  const HostClock::TimePoint started_at_;
  Mailbox mailbox_;
  CopyPool copies_;
  SegmentStore store_;
  Transfers transfers_;
  KernelThreads kernels_;

  core::Mutex session_count_mutex_;
  core::CondVar sessions_gone_;
  size_t session_count_ ABSL_GUARDED_BY(session_count_mutex_) = 0;

  // In a turn.
  SessionRegistry sessions_;
  WallTimers timers_;
  JobRunners runners_;
  ClockGate gate_;
  std::optional<TraceRecorder> trace_;  // MachineHostOptions::trace_spans_max
  const std::unique_ptr<InputRecorder> recorder_;  // null: nothing is recorded
  std::unique_ptr<core::InputLogWriter> input_log_;
  std::unique_ptr<core::Machine> machine_;
  HostClock::TimePoint turn_began_;
  uint64_t last_session_id_ = 0;
  uint64_t protocol_violations_ = 0;
  bool refuses_sessions_ = false;
  std::set<core::SessionId> posted_;  // in this turn, or held before it
  ArrivalOrderForTest arrival_order_;
  // Not changed after the last turn.
  std::optional<core::Trace> last_trace_;

  std::thread thread_;  // the machine thread
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_MACHINE_HOST_IMPL_H_
