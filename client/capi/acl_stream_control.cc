// What happens to the work of streams: abort, failures, attributes; and how
// busy it keeps a device.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "core/base/error.h"
#include "core/command/command.h"

using ascend::client::CheckNotNull;
using ascend::client::ClientRuntime;
using ascend::client::NumberOf;
using ascend::client::Report;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

absl::Status SetFailureMode(aclrtStream stream, uint64_t mode) {
  ClientRuntime& runtime = ClientRuntime::Get();
  if (mode == ACL_STOP_ON_FAILURE) return runtime.StopContextOnFailure(stream);
  if (mode != ACL_CONTINUE_ON_FAILURE) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("mode is ", mode,
                                  ", which is neither ACL_CONTINUE_ON_FAILURE "
                                  "nor ACL_STOP_ON_FAILURE"));
  }
  const auto stops = runtime.StopsContextOnFailure(stream);
  if (!stops.ok() || !*stops) return stops.status();
  return MakeError(Reason::kInvalidArgument,
                   "the failure mode of the stream is to stop, which cannot be "
                   "taken back");
}

absl::Status CheckSwitch(const char* name, uint32_t value) {
  if (value <= 1) return absl::OkStatus();
  return MakeError(
      Reason::kInvalidArgument,
      absl::StrCat(name, " is ", value, ", which is neither 0 nor 1"));
}

absl::Status UnknownAttribute(int attribute) {
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat("stmAttrType is ", attribute,
                                ", which is no aclrtStreamAttr"));
}

absl::Status SetAttribute(aclrtStream stream, int attribute,
                          const aclrtStreamAttrValue& value) {
  ClientRuntime& runtime = ClientRuntime::Get();
  absl::Status status;
  switch (attribute) {
    case ACL_STREAM_ATTR_FAILURE_MODE:
      return SetFailureMode(stream, value.failureMode);
    case ACL_STREAM_ATTR_PRIORITY:
      return runtime.SetStreamPriority(
          stream, std::min(value.streamPriority, ascend::core::kPriorityLeast));
    case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
      status = CheckSwitch("overflowSwitch", value.overflowSwitch);
      if (!status.ok()) return status;
      return runtime.SetOverflowSwitch(stream, value.overflowSwitch == 1);
    case ACL_STREAM_ATTR_CACHE_OP_INFO:
      status = CheckSwitch("cacheOpInfoSwitch", value.cacheOpInfoSwitch);
      if (!status.ok()) return status;
      return runtime.SetStreamNote(stream, attribute, value.cacheOpInfoSwitch);
    case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
      return runtime.SetStreamNote(stream, attribute, value.userCustomTag);
    default:
      return UnknownAttribute(attribute);
  }
}

absl::Status GetAttribute(aclrtStream stream, int attribute,
                          aclrtStreamAttrValue* value) {
  ClientRuntime& runtime = ClientRuntime::Get();
  switch (attribute) {
    case ACL_STREAM_ATTR_FAILURE_MODE: {
      const auto stops = runtime.StopsContextOnFailure(stream);
      if (!stops.ok()) return stops.status();
      *value = {};
      value->failureMode =
          *stops ? ACL_STOP_ON_FAILURE : ACL_CONTINUE_ON_FAILURE;
      return absl::OkStatus();
    }
    case ACL_STREAM_ATTR_PRIORITY: {
      const auto info = runtime.DescribeStream(stream);
      if (!info.ok()) return info.status();
      *value = {};
      value->streamPriority = info->options.priority;
      return absl::OkStatus();
    }
    case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK: {
      const auto is_on = runtime.OverflowSwitch(stream);
      if (!is_on.ok()) return is_on.status();
      *value = {};
      value->overflowSwitch = *is_on ? 1 : 0;
      return absl::OkStatus();
    }
    case ACL_STREAM_ATTR_CACHE_OP_INFO:
    case ACL_STREAM_ATTR_USER_CUSTOM_TAG: {
      const auto note = runtime.StreamNote(stream, attribute);
      if (!note.ok()) return note.status();
      *value = {};
      value->userCustomTag = *note;  // both have one place and type
      return absl::OkStatus();
    }
    default:
      return UnknownAttribute(attribute);
  }
}

}  // namespace

aclError aclrtStreamAbort(aclrtStream stream) {
  return Report(__func__, ClientRuntime::Get().AbortStream(stream));
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
  return Report(__func__, SetFailureMode(stream, mode));
}

aclError aclrtSetStreamAttribute(aclrtStream stream,
                                 aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue* value) {
  const absl::Status status = CheckNotNull({{value, "value"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, SetAttribute(stream, NumberOf(stmAttrType), *value));
}

aclError aclrtGetStreamAttribute(aclrtStream stream,
                                 aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue* value) {
  const absl::Status status = CheckNotNull({{value, "value"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, GetAttribute(stream, NumberOf(stmAttrType), value));
}

aclError aclrtGetDeviceUtilizationRate(int32_t deviceId,
                                       aclrtUtilizationInfo* utilizationInfo) {
  absl::Status status = CheckNotNull({{utilizationInfo, "utilizationInfo"}});
  if (status.ok() && utilizationInfo->utilizationExtend != nullptr) {
    status = MakeError(Reason::kNullArgument,
                       "utilizationInfo->utilizationExtend is not null, but "
                       "must be");
  }
  if (!status.ok()) return Report(__func__, status);
  const auto rate = ClientRuntime::Get().Utilization(deviceId);
  if (!rate.ok()) return Report(__func__, rate.status());
  utilizationInfo->cubeUtilization = static_cast<int32_t>(rate->cube_percent);
  utilizationInfo->vectorUtilization = static_cast<int32_t>(rate->aiv_percent);
  utilizationInfo->aicpuUtilization = 0;  // nothing runs on AI CPUs
  utilizationInfo->memoryUtilization = -1;
  return ACL_SUCCESS;
}
