// Streams.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "core/base/error.h"

using ascend::client::CheckNotNull;
using ascend::client::CheckTimeout;
using ascend::client::ClientRuntime;
using ascend::client::Report;
using ascend::client::ReportValue;
using ascend::client::StreamOptions;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

constexpr uint32_t kLeastPriority = 7;
constexpr uint32_t kFreeFlags =
    ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC | ACL_STREAM_HUGE;
// For graphs and for kernels that submit work, neither of which there is yet.
constexpr uint32_t kUnsupportedFlags = ACL_STREAM_PERSISTENT |
                                       ACL_STREAM_CPU_SCHEDULE |
                                       ACL_STREAM_DEVICE_USE_ONLY;

absl::Status CheckFlags(uint32_t flags) {
  if ((flags & ~(kFreeFlags | kUnsupportedFlags)) != 0) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("flag is 0x", absl::Hex(flags),
                                  ", which has bits that are no stream flag"));
  }
  if ((flags & kUnsupportedFlags) != 0) {
    return MakeError(Reason::kUnsupportedCombination,
                     absl::StrCat("flag is 0x", absl::Hex(flags),
                                  ": persistent, CPU-scheduled and device-only "
                                  "streams are not supported yet"));
  }
  return absl::OkStatus();
}

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

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority,
                                     uint32_t flag) {
  absl::Status status = CheckNotNull({{stream, "stream"}});
  if (status.ok()) status = CheckFlags(flag);
  if (!status.ok()) return Report(__func__, status);
  StreamOptions options;
  options.priority = std::min(priority, kLeastPriority);
  options.is_fast_launch = (flag & ACL_STREAM_FAST_LAUNCH) != 0;
  options.is_fast_sync = (flag & ACL_STREAM_FAST_SYNC) != 0;
  return ReportValue(__func__, ClientRuntime::Get().CreateStream(options),
                     stream);
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
  *leastPriority = kLeastPriority;
  *greatestPriority = 0;
  return ACL_SUCCESS;
}
