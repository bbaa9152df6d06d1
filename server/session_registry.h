// SessionRegistry: what the host knows of each session, apart from the machine.
//
// A session is open until its client or the host ends it; then it is *ending*,
// its sink hears nothing more, and it stays here until the machine has let go
// of all it had.
//
// Threading: thread-compatible; belongs to the holder of the turn. Ownership:
// owns the sessions; shares their sinks with transports.
#ifndef ASCEND_SERVER_SESSION_REGISTRY_H_
#define ASCEND_SERVER_SESSION_REGISTRY_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/base/ids.h"
#include "core/base/pitched_bytes.h"
#include "server/host_clock.h"
#include "server/kernel_threads.h"
#include "server/machine_host.h"
#include "server/segment_store.h"
#include "server/session_sink.h"

namespace ascend::server {

// A copy to the host that has not begun, since the sink has no room.
struct HeldRead {
  core::JobId job;
  SegmentStore::Lease source;
  core::PitchedBytes rows;  // in `source`
};

struct HostSession {
  core::SessionId id;
  Peer peer;
  std::string program;
  HostClock::TimePoint opened_at;
  std::shared_ptr<SessionSink> sink;  // null: ending
  absl::Status why_ended;             // ok: the client left
  bool is_touched = false;            // the sink waits for its Flush
  bool is_held = false;               // the machine has many of its commands
  std::shared_ptr<CancelFlag> cancelled = std::make_shared<CancelFlag>(false);
  // Of copies that run now: what OnHostData will hand to the sink.
  uint64_t reading_bytes = 0;
  std::deque<HeldRead> held_reads;
};

class SessionRegistry {
 public:
  // `session.id` is new.
  HostSession& Add(HostSession session);
  void Remove(core::SessionId id);

  // Null: unknown. Both stay valid until Remove.
  HostSession* Find(core::SessionId id);
  // The same, if it is open; and it is noted for TakeTouched.
  HostSession* Touch(core::SessionId id);

  // The sessions touched since the last call that are still open, each once, in
  // the order of the first touch.
  std::vector<HostSession*> TakeTouched();

  // In the order of their ids.
  std::vector<HostSession*> All();

  size_t size() const { return sessions_.size(); }

 private:
  std::map<core::SessionId, HostSession> sessions_;
  std::vector<core::SessionId> touched_;
  HostSession* last_found_ = nullptr;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_SESSION_REGISTRY_H_
