// Observer: what the machine tells the outside, in the order it happened.
//
// Threading: called from inside Machine's methods; must
// return quickly and must not call the machine.
#ifndef ASCEND_CORE_MACHINE_OBSERVER_H_
#define ASCEND_CORE_MACHINE_OBSERVER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "core/base/ids.h"
#include "core/command/reply.h"
#include "core/sched/task.h"

namespace ascend::core {

struct SessionUsage;  // core/machine/machine.h

// A task that has ended, for traces.
struct TaskSpan {
  SessionId session;
  uint64_t rank = 0;  // of the session
  DeviceId device;
  const TaskTemplate* what = nullptr;  // until the call returns
  StreamHandle stream;                 // null: none
  uint64_t value = 0;                  // its place in the stream
  Tick admit_tick = 0;
  Tick ready_tick = 0;  // when it began to wait for units; 0: it needed none
  Tick start_tick = 0;
  Tick end_tick = 0;
};

// How busy a device is from `tick` on, for traces.
struct DeviceSample {
  DeviceId device;
  Tick tick = 0;
  Claim held;
  uint64_t waiting_count = 0;
  double hbm_bytes_per_second = 0;
};

class Observer {
 public:
  virtual ~Observer() = default;

  // The answer to a request. Exactly one per request, unless its session ends
  // or its wait is cancelled.
  virtual void OnReply(SessionId session, Reply reply) = 0;

  // Bytes of a device-to-host copy that travel inline; comes before the reply
  // or progress that makes the copy visible.
  virtual void OnHostData(SessionId session, Ticket ticket,
                          std::string bytes) = 0;

  // `retired` tasks of the stream have retired since it was made. Coalesced: at
  // least once per kProgressInterval tasks, and when the stream runs dry.
  virtual void OnStreamProgress(SessionId session, StreamHandle stream,
                                uint64_t retired) = 0;

  // The turn of the host function `ticket` has come; with `is_awaited` its
  // stream goes on when the client says that it has returned.
  virtual void OnHostFunctionDue(SessionId session, Ticket ticket, Tick tick,
                                 bool is_awaited) = 0;

  // Only with MachineOptions::reports_trace.
  virtual void OnTaskSpan(const TaskSpan&) {}
  virtual void OnDeviceSample(const DeviceSample&) {}

  virtual void OnTaskFailed(SessionId session, TaskFailure failure) = 0;

  // A command that no client of ours sends: the machine ends the session
  // itself, after this call.
  virtual void OnProtocolViolation(SessionId session, absl::Status why) = 0;

  // The session has let go of everything it had; `last` is what it had and had
  // used until then.
  virtual void OnSessionClosed(SessionId session, const SessionUsage& last) = 0;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_OBSERVER_H_
