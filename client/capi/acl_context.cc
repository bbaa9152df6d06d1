// Contexts.
#include "acl/acl.h"
#include "client/capi/edge.h"

using ascend::client::CheckNotNull;
using ascend::client::ClientRuntime;
using ascend::client::Report;
using ascend::client::ReportValue;

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  const absl::Status status = CheckNotNull({{context, "context"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().CreateContext(deviceId),
                     context);
}

aclError aclrtDestroyContext(aclrtContext context) {
  const absl::Status status = CheckNotNull({{context, "context"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, ClientRuntime::Get().DestroyContext(context));
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  const absl::Status status = CheckNotNull({{context, "context"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, ClientRuntime::Get().SetCurrentContext(context));
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  const absl::Status status = CheckNotNull({{context, "context"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().CurrentContext(), context);
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream) {
  const absl::Status status = CheckNotNull({{stream, "stream"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().CurrentDefaultStream(),
                     stream);
}
