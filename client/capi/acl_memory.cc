// Memory: allocation, copies, fills.
#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

using ascend::client::CheckNotNull;
using ascend::client::CheckRoom;
using ascend::client::CheckSize;
using ascend::client::ClientRuntime;
using ascend::client::CopyRequest;
using ascend::client::KindOfAnyCopy;
using ascend::client::Report;
using ascend::client::ReportValue;
using ascend::client::StatedKind;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

absl::StatusOr<StatedKind> CheckPlainKind(int kind) {
  if (kind == ACL_MEMCPY_HOST_TO_HOST) return StatedKind::kHostToHost;
  if (kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
    return StatedKind::kHostToBufferToDevice;
  }
  const absl::optional<StatedKind> stated = KindOfAnyCopy(kind);
  if (stated.has_value()) return *stated;
  // The class of a null argument is the upper layer's code, 100000.
  return MakeError(Reason::kNullArgument,
                   absl::StrCat("parameter kind is ", kind,
                                ", which is not a kind of a plain copy"));
}

absl::StatusOr<StatedKind> CheckCopy(const void* dst, size_t destMax,
                                     const void* src, size_t count,
                                     aclrtMemcpyKind kind) {
  ASCEND_RETURN_IF_ERROR(CheckNotNull({{dst, "dst"}, {src, "src"}}));
  ASCEND_ASSIGN_OR_RETURN(const StatedKind stated, CheckPlainKind(kind));
  ASCEND_RETURN_IF_ERROR(CheckRoom("count", count, "destMax", destMax));
  return stated;
}

absl::Status CheckFill(const void* devPtr, size_t maxCount, size_t count) {
  ASCEND_RETURN_IF_ERROR(CheckNotNull({{devPtr, "devPtr"}}));
  return CheckRoom("count", count, "maxCount", maxCount);
}

// Whether memory of that class is on the device: all it has is HBM.
absl::StatusOr<bool> HasMemory(aclrtMemAttr attribute) {
  switch (attribute) {
    case ACL_DDR_MEM:
    case ACL_DDR_MEM_HUGE:
    case ACL_DDR_MEM_NORMAL:
    case ACL_DDR_MEM_P2P_HUGE:
    case ACL_DDR_MEM_P2P_NORMAL:
      return false;
    case ACL_HBM_MEM:
    case ACL_HBM_MEM_HUGE:
    case ACL_HBM_MEM_NORMAL:
    case ACL_HBM_MEM_P2P_HUGE:
    case ACL_HBM_MEM_P2P_NORMAL:
    case ACL_HBM_MEM_HUGE1G:
    case ACL_HBM_MEM_P2P_HUGE1G:
    case ACL_MEM_NORMAL:
    case ACL_MEM_HUGE:
    case ACL_MEM_HUGE1G:
    case ACL_MEM_P2P_NORMAL:
    case ACL_MEM_P2P_HUGE:
    case ACL_MEM_P2P_HUGE1G:
      return true;
  }
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat("attr is ", static_cast<int>(attribute),
                                ", which is no class of memory"));
}

}  // namespace

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  absl::Status status = CheckNotNull({{devPtr, "devPtr"}});
  if (status.ok()) status = CheckSize(size);
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(
      __func__,
      ClientRuntime::Get().Malloc(size, static_cast<uint32_t>(policy)), devPtr);
}

aclError aclrtFree(void* devPtr) {
  const absl::Status status = CheckNotNull({{devPtr, "devPtr"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, ClientRuntime::Get().Free(devPtr));
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  absl::Status status = CheckNotNull({{hostPtr, "hostPtr"}});
  if (status.ok()) status = CheckSize(size);
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(
      __func__, ClientRuntime::Get().host_memory().Allocate(size), hostPtr);
}

aclError aclrtFreeHost(void* hostPtr) {
  const absl::Status status = CheckNotNull({{hostPtr, "hostPtr"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, ClientRuntime::Get().host_memory().Free(hostPtr));
}

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                     aclrtMemcpyKind kind) {
  // The direction follows from the pointers; the kind must only be one.
  const auto stated = CheckCopy(dst, destMax, src, count, kind);
  if (!stated.ok()) return Report(__func__, stated.status());
  if (count == 0) return ACL_SUCCESS;
  return Report(__func__, ClientRuntime::Get().Copy({dst, src, count}));
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src,
                          size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
  const auto stated = CheckCopy(dst, destMax, src, count, kind);
  if (!stated.ok()) return Report(__func__, stated.status());
  if (count == 0) return ACL_SUCCESS;
  return Report(__func__, ClientRuntime::Get().CopyAsync({dst, src, count},
                                                         *stated, stream));
}

aclError aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax,
                                       const void* src, size_t count,
                                       aclrtMemcpyKind kind,
                                       aclrtStream stream) {
  const auto stated = CheckCopy(dst, destMax, src, count, kind);
  if (!stated.ok()) return Report(__func__, stated.status());
  if (count == 0) return ACL_SUCCESS;
  return Report(__func__, ClientRuntime::Get().CopyAsync({dst, src, count},
                                                         *stated, stream));
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value,
                     size_t count) {
  const absl::Status status = CheckFill(devPtr, maxCount, count);
  if (!status.ok()) return Report(__func__, status);
  if (count == 0) return ACL_SUCCESS;
  return Report(__func__, ClientRuntime::Get().Fill(
                              devPtr, count, {static_cast<uint8_t>(value)}));
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value,
                          size_t count, aclrtStream stream) {
  const absl::Status status = CheckFill(devPtr, maxCount, count);
  if (!status.ok()) return Report(__func__, status);
  if (count == 0) return ACL_SUCCESS;
  return Report(__func__,
                ClientRuntime::Get().FillAsync(
                    devPtr, count, {static_cast<uint8_t>(value)}, stream));
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
  const absl::Status status = CheckNotNull({{free, "free"}, {total, "total"}});
  if (!status.ok()) return Report(__func__, status);
  const auto has_memory = HasMemory(attr);
  if (!has_memory.ok()) return Report(__func__, has_memory.status());
  const auto info = ClientRuntime::Get().MemoryInfo();
  if (!info.ok()) return Report(__func__, info.status());
  *free = *has_memory ? info->free_bytes : 0;
  *total = *has_memory ? info->total_bytes : 0;
  return ACL_SUCCESS;
}
