// Streams.
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "core/command/command.h"

using ascend::client::CheckNotNull;
using ascend::client::CheckTimeout;
using ascend::client::ClientRuntime;
using ascend::client::Report;
using ascend::client::ReportValue;

namespace {

aclError DestroyStream(absl::string_view function, aclrtStream stream,
                       bool force) {
  const absl::Status status = CheckNotNull({{stream, "stream"}});
  if (!status.ok()) return Report(function, status);
  return Report(function, ClientRuntime::Get().DestroyStream(stream, force));
}

}  // namespace

aclError aclrtCreateStream(aclrtStream* stream) {
  const absl::Status status = CheckNotNull({{stream, "stream"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().CreateStream({}), stream);
}

aclError aclrtDestroyStream(aclrtStream stream) {
  return DestroyStream(__func__, stream, /*force=*/false);
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
  return DestroyStream(__func__, stream, /*force=*/true);
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  return Report(__func__, ClientRuntime::Get().SynchronizeStream(stream, {}));
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream,
                                           int32_t timeout) {
  const auto checked = CheckTimeout(timeout);
  if (!checked.ok()) return Report(__func__, checked.status());
  return Report(__func__,
                ClientRuntime::Get().SynchronizeStream(stream, *checked));
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  const absl::Status checked = CheckNotNull({{status, "status"}});
  if (!checked.ok()) return Report(__func__, checked);
  const auto is_complete = ClientRuntime::Get().IsStreamComplete(stream);
  if (!is_complete.ok()) return Report(__func__, is_complete.status());
  *status =
      *is_complete ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
  return ACL_SUCCESS;
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority,
                                           int32_t* greatestPriority) {
  const absl::Status status =
      CheckNotNull({{leastPriority, "leastPriority"},
                    {greatestPriority, "greatestPriority"}});
  if (!status.ok()) return Report(__func__, status);
  *leastPriority = ascend::core::kPriorityLeast;
  *greatestPriority = 0;
  return ACL_SUCCESS;
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId) {
  const absl::Status status = CheckNotNull({{streamId, "streamId"}});
  if (!status.ok()) return Report(__func__, status);
  const auto info = ClientRuntime::Get().DescribeStream(stream);
  if (info.ok()) *streamId = static_cast<int32_t>(info->id);
  return Report(__func__, info.status());
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority) {
  const absl::Status status = CheckNotNull({{priority, "priority"}});
  if (!status.ok()) return Report(__func__, status);
  const auto info = ClientRuntime::Get().DescribeStream(stream);
  if (info.ok()) *priority = info->options.priority;
  return Report(__func__, info.status());
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags) {
  const absl::Status status = CheckNotNull({{flags, "flags"}});
  if (!status.ok()) return Report(__func__, status);
  const auto info = ClientRuntime::Get().DescribeStream(stream);
  if (info.ok()) *flags = info->options.flags;
  return Report(__func__, info.status());
}

aclError aclrtGetStreamAvailableNum(uint32_t* streamCount) {
  const absl::Status status = CheckNotNull({{streamCount, "streamCount"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().StreamsLeft(), streamCount);
}

aclError aclrtGetThreadLastTaskId(uint32_t* taskId) {
  const absl::Status status = CheckNotNull({{taskId, "taskId"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().LastTaskOfThread(), taskId);
}
