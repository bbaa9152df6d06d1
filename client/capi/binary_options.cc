#include "client/capi/binary_options.h"

#include "absl/strings/str_cat.h"
#include "client/capi/edge.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {

using core::MakeError;
using core::Reason;

absl::Status CheckBinaryOptions(const aclrtBinaryLoadOptions* options) {
  if (options == nullptr || options->numOpt == 0) return absl::OkStatus();
  ASCEND_RETURN_IF_ERROR(CheckNotNull({{options->options, "options"}}));
  for (size_t i = 0; i < options->numOpt; ++i) {
    const int type = NumberOf(options->options[i].type);
    if (type >= ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD &&
        type <= ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE) {
      continue;
    }
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("option ", i, " has type ", type, ", which is unknown"));
  }
  return absl::OkStatus();
}

}  // namespace ascend::client
