// Numbers of devices, and what runs on them.
#include <unistd.h>

#include "acl/acl.h"
#include "client/capi/edge.h"
#include "client/capi/soc_names.h"

using ascend::client::ArchOfSoc;
using ascend::client::CheckNotNull;
using ascend::client::ClientRuntime;
using ascend::client::Report;
using ascend::client::ReportValue;

// The daemon's numbers are both the logical and the physical ones.

aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid,
                                       int32_t* const logicDevId) {
  const absl::Status status = CheckNotNull({{logicDevId, "logicDevId"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().DaemonDevice(userDevid),
                     logicDevId);
}

aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId,
                                       int32_t* const userDevid) {
  const absl::Status status = CheckNotNull({{userDevid, "userDevid"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().VisibleDevice(logicDevId),
                     userDevid);
}

aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId,
                                      int32_t* const logicDevId) {
  absl::Status status = CheckNotNull({{logicDevId, "logicDevId"}});
  if (status.ok()) status = ClientRuntime::Get().CheckDaemonDevice(phyDevId);
  if (status.ok()) *logicDevId = phyDevId;
  return Report(__func__, status);
}

aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId,
                                      int32_t* const phyDevId) {
  absl::Status status = CheckNotNull({{phyDevId, "phyDevId"}});
  if (status.ok()) status = ClientRuntime::Get().CheckDaemonDevice(logicDevId);
  if (status.ok()) *phyDevId = logicDevId;
  return Report(__func__, status);
}

aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId,
                                     int32_t* const userDevId) {
  const absl::Status status = CheckNotNull({{userDevId, "userDevId"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().VisibleDevice(phyDevId),
                     userDevId);
}

aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId,
                                     int32_t* const phyDevId) {
  const absl::Status status = CheckNotNull({{phyDevId, "phyDevId"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().DaemonDevice(userDevId),
                     phyDevId);
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags,
                                 int32_t* active) {
  const absl::Status status = CheckNotNull({{active, "active"}});
  if (!status.ok()) return Report(__func__, status);
  const auto is_set = ClientRuntime::Get().HasPrimaryContext(deviceId);
  if (!is_set.ok()) return Report(__func__, is_set.status());
  *active = *is_set ? 1 : 0;
  if (flags != nullptr) *flags = 0;
  return ACL_SUCCESS;
}

aclError aclrtDeviceGetBareTgid(int32_t* pid) {
  const absl::Status status = CheckNotNull({{pid, "pid"}});
  if (status.ok()) *pid = getpid();
  return Report(__func__, status);
}

aclError aclrtCheckArchCompatibility(const char* socVersion,
                                     int32_t* canCompatible) {
  const absl::Status status = CheckNotNull(
      {{socVersion, "socVersion"}, {canCompatible, "canCompatible"}});
  if (!status.ok()) return Report(__func__, status);
  const auto description = ClientRuntime::Get().Describe(0);
  if (!description.ok()) return Report(__func__, description.status());
  const bool is_same = socVersion == description->soc_name;
  *canCompatible =
      is_same || ArchOfSoc(socVersion) == description->arch ? 1 : 0;
  return ACL_SUCCESS;
}
