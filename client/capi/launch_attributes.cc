#include "client/capi/launch_attributes.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "acl/ascend_rtd_ext.h"
#include "client/capi/edge.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {

using core::MakeError;
using core::Reason;

namespace {

constexpr int kTimingOnlyId = ASCRT_LAUNCH_KERNEL_ATTR_TIMING_ONLY;

}  // namespace

absl::Status ReadLaunchAttributes(const aclrtLaunchKernelCfg* cfg,
                                  LaunchRequest& request) {
  if (cfg == nullptr || cfg->numAttrs == 0) return absl::OkStatus();
  ASCEND_RETURN_IF_ERROR(CheckNotNull({{cfg->attrs, "cfg->attrs"}}));
  std::set<int> seen;
  for (size_t i = 0; i < cfg->numAttrs; ++i) {
    const int id = NumberOf(cfg->attrs[i].id);
    const bool is_known = (id >= ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE &&
                           id <= ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING) ||
                          id == kTimingOnlyId;
    if (id == kTimingOnlyId) {
      request.is_timing_only = cfg->attrs[i].value.rsv[0] != 0;
    }
    if (is_known && seen.insert(id).second) continue;
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("launch attribute ", i, " has id ", id,
                     is_known ? ", which occurs twice" : ", which is unknown"));
  }
  if (seen.count(ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT) > 0 &&
      seen.count(ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US) > 0) {
    return MakeError(Reason::kInvalidArgument,
                     "the launch attributes hold a time-out in seconds and one "
                     "in microseconds; only one may be there");
  }
  return absl::OkStatus();
}

}  // namespace ascend::client
