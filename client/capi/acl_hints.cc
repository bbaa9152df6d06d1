// What a program says of its tasks and data that changes no result.
#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

using ascend::client::CheckNotNull;
using ascend::client::ClientRuntime;
using ascend::client::Report;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

absl::Status CheckNotEmpty(const char* name, size_t bytes) {
  if (bytes > 0) return absl::OkStatus();
  return MakeError(Reason::kInvalidArgument, absl::StrCat(name, " is 0"));
}

absl::Status HintCache(const void* address, size_t bytes, int type,
                       void* stream) {
  ASCEND_RETURN_IF_ERROR(CheckNotNull({{address, "src"}}));
  ASCEND_RETURN_IF_ERROR(CheckNotEmpty("size", bytes));
  if (type < ACL_RT_CMO_TYPE_PREFETCH || type > ACL_RT_CMO_TYPE_FLUSH) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("cmoType is ", type,
                                  ", which is no operation of a cache"));
  }
  return ClientRuntime::Get().HintCache(address, bytes, stream);
}

}  // namespace

aclError aclrtCmoAsync(void* src, size_t size, aclrtCmoType cmoType,
                       aclrtStream stream) {
  return Report(__func__, HintCache(src, size, cmoType, stream));
}

aclError aclrtCacheLastTaskOpInfo(const void* const infoPtr,
                                  const size_t infoSize) {
  absl::Status status = CheckNotNull({{infoPtr, "infoPtr"}});
  if (status.ok()) status = CheckNotEmpty("infoSize", infoSize);
  return Report(__func__, status);
}
