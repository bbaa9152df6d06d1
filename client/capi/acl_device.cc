// Devices.
#include <string>

#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

using ascend::client::CheckNotNull;
using ascend::client::CheckTimeout;
using ascend::client::ClientRuntime;
using ascend::client::DeviceDescription;
using ascend::client::Report;
using ascend::client::ReportValue;

namespace {

absl::StatusOr<int64_t> AttributeOf(uint32_t device, aclrtDevAttr attribute) {
  ASCEND_ASSIGN_OR_RETURN(const DeviceDescription description,
                          ClientRuntime::Get().Describe(device));
  switch (attribute) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
      return description.ai_cpus;
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
      return description.ai_cores;
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
      return description.cube_cores;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
      return description.vector_cores;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
      return static_cast<int64_t>(description.hbm_bytes);
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
      return static_cast<int64_t>(description.l2_bytes);
    case ACL_DEV_ATTR_NPU_ARCH:
      return description.arch;
    case ACL_DEV_ATTR_PHY_CHIP_ID:
      return ClientRuntime::Get().DaemonDevice(device);
    case ACL_DEV_ATTR_HD_CONNECT_TYPE:
      return ACL_HOST_DEVICE_CONNECT_TYPE_PCIE;
    case ACL_DEV_ATTR_DEVICE_FORM_FACTOR:
      return ACL_DEVICE_FORM_FACTOR_PCIE_CARD;
    // The chip has no SIMT threads, belongs to no pod and is no slice.
    case ACL_DEV_ATTR_WARP_SIZE:
    case ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE:
    case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE:
    case ACL_DEV_ATTR_MAX_GRID_DIM_X:
    case ACL_DEV_ATTR_MAX_GRID_DIM_Y:
    case ACL_DEV_ATTR_MAX_GRID_DIM_Z:
    case ACL_DEV_ATTR_MAX_BLOCK_PER_GRID:
    case ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK:
    case ACL_DEV_ATTR_MAX_BLOCK_DIM_X:
    case ACL_DEV_ATTR_MAX_BLOCK_DIM_Y:
    case ACL_DEV_ATTR_MAX_BLOCK_DIM_Z:
    case ACL_DEV_ATTR_SMP_ID:
    case ACL_DEV_ATTR_SUPER_POD_DEVICE_ID:
    case ACL_DEV_ATTR_SUPER_POD_SERVER_ID:
    case ACL_DEV_ATTR_SUPER_POD_ID:
    case ACL_DEV_ATTR_CUST_OP_PRIVILEGE:
    case ACL_DEV_ATTR_MAINBOARD_ID:
    case ACL_DEV_ATTR_IS_VIRTUAL:
      return 0;
  }
  return ascend::core::MakeError(
      ascend::core::Reason::kInvalidArgument,
      absl::StrCat("attr is ", static_cast<int>(attribute),
                   ", which is no attribute of a device"));
}

absl::StatusOr<int64_t> CapabilityOf(uint32_t device, aclDeviceInfo info) {
  switch (info) {
    case ACL_DEVICE_INFO_AI_CORE_NUM:
      return AttributeOf(device, ACL_DEV_ATTR_AICORE_CORE_NUM);
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
      return AttributeOf(device, ACL_DEV_ATTR_VECTOR_CORE_NUM);
    case ACL_DEVICE_INFO_L2_SIZE:
      return AttributeOf(device, ACL_DEV_ATTR_L2_CACHE_SIZE);
    case ACL_DEVICE_INFO_UNDEFINED:
      break;
  }
  return ascend::core::MakeError(
      ascend::core::Reason::kInvalidArgument,
      absl::StrCat("deviceInfo is ", static_cast<int>(info),
                   ", which is no capability of a device"));
}

}  // namespace

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo,
                                int64_t* value) {
  const absl::Status status = CheckNotNull({{value, "value"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, CapabilityOf(deviceId, deviceInfo), value);
}

aclError aclrtSetDevice(int32_t deviceId) {
  return Report(__func__, ClientRuntime::Get().SetDevice(deviceId));
}

aclError aclrtResetDevice(int32_t deviceId) {
  return Report(__func__, ClientRuntime::Get().ResetDevice(
                              deviceId, /*ignore_count=*/false));
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
  return Report(__func__, ClientRuntime::Get().ResetDevice(
                              deviceId, /*ignore_count=*/true));
}

aclError aclrtGetDevice(int32_t* deviceId) {
  const absl::Status status = CheckNotNull({{deviceId, "deviceId"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().CurrentDevice(), deviceId);
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  const absl::Status status = CheckNotNull({{count, "count"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().DeviceCount(), count);
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  const absl::Status status = CheckNotNull({{runMode, "runMode"}});
  if (!status.ok()) return Report(__func__, status);
  *runMode = ACL_HOST;
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr,
                            int64_t* value) {
  const absl::Status status = CheckNotNull({{value, "value"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, AttributeOf(deviceId, attr), value);
}

const char* aclrtGetSocName(void) {
  // Of the first daemon that answered; all devices are of one kind. Kept for
  // ever, since callers keep the pointer.
  static const std::string* const name = [] {
    const auto description = ClientRuntime::Get().Describe(0);
    if (!description.ok()) Report("aclrtGetSocName", description.status());
    return description.ok() ? new std::string(description->soc_name) : nullptr;
  }();
  return name == nullptr ? nullptr : name->c_str();
}

aclError aclrtSynchronizeDevice(void) {
  return Report(__func__, ClientRuntime::Get().SynchronizeDevice({}));
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  const auto checked = CheckTimeout(timeout);
  if (!checked.ok()) return Report(__func__, checked.status());
  return Report(__func__, ClientRuntime::Get().SynchronizeDevice(*checked));
}

aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo* errorInfo) {
  absl::Status status = CheckNotNull({{errorInfo, "errorInfo"}});
  if (status.ok()) status = ClientRuntime::Get().Describe(deviceId).status();
  if (status.ok()) *errorInfo = {};  // ACL_RT_NO_ERROR
  return Report(__func__, status);
}
