// Access of devices to each other's memory.
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

aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId,
                                  int32_t peerDeviceId) {
  absl::Status status = CheckNotNull({{canAccessPeer, "canAccessPeer"}});
  if (status.ok()) {
    status = ClientRuntime::Get().CheckPeers(deviceId, peerDeviceId);
  }
  if (status.ok()) *canAccessPeer = 1;
  return Report(__func__, status);
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags) {
  if (flags != 0) {
    return Report(__func__, MakeError(Reason::kInvalidArgument,
                                      absl::StrCat("flags is ", flags,
                                                   ", but must be 0")));
  }
  return Report(__func__, ClientRuntime::Get().EnablePeerAccess(
                              peerDeviceId, /*is_enabled=*/true));
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
  return Report(__func__, ClientRuntime::Get().EnablePeerAccess(
                              peerDeviceId, /*is_enabled=*/false));
}

aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId,
                                     int32_t* status) {
  const absl::Status checked = CheckNotNull({{status, "status"}});
  if (!checked.ok()) return Report(__func__, checked);
  return ReportValue(
      __func__,
      ClientRuntime::Get().IsPeerAccessEnabled(deviceId, peerDeviceId), status);
}
