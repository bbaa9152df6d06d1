// What rounding the weights of attention to bf16 loses, given back where it
// matters.
//
// Rounded weights are off by up to 2^-9 each, independently. Over many keys of
// similar weight that averages out; where a few keys have most of a row's
// weight it does not, and moves the output by more than bf16 results are
// promised to keep. If every weight that is not corrected is at most t l, the
// squares of the weights sum to at most t l^2, and the deviation that is left
// is below 2^-9 / sqrt(3) * sqrt(t), times that of the values. With t = 1/32
// that is 2e-4. At most 1/t keys of a row are larger, and once l has grown to
// 1/t, as it soon does unless logits are peaked, none is.
//
// Threading: pure functions. Ownership: none.
#ifndef ASCEND_SERVER_KERNELS_WEIGHT_RESIDUALS_H_
#define ASCEND_SERVER_KERNELS_WEIGHT_RESIDUALS_H_

#include "server/kernels/half_types.h"
#include "server/kernels/softmax_tile.h"

namespace ascend::server {

// Adds (weight - its bf16) * v to the output for the keys that weigh more than
// 1/32 of their row's sum so far. `tile` has just been folded into bf16
// weights; its scores are still what they were. `values` are its keys' rows of
// V.
void AddWeightResiduals(const SoftmaxTile& tile, const Bf16* values);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_KERNELS_WEIGHT_RESIDUALS_H_
