// Reply: the machine's answer to a request (command.h).
//
// Threading: value types.
#ifndef ASCEND_CORE_COMMAND_REPLY_H_
#define ASCEND_CORE_COMMAND_REPLY_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "core/base/handle.h"
#include "core/base/ids.h"
#include "core/sim/tick.h"

namespace ascend::core {

struct MallocReply {
  uint64_t address = 0;
};

struct MemInfoReply {
  uint64_t free_bytes = 0;   // what this session may still get
  uint64_t total_bytes = 0;  // its quota, or the device's memory
};

// Units held x time, as a share of all units x time: 0 to 100.
struct UtilizationReply {
  uint32_t cube_percent = 0;
  uint32_t aiv_percent = 0;
};

struct QueryReply {
  bool complete = false;
};

struct EventReply {
  bool recorded = false;    // a record was ever submitted
  bool complete = false;    // the latest record is done
  Tick record_tick = 0;     // when it was done, if complete
  bool is_awaited = false;  // a wait for it has not ended
};

// One kernel of a package.
struct KernelInfo {
  uint32_t id = 0;
  std::string name;
  uint64_t args_bytes = 0;
};

struct PackageReply {
  std::vector<KernelInfo> kernels;
};

// Of the run that is under way, or was last.
struct ClockReply {
  uint32_t participants = 0;  // 0: there was none
  uint32_t left_count = 0;    // of them: whose part is over
  Tick begin_tick = 0;
  // Of what each task of the participants was and when it began and ended,
  // counted from begin_tick. Equal programs that run under the same ranks give
  // equal hashes, unless one of the counts below is not zero.
  uint64_t trace_hash = 0;
  uint64_t task_count = 0;     // in the hash
  uint64_t late_count = 0;     // calls that the clock had passed by
  uint64_t demoted_count = 0;  // lanes that were waited for long enough
  uint64_t evicted_count = 0;  // participants that were
};

using ReplyPayload =
    std::variant<std::monostate, MallocReply, MemInfoReply, QueryReply,
                 EventReply, PackageReply, UtilizationReply, ClockReply>;

// The first failure of a stream since a Synchronize last reported one. Not of
// tasks that were dropped, nor of requests, which are answered.
struct TaskFailure {
  StreamHandle stream;
  LaneId lane;                 // that posted the task
  uint64_t task = 0;           // its place in the stream, from 1
  absl::Status status;         // as Synchronize will report it
  bool stops_context = false;  // StopContextOnFailure
};

struct Reply {
  Ticket ticket;
  LaneId lane;
  absl::Status status;   // with a Reason (core/base/error.h)
  Tick tick = 0;         // device clock when it was decided
  ReplyPayload payload;  // set only when status is ok
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_COMMAND_REPLY_H_
