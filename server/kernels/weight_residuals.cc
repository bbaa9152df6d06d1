#include "server/kernels/weight_residuals.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "server/kernels/weight_residuals.cc"
#include "hwy/foreach_target.h"  // compiles this file once per target
#include "hwy/highway.h"
#include "server/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ascend::server::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr float kShare = 1.0f / 32;  // t

void AddScaledRow(const Bf16* value, size_t count, float factor,
                  float* output) {
  ForEachVector(count, [&](auto d, size_t i) HWY_ATTR {
    const hn::Rebind<uint16_t, decltype(d)> du16;
    const hn::RebindToUnsigned<decltype(d)> du;
    const auto bits =
        hn::LoadU(du16, reinterpret_cast<const uint16_t*>(value) + i);
    const auto v = hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, bits)));
    hn::StoreU(hn::MulAdd(v, hn::Set(d, factor), hn::LoadU(d, output + i)), d,
               output + i);
  });
}

// The weight as FoldTile computed it, less what it became.
float Residual(float logit) {
  const hn::CappedTag<float, 1> d;
  const float weight = hn::GetLane(Exp2(d, hn::Set(d, logit)));
  Bf16 rounded;
  NarrowBf16(d, hn::Set(d, weight), &rounded);
  const hn::RebindToUnsigned<decltype(d)> du;
  const float kept =
      hn::GetLane(hn::BitCast(d, hn::Set(du, uint32_t{rounded.bits} << 16)));
  return weight - kept;
}

void AddRow(const SoftmaxTile& tile, size_t row, const Bf16* values) {
  const float* const scores = tile.scores + row * tile.keys;
  const size_t visible = static_cast<size_t>(tile.visible[row]);
  const float base = tile.maxima[row];
  const float least = base + std::log2(tile.sums[row] * kShare);
  ForEachVector(visible, [&](auto d, size_t i) HWY_ATTR {
    const auto logits =
        hn::Mul(hn::LoadU(d, scores + i), hn::Set(d, tile.factor));
    if (hn::AllFalse(d, hn::Gt(logits, hn::Set(d, least)))) return;
    for (size_t key = i; key < i + hn::Lanes(d); ++key) {
      if (!(scores[key] * tile.factor > least)) continue;
      AddScaledRow(values + key * tile.head_size, tile.head_size,
                   Residual(std::fma(scores[key], tile.factor, -base)),
                   tile.output + row * tile.head_size);
    }
  });
}

void AddRows(const SoftmaxTile& tile, const Bf16* values) {
  for (size_t row = 0; row < tile.rows; ++row) {
    // No weight exceeds 1. Also passes over a sum that is not a number.
    if (tile.visible[row] == 0 || !(tile.sums[row] * kShare < 1)) continue;
    AddRow(tile, row, values);
  }
}

}  // namespace ascend::server::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ascend::server {

HWY_EXPORT(AddRows);

void AddWeightResiduals(const SoftmaxTile& tile, const Bf16* values) {
  HWY_DYNAMIC_DISPATCH(AddRows)(tile, values);
}

}  // namespace ascend::server
#endif  // HWY_ONCE
