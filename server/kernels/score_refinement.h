// Second look at the scores that decide a row of 32-bit attention.
//
// A product of floats is off by a few units in its last place. When logits are
// large, that alone moves the weights of the strongest keys by more than the
// 1e-5 that 32-bit results are promised to keep: at a logit of 100 one unit is
// 8e-6, and sums over the head size lose several. So for rows with large logits
// the keys within reach of the maximum, which are few, are multiplied again in
// double precision.
//
// Threading: pure functions. Ownership: none.
#ifndef ASCEND_SERVER_KERNELS_SCORE_REFINEMENT_H_
#define ASCEND_SERVER_KERNELS_SCORE_REFINEMENT_H_

#include "server/kernels/softmax_tile.h"

namespace ascend::server {

// Replaces scores of `tile` before it is folded. `queries` are the tile's rows
// and `keys` its keys, both of head_size floats.
void RefineScores(const SoftmaxTile& tile, const float* queries,
                  const float* keys);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_KERNELS_SCORE_REFINEMENT_H_
