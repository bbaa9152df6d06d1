// How kernels that work element by element are cut into chunks, and chunks into
// blocks.
//
// Threading: pure functions. Ownership: none.
#ifndef ASCEND_SERVER_KERNELS_BODIES_ELEMENT_CHUNKS_H_
#define ASCEND_SERVER_KERNELS_BODIES_ELEMENT_CHUNKS_H_

#include <cstddef>

namespace ascend::server {

// Elements of a chunk: large beside the cost of handing a chunk to a thread.
inline constexpr size_t kChunkElements = size_t{1} << 16;
// Elements converted at a time; two blocks of floats take 8 KiB of stack.
inline constexpr size_t kBlockElements = 1024;

constexpr size_t ChunksOf(size_t elements) {
  return (elements + kChunkElements - 1) / kChunkElements;
}

}  // namespace ascend::server

#endif  // ASCEND_SERVER_KERNELS_BODIES_ELEMENT_CHUNKS_H_
