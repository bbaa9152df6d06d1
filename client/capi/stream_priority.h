// The priorities of streams: 0 is the most urgent.
//
// Threading: constants.
#ifndef ASCEND_CLIENT_CAPI_STREAM_PRIORITY_H_
#define ASCEND_CLIENT_CAPI_STREAM_PRIORITY_H_

#include <cstdint>

namespace ascend::client {

inline constexpr uint32_t kLeastPriority = 7;

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_CAPI_STREAM_PRIORITY_H_
