// Backend: what stands behind the library in this program of the conformance
// suite, and the one thing that its public interface cannot say: what the
// daemon believes that a process holds.
//
// Each program links one implementation: in_process_backend.cc (a machine in
// the test's own process) or daemon_backend.cc (an ascend-rtd process, over a
// UNIX socket or loopback TCP).
//
// Threading: the main thread. Ownership: one per process, never destroyed.
#ifndef ASCEND_TESTS_CONFORMANCE_BACKEND_H_
#define ASCEND_TESTS_CONFORMANCE_BACKEND_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>

namespace ascend::conformance {

// Devices of every back end.
inline constexpr int kDeviceCount = 2;

// What the daemon says of one session.
struct Holdings {
  uint64_t context_count = 0;
  uint64_t stream_count = 0;
  uint64_t event_count = 0;
  uint64_t hbm_bytes = 0;
  uint64_t pending_task_count = 0;

  friend bool operator==(const Holdings&, const Holdings&) = default;
};

std::ostream& operator<<(std::ostream& out, const Holdings& holdings);

// Waits until the back end has at most that many sessions; false: it never had.
bool AwaitSessions(size_t count_max);

class Backend {
 public:
  static Backend& Get();
  virtual ~Backend() = default;

  // Before the first call of AscendCL. In a child that a test started, joins
  // what the parent has, if processes can share it.
  virtual void Start() = 0;
  // After the last one. Fails the test when the machine has seen something
  // that no client of ours sends.
  virtual void Stop() = 0;

  // The session of that process; none: it has none.
  virtual std::optional<Holdings> FindSession(pid_t process) = 0;

  // Of all processes. A session that ends counts until its work has ended.
  virtual size_t CountSessions() = 0;

  // Whether the machine goes on when a process that used it ends.
  virtual bool IsShared() const = 0;

  // Whether simulated times do not depend on the host's speed, whatever threads
  // do (clock mode lockstep). In mode free they do not for one thread that
  // waits for each piece of work.
  virtual bool IsLockstep() const { return false; }
};

}  // namespace ascend::conformance

#endif  // ASCEND_TESTS_CONFORMANCE_BACKEND_H_
