// Replay: a recorded run again, without clients and without kernels.
//
// Threading: one thread. Ownership: none.
#ifndef ASCEND_SERVER_REPLAY_H_
#define ASCEND_SERVER_REPLAY_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/kernels/catalog.h"
#include "core/machine/machine.h"

namespace ascend::server {

struct ReplayResult {
  core::Tick tick = 0;  // where the device clock stands at the end
  uint64_t task_count = 0;
  uint64_t trace_hash = 0;  // of all tasks
  core::ClockReply run;     // the last run of lanes that joined
};

// `log` is what a daemon wrote with --record; `observer` hears what happens,
// null: nobody. Errors: kInvalidArgument, as InputLogReader.
absl::StatusOr<ReplayResult> Replay(absl::string_view log,
                                    const core::Catalog& catalog,
                                    core::Observer* observer = nullptr);

// `ascend-rtd replay FILE`: prints the result, one "name value" a line. The
// exit code.
int RunReplay(int argc, const char* const* argv, const core::Catalog& catalog);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_REPLAY_H_
