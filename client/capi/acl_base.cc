// What needs no device: half-precision numbers, capabilities of the platform,
// the program's own log lines, data buffers.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "client/capi/half.h"
#include "client/capi/object_registry.h"
#include "client/runtime/log.h"
#include "core/base/error.h"

struct aclDataBuffer {
  void* data = nullptr;
  size_t size = 0;
};

using ascend::client::CheckNotNull;
using ascend::client::Log;
using ascend::client::LogLevel;
using ascend::client::Report;
using ascend::client::ReportCode;
using ascend::core::MakeError;
using ascend::core::Reason;
using Buffers = ascend::client::ObjectRegistry<aclDataBuffer>;

namespace {

constexpr aclCannAttr kCapabilities[] = {
    ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16, ACL_CANN_ATTR_JIT_COMPILE};

absl::Status NoBuffer() {
  return MakeError(Reason::kStaleHandle,
                   "dataBuffer was destroyed or is no data buffer");
}

// What `function` reads of a buffer; the failure is remembered.
aclDataBuffer ContentsOf(const char* function, const aclDataBuffer* buffer) {
  absl::Status status = CheckNotNull({{buffer, "dataBuffer"}});
  aclDataBuffer contents;
  const auto read = [&contents](const aclDataBuffer& b) { contents = b; };
  if (status.ok() && !Buffers::Get().Visit(buffer, read)) status = NoBuffer();
  Report(function, status);
  return contents;
}

}  // namespace

float aclFloat16ToFloat(aclFloat16 value) {
  return ascend::client::WidenHalf(value);
}

aclFloat16 aclFloatToFloat16(float value) {
  return ascend::client::NarrowToHalf(value);
}

aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList,
                                 size_t* num) {
  const absl::Status status =
      CheckNotNull({{cannAttrList, "cannAttrList"}, {num, "num"}});
  if (!status.ok()) return Report(__func__, status);
  *cannAttrList = kCapabilities;
  *num = std::size(kCapabilities);
  return ACL_SUCCESS;
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value) {
  const absl::Status status = CheckNotNull({{value, "value"}});
  if (!status.ok()) return Report(__func__, status);
  for (const aclCannAttr capability : kCapabilities) {
    if (capability != cannAttr) continue;
    *value = 1;
    return ACL_SUCCESS;
  }
  // There is none that the platform knows and lacks.
  return ReportCode(
      __func__, ACL_ERROR_INVALID_PARAM,
      absl::StrCat("cannAttr is ", static_cast<int>(cannAttr),
                   ", which is no capability that this release knows"));
}

void aclAppLog(aclLogLevel logLevel, const char* func, const char* file,
               uint32_t line, const char* fmt, ...) {
  const auto level = static_cast<LogLevel>(logLevel);
  if (fmt == nullptr || !ascend::client::IsLogged(level)) return;
  char text[1024];  // longer lines are cut
  va_list arguments;
  va_start(arguments, fmt);
  std::vsnprintf(text, sizeof(text), fmt, arguments);
  va_end(arguments);
  Log(level, absl::StrCat(file == nullptr ? "?" : file, ":", line, " ",
                          func == nullptr ? "?" : func, ": ", text));
}

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
  auto buffer = std::make_unique<aclDataBuffer>();
  buffer->data = data;
  buffer->size = size;
  return Buffers::Get().Add(std::move(buffer));
}

aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
  absl::Status status = CheckNotNull({{dataBuffer, "dataBuffer"}});
  if (status.ok() &&
      Buffers::Get().Remove(dataBuffer) != Buffers::Removal::kDone) {
    status = NoBuffer();
  }
  return Report(__func__, status);
}

aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data,
                             size_t size) {
  absl::Status status = CheckNotNull({{dataBuffer, "dataBuffer"}});
  const auto update = [data, size](aclDataBuffer& buffer) {
    buffer.data = data;
    buffer.size = size;
  };
  if (status.ok() && !Buffers::Get().Visit(dataBuffer, update)) {
    status = NoBuffer();
  }
  return Report(__func__, status);
}

void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) {
  return ContentsOf(__func__, dataBuffer).data;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer) {
  constexpr size_t kMax = std::numeric_limits<uint32_t>::max();
  return static_cast<uint32_t>(
      std::min(ContentsOf(__func__, dataBuffer).size, kMax));
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) {
  return ContentsOf(__func__, dataBuffer).size;
}
