// The trust boundary of the bulk stream: bytes of a client become chunks, or
// the session ends.
//
// Threading: pure functions. Ownership: a chunk shares the owner of the bytes
// that it was decoded from, and does not copy them.
#ifndef ASCEND_SERVER_SESSION_TRANSFER_DECODER_H_
#define ASCEND_SERVER_SESSION_TRANSFER_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/ids.h"
#include "server/bulk_bytes.h"

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
  BulkBytes data;  // 1 to wire::kChunkBytesMax bytes
};

struct TransferFailedFrame {
  core::Ticket ticket;
  absl::Status why;
};

using TransferFrame =
    std::variant<TransferOpenFrame, TransferChunkFrame, TransferFailedFrame>;

// Decodes one frame of `frame_bytes` bytes, whose buffers `owner` keeps. The
// bytes of a chunk have to be the last of it. Errors: kProtocolViolation.
absl::StatusOr<TransferFrame> DecodeTransferFrame(
    google::protobuf::io::ZeroCopyInputStream& input, size_t frame_bytes,
    std::shared_ptr<const void> owner);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_SESSION_TRANSFER_DECODER_H_
