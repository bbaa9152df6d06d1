// Memory: allocations with options, frees that wait, what an address is.
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

using ascend::client::Allocation;
using ascend::client::CheckNotNull;
using ascend::client::CheckSize;
using ascend::client::ClientRuntime;
using ascend::client::NumberOf;
using ascend::client::PointerInfo;
using ascend::client::Report;
using ascend::client::ReportValue;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

absl::Status RefuseAttribute(int attribute, absl::string_view of) {
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat("cfg has an attribute of type ", attribute,
                                ", which is none of ", of));
}

absl::Status CheckConfig(const aclrtMallocConfig* cfg) {
  if (cfg == nullptr || cfg->numAttrs == 0) return absl::OkStatus();
  return CheckNotNull({{cfg->attrs, "cfg->attrs"}});
}

size_t CountOf(const aclrtMallocConfig* cfg) {
  return cfg == nullptr ? 0 : cfg->numAttrs;
}

// On which device; none: the current one.
absl::StatusOr<absl::optional<uint32_t>> DeviceOf(
    const aclrtMallocConfig* cfg) {
  ASCEND_RETURN_IF_ERROR(CheckConfig(cfg));
  absl::optional<uint32_t> device;
  for (size_t i = 0; i < CountOf(cfg); ++i) {
    const aclrtMallocAttribute& attribute = cfg->attrs[i];
    switch (NumberOf(attribute.attr)) {
      case ACL_RT_MEM_ATTR_MODULE_ID:
        break;
      case ACL_RT_MEM_ATTR_DEVICE_ID:
        device = attribute.value.deviceId;
        break;
      default:
        return RefuseAttribute(NumberOf(attribute.attr), "device memory");
    }
  }
  return device;
}

absl::Status CheckHostConfig(const aclrtMallocConfig* cfg) {
  ASCEND_RETURN_IF_ERROR(CheckConfig(cfg));
  for (size_t i = 0; i < CountOf(cfg); ++i) {
    const aclrtMallocAttribute& attribute = cfg->attrs[i];
    switch (NumberOf(attribute.attr)) {
      case ACL_RT_MEM_ATTR_MODULE_ID:
        break;
      case ACL_RT_MEM_ATTR_VA_FLAG:
        if (attribute.value.vaFlag <= 1) break;
        return MakeError(
            Reason::kInvalidArgument,
            absl::StrCat("cfg sets vaFlag to ", attribute.value.vaFlag,
                         ", but it is 0 or 1"));
      default:
        return RefuseAttribute(NumberOf(attribute.attr), "host memory");
    }
  }
  return absl::OkStatus();
}

aclrtPtrAttributes AttributesOf(const PointerInfo& info) {
  aclrtPtrAttributes attributes{};
  attributes.pageSize = info.page_bytes;
  switch (info.place) {
    case PointerInfo::Place::kUnknown:
      attributes.location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
      break;
    case PointerInfo::Place::kPageLockedHost:
      attributes.location.type = ACL_MEM_LOCATION_TYPE_HOST;
      break;
    case PointerInfo::Place::kDevice:
      attributes.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
      attributes.location.id = static_cast<uint32_t>(info.device);
      break;
  }
  return attributes;
}

}  // namespace

aclError aclrtMallocWithCfg(void** devPtr, size_t size,
                            aclrtMemMallocPolicy policy,
                            aclrtMallocConfig* cfg) {
  absl::Status status = CheckNotNull({{devPtr, "devPtr"}});
  if (status.ok()) status = CheckSize(size);
  if (!status.ok()) return Report(__func__, status);
  const auto device = DeviceOf(cfg);
  if (!device.ok()) return Report(__func__, device.status());
  return ReportValue(
      __func__,
      ClientRuntime::Get().Malloc(size, static_cast<uint32_t>(NumberOf(policy)),
                                  *device),
      devPtr);
}

aclError aclrtMallocAlign32(void** devPtr, size_t size,
                            aclrtMemMallocPolicy policy) {
  absl::Status status = CheckNotNull({{devPtr, "devPtr"}});
  if (status.ok()) status = CheckSize(size);
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(
      __func__,
      ClientRuntime::Get().Malloc(size, static_cast<uint32_t>(NumberOf(policy)),
                                  /*device=*/{}, /*is_padded=*/false),
      devPtr);
}

aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size,
                                aclrtMallocConfig* cfg) {
  absl::Status status = CheckNotNull({{ptr, "ptr"}});
  if (status.ok()) status = CheckSize(size);
  if (status.ok()) status = CheckHostConfig(cfg);
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__,
                     ClientRuntime::Get().host_memory().Allocate(size), ptr);
}

aclError aclrtFreeWithDevSync(void* devPtr) {
  const absl::Status status = CheckNotNull({{devPtr, "devPtr"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, ClientRuntime::Get().FreeAfterDevice(devPtr));
}

aclError aclrtFreeHostWithDevSync(void* hostPtr) {
  const absl::Status status = CheckNotNull({{hostPtr, "hostPtr"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, ClientRuntime::Get().FreeHostAfterDevice(hostPtr));
}

aclError aclrtPointerGetAttributes(const void* ptr,
                                   aclrtPtrAttributes* attributes) {
  const absl::Status status =
      CheckNotNull({{ptr, "ptr"}, {attributes, "attributes"}});
  if (!status.ok()) return Report(__func__, status);
  const auto info = ClientRuntime::Get().Classify(ptr);
  if (info.ok()) *attributes = AttributesOf(*info);
  return Report(__func__, info.status());
}

aclError aclrtMemGetAddressRange(void* ptr, void** pbase, size_t* psize) {
  const absl::Status status =
      CheckNotNull({{ptr, "ptr"}, {pbase, "pbase"}, {psize, "psize"}});
  if (!status.ok()) return Report(__func__, status);
  const auto allocation = ClientRuntime::Get().FindAllocation(ptr);
  if (!allocation.ok()) return Report(__func__, allocation.status());
  *pbase = reinterpret_cast<void*>(static_cast<uintptr_t>(allocation->address));
  *psize = allocation->bytes;
  return ACL_SUCCESS;
}
