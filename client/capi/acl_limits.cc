// Limits and options: time-outs of kernels, cores, options of process and
// context.
#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "client/capi/op_timeout.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {

OpTimeout& OpTimeout::Get() {
  static OpTimeout timeout;
  return timeout;
}

uint64_t OpTimeout::Set(uint64_t microseconds) {
  uint64_t intervals = kIntervalsMax;
  if (microseconds > 0 && microseconds < kIntervalsMax * kIntervalUs) {
    intervals = (microseconds + kIntervalUs - 1) / kIntervalUs;
  }
  microseconds_.store(intervals * kIntervalUs);
  return intervals * kIntervalUs;
}

}  // namespace ascend::client

using ascend::client::CheckNotNull;
using ascend::client::ClientRuntime;
using ascend::client::CoreKind;
using ascend::client::OpTimeout;
using ascend::client::Report;
using ascend::client::ReportCode;
using ascend::client::ReportValue;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

absl::StatusOr<CoreKind> KindOf(aclrtDevResLimitType type) {
  switch (type) {
    case ACL_RT_DEV_RES_CUBE_CORE:
      return CoreKind::kCube;
    case ACL_RT_DEV_RES_VECTOR_CORE:
      return CoreKind::kVector;
  }
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat("type is ", static_cast<int>(type),
                                ", which is no kind of cores"));
}

absl::StatusOr<CoreKind> CheckLimit(aclrtDevResLimitType type, uint32_t value) {
  ASCEND_ASSIGN_OR_RETURN(const CoreKind kind, KindOf(type));
  if (value > 0) return kind;
  return MakeError(Reason::kInvalidArgument,
                   "value is 0, but a limit is at least 1 core");
}

absl::Status CheckOption(aclSysParamOpt option) {
  if (option >= ACL_OPT_DETERMINISTIC &&
      option <= ACL_OPT_ENABLE_KERNEL_EARLY_START) {
    return absl::OkStatus();
  }
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat("opt is ", static_cast<int>(option),
                                ", which is no option"));
}

absl::Status CheckOptionValue(aclSysParamOpt option, int64_t value) {
  ASCEND_RETURN_IF_ERROR(CheckOption(option));
  const int64_t most = option == ACL_OPT_DETERMINISTIC ? 3 : 1;
  if (value >= 0 && value <= most) return absl::OkStatus();
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat("value of option ", static_cast<int>(option),
                                " is ", value, ", but it must be 0 to ", most));
}

}  // namespace

// ---- Time-out of kernels ---------------------------------------------------

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout) {
  OpTimeout::Get().Set(uint64_t{timeout} * 1000 * 1000);
  return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout) {
  OpTimeout::Get().Set(uint64_t{timeout} * 1000);
  return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout) {
  const absl::Status status = CheckNotNull({{actualTimeout, "actualTimeout"}});
  if (!status.ok()) return Report(__func__, status);
  *actualTimeout = OpTimeout::Get().Set(timeout);
  return ACL_SUCCESS;
}

aclError aclrtGetOpTimeOutInterval(uint64_t* interval) {
  const absl::Status status = CheckNotNull({{interval, "interval"}});
  if (!status.ok()) return Report(__func__, status);
  *interval = OpTimeout::kIntervalUs;
  return ACL_SUCCESS;
}

aclError aclrtGetOpExecuteTimeout(uint32_t* const timeoutMs) {
  const absl::Status status = CheckNotNull({{timeoutMs, "timeoutMs"}});
  if (!status.ok()) return Report(__func__, status);
  *timeoutMs =
      static_cast<uint32_t>((OpTimeout::Get().microseconds() + 999) / 1000);
  return ACL_SUCCESS;
}

// ---- Cores -----------------------------------------------------------------

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,
                                uint32_t value) {
  const auto kind = CheckLimit(type, value);
  if (!kind.ok()) return Report(__func__, kind.status());
  return Report(__func__, ClientRuntime::Get().SetDeviceCoreLimit(
                              deviceId, *kind, value));
}

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,
                                uint32_t* value) {
  const absl::Status status = CheckNotNull({{value, "value"}});
  if (!status.ok()) return Report(__func__, status);
  const auto kind = KindOf(type);
  if (!kind.ok()) return Report(__func__, kind.status());
  return ReportValue(
      __func__, ClientRuntime::Get().DeviceCoreLimit(deviceId, *kind), value);
}

aclError aclrtResetDeviceResLimit(int32_t deviceId) {
  ClientRuntime& runtime = ClientRuntime::Get();
  absl::Status status =
      runtime.SetDeviceCoreLimit(deviceId, CoreKind::kCube, 0);
  if (status.ok()) {
    status = runtime.SetDeviceCoreLimit(deviceId, CoreKind::kVector, 0);
  }
  return Report(__func__, status);
}

aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,
                                uint32_t value) {
  const auto kind = CheckLimit(type, value);
  if (!kind.ok()) return Report(__func__, kind.status());
  return Report(__func__,
                ClientRuntime::Get().SetStreamCoreLimit(stream, *kind, value));
}

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,
                                uint32_t* value) {
  const absl::Status status = CheckNotNull({{value, "value"}});
  if (!status.ok()) return Report(__func__, status);
  const auto kind = KindOf(type);
  if (!kind.ok()) return Report(__func__, kind.status());
  return ReportValue(
      __func__, ClientRuntime::Get().StreamCoreLimit(stream, *kind), value);
}

aclError aclrtResetStreamResLimit(aclrtStream stream) {
  ClientRuntime& runtime = ClientRuntime::Get();
  absl::Status status = runtime.SetStreamCoreLimit(stream, CoreKind::kCube, 0);
  if (status.ok()) {
    status = runtime.SetStreamCoreLimit(stream, CoreKind::kVector, 0);
  }
  return Report(__func__, status);
}

aclError aclrtUseStreamResInCurrentThread(aclrtStream stream) {
  return Report(__func__, ClientRuntime::Get().UseStreamLimits(stream));
}

aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream) {
  return Report(__func__, ClientRuntime::Get().UnuseStreamLimits(stream));
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type,
                                    uint32_t* value) {
  const absl::Status status = CheckNotNull({{value, "value"}});
  if (!status.ok()) return Report(__func__, status);
  const auto kind = KindOf(type);
  if (!kind.ok()) return Report(__func__, kind.status());
  return ReportValue(__func__, ClientRuntime::Get().ThreadCoreLimit(*kind),
                     value);
}

// ---- Options ---------------------------------------------------------------

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  const absl::Status status = CheckOptionValue(opt, value);
  if (status.ok()) ClientRuntime::Get().SetOption(opt, value);
  return Report(__func__, status);
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  absl::Status status = CheckNotNull({{value, "value"}});
  if (status.ok()) status = CheckOption(opt);
  if (status.ok()) *value = ClientRuntime::Get().Option(opt);
  return Report(__func__, status);
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  absl::Status status = CheckOptionValue(opt, value);
  if (status.ok()) status = ClientRuntime::Get().SetContextOption(opt, value);
  return Report(__func__, status);
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  absl::Status status = CheckNotNull({{value, "value"}});
  if (status.ok()) status = CheckOption(opt);
  if (!status.ok()) return Report(__func__, status);
  const auto option = ClientRuntime::Get().ContextOption(opt);
  if (!option.ok()) return Report(__func__, option.status());
  if (!option->has_value()) {
    return ReportCode(__func__, ACL_ERROR_RT_SYSPARAMOPT_NOT_SET,
                      absl::StrCat("option ", static_cast<int>(opt),
                                   " was never set in the current context"));
  }
  *value = **option;
  return ACL_SUCCESS;
}
