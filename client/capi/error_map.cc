#include "client/capi/error_map.h"

#include "absl/strings/str_cat.h"

namespace ascend::client {
namespace {

using core::Reason;

struct PublicError {
  aclError code;
  absl::string_view message_code;
};

constexpr absl::string_view kNullClass = "EH0002";
constexpr absl::string_view kHandleClass = "EE1001";
constexpr absl::string_view kTimeoutClass = "EE1002";
constexpr absl::string_view kArgumentClass = "EE1003";
constexpr absl::string_view kStateClass = "EE1004";
constexpr absl::string_view kUnsupportedClass = "EE1005";
constexpr absl::string_view kExhaustedClass = "EE1006";
constexpr absl::string_view kContextClass = "EE1017";
constexpr absl::string_view kDeviceNotSetClass = "EE1018";
constexpr absl::string_view kEnvironmentClass = "EE2002";
constexpr absl::string_view kConnectionClass = "EE1901";
constexpr absl::string_view kDeviceFaultClass = "EE1902";
constexpr absl::string_view kAbortClass = "EE1903";
constexpr absl::string_view kInternalClass = "EE9999";

// No default: the compiler names a Reason that is missing here.
constexpr PublicError Lookup(Reason reason) {
  switch (reason) {
    case Reason::kNone:
      return {ACL_SUCCESS, ""};
    case Reason::kInvalidArgument:
      return {ACL_ERROR_RT_PARAM_INVALID, kArgumentClass};
    case Reason::kNullArgument:
      return {ACL_ERROR_INVALID_PARAM, kNullClass};
    case Reason::kUnknownDevice:
      return {ACL_ERROR_RT_INVALID_DEVICEID, kArgumentClass};
    case Reason::kNoContext:
    case Reason::kContextNotOwned:
      return {ACL_ERROR_RT_CONTEXT_NULL, kContextClass};
    case Reason::kForeignStream:
      return {ACL_ERROR_RT_STREAM_CONTEXT, kHandleClass};
    case Reason::kStaleHandle:
      return {ACL_ERROR_RT_INVALID_HANDLE, kHandleClass};
    case Reason::kEventWithoutTimestamp:
      return {ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, kStateClass};
    case Reason::kEventNotRecorded:
      return {ACL_ERROR_RT_INTERNAL_ERROR, kStateClass};
    case Reason::kUnsupportedCombination:
      return {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, kUnsupportedClass};
    case Reason::kOutOfDeviceMemory:
      return {ACL_ERROR_RT_MEMORY_ALLOCATION, kExhaustedClass};
    case Reason::kStreamsExhausted:
      return {ACL_ERROR_RT_NO_STREAM_RESOURCE, kExhaustedClass};
    case Reason::kEventsExhausted:
      return {ACL_ERROR_RT_NO_EVENT_RESOURCE, kExhaustedClass};
    case Reason::kNotifiesExhausted:
      return {ACL_ERROR_RT_NO_NOTIFY_RESOURCE, kExhaustedClass};
    case Reason::kDeviceNotSet:
      return {ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, kDeviceNotSetClass};
    case Reason::kUnknownKernel:
      return {ACL_ERROR_RT_KERNEL_LOOKUP, kArgumentClass};
    case Reason::kStreamSyncTimeout:
      return {ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, kTimeoutClass};
    case Reason::kEventSyncTimeout:
      return {ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, kTimeoutClass};
    case Reason::kStreamAborted:
      return {ACL_ERROR_RT_STREAM_ABORT, kAbortClass};
    case Reason::kDeviceAborted:
      return {ACL_ERROR_RT_DEVICE_TASK_ABORT, kAbortClass};
    case Reason::kCubeFault:
      return {ACL_ERROR_RT_AICORE_EXCEPTION, kDeviceFaultClass};
    case Reason::kVectorFault:
      return {ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, kDeviceFaultClass};
    case Reason::kCubeTimeout:
      return {ACL_ERROR_RT_AICORE_TIMEOUT, kDeviceFaultClass};
    case Reason::kVectorTimeout:
      return {ACL_ERROR_RT_VECTOR_CORE_TIMEOUT, kDeviceFaultClass};
    case Reason::kConnectionLost:
    case Reason::kProtocolViolation:
      return {ACL_ERROR_RT_SOCKET_CLOSE, kConnectionClass};
    case Reason::kSessionHung:
      return {ACL_ERROR_RT_LOST_HEARTBEAT, kConnectionClass};
    case Reason::kUnsupported:
      return {ACL_ERROR_API_NOT_SUPPORT, kUnsupportedClass};
    case Reason::kQuotaExceeded:
      return {ACL_ERROR_RT_OVER_LIMIT, kExhaustedClass};
    case Reason::kInternal:
      return {ACL_ERROR_RT_DRV_INTERNAL_ERROR, kInternalClass};
    case Reason::kMixedCallbackStyles:
      return {ACL_ERROR_RT_STREAM_SUBSCRIBE, kArgumentClass};
    case Reason::kHostRegistered:
      return {ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, kStateClass};
    case Reason::kHostNotRegistered:
      return {ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, kStateClass};
    case Reason::kDeviceListRepeats:
      return {ACL_ERROR_RT_INVALID_DEVICEID, kEnvironmentClass};
    case Reason::kStreamNotSubscribed:
      return {ACL_ERROR_RT_STREAM_NO_CB_REG, kArgumentClass};
    case Reason::kThreadNotSubscribed:
      return {ACL_ERROR_RT_THREAD_SUBSCRIBE, kArgumentClass};
    case Reason::kReportTimeout:
      return {ACL_ERROR_RT_WAIT_TIMEOUT, kTimeoutClass};
  }
  return {ACL_ERROR_RT_DRV_INTERNAL_ERROR, kInternalClass};
}

}  // namespace

aclError AclErrorOf(core::Reason reason) { return Lookup(reason).code; }

aclError AclErrorOf(const absl::Status& status) {
  return AclErrorOf(core::ReasonOf(status));
}

absl::string_view MessageCodeOf(core::Reason reason) {
  return Lookup(reason).message_code;
}

std::string ErrorMessageOf(const absl::Status& status) {
  if (status.ok()) return "";
  return absl::StrCat(MessageCodeOf(core::ReasonOf(status)), ": ",
                      status.message());
}

}  // namespace ascend::client
