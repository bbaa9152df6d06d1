// Errors: an absl::Status that also says which documented failure it is.
//
// AscendCL callers compare numbers, people read sentences. The place nearest to
// the cause makes both: a Reason, which client/capi/error_map.cc turns into the
// public code, and one sentence in present tense with the values in it. Layers
// in between pass the Status on as it is.
//
// Threading: any thread.
#ifndef ASCEND_CORE_BASE_ERROR_H_
#define ASCEND_CORE_BASE_ERROR_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ascend::core {

// The numbers are part of the wire (proto/ascend/rtd/v1/error.proto): append,
// never renumber. The comment names the public code that a caller sees.
enum class Reason : uint16_t {
  kNone = 0,
  kInvalidArgument = 1,         // 107000
  kNullArgument = 2,            // 100000
  kUnknownDevice = 3,           // 107001
  kNoContext = 4,               // 107002
  kForeignStream = 5,           // 107003: the stream is another context's
  kStaleHandle = 6,             // 107017
  kEventWithoutTimestamp = 7,   // 107006
  kEventNotRecorded = 8,        // 507000
  kUnsupportedCombination = 9,  // 207000
  kOutOfDeviceMemory = 10,      // 207001
  kStreamsExhausted = 11,       // 207008
  kEventsExhausted = 12,        // 207007
  kNotifiesExhausted = 13,      // 207009
  kDeviceNotSet = 14,           // 507007
  kUnknownKernel = 15,          // 507027
  kStreamSyncTimeout = 16,      // 507046
  kEventSyncTimeout = 17,       // 507047
  kStreamAborted = 18,          // 107023
  kDeviceAborted = 19,          // 107022
  kCubeFault = 20,              // 507015
  kVectorFault = 21,            // 507035
  kCubeTimeout = 22,            // 507014
  kVectorTimeout = 23,          // 507034
  kConnectionLost = 24,         // 507901: no daemon, or it went away
  kSessionHung = 25,            // 507010
  kUnsupported = 26,            // 200001
  kQuotaExceeded = 27,          // 207012: only where no specific code exists
  kInternal = 28,               // 507899
  kProtocolViolation = 29,      // 507901: the daemon ended this session
  kContextNotOwned = 30,        // 107002: destroy of a primary or dead context
  kMixedCallbackStyles = 31,    // 107011
  kHostRegistered = 32,         // 507910
  kHostNotRegistered = 33,      // 507911
  kDeviceListRepeats = 34,      // 107001: ASCEND_RT_VISIBLE_DEVICES
  kStreamNotSubscribed = 35,    // 107015
  kThreadNotSubscribed = 36,    // 107012
  kReportTimeout = 37,          // 107019
};

// A Status of `reason` with `message`. The absl code follows from the reason.
absl::Status MakeError(Reason reason, absl::string_view message);

// The reason a Status carries; kNone when ok, kInternal when it has none.
Reason ReasonOf(const absl::Status& status);

// The same error with "`context`: " in front of its sentence.
absl::Status Annotate(const absl::Status& status, absl::string_view context);

// The same error, with nothing shared: copies of a Status share what it holds,
// and the last of them, on whatever thread, deletes it. For an error that is
// told to several threads, since the thread sanitizer does not see how Debian's
// Abseil counts the copies.
absl::Status OwnCopy(const absl::Status& status);

// A short, stable name, e.g. "out_of_device_memory", for logs and metrics.
absl::string_view ReasonName(Reason reason);

}  // namespace ascend::core

#endif  // ASCEND_CORE_BASE_ERROR_H_
