// The online softmax of flash attention, one tile of scores at a time.
//
// State per query row: the largest logit so far (m, in powers of two), the sum
// of 2^(logit - m) so far (l), and the row of the output so far, not yet
// divided by l. A row begins with m = -infinity, l = 0 and an output of zeros.
//
// Threading: pure functions. Ownership: none.
#ifndef ASCEND_SERVER_KERNELS_SOFTMAX_TILE_H_
#define ASCEND_SERVER_KERNELS_SOFTMAX_TILE_H_

#include <cstddef>
#include <cstdint>

#include "server/kernels/half_types.h"

namespace ascend::server {

struct SoftmaxTile {
  size_t rows = 0;
  size_t keys = 0;          // of this tile; rows of scores are that far apart
  float* scores = nullptr;  // q k^T, [rows, keys]
  float factor = 0;         // scale * log2(e)
  // Row r sees the first visible[r] keys of this tile, 0 to keys.
  const int64_t* visible = nullptr;
  float* maxima = nullptr;  // m, [rows]
  float* sums = nullptr;    // l, [rows]
  float* output = nullptr;  // [rows, head_size]
  size_t head_size = 0;
};

// Folds the tile into m and l, rescales the output to the new m, and replaces
// the scores by the weights 2^(score * factor - m); keys that a row does not
// see weigh zero. The caller then adds weights * v to the output.
void FoldTile(const SoftmaxTile& tile);

// The same with weights rounded to bf16 in `weights`, [rows, keys]; the scores
// stay what they are.
void FoldTile(const SoftmaxTile& tile, Bf16* weights);

// The largest score * factor, -infinity of none. NaN may be passed over: such a
// score weighs NaN whatever the maximum.
float LargestLogit(const float* scores, size_t count, float factor);

// Divides each row of the output by its l; rows whose l is 0 saw no key and
// become zeros.
void Normalize(size_t rows, size_t head_size, const float* sums, float* output);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_KERNELS_SOFTMAX_TILE_H_
