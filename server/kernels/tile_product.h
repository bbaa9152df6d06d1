// Products of row-major tiles by oneDNN, on the calling thread alone.
//
// Chunks are the parallelism of a body, so a product must not start threads of
// its own: OpenMP is held to one thread for its duration, which also means that
// no OpenMP team is ever created. Generated code is cached per shape.
//
// Threading: any thread. Ownership: none; the cache is never freed.
#ifndef ASCEND_SERVER_KERNELS_TILE_PRODUCT_H_
#define ASCEND_SERVER_KERNELS_TILE_PRODUCT_H_

#include <compare>
#include <cstdint>

#include "absl/status/status.h"
#include "server/kernels/half_types.h"

namespace ascend::server {

// c (m x n) = op(a) op(b), or c += with `accumulate`. A stride is the distance
// of two rows as they lie in memory; with a transposition the rows in memory
// are the columns of the operand.
struct TileShape {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t a_stride = 0;
  int64_t b_stride = 0;
  int64_t c_stride = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  bool accumulate = false;
  friend auto operator<=>(const TileShape&, const TileShape&) = default;
};

// Reason::kInternal when oneDNN refuses, which only lack of memory makes it do.
absl::Status Multiply(const TileShape& shape, const float* a, const float* b,
                      float* c);

// The product of bf16 operands with sums in floats.
using Bf16Product = absl::Status (*)(const TileShape& shape, const Bf16* a,
                                     const Bf16* b, float* c);

// Null where the processor has no bf16 instructions (AVX-512), or where
// DNNL_MAX_CPU_ISA forbids them: then the floats' product is faster.
Bf16Product NativeBf16Product();

}  // namespace ascend::server

#endif  // ASCEND_SERVER_KERNELS_TILE_PRODUCT_H_
