// Copies of rows, fills of words.
#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

using ascend::client::CheckNotNull;
using ascend::client::ClientRuntime;
using ascend::client::CopyRequest;
using ascend::client::KindOfAnyCopy;
using ascend::client::NumberOf;
using ascend::client::Report;
using ascend::client::StatedKind;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

constexpr size_t kWidthMax = ascend::core::kRowBytesMax;
constexpr size_t kHeightMax = ascend::core::kRowCountMax;
// Beyond all memory, so that no product of sizes leaves 64 bits.
constexpr size_t kPitchMax = size_t{1} << 40;

absl::StatusOr<StatedKind> CheckRowsKind(int kind) {
  const absl::optional<StatedKind> stated = KindOfAnyCopy(kind);
  if (stated.has_value()) return *stated;
  return MakeError(
      Reason::kInvalidArgument,
      absl::StrCat("kind is ", kind,
                   ", but rows are copied host to device, device to host, "
                   "device to device, or by default"));
}

absl::Status CheckPitch(const char* name, size_t pitch, size_t width) {
  if (pitch >= width && pitch <= kPitchMax) return absl::OkStatus();
  return MakeError(
      Reason::kInvalidArgument,
      absl::StrCat(name, " is ", pitch, ", but must be from width, ", width,
                   ", to ", kPitchMax));
}

absl::StatusOr<StatedKind> CheckRows(const CopyRequest& request, int kind) {
  ASCEND_RETURN_IF_ERROR(
      CheckNotNull({{request.target, "dst"}, {request.source, "src"}}));
  ASCEND_ASSIGN_OR_RETURN(const StatedKind stated, CheckRowsKind(kind));
  if (request.bytes > kWidthMax || request.rows > kHeightMax) {
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("width is ", request.bytes, " and height ", request.rows,
                     ", above ", kWidthMax, " or ", kHeightMax));
  }
  ASCEND_RETURN_IF_ERROR(
      CheckPitch("dpitch", request.target_pitch, request.bytes));
  ASCEND_RETURN_IF_ERROR(
      CheckPitch("spitch", request.source_pitch, request.bytes));
  return stated;
}

absl::Status CheckWords(const void* ptr, size_t room, size_t count) {
  ASCEND_RETURN_IF_ERROR(CheckNotNull({{ptr, "ptr"}}));
  if (reinterpret_cast<uintptr_t>(ptr) % sizeof(uint32_t) != 0) {
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("ptr is 0x", absl::Hex(reinterpret_cast<uintptr_t>(ptr)),
                     ", which is not a multiple of 4"));
  }
  if (count <= room / sizeof(uint32_t)) return absl::OkStatus();
  return MakeError(
      Reason::kInvalidArgument,
      absl::StrCat("N is ", count, " words, but memSize is ", room, " bytes"));
}

}  // namespace

aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch,
                       size_t width, size_t height, aclrtMemcpyKind kind) {
  const CopyRequest request{dst, src, width, height, dpitch, spitch};
  const auto stated = CheckRows(request, NumberOf(kind));
  if (!stated.ok()) return Report(__func__, stated.status());
  if (width == 0 || height == 0) return ACL_SUCCESS;
  return Report(__func__, ClientRuntime::Get().Copy(request));
}

aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src,
                            size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream stream) {
  const CopyRequest request{dst, src, width, height, dpitch, spitch};
  const auto stated = CheckRows(request, NumberOf(kind));
  if (!stated.ok()) return Report(__func__, stated.status());
  if (width == 0 || height == 0) return ACL_SUCCESS;
  return Report(__func__,
                ClientRuntime::Get().CopyAsync(request, *stated, stream));
}

aclError aclrtMemsetD32(void* ptr, size_t memSize, uint32_t value, size_t N) {
  const absl::Status status = CheckWords(ptr, memSize, N);
  if (!status.ok()) return Report(__func__, status);
  if (N == 0) return ACL_SUCCESS;
  return Report(__func__, ClientRuntime::Get().Fill(
                              ptr, N * sizeof(value),
                              {.value = value, .bytes = sizeof(value)}));
}

aclError aclrtMemsetD32Async(void* ptr, size_t memSize, uint32_t value,
                             size_t N, aclrtStream stream) {
  const absl::Status status = CheckWords(ptr, memSize, N);
  if (!status.ok()) return Report(__func__, status);
  if (N == 0) return ACL_SUCCESS;
  return Report(__func__,
                ClientRuntime::Get().FillAsync(
                    ptr, N * sizeof(value),
                    {.value = value, .bytes = sizeof(value)}, stream));
}
