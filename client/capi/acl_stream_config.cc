// Streams with a priority and flags, named one by one or in a configuration.
#include <algorithm>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "client/capi/object_registry.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "core/command/command.h"

using ascend::client::CheckNotNull;
using ascend::client::ClientRuntime;
using ascend::client::NumberOf;
using ascend::client::Report;
using ascend::client::ReportValue;
using ascend::client::StreamOptions;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

using Configs = ascend::client::ObjectRegistry<aclrtStreamConfigHandle>;

constexpr uint32_t kFreeFlags =
    ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC | ACL_STREAM_HUGE;
// For graphs and for kernels that submit work, neither of which there is yet.
constexpr uint32_t kUnsupportedFlags = ACL_STREAM_PERSISTENT |
                                       ACL_STREAM_CPU_SCHEDULE |
                                       ACL_STREAM_DEVICE_USE_ONLY;

absl::Status CheckStreamFlags(size_t flags) {
  constexpr size_t kKnownFlags = kFreeFlags | kUnsupportedFlags;
  if ((flags & ~kKnownFlags) != 0) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("flag is 0x", absl::Hex(flags),
                                  ", which has bits that are no stream flag"));
  }
  if ((flags & kUnsupportedFlags) != 0) {
    return MakeError(Reason::kUnsupportedCombination,
                     absl::StrCat("flag is 0x", absl::Hex(flags),
                                  ": persistent, CPU-scheduled and device-only "
                                  "streams are not supported yet"));
  }
  return absl::OkStatus();
}

aclError CreateStream(const char* function, aclrtStream* stream,
                      uint32_t priority, size_t flags) {
  const absl::Status status = CheckStreamFlags(flags);
  if (!status.ok()) return Report(function, status);
  StreamOptions options;
  options.priority = std::min(priority, ascend::core::kPriorityLeast);
  options.flags = static_cast<uint32_t>(flags);
  return ReportValue(function, ClientRuntime::Get().CreateStream(options),
                     stream);
}

absl::Status NoConfig() {
  return MakeError(Reason::kStaleHandle,
                   "the stream configuration was destroyed or never given out");
}

// Copies an attribute's value of the caller's into its field.
template <typename Field>
absl::Status Store(const void* value, size_t bytes, Field& field) {
  if (bytes != sizeof(field)) {
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("valueSize is ", bytes, ", but the attribute has ",
                     sizeof(field), " bytes"));
  }
  std::memcpy(&field, value, sizeof(field));
  return absl::OkStatus();
}

absl::Status SetAttribute(aclrtStreamConfigHandle& config, int attribute,
                          const void* value, size_t bytes) {
  switch (attribute) {
    case ACL_RT_STREAM_WORK_ADDR_PTR:
      return Store(value, bytes, config.workptr);
    case ACL_RT_STREAM_WORK_SIZE:
      return Store(value, bytes, config.workSize);
    case ACL_RT_STREAM_FLAG: {
      size_t flags = 0;
      ASCEND_RETURN_IF_ERROR(Store(value, bytes, flags));
      ASCEND_RETURN_IF_ERROR(CheckStreamFlags(flags));
      config.flag = flags;
      return absl::OkStatus();
    }
    case ACL_RT_STREAM_PRIORITY:
      return Store(value, bytes, config.priority);
  }
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat("attr is ", attribute,
                                ", which is no attribute of a stream"));
}

}  // namespace

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority,
                                     uint32_t flag) {
  const absl::Status status = CheckNotNull({{stream, "stream"}});
  if (!status.ok()) return Report(__func__, status);
  return CreateStream(__func__, stream, priority, flag);
}

aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle(void) {
  return Configs::Get().Add(std::make_unique<aclrtStreamConfigHandle>());
}

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle) {
  absl::Status status = CheckNotNull({{handle, "handle"}});
  if (status.ok() && Configs::Get().Remove(handle) != Configs::Removal::kDone) {
    status = NoConfig();
  }
  return Report(__func__, status);
}

aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle,
                                 aclrtStreamConfigAttr attr,
                                 const void* attrValue, size_t valueSize) {
  absl::Status status =
      CheckNotNull({{handle, "handle"}, {attrValue, "attrValue"}});
  if (!status.ok()) return Report(__func__, status);
  const bool is_alive =
      Configs::Get().Visit(handle, [&](aclrtStreamConfigHandle& config) {
        status = SetAttribute(config, NumberOf(attr), attrValue, valueSize);
      });
  return Report(__func__, is_alive ? status : NoConfig());
}

aclError aclrtCreateStreamV2(aclrtStream* stream,
                             const aclrtStreamConfigHandle* handle) {
  const absl::Status status =
      CheckNotNull({{stream, "stream"}, {handle, "handle"}});
  if (!status.ok()) return Report(__func__, status);
  aclrtStreamConfigHandle config{};
  const bool is_alive = Configs::Get().Visit(
      handle, [&](const aclrtStreamConfigHandle& found) { config = found; });
  if (!is_alive) return Report(__func__, NoConfig());
  return CreateStream(__func__, stream, config.priority, config.flag);
}
