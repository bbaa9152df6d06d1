// How kernels that work row by row are cut into chunks: so many rows that a
// chunk has about kElements elements, and at least one.
//
// Threading: immutable. Ownership: value type.
#ifndef ASCEND_SERVER_KERNELS_BODIES_ROW_CHUNKS_H_
#define ASCEND_SERVER_KERNELS_BODIES_ROW_CHUNKS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ascend::server {

// Elements of a row that are in floats at a time: 4 KiB of stack.
inline constexpr size_t kRowBlock = 1024;

class RowChunks {
 public:
  RowChunks(int64_t rows, int64_t columns)
      : rows_(static_cast<size_t>(rows)),
        step_(std::max<size_t>(1, kElements / static_cast<size_t>(columns))) {}

  size_t count() const { return (rows_ + step_ - 1) / step_; }
  size_t Begin(size_t chunk) const { return chunk * step_; }
  size_t End(size_t chunk) const {
    return std::min(rows_, (chunk + 1) * step_);
  }

 private:
  static constexpr size_t kElements = size_t{1} << 16;

  size_t rows_;
  size_t step_;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_KERNELS_BODIES_ROW_CHUNKS_H_
