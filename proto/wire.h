// What both ends of the wire must agree on and a .proto file cannot say.
//
// The client keeps to these numbers; the daemon checks them and ends a session
// that does not.
//
// Threading: constants and a pure function. Ownership: none.
#ifndef ASCEND_PROTO_WIRE_H_
#define ASCEND_PROTO_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace ascend::wire {

// Grows with each incompatible change (session.proto, Hello).
inline constexpr uint32_t kProtocolVersion = 2;

// Where a daemon listens and a client looks when nobody says otherwise.
inline constexpr char kDefaultAddress[] =
    "unix:/run/ascend-rtd/ascend-rtd.sock";

// One CommandBatch. A client closes a batch at kBatchBytesTarget; a frame may
// be larger by its last command, but never larger than kClientFrameBytesMax.
inline constexpr size_t kCommandsPerBatchMax = 4096;
inline constexpr size_t kBatchBytesTarget = 256 * 1024;
inline constexpr size_t kClientFrameBytesMax = 512 * 1024;

// One TransferChunk, and the frame around it.
inline constexpr size_t kChunkBytesMax = 1024 * 1024;
inline constexpr size_t kTransferFrameBytesMax = kChunkBytesMax + 4096;

// What gRPC lets through, in both directions. Larger than every legal frame, so
// that an illegal one is told apart from a broken connection and counted.
inline constexpr int kMessageBytesMax = 4 * 1024 * 1024 + 64 * 1024;

// Trailing metadata of a refused call: the number of the core::Reason.
inline constexpr char kReasonMetadataKey[] = "ascend-rtd-reason";
// Initial metadata of a Transfer call, sent once it is the session's.
inline constexpr char kAcceptedMetadataKey[] = "ascend-rtd-accepted";

// The encoding of TransferFrame{chunk{ticket, offset, data}} up to the bytes of
// `data`, which follow it as they are. So bulk bytes are never copied into a
// message.
std::string TransferChunkHeader(uint64_t ticket, uint64_t offset,
                                size_t data_bytes);

}  // namespace ascend::wire

#endif  // ASCEND_PROTO_WIRE_H_
