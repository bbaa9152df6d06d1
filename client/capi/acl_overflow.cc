// Overflow of floating point.
#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "core/base/error.h"

using ascend::client::CheckNotNull;
using ascend::client::CheckRoom;
using ascend::client::ClientRuntime;
using ascend::client::Report;
using ascend::client::ReportValue;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

constexpr size_t kStatusBytes = 64;

}  // namespace

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
  if (mode != ACL_RT_OVERFLOW_MODE_SATURATION &&
      mode != ACL_RT_OVERFLOW_MODE_INFNAN) {
    return Report(__func__,
                  MakeError(Reason::kInvalidArgument,
                            absl::StrCat("mode is ", static_cast<int>(mode),
                                         ", but it must be 0 (saturation) or 1 "
                                         "(infinities)")));
  }
  return Report(__func__, ClientRuntime::Get().SetSaturating(
                              mode == ACL_RT_OVERFLOW_MODE_SATURATION));
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode) {
  const absl::Status status = CheckNotNull({{mode, "mode"}});
  if (!status.ok()) return Report(__func__, status);
  const auto is_saturating = ClientRuntime::Get().IsSaturating();
  if (is_saturating.ok()) {
    *mode = *is_saturating ? ACL_RT_OVERFLOW_MODE_SATURATION
                           : ACL_RT_OVERFLOW_MODE_INFNAN;
  }
  return Report(__func__, is_saturating.status());
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag) {
  if (flag > 1) {
    return Report(__func__, MakeError(Reason::kInvalidArgument,
                                      absl::StrCat("flag is ", flag,
                                                   ", but it must be 0 (off) "
                                                   "or 1 (on)")));
  }
  return Report(__func__,
                ClientRuntime::Get().SetOverflowSwitch(stream, flag == 1));
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag) {
  const absl::Status status = CheckNotNull({{flag, "flag"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().OverflowSwitch(stream),
                     flag);
}

aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize,
                                aclrtStream stream) {
  absl::Status status = CheckNotNull({{outputAddr, "outputAddr"}});
  if (status.ok()) {
    status =
        CheckRoom("the status's size", kStatusBytes, "outputSize", outputSize);
  }
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__,
                ClientRuntime::Get().ReadOverflowStatus(outputAddr, stream));
}

aclError aclrtResetOverflowStatus(aclrtStream stream) {
  return Report(__func__, ClientRuntime::Get().ResetOverflowStatus(stream));
}
