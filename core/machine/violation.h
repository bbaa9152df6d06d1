// The errors that several kinds of command share.
//
// Threading: pure functions.
#ifndef ASCEND_CORE_MACHINE_VIOLATION_H_
#define ASCEND_CORE_MACHINE_VIOLATION_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/base/error.h"

namespace ascend::core {

// What no client of ours sends: the session ends with it.
inline absl::Status Violation(absl::string_view what) {
  return MakeError(Reason::kProtocolViolation, what);
}

// `command` names a handle that is not live, or creates one twice.
inline absl::Status HandleViolation(absl::string_view command,
                                    absl::string_view kind, uint64_t bits) {
  return Violation(absl::StrCat(command, " names ", kind, " 0x",
                                absl::Hex(bits),
                                ", against the contract of handles"));
}

inline absl::Status StreamsExhausted(uint32_t streams_max) {
  return MakeError(Reason::kStreamsExhausted,
                   absl::StrCat("the device has its ", streams_max,
                                " streams; destroy one first"));
}

// What a task ends with that would start at the end of time.
inline absl::Status ClockEndedError() {
  return MakeError(Reason::kDeviceAborted,
                   "the simulated clock has come to its end, after 104 days; "
                   "the daemon has to be started anew");
}

// What a task ends with that a forced destruction kept from starting.
inline absl::Status DroppedError() {
  return MakeError(
      Reason::kStreamAborted,
      "the stream was destroyed by force before this task started");
}

inline absl::Status AbortedError() {
  return MakeError(Reason::kStreamAborted, "the stream was aborted");
}

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_VIOLATION_H_
