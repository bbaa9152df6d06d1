// Reductions of device memory.
#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "acl/ascend_rtd_ops.h"
#include "client/capi/edge.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

using ascend::client::CheckNotNull;
using ascend::client::ClientRuntime;
using ascend::client::NumberOf;
using ascend::client::ReduceRequest;
using ascend::client::Report;
using ascend::core::MakeError;
using ascend::core::Reason;

// Both go into the arguments of the kernel as they are.
static_assert(int{ACL_FLOAT} == ASCRT_DT_FLOAT &&
              int{ACL_FLOAT16} == ASCRT_DT_FLOAT16 &&
              int{ACL_BF16} == ASCRT_DT_BF16 &&
              int{ACL_INT8} == ASCRT_DT_INT8 &&
              int{ACL_INT16} == ASCRT_DT_INT16 &&
              int{ACL_INT32} == ASCRT_DT_INT32);
static_assert(int{ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM} == ASCRT_REDUCE_SUM &&
              int{ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX} == ASCRT_REDUCE_MAX &&
              int{ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN} == ASCRT_REDUCE_MIN);

namespace {

absl::Status CheckReductionKind(int kind) {
  switch (kind) {
    case ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM:
    case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX:
    case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN:
      return absl::OkStatus();
    case ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL:
      return MakeError(Reason::kUnsupportedCombination,
                       "kind is 13 (equal), whose result is documented "
                       "nowhere; use sum (10), maximum (11) or minimum (12)");
    default:
      return MakeError(Reason::kInvalidArgument,
                       absl::StrCat("kind is ", kind,
                                    ", but it must be 10 (sum), 11 (maximum) "
                                    "or 12 (minimum)"));
  }
}

absl::StatusOr<uint64_t> ElementBytes(int type) {
  switch (type) {
    case ACL_INT8:
      return 1;
    case ACL_INT16:
    case ACL_FLOAT16:
    case ACL_BF16:
      return 2;
    case ACL_INT32:
    case ACL_FLOAT:
      return 4;
    default:
      return MakeError(Reason::kInvalidArgument,
                       absl::StrCat("type is ", type,
                                    ", but it must be 0 (float), 1 (float16), "
                                    "2 (int8), 3 (int32), 6 (int16) or 27 "
                                    "(bf16)"));
  }
}

absl::Status CheckAligned(absl::string_view argument, const void* pointer,
                          uint64_t element_bytes) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  if (address % element_bytes == 0) return absl::OkStatus();
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat(argument, " is 0x", absl::Hex(address),
                                ", but it must be a multiple of the element's ",
                                element_bytes, " bytes"));
}

// Elements are combined in no particular order, so the ranges are one and the
// same or apart.
absl::Status CheckApart(const void* target, const void* source,
                        uint64_t bytes) {
  const auto a = reinterpret_cast<uintptr_t>(target);
  const auto b = reinterpret_cast<uintptr_t>(source);
  const uint64_t distance = a < b ? b - a : a - b;
  if (distance == 0 || distance >= bytes) return absl::OkStatus();
  return MakeError(
      Reason::kInvalidArgument,
      absl::StrCat("dst and src lie ", distance, " bytes apart, but ", bytes,
                   " bytes of each must not overlap"));
}

absl::Status ReduceMemory(void* target, const void* source, uint64_t bytes,
                          int kind, int type, void* stream,
                          const void* reserve) {
  ASCEND_RETURN_IF_ERROR(CheckNotNull({{target, "dst"}, {source, "src"}}));
  ASCEND_RETURN_IF_ERROR(CheckReductionKind(kind));
  ASCEND_ASSIGN_OR_RETURN(const uint64_t element_bytes, ElementBytes(type));
  if (bytes == 0 || bytes % element_bytes != 0) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("count is ", bytes,
                                  ", but it must be bytes, more than 0 "
                                  "and a multiple of the element's ",
                                  element_bytes));
  }
  if (reserve != nullptr) {
    return MakeError(Reason::kInvalidArgument, "reserve must be null");
  }
  ASCEND_RETURN_IF_ERROR(CheckAligned("dst", target, element_bytes));
  ASCEND_RETURN_IF_ERROR(CheckAligned("src", source, element_bytes));
  ASCEND_RETURN_IF_ERROR(CheckApart(target, source, bytes));
  ReduceRequest request;
  request.target = target;
  request.source = source;
  request.count = bytes / element_bytes;
  request.element_bytes = element_bytes;
  request.data_type = type;
  request.operation = static_cast<uint32_t>(kind);
  return ClientRuntime::Get().ReduceAsync(request, stream);
}

}  // namespace

aclError aclrtReduceAsync(void* dst, const void* src, uint64_t count,
                          aclrtReduceKind kind, aclDataType type,
                          aclrtStream stream, void* reserve) {
  return Report(__func__, ReduceMemory(dst, src, count, NumberOf(kind),
                                       NumberOf(type), stream, reserve));
}
