// What a device is and where it sits.
#include <algorithm>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

using ascend::client::CheckNotNull;
using ascend::client::ClientRuntime;
using ascend::client::DeviceDescription;
using ascend::client::Report;
using ascend::client::ReportValue;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

constexpr uint32_t kBusesPerDomain = 128;

// Any address will do, if no two devices share it.
std::string PciAddressOf(uint32_t device) {
  return absl::StrCat(absl::Hex(device / kBusesPerDomain, absl::kZeroPad4), ":",
                      absl::Hex(device % kBusesPerDomain + 1, absl::kZeroPad2),
                      ":00.0");
}

absl::StatusOr<int32_t> DeviceAt(const std::string& address) {
  ASCEND_ASSIGN_OR_RETURN(const uint32_t count,
                          ClientRuntime::Get().DeviceCount());
  for (uint32_t device = 0; device < count; ++device) {
    ASCEND_ASSIGN_OR_RETURN(const int32_t of_daemon,
                            ClientRuntime::Get().DaemonDevice(device));
    if (PciAddressOf(static_cast<uint32_t>(of_daemon)) == address) {
      return static_cast<int32_t>(device);
    }
  }
  return MakeError(Reason::kInvalidArgument,
                   "no device has the address that pciBusId holds");
}

// The kind of the chip, then the number of the device, most significant first.
aclrtUuid UuidOf(uint32_t device, const DeviceDescription& description) {
  constexpr size_t kKindBytes = 12;
  aclrtUuid uuid{};
  const std::string kind = "rtd-" + description.soc_name;
  std::memcpy(uuid.bytes, kind.data(), std::min(kind.size(), kKindBytes));
  for (size_t i = kKindBytes; i < sizeof(uuid.bytes); ++i) {
    const size_t shift = 8 * (sizeof(uuid.bytes) - 1 - i);
    uuid.bytes[i] = static_cast<char>((device >> shift) & 0xFF);
  }
  return uuid;
}

}  // namespace

aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char* pciBusId, int32_t len) {
  const absl::Status status = CheckNotNull({{pciBusId, "pciBusId"}});
  if (!status.ok()) return Report(__func__, status);
  const auto device = ClientRuntime::Get().DaemonDevice(deviceId);
  if (!device.ok()) return Report(__func__, device.status());
  const std::string address = PciAddressOf(static_cast<uint32_t>(*device));
  if (len < 0 || static_cast<size_t>(len) <= address.size()) {
    return Report(__func__,
                  MakeError(Reason::kInvalidArgument,
                            absl::StrCat("len is ", len,
                                         ", but the address "
                                         "with its end has ",
                                         address.size() + 1, " bytes")));
  }
  std::memcpy(pciBusId, address.c_str(), address.size() + 1);
  return ACL_SUCCESS;
}

aclError aclrtDeviceGetByPCIBusId(const char* pciBusId, int32_t* deviceId) {
  const absl::Status status =
      CheckNotNull({{pciBusId, "pciBusId"}, {deviceId, "deviceId"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, DeviceAt(pciBusId), deviceId);
}

aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid* uuid) {
  const absl::Status status = CheckNotNull({{uuid, "uuid"}});
  if (!status.ok()) return Report(__func__, status);
  const auto description = ClientRuntime::Get().Describe(deviceId);
  if (!description.ok()) return Report(__func__, description.status());
  const auto device = ClientRuntime::Get().DaemonDevice(deviceId);
  if (!device.ok()) return Report(__func__, device.status());
  *uuid = UuidOf(static_cast<uint32_t>(*device), *description);
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceCapability(int32_t deviceId,
                                  aclrtDevFeatureType devFeatureType,
                                  int32_t* value) {
  absl::Status status = CheckNotNull({{value, "value"}});
  if (status.ok()) status = ClientRuntime::Get().Describe(deviceId).status();
  if (!status.ok()) return Report(__func__, status);
  switch (devFeatureType) {
    // Neither updates of tasks nor queues are there yet.
    case ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV:
    case ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV:
      *value = ACL_DEV_FEATURE_NOT_SUPPORT;
      return ACL_SUCCESS;
  }
  return Report(__func__,
                MakeError(Reason::kInvalidArgument,
                          absl::StrCat("devFeatureType is ",
                                       static_cast<int>(devFeatureType),
                                       ", which is no feature")));
}

aclError aclrtQueryDeviceStatus(int32_t deviceId,
                                aclrtDeviceStatus* deviceStatus) {
  absl::Status status = CheckNotNull({{deviceStatus, "deviceStatus"}});
  if (status.ok()) status = ClientRuntime::Get().Describe(deviceId).status();
  if (status.ok()) *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
  return Report(__func__, status);
}

aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId,
                             uint64_t* value) {
  absl::Status status = CheckNotNull({{value, "value"}});
  for (const uint32_t device : {deviceId, otherDeviceId}) {
    if (status.ok()) status = ClientRuntime::Get().Describe(device).status();
  }
  if (status.ok()) {
    *value = deviceId == otherDeviceId ? 0 : ACL_RT_DEVS_TOPOLOGY_PHB;
  }
  return Report(__func__, status);
}
