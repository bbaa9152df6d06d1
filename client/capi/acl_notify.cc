// Notifies, and writes and waits of words of device memory.
#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "core/base/error.h"

using ascend::client::CheckNotNull;
using ascend::client::ClientRuntime;
using ascend::client::Report;
using ascend::client::ReportValue;
using ascend::core::MakeError;
using ascend::core::Reason;
using ascend::core::WordCondition;

namespace {

absl::StatusOr<WordCondition> ConditionOf(uint32_t flag) {
  switch (flag) {
    case ACL_STREAM_WAIT_VALUE_GEQ:
      return WordCondition::kGreaterOrEqual;
    case ACL_STREAM_WAIT_VALUE_EQ:
      return WordCondition::kEqual;
    case ACL_STREAM_WAIT_VALUE_AND:
      return WordCondition::kAnd;
    case ACL_STREAM_WAIT_VALUE_NOR:
      return WordCondition::kNor;
    default:
      return MakeError(Reason::kInvalidArgument,
                       absl::StrCat("flag is ", flag,
                                    ", which is no ACL_STREAM_WAIT_VALUE_*"));
  }
}

}  // namespace

aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t flag) {
  absl::Status status = CheckNotNull({{notify, "notify"}});
  if (status.ok() && flag > ACL_NOTIFY_DEVICE_USE_ONLY) {
    status =
        MakeError(Reason::kInvalidArgument,
                  absl::StrCat("flag is ", flag, ", which is no ACL_NOTIFY_*"));
  }
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().CreateNotify(), notify);
}

aclError aclrtDestroyNotify(aclrtNotify notify) {
  const absl::Status status = CheckNotNull({{notify, "notify"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, ClientRuntime::Get().DestroyNotify(notify));
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream) {
  const absl::Status status = CheckNotNull({{notify, "notify"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, ClientRuntime::Get().RecordNotify(notify, stream));
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream,
                                 uint32_t timeout) {
  const absl::Status status = CheckNotNull({{notify, "notify"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__,
                ClientRuntime::Get().WaitNotify(notify, stream, timeout));
}

aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId) {
  const absl::Status status =
      CheckNotNull({{notify, "notify"}, {notifyId, "notifyId"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().NotifyId(notify), notifyId);
}

aclError aclrtValueWrite(void* devAddr, uint64_t value, uint32_t flag,
                         aclrtStream stream) {
  absl::Status status = CheckNotNull({{devAddr, "devAddr"}});
  if (status.ok() && flag != 0) {
    status = MakeError(Reason::kInvalidArgument,
                       absl::StrCat("flag is ", flag, ", but must be 0"));
  }
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__,
                ClientRuntime::Get().WriteWord(devAddr, value, stream));
}

aclError aclrtValueWait(void* devAddr, uint64_t value, uint32_t flag,
                        aclrtStream stream) {
  const absl::Status status = CheckNotNull({{devAddr, "devAddr"}});
  if (!status.ok()) return Report(__func__, status);
  const auto condition = ConditionOf(flag);
  if (!condition.ok()) return Report(__func__, condition.status());
  return Report(__func__, ClientRuntime::Get().WaitWord(devAddr, value,
                                                        *condition, stream));
}
