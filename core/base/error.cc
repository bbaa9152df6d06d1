#include "core/base/error.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"

namespace ascend::core {
namespace {

constexpr absl::string_view kPayloadUrl = "ascend-rtd/reason";

absl::StatusCode CodeOf(Reason reason) {
  switch (reason) {
    case Reason::kNone:
      return absl::StatusCode::kOk;
    case Reason::kInvalidArgument:
    case Reason::kNullArgument:
    case Reason::kUnknownDevice:
    case Reason::kForeignStream:
    case Reason::kStaleHandle:
    case Reason::kProtocolViolation:
    case Reason::kMixedCallbackStyles:
    case Reason::kStreamNotSubscribed:
    case Reason::kThreadNotSubscribed:
      return absl::StatusCode::kInvalidArgument;
    case Reason::kNoContext:
    case Reason::kContextNotOwned:
    case Reason::kEventWithoutTimestamp:
    case Reason::kEventNotRecorded:
    case Reason::kDeviceNotSet:
    case Reason::kHostRegistered:
    case Reason::kHostNotRegistered:
    case Reason::kDeviceListRepeats:
      return absl::StatusCode::kFailedPrecondition;
    case Reason::kUnsupportedCombination:
    case Reason::kUnsupported:
      return absl::StatusCode::kUnimplemented;
    case Reason::kOutOfDeviceMemory:
    case Reason::kStreamsExhausted:
    case Reason::kEventsExhausted:
    case Reason::kNotifiesExhausted:
    case Reason::kQuotaExceeded:
      return absl::StatusCode::kResourceExhausted;
    case Reason::kUnknownKernel:
      return absl::StatusCode::kNotFound;
    case Reason::kStreamSyncTimeout:
    case Reason::kEventSyncTimeout:
    case Reason::kReportTimeout:
    case Reason::kCubeTimeout:
    case Reason::kVectorTimeout:
      return absl::StatusCode::kDeadlineExceeded;
    case Reason::kStreamAborted:
    case Reason::kDeviceAborted:
    case Reason::kCubeFault:
    case Reason::kVectorFault:
      return absl::StatusCode::kAborted;
    case Reason::kConnectionLost:
    case Reason::kSessionHung:
      return absl::StatusCode::kUnavailable;
    case Reason::kInternal:
      return absl::StatusCode::kInternal;
  }
  return absl::StatusCode::kInternal;
}

}  // namespace

absl::Status MakeError(Reason reason, absl::string_view message) {
  absl::Status status(CodeOf(reason), message);
  if (!status.ok()) {
    status.SetPayload(kPayloadUrl,
                      absl::Cord(absl::StrCat(static_cast<uint16_t>(reason))));
  }
  return status;
}

Reason ReasonOf(const absl::Status& status) {
  if (status.ok()) return Reason::kNone;
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayloadUrl);
  int number = 0;
  if (!payload.has_value() ||
      !absl::SimpleAtoi(std::string(*payload), &number)) {
    return Reason::kInternal;
  }
  return static_cast<Reason>(number);
}

absl::Status Annotate(const absl::Status& status, absl::string_view context) {
  if (status.ok()) return status;
  return MakeError(ReasonOf(status),
                   absl::StrCat(context, ": ", status.message()));
}

absl::Status OwnCopy(const absl::Status& status) {
  if (status.ok()) return status;
  return MakeError(ReasonOf(status), status.message());
}

absl::string_view ReasonName(Reason reason) {
  switch (reason) {
    case Reason::kNone:
      return "none";
    case Reason::kInvalidArgument:
      return "invalid_argument";
    case Reason::kNullArgument:
      return "null_argument";
    case Reason::kUnknownDevice:
      return "unknown_device";
    case Reason::kNoContext:
      return "no_context";
    case Reason::kForeignStream:
      return "foreign_stream";
    case Reason::kStaleHandle:
      return "stale_handle";
    case Reason::kEventWithoutTimestamp:
      return "event_without_timestamp";
    case Reason::kEventNotRecorded:
      return "event_not_recorded";
    case Reason::kUnsupportedCombination:
      return "unsupported_combination";
    case Reason::kOutOfDeviceMemory:
      return "out_of_device_memory";
    case Reason::kStreamsExhausted:
      return "streams_exhausted";
    case Reason::kEventsExhausted:
      return "events_exhausted";
    case Reason::kNotifiesExhausted:
      return "notifies_exhausted";
    case Reason::kDeviceNotSet:
      return "device_not_set";
    case Reason::kUnknownKernel:
      return "unknown_kernel";
    case Reason::kStreamSyncTimeout:
      return "stream_sync_timeout";
    case Reason::kEventSyncTimeout:
      return "event_sync_timeout";
    case Reason::kStreamAborted:
      return "stream_aborted";
    case Reason::kDeviceAborted:
      return "device_aborted";
    case Reason::kCubeFault:
      return "cube_fault";
    case Reason::kVectorFault:
      return "vector_fault";
    case Reason::kCubeTimeout:
      return "cube_timeout";
    case Reason::kVectorTimeout:
      return "vector_timeout";
    case Reason::kConnectionLost:
      return "connection_lost";
    case Reason::kSessionHung:
      return "session_hung";
    case Reason::kUnsupported:
      return "unsupported";
    case Reason::kQuotaExceeded:
      return "quota_exceeded";
    case Reason::kInternal:
      return "internal";
    case Reason::kProtocolViolation:
      return "protocol_violation";
    case Reason::kContextNotOwned:
      return "context_not_owned";
    case Reason::kMixedCallbackStyles:
      return "mixed_callback_styles";
    case Reason::kHostRegistered:
      return "host_registered";
    case Reason::kHostNotRegistered:
      return "host_not_registered";
    case Reason::kDeviceListRepeats:
      return "device_list_repeats";
    case Reason::kStreamNotSubscribed:
      return "stream_not_subscribed";
    case Reason::kThreadNotSubscribed:
      return "thread_not_subscribed";
    case Reason::kReportTimeout:
      return "report_timeout";
  }
  return "unknown";
}

}  // namespace ascend::core
