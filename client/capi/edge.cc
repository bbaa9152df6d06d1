#include "client/capi/edge.h"

#include "absl/strings/str_cat.h"
#include "acl/acl_rt.h"
#include "client/capi/error_map.h"
#include "client/runtime/last_error.h"
#include "client/runtime/log.h"
#include "core/base/error.h"

namespace ascend::client {

using core::MakeError;
using core::Reason;

aclError Report(absl::string_view function, const absl::Status& status) {
  if (status.ok()) return ACL_SUCCESS;
  const aclError code = AclErrorOf(status);
  const std::string text = ErrorMessageOf(core::Annotate(status, function));
  RecordError(code, text);
  Log(LogLevel::kError, text);
  return code;
}

aclError ReportCode(absl::string_view function, aclError code,
                    absl::string_view sentence) {
  const std::string text = absl::StrCat("EH0001: ", function, ": ", sentence);
  RecordError(code, text);
  Log(LogLevel::kError, text);
  return code;
}

absl::Status CheckNotNull(std::initializer_list<NamedPointer> pointers) {
  for (const NamedPointer& entry : pointers) {
    if (entry.pointer != nullptr) continue;
    return MakeError(Reason::kNullArgument,
                     absl::StrCat("parameter ", entry.name, " is null"));
  }
  return absl::OkStatus();
}

absl::Status CheckSize(size_t size) {
  if (size > 0) return absl::OkStatus();
  // The class of a null argument is the upper layer's code, 100000.
  return MakeError(Reason::kNullArgument,
                   "parameter size is 0, but memory has at least 1 byte");
}

absl::Status CheckRoom(const char* count_name, size_t count,
                       const char* room_name, size_t room) {
  if (count <= room) return absl::OkStatus();
  return MakeError(
      Reason::kInvalidArgument,
      absl::StrCat(count_name, " is ", count, ", which is more than ",
                   room_name, ", ", room));
}

absl::optional<StatedKind> KindOfAnyCopy(int kind) {
  switch (kind) {
    case ACL_MEMCPY_HOST_TO_DEVICE:
      return StatedKind::kHostToDevice;
    case ACL_MEMCPY_DEVICE_TO_HOST:
      return StatedKind::kDeviceToHost;
    case ACL_MEMCPY_DEVICE_TO_DEVICE:
      return StatedKind::kDeviceToDevice;
    case ACL_MEMCPY_DEFAULT:
      return StatedKind::kInfer;
    default:
      return absl::nullopt;
  }
}

absl::StatusOr<Timeout> CheckTimeout(int32_t milliseconds) {
  if (milliseconds == -1) return Timeout();
  if (milliseconds > 0) return Timeout(std::chrono::milliseconds(milliseconds));
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat("timeout is ", milliseconds,
                                " ms, but it must be -1 (for ever) or more "
                                "than 0"));
}

}  // namespace ascend::client
