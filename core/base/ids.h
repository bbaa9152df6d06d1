// Names of things that cross every layer.
//
// Threading: value types.
#ifndef ASCEND_CORE_BASE_IDS_H_
#define ASCEND_CORE_BASE_IDS_H_

#include <cstdint>

#include "core/base/typed_int.h"

namespace ascend::core {

// One client process attached to the daemon. Never reused by a daemon.
using SessionId = TypedInt<struct SessionIdTag, uint64_t>;

// One thread of a client. Chosen by the client, unique in its session.
using LaneId = TypedInt<struct LaneIdTag, uint32_t>;

// The position of a call in its session's order of calls: 1, 2, 3, ...
using Ticket = TypedInt<struct TicketTag, uint64_t>;

// An NPU of the daemon, 0-based.
using DeviceId = TypedInt<struct DeviceIdTag, uint32_t>;

}  // namespace ascend::core

#endif  // ASCEND_CORE_BASE_IDS_H_
