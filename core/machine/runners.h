// Runners: how the machine has bytes moved and kernels computed.
//
// The machine decides when a task starts and when it ends in simulated time;
// the work itself is a *job* that a runner carries out elsewhere, on threads or
// in processes that the machine knows nothing of. A job is started at most once
// and ends with exactly one `Machine::OnJobDone`, never from inside `Start...`.
// The task's completion becomes visible when the modelled time has come and the
// job is done: the gate.
//
// Before a job starts, the machine has checked that every device range in it is
// allocated to the session; the range stays mapped until OnJobDone.
//
// Threading: called from inside Machine's methods; must return quickly.
// Ownership: jobs are values; spans live until the call returns.
#ifndef ASCEND_CORE_MACHINE_RUNNERS_H_
#define ASCEND_CORE_MACHINE_RUNNERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/base/ids.h"
#include "core/command/command.h"
#include "core/kernels/descriptor.h"
#include "core/sim/tick.h"

namespace ascend::core {

using JobId = TypedInt<struct JobIdTag, uint64_t>;
using TimerId = TypedInt<struct TimerIdTag, uint64_t>;

struct KernelJob {
  JobId id;
  SessionId session;
  const KernelDescriptor* kernel = nullptr;
  uint32_t num_blocks = 0;
  std::string args;
  std::vector<DeviceRange> ranges;
};

struct CopyJob {
  JobId id;
  SessionId session;
  Ticket ticket;  // of the Copy command, which names its host bytes
  CopyKind kind = CopyKind::kHostToDevice;
  uint64_t target = 0;
  uint64_t source = 0;
  uint64_t bytes = 0;  // of a row
  uint64_t rows = 1;
  uint64_t target_pitch = 0;  // with rows > 1
  uint64_t source_pitch = 0;
  std::string inline_data;  // host to device, when it came with the command
};

struct FillJob {
  JobId id;
  SessionId session;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint32_t value = 0;
  uint32_t value_bytes = 1;  // 1 or 4, divides address and bytes
};

// Reads [address, address + bytes) into JobResult::payload: an argument block
// that lies in device memory, or an aligned word of 8 bytes that a stream waits
// for, which is read at once, whoever writes it meanwhile.
struct FetchJob {
  JobId id;
  SessionId session;
  uint64_t address = 0;
  uint64_t bytes = 0;
};

struct JobResult {
  // Not ok: the task fails with it (a kernel fault, a lost client).
  absl::Status status;
  // Device to host copies of at most kInlineBytesMax, and fetches: the bytes.
  std::string payload;
};

class Runners {
 public:
  virtual ~Runners() = default;
  virtual void StartKernel(KernelJob job) = 0;
  virtual void StartCopy(CopyJob job) = 0;
  virtual void StartFill(FillJob job) = 0;
  virtual void StartFetch(FetchJob job) = 0;
  // The session is ending: its jobs should end soon, with any status. Jobs
  // that wait for the client's bytes must not wait longer.
  virtual void CancelJobs(SessionId session) = 0;

  // Calls `Machine::OnTimer` once, when `ticks` have passed on the host's own
  // clock; never from inside. The device clock may run faster than the host
  // works, so a time-out of the device has to pass on both.
  virtual void StartTimer(TimerId timer, Tick ticks) = 0;
  // No effect on a timer that has ended.
  virtual void CancelTimer(TimerId timer) = 0;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_RUNNERS_H_
