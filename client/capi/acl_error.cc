// Errors: what failed last, and why.
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "client/runtime/last_error.h"

namespace {

// Not remembered: asking for an error must not make one.
bool IsKnownLevel(aclrtLastErrLevel level) {
  return level == ACL_RT_THREAD_LEVEL;
}

}  // namespace

aclError aclrtGetLastError(aclrtLastErrLevel level) {
  if (!IsKnownLevel(level)) return ACL_ERROR_INVALID_PARAM;
  return ascend::client::TakeLastError();
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  if (!IsKnownLevel(level)) return ACL_ERROR_INVALID_PARAM;
  return ascend::client::PeekLastError();
}

const char* aclGetRecentErrMsg(void) {
  return ascend::client::TakeRecentMessages();
}
