// Memory of the program that is made known.
#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "core/base/error.h"

using ascend::client::CheckNotNull;
using ascend::client::CheckSize;
using ascend::client::ClientRuntime;
using ascend::client::Report;
using ascend::client::ReportValue;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

absl::Status RefuseIoMemory() {
  return MakeError(Reason::kUnsupportedCombination,
                   "registers of a card are asked for, but the simulated host "
                   "has no card: register ordinary memory");
}

absl::Status CheckType(aclrtHostRegisterType type) {
  switch (type) {
    case ACL_HOST_REGISTER_MAPPED:
    case ACL_HOST_REGISTER_READONLY:
      return absl::OkStatus();
    case ACL_HOST_REGISTER_IOMEMORY:
      return RefuseIoMemory();
  }
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat("type is ", static_cast<int>(type),
                                ", which is no type of a registration"));
}

absl::Status CheckRegistrationFlags(uint32_t flag) {
  constexpr uint32_t kPlaces = ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED;
  constexpr uint32_t kAll =
      kPlaces | ACL_HOST_REG_READONLY | ACL_HOST_REG_IOMEMORY;
  if ((flag & ~kAll) != 0 || (flag & (kPlaces | ACL_HOST_REG_IOMEMORY)) == 0) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("flag is 0x", absl::Hex(flag),
                                  ", but it is of ACL_HOST_REG_* flags, and "
                                  "has MAPPED or PINNED"));
  }
  return (flag & ACL_HOST_REG_IOMEMORY) == 0 ? absl::OkStatus()
                                             : RefuseIoMemory();
}

}  // namespace

aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type,
                           void** devPtr) {
  absl::Status status = CheckNotNull({{ptr, "ptr"}, {devPtr, "devPtr"}});
  if (status.ok()) status = CheckSize(size);
  if (status.ok()) status = CheckType(type);
  if (status.ok()) {
    status = ClientRuntime::Get().RegisterHost(ptr, size, /*is_mapped=*/true);
  }
  if (status.ok()) *devPtr = ptr;
  return Report(__func__, status);
}

aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag) {
  absl::Status status = CheckNotNull({{ptr, "ptr"}});
  if (status.ok()) status = CheckSize(size);
  if (status.ok()) status = CheckRegistrationFlags(flag);
  if (status.ok()) {
    status = ClientRuntime::Get().RegisterHost(
        ptr, size, /*is_mapped=*/(flag & ACL_HOST_REG_MAPPED) != 0);
  }
  return Report(__func__, status);
}

aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag) {
  absl::Status status = CheckNotNull({{pHost, "pHost"}, {pDevice, "pDevice"}});
  if (status.ok() && flag != 0) {
    status = MakeError(Reason::kInvalidArgument,
                       absl::StrCat("flag is ", flag, ", but must be 0"));
  }
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().DeviceAddressOfHost(pHost),
                     pDevice);
}

aclError aclrtHostUnregister(void* ptr) {
  const absl::Status status = CheckNotNull({{ptr, "ptr"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, ClientRuntime::Get().UnregisterHost(ptr));
}
