// Until when a wait lasts.
//
// Threading: constants. Ownership: none.
#ifndef ASCEND_PROTO_IPC_DEADLINE_H_
#define ASCEND_PROTO_IPC_DEADLINE_H_

#include <chrono>

namespace ascend::ipc {

// A point of CLOCK_MONOTONIC, which all processes share.
using Deadline = std::chrono::steady_clock::time_point;
inline constexpr Deadline kNoDeadline = Deadline::max();

}  // namespace ascend::ipc

#endif  // ASCEND_PROTO_IPC_DEADLINE_H_
