// The trust boundary of the bulk stream: bytes of a client become chunks, or
// the session ends.
//
// Threading: pure functions. Ownership: the result owns its bytes.
#ifndef ASCEND_SERVER_SESSION_TRANSFER_DECODER_H_
#define ASCEND_SERVER_SESSION_TRANSFER_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/ids.h"

namespace google::protobuf::io {
class ZeroCopyInputStream;
}

namespace ascend::server {

struct TransferOpenFrame {
  core::SessionId session;
  std::string token;
};

struct TransferChunkFrame {
  core::Ticket ticket;
  uint64_t offset = 0;
  std::string data;  // 1 to wire::kChunkBytesMax bytes
};

struct TransferFailedFrame {
  core::Ticket ticket;
  absl::Status why;
};

using TransferFrame =
    std::variant<TransferOpenFrame, TransferChunkFrame, TransferFailedFrame>;

// Decodes one frame of `frame_bytes` bytes. Errors: kProtocolViolation.
absl::StatusOr<TransferFrame> DecodeTransferFrame(
    google::protobuf::io::ZeroCopyInputStream& input, size_t frame_bytes);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_SESSION_TRANSFER_DECODER_H_
