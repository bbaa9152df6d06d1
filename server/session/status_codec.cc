#include "server/session/status_codec.h"

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "ascend/rtd/v1/error.pb.h"
#include "core/base/error.h"

namespace ascend::server {
namespace {

constexpr size_t kMessageBytesMax = 1024;

}  // namespace

void EncodeError(const absl::Status& status, rtd::v1::Error* error) {
  error->set_reason(static_cast<uint32_t>(core::ReasonOf(status)));
  error->set_message(std::string(status.message()));
}

absl::Status DecodeError(const rtd::v1::Error& error) {
  auto reason = static_cast<core::Reason>(error.reason());
  if (error.reason() == 0 || core::ReasonName(reason) == "unknown" ||
      error.reason() > UINT16_MAX) {
    reason = core::Reason::kInternal;
  }
  return core::MakeError(
      reason, absl::string_view(error.message()).substr(0, kMessageBytesMax));
}

}  // namespace ascend::server
