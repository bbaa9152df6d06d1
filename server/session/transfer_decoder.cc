#include "server/session/transfer_decoder.h"

#include <limits>
#include <utility>

#include "ascend/rtd/v1/transfer.pb.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream.h"
#include "google/protobuf/wire_format_lite.h"
#include "proto/wire.h"
#include "server/session/status_codec.h"
#include "server/session/violation.h"

namespace ascend::server {
namespace {

namespace pb = ::ascend::rtd::v1;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::ZeroCopyInputStream;

constexpr uint32_t LengthTag(int field) {
  return WireFormatLite::MakeTag(field,
                                 WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}
constexpr uint32_t VarintTag(int field) {
  return WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_VARINT);
}
constexpr uint32_t kChunkTag = LengthTag(pb::TransferFrame::kChunkFieldNumber);
static_assert(kChunkTag < 0x80, "one byte, at which IsChunk looks");

bool IsChunk(ZeroCopyInputStream& input) {
  const void* data = nullptr;
  int size = 0;
  while (input.Next(&data, &size)) {
    if (size == 0) continue;
    const bool is_chunk = *static_cast<const uint8_t*>(data) == kChunkTag;
    input.BackUp(size);
    return is_chunk;
  }
  return false;
}

// Not ExpectTag, which gives up where a buffer ends within or near the tag.
bool TakeTag(CodedInputStream& in, uint32_t tag) {
  return in.ReadTagNoLastTag() == tag;
}

absl::StatusOr<TransferFrame> DecodeChunk(ZeroCopyInputStream& input,
                                          size_t frame_bytes,
                                          std::shared_ptr<const void> owner) {
  CodedInputStream in(&input);
  // Bytes of the frame behind what was read.
  const auto rest = [&] {
    return frame_bytes - static_cast<size_t>(in.CurrentPosition());
  };
  uint32_t chunk_bytes = 0;
  uint32_t data_bytes = 0;
  uint64_t ticket = 0;
  uint64_t offset = 0;
  bool is_legal = TakeTag(in, kChunkTag) && in.ReadVarint32(&chunk_bytes) &&
                  chunk_bytes == rest();
  while (is_legal && data_bytes == 0 && rest() > 0) {
    switch (in.ReadTagNoLastTag()) {
      case VarintTag(pb::TransferChunk::kTicketFieldNumber):
        is_legal = in.ReadVarint64(&ticket);
        break;
      case VarintTag(pb::TransferChunk::kOffsetFieldNumber):
        is_legal = in.ReadVarint64(&offset);
        break;
      case LengthTag(pb::TransferChunk::kDataFieldNumber):
        is_legal = in.ReadVarint32(&data_bytes) && data_bytes == rest();
        break;
      default:
        is_legal = false;
    }
  }
  if (!is_legal) {
    return Violation("frame of ", frame_bytes,
                     " bytes is no chunk with its bytes at the end");
  }
  if (data_bytes == 0 || data_bytes > wire::kChunkBytesMax) {
    return Violation("chunk of ticket ", ticket, " has ", data_bytes,
                     " bytes, outside 1 to ", wire::kChunkBytesMax);
  }
  if (offset > std::numeric_limits<uint64_t>::max() - data_bytes) {
    return Violation("chunk of ticket ", ticket, " at offset ", offset,
                     " ends past 2^64");
  }
  BulkBytes data(std::move(owner));
  while (data.size() < data_bytes) {
    const void* piece = nullptr;
    int size = 0;
    if (!in.GetDirectBufferPointer(&piece, &size) || !in.Skip(size)) {
      return Violation("chunk of ticket ", ticket, " ends after ", data.size(),
                       " of its ", data_bytes, " bytes");
    }
    data.Append(
        {static_cast<const std::byte*>(piece), static_cast<size_t>(size)});
  }
  return TransferFrame(TransferChunkFrame{.ticket = core::Ticket(ticket),
                                          .offset = offset,
                                          .data = std::move(data)});
}

}  // namespace

absl::StatusOr<TransferFrame> DecodeTransferFrame(
    ZeroCopyInputStream& input, size_t frame_bytes,
    std::shared_ptr<const void> owner) {
  if (frame_bytes > wire::kTransferFrameBytesMax) {
    return Violation("frame has ", frame_bytes, " bytes, more than ",
                     wire::kTransferFrameBytesMax);
  }
  if (IsChunk(input)) {
    return DecodeChunk(input, frame_bytes, std::move(owner));
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
    case pb::TransferFrame::kChunk:  // behind something else
      return Violation("frame holds more than its chunk");
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
