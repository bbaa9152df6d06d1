#include "server/kernels/score_refinement.h"

#include <algorithm>
#include <cmath>

namespace ascend::server {
namespace {

// In powers of two, as maxima are. Below the first, errors of a float's product
// stay under 2e-6. A key further than the second below the maximum weighs less
// than 2^-12, and so does what its error can change.
constexpr float kLargeLogit = 8;
constexpr float kReach = 12;

// Four chains, as one would wait for each sum.
double DotInDouble(const float* a, const float* b, size_t count) {
  double sums[4] = {};
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (size_t lane = 0; lane < 4; ++lane) {
      sums[lane] += double{a[i + lane]} * double{b[i + lane]};
    }
  }
  for (; i < count; ++i) sums[0] += double{a[i]} * double{b[i]};
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

void RefineScores(const SoftmaxTile& tile, const float* queries,
                  const float* keys) {
  for (size_t row = 0; row < tile.rows; ++row) {
    float* const scores = tile.scores + row * tile.keys;
    const size_t visible = static_cast<size_t>(tile.visible[row]);
    const float largest =
        std::max(tile.maxima[row], LargestLogit(scores, visible, tile.factor));
    if (std::fabs(largest) < kLargeLogit) continue;
    for (size_t key = 0; key < visible; ++key) {
      if (scores[key] * tile.factor < largest - kReach) continue;
      scores[key] = static_cast<float>(
          DotInDouble(queries + row * tile.head_size,
                      keys + key * tile.head_size, tile.head_size));
    }
  }
}

}  // namespace ascend::server
