#include "proto/wire.h"

namespace ascend::wire {
namespace {

// Field numbers of transfer.proto, as protobuf tags: number << 3 | wire type.
constexpr char kFrameChunkTag = 2 << 3 | 2;
constexpr char kChunkTicketTag = 1 << 3 | 0;
constexpr char kChunkOffsetTag = 2 << 3 | 0;
constexpr char kChunkDataTag = 3 << 3 | 2;

void AppendVarint(uint64_t value, std::string* out) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

}  // namespace

std::string TransferChunkHeader(uint64_t ticket, uint64_t offset,
                                size_t data_bytes) {
  std::string chunk;
  chunk.push_back(kChunkTicketTag);
  AppendVarint(ticket, &chunk);
  chunk.push_back(kChunkOffsetTag);
  AppendVarint(offset, &chunk);
  chunk.push_back(kChunkDataTag);
  AppendVarint(data_bytes, &chunk);

  std::string frame;
  frame.push_back(kFrameChunkTag);
  AppendVarint(chunk.size() + data_bytes, &frame);
  return frame + chunk;
}

}  // namespace ascend::wire
