#include "server/session/transfer_decoder.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ascend/rtd/v1/transfer.pb.h"
#include "core/base/error.h"
#include "google/protobuf/io/zero_copy_stream.h"
#include "proto/wire.h"
#include "server/session/status_codec.h"

namespace ascend::server {
namespace {

namespace pb = ::ascend::rtd::v1;

template <typename... Parts>
absl::Status Violation(const Parts&... parts) {
  return core::MakeError(core::Reason::kProtocolViolation,
                         absl::StrCat(parts...));
}

absl::StatusOr<TransferFrame> Decode(pb::TransferChunk& chunk) {
  const size_t data_bytes = chunk.data().size();
  if (data_bytes == 0 || data_bytes > wire::kChunkBytesMax) {
    return Violation("chunk of ticket ", chunk.ticket(), " has ", data_bytes,
                     " bytes, outside 1 to ", wire::kChunkBytesMax);
  }
  if (chunk.offset() > std::numeric_limits<uint64_t>::max() - data_bytes) {
    return Violation("chunk of ticket ", chunk.ticket(), " at offset ",
                     chunk.offset(), " ends past 2^64");
  }
  return TransferFrame(
      TransferChunkFrame{.ticket = core::Ticket(chunk.ticket()),
                         .offset = chunk.offset(),
                         .data = std::move(*chunk.mutable_data())});
}

}  // namespace

absl::StatusOr<TransferFrame> DecodeTransferFrame(
    google::protobuf::io::ZeroCopyInputStream& input, size_t frame_bytes) {
  if (frame_bytes > wire::kTransferFrameBytesMax) {
    return Violation("frame has ", frame_bytes, " bytes, more than ",
                     wire::kTransferFrameBytesMax);
  }
  pb::TransferFrame frame;
  if (!frame.ParseFromZeroCopyStream(&input)) {
    return Violation("frame of ", frame_bytes, " bytes is no TransferFrame");
  }
  switch (frame.frame_case()) {
    case pb::TransferFrame::kOpen:
      return TransferFrame(TransferOpenFrame{
          .session = core::SessionId(frame.open().session()),
          .token = std::move(*frame.mutable_open()->mutable_token())});
    case pb::TransferFrame::kChunk:
      return Decode(*frame.mutable_chunk());
    case pb::TransferFrame::kFailed:
      return TransferFrame(
          TransferFailedFrame{.ticket = core::Ticket(frame.failed().ticket()),
                              .why = DecodeError(frame.failed().error())});
    case pb::TransferFrame::FRAME_NOT_SET:
      break;
  }
  return Violation("frame is empty");
}

}  // namespace ascend::server
