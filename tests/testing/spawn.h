// Processes as tests start them: no fork, pipes that nobody else inherits.
//
// Threading: any thread. Ownership: the caller's.
#ifndef ASCEND_TESTS_TESTING_SPAWN_H_
#define ASCEND_TESTS_TESTING_SPAWN_H_

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/unique_fd.h"

namespace ascend::testing {

struct Pipe {
  core::UniqueFd read;
  core::UniqueFd write;
};

Pipe MakePipe();

// Starts `command` with `environment` ("NAME=value") on top of ours;
// `inherited` are (ours, the child's) descriptors.
pid_t Spawn(const std::vector<std::string>& command,
            const std::vector<std::string>& environment,
            const std::vector<std::pair<int, int>>& inherited);

// The exit code of a child, 128 + signal when it was killed, -1 if it does not
// end in time; no time: for ever.
int AwaitExit(pid_t pid, std::optional<std::chrono::milliseconds> timeout);

// Whether any process of this id has ended, or ends in time.
bool AwaitGone(pid_t pid, std::chrono::milliseconds timeout);

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_TESTING_SPAWN_H_
