#include "server/kernels/vector_ops.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "server/kernels/vector_ops.cc"
#include "hwy/foreach_target.h"  // compiles this file once per target
#include "hwy/highway.h"
#include "server/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ascend::server::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr float kLog2E = 1.44269504088896340736f;

void Add(float* x, const float* y, size_t count) {
  ForEachVector(count, [&](auto d, size_t i) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, x + i);
  });
}

void Mul(float* x, const float* y, size_t count) {
  ForEachVector(count, [&](auto d, size_t i) HWY_ATTR {
    hn::StoreU(hn::Mul(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, x + i);
  });
}

void SiluMul(float* gate, const float* up, size_t count) {
  ForEachVector(count, [&](auto d, size_t i) HWY_ATTR {
    const auto g = hn::LoadU(d, gate + i);
    // From 2^127 on the quotient is zero in any case. NaN passes through the
    // numerator, whatever the minimum makes of it.
    const auto power =
        hn::Min(hn::Mul(g, hn::Set(d, -kLog2E)), hn::Set(d, 127.0f));
    const auto sigmoid_inverse = hn::Add(hn::Set(d, 1.0f), Exp2(d, power));
    const auto silu = hn::Div(g, sigmoid_inverse);
    hn::StoreU(hn::Mul(silu, hn::LoadU(d, up + i)), d, gate + i);
  });
}

void Scale(float* x, float factor, size_t count) {
  ForEachVector(count, [&](auto d, size_t i) HWY_ATTR {
    hn::StoreU(hn::Mul(hn::LoadU(d, x + i), hn::Set(d, factor)), d, x + i);
  });
}

// Adds `term(d, i)` up over all elements, in vectors and then one by one.
template <class Term>
HWY_INLINE float Sum(size_t count, Term term) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> d1;
  auto sums = hn::Zero(d);
  size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    sums = hn::Add(sums, term(d, i));
  }
  float sum = hn::GetLane(hn::SumOfLanes(d, sums));
  for (; i < count; ++i) sum += hn::GetLane(term(d1, i));
  return sum;
}

float Largest(const float* x, size_t count) {
  const hn::ScalableTag<float> d;
  float largest = -std::numeric_limits<float>::infinity();
  auto m = hn::Set(d, largest);
  size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    m = hn::Max(m, hn::LoadU(d, x + i));
  }
  largest = hn::GetLane(hn::MaxOfLanes(d, m));
  for (; i < count; ++i) largest = std::max(largest, x[i]);
  return largest;
}

float Squares(const float* x, size_t count) {
  return Sum(count, [&](auto d, size_t i) HWY_ATTR {
    const auto v = hn::LoadU(d, x + i);
    return hn::Mul(v, v);
  });
}

// The difference first: near the maximum, where weights matter, it is exact.
template <class D>
HWY_INLINE hn::Vec<D> ExpOfDifference(D d, const float* x, float base) {
  const auto difference = hn::Sub(hn::LoadU(d, x), hn::Set(d, base));
  return Exp2(d, hn::Mul(difference, hn::Set(d, kLog2E)));
}

float Exps(const float* x, float base, size_t count) {
  return Sum(count, [&](auto d, size_t i)
                        HWY_ATTR { return ExpOfDifference(d, x + i, base); });
}

void ExpScale(float* x, float base, float factor, size_t count) {
  ForEachVector(count, [&](auto d, size_t i) HWY_ATTR {
    hn::StoreU(hn::Mul(ExpOfDifference(d, x + i, base), hn::Set(d, factor)), d,
               x + i);
  });
}

void Rotate(float* x, float* y, const float* cosines, const float* sines,
            size_t count) {
  ForEachVector(count, [&](auto d, size_t i) HWY_ATTR {
    const auto c = hn::LoadU(d, cosines + i);
    const auto s = hn::LoadU(d, sines + i);
    const auto vx = hn::LoadU(d, x + i);
    const auto vy = hn::LoadU(d, y + i);
    hn::StoreU(hn::Sub(hn::Mul(vx, c), hn::Mul(vy, s)), d, x + i);
    hn::StoreU(hn::Add(hn::Mul(vx, s), hn::Mul(vy, c)), d, y + i);
  });
}

}  // namespace ascend::server::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ascend::server {

HWY_EXPORT(Add);
HWY_EXPORT(Mul);
HWY_EXPORT(SiluMul);
HWY_EXPORT(Scale);
HWY_EXPORT(Largest);
HWY_EXPORT(Squares);
HWY_EXPORT(Exps);
HWY_EXPORT(ExpScale);
HWY_EXPORT(Rotate);

void AddArray(float* x, const float* y, size_t count) {
  HWY_DYNAMIC_DISPATCH(Add)(x, y, count);
}

void MulArray(float* x, const float* y, size_t count) {
  HWY_DYNAMIC_DISPATCH(Mul)(x, y, count);
}

void SiluMulArray(float* gate, const float* up, size_t count) {
  HWY_DYNAMIC_DISPATCH(SiluMul)(gate, up, count);
}

void ScaleArray(float* x, float factor, size_t count) {
  HWY_DYNAMIC_DISPATCH(Scale)(x, factor, count);
}

float MaxOfArray(const float* x, size_t count) {
  return HWY_DYNAMIC_DISPATCH(Largest)(x, count);
}

float SumOfSquares(const float* x, size_t count) {
  return HWY_DYNAMIC_DISPATCH(Squares)(x, count);
}

float SumOfExp(const float* x, float base, size_t count) {
  return HWY_DYNAMIC_DISPATCH(Exps)(x, base, count);
}

void ExpScaleArray(float* x, float base, float factor, size_t count) {
  HWY_DYNAMIC_DISPATCH(ExpScale)(x, base, factor, count);
}

void RotatePairs(float* x, float* y, const float* cosines, const float* sines,
                 size_t count) {
  HWY_DYNAMIC_DISPATCH(Rotate)(x, y, cosines, sines, count);
}

}  // namespace ascend::server
#endif  // HWY_ONCE
