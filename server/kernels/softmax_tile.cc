#include "server/kernels/softmax_tile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "server/kernels/softmax_tile.cc"
#include "hwy/foreach_target.h"  // compiles this file once per target
#include "hwy/highway.h"
#include "server/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ascend::server::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whole vectors are taken four at a time: the latency of a maximum or a sum is
// several times its throughput.
constexpr size_t kChains = 4;

float Largest(const float* scores, size_t count, float factor) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto f = hn::Set(d, factor);
  auto m0 = hn::Set(d, -std::numeric_limits<float>::infinity());
  auto m1 = m0, m2 = m0, m3 = m0;
  size_t i = 0;
  for (; i + kChains * lanes <= count; i += kChains * lanes) {
    m0 = hn::Max(m0, hn::Mul(hn::LoadU(d, scores + i), f));
    m1 = hn::Max(m1, hn::Mul(hn::LoadU(d, scores + i + lanes), f));
    m2 = hn::Max(m2, hn::Mul(hn::LoadU(d, scores + i + 2 * lanes), f));
    m3 = hn::Max(m3, hn::Mul(hn::LoadU(d, scores + i + 3 * lanes), f));
  }
  for (; i + lanes <= count; i += lanes) {
    m0 = hn::Max(m0, hn::Mul(hn::LoadU(d, scores + i), f));
  }
  const auto m = hn::Max(hn::Max(m0, m1), hn::Max(m2, m3));
  float largest = hn::GetLane(hn::MaxOfLanes(d, m));
  for (; i < count; ++i) largest = std::max(largest, scores[i] * factor);
  return largest;
}

template <class D>
HWY_INLINE void StoreWeights(D d, hn::Vec<D> weights, float* target) {
  hn::StoreU(weights, d, target);
}

template <class D>
HWY_INLINE void StoreWeights(D d, hn::Vec<D> weights, Bf16* target) {
  NarrowBf16(d, weights, target);
}

// weights = 2^(score * factor - m); returns their sum. `weights` may be
// `scores`.
template <class Weight>
float WeighRow(const float* scores, size_t count, float factor, float m,
               Weight* weights) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> d1;
  const size_t lanes = hn::Lanes(d);
  const auto f = hn::Set(d, factor);
  const auto largest = hn::Set(d, m);
  const auto weigh = [&](size_t i) HWY_ATTR {
    const auto logits = hn::MulSub(hn::LoadU(d, scores + i), f, largest);
    const auto w = Exp2(d, logits);
    StoreWeights(d, w, weights + i);
    return w;
  };
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  size_t i = 0;
  for (; i + kChains * lanes <= count; i += kChains * lanes) {
    s0 = hn::Add(s0, weigh(i));
    s1 = hn::Add(s1, weigh(i + lanes));
    s2 = hn::Add(s2, weigh(i + 2 * lanes));
    s3 = hn::Add(s3, weigh(i + 3 * lanes));
  }
  for (; i + lanes <= count; i += lanes) s0 = hn::Add(s0, weigh(i));
  float sum =
      hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  for (; i < count; ++i) {
    const auto logit = hn::MulSub(hn::LoadU(d1, scores + i),
                                  hn::Set(d1, factor), hn::Set(d1, m));
    const auto w = Exp2(d1, logit);
    StoreWeights(d1, w, weights + i);
    sum += hn::GetLane(w);
  }
  return sum;
}

void ScaleRow(float* row, size_t count, float factor) {
  ForEachVector(count, [&](auto d, size_t i) HWY_ATTR {
    hn::StoreU(hn::Mul(hn::LoadU(d, row + i), hn::Set(d, factor)), d, row + i);
  });
}

template <class Weight>
void FoldRow(const SoftmaxTile& tile, size_t row, Weight* weights) {
  const float* scores = tile.scores + row * tile.keys;
  const size_t visible = static_cast<size_t>(tile.visible[row]);
  float sum = 0;
  if (visible > 0) {
    const float old_m = tile.maxima[row];
    const float m = std::max(old_m, Largest(scores, visible, tile.factor));
    // While all logits are -infinity there is nothing to be relative to; zero
    // keeps the weights at 2^-infinity = 0 instead of NaN.
    const float base = std::isinf(m) && m < 0 ? 0.0f : m;
    sum = WeighRow(scores, visible, tile.factor, base, weights);
    if (m != old_m) {
      const float shrink = std::exp2(old_m - base);
      tile.sums[row] *= shrink;
      ScaleRow(tile.output + row * tile.head_size, tile.head_size, shrink);
      tile.maxima[row] = m;
    }
  }
  tile.sums[row] += sum;
  std::fill(weights + visible, weights + tile.keys, Weight{});
}

void FoldFloat(const SoftmaxTile& tile) {
  for (size_t row = 0; row < tile.rows; ++row) {
    FoldRow(tile, row, tile.scores + row * tile.keys);
  }
}

void FoldBf16(const SoftmaxTile& tile, Bf16* weights) {
  for (size_t row = 0; row < tile.rows; ++row) {
    FoldRow(tile, row, weights + row * tile.keys);
  }
}

void NormalizeRows(size_t rows, size_t head_size, const float* sums,
                   float* output) {
  for (size_t row = 0; row < rows; ++row) {
    const float factor = sums[row] == 0 ? 0.0f : 1 / sums[row];
    ScaleRow(output + row * head_size, head_size, factor);
  }
}

}  // namespace ascend::server::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ascend::server {

HWY_EXPORT(FoldFloat);
HWY_EXPORT(FoldBf16);
HWY_EXPORT(Largest);
HWY_EXPORT(NormalizeRows);

void FoldTile(const SoftmaxTile& tile) {
  HWY_DYNAMIC_DISPATCH(FoldFloat)(tile);
}

void FoldTile(const SoftmaxTile& tile, Bf16* weights) {
  HWY_DYNAMIC_DISPATCH(FoldBf16)(tile, weights);
}

float LargestLogit(const float* scores, size_t count, float factor) {
  return HWY_DYNAMIC_DISPATCH(Largest)(scores, count, factor);
}

void Normalize(size_t rows, size_t head_size, const float* sums,
               float* output) {
  HWY_DYNAMIC_DISPATCH(NormalizeRows)(rows, head_size, sums, output);
}

}  // namespace ascend::server
#endif  // HWY_ONCE
