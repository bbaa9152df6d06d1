// PitchedBytes: rows of bytes that begin a pitch apart, as two-dimensional
// copies see them. Bytes are counted without the gaps between the rows.
//
// Threading: value type; the memory is the caller's to keep.
#ifndef ASCEND_CORE_BASE_PITCHED_BYTES_H_
#define ASCEND_CORE_BASE_PITCHED_BYTES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace ascend::core {

struct PitchedBytes {
  std::byte* data = nullptr;
  uint64_t row_bytes = 0;
  uint64_t rows = 1;
  uint64_t pitch = 0;  // with rows > 1

  static PitchedBytes OneRow(void* data, uint64_t bytes) {
    return {.data = static_cast<std::byte*>(data), .row_bytes = bytes};
  }

  uint64_t bytes() const { return row_bytes * rows; }
  // From the first byte of the first row to the last of the last.
  uint64_t footprint_bytes() const {
    return rows == 1 ? row_bytes : pitch * (rows - 1) + row_bytes;
  }

  // [offset, offset + count) lies within bytes().
  void Write(uint64_t offset, const std::byte* source, uint64_t count) const {
    ForEachPiece(offset, count, [&](std::byte* piece, uint64_t piece_bytes) {
      std::memcpy(piece, source, piece_bytes);
      source += piece_bytes;
    });
  }
  std::string Read(uint64_t offset, uint64_t count) const {
    std::string bytes;
    bytes.reserve(count);
    ForEachPiece(offset, count, [&](std::byte* piece, uint64_t piece_bytes) {
      bytes.append(reinterpret_cast<const char*>(piece), piece_bytes);
    });
    return bytes;
  }

 private:
  template <typename Visitor>
  void ForEachPiece(uint64_t offset, uint64_t count, Visitor visit) const {
    while (count > 0) {
      const uint64_t row = offset / row_bytes;
      const uint64_t column = offset % row_bytes;
      const uint64_t piece_bytes = std::min(count, row_bytes - column);
      visit(data + row * pitch + column, piece_bytes);
      offset += piece_bytes;
      count -= piece_bytes;
    }
  }
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_BASE_PITCHED_BYTES_H_
