// Arguments of varying length beside a ring of records, in an area of bytes of
// the same shared memory.
//
// The writer gives out the area in order, each piece in one part: what does not
// fit before the end begins anew at the start. A piece belongs to the record
// that is pushed next and is free again when the consumer has taken that
// record. All of this the writer keeps in private memory; the area holds
// nothing but the bytes. The reader is told a range by the record, checks it
// and copies, after TryTake and before Release (ring.h).
//
//   range = writer.TryWrite(bytes, producer.next(), producer.taken());
//   if (!range) ...  // no room: wait, producer.Refresh(), again
//   record.arguments = *range;
//   producer.TryPush(record)  // when full, wait and push the same again
//
// Threading: as the side of the ring that each belongs to.
// Ownership: the area is the caller's and outlives both.
#ifndef ASCEND_PROTO_IPC_ARGUMENT_RING_H_
#define ASCEND_PROTO_IPC_ARGUMENT_RING_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "proto/ipc/abi.h"

namespace ascend::ipc {

class ArgumentWriter {
 public:
  // `area` is aligned to kWordBytes, a multiple of it, and has room for one
  // piece of kArgumentBytesMax at least.
  explicit ArgumentWriter(std::span<std::byte> area);

  // Where `bytes`, at most kArgumentBytesMax, now lie; they belong to record
  // number `record`, and all records before number `taken` are taken. Nothing
  // when there is no room yet. A record that has no bytes takes no room.
  std::optional<ByteRange> TryWrite(std::span<const std::byte> bytes,
                                    uint32_t record, uint32_t taken);

 private:
  struct Piece {
    uint32_t record;
    uint64_t end;
  };

  void Free(uint32_t taken);

  const std::span<std::byte> area_;
  // Places go up for ever; modulo the size of the area they are offsets.
  uint64_t begin_ = 0;  // the oldest byte in use
  uint64_t end_ = 0;    // behind the newest
  std::deque<Piece> pieces_;
};

class ArgumentReader {
 public:
  // As ArgumentWriter.
  explicit ArgumentReader(std::span<std::byte> area);

  // Copies the bytes of `range`. False, and nothing read, when no honest writer
  // gives out such a range.
  [[nodiscard]] bool Read(ByteRange range, std::vector<std::byte>* bytes) const;

 private:
  const std::span<std::byte> area_;
};

}  // namespace ascend::ipc

#endif  // ASCEND_PROTO_IPC_ARGUMENT_RING_H_
