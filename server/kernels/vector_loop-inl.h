// What the vectorised sources share, once per Highway target: the loop over an
// array, rounding to bf16, and the power of two.
//
// Include after hwy/highway.h in a source that hwy/foreach_target.h compiles
// repeatedly; the guard is per target.
//
// Threading: pure functions. Ownership: none.
#if defined(ASCEND_SERVER_KERNELS_VECTOR_LOOP_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef ASCEND_SERVER_KERNELS_VECTOR_LOOP_INL_H_
#undef ASCEND_SERVER_KERNELS_VECTOR_LOOP_INL_H_
#else
#define ASCEND_SERVER_KERNELS_VECTOR_LOOP_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "server/kernels/half_types.h"

HWY_BEFORE_NAMESPACE();
namespace ascend::server::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls `step(d, i)` for all elements below `count`: whole vectors first, then
// the rest one by one with a vector of one lane.
template <typename T = float, class Step>
HWY_INLINE void ForEachVector(size_t count, Step step) {
  const hn::ScalableTag<T> whole;
  const hn::CappedTag<T, 1> single;
  size_t i = 0;
  for (; i + hn::Lanes(whole) <= count; i += hn::Lanes(whole)) step(whole, i);
  for (; i < count; ++i) step(single, i);
}

// Rounds to nearest even; NaN becomes the quiet NaN of its sign.
template <class D>
HWY_INLINE void NarrowBf16(D, hn::Vec<D> v, Bf16* target) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const hn::Rebind<uint16_t, D> du16;
  const auto bits = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(du, 0x7FFF)), odd);
  const auto quiet = hn::Or(bits, hn::Set(du, 0x400000));
  const auto result =
      hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(v)), quiet, rounded);
  hn::StoreU(hn::DemoteTo(du16, hn::BitCast(di, hn::ShiftRight<16>(result))),
             du16, reinterpret_cast<uint16_t*>(target));
}

// 2^x for x <= 127, with 2^0 exactly 1: relative error below 3e-7; zero below
// -126, where results would be subnormal; NaN stays NaN. The polynomial
// interpolates 2^f on [-1/2, 1/2] at the Chebyshev nodes; its own error is
// 2.6e-9, so rounding dominates.
template <class D>
HWY_INLINE hn::Vec<D> Exp2(D d, hn::Vec<D> x) {
  const hn::RebindToSigned<D> di;
  const auto whole = hn::Round(x);
  const auto f = hn::Sub(x, whole);
  auto p = hn::Set(d, 0.0001546144469646172f);
  p = hn::MulAdd(p, f, hn::Set(d, 0.0013400428177419153f));
  p = hn::MulAdd(p, f, hn::Set(d, 0.00961805667852609f));
  p = hn::MulAdd(p, f, hn::Set(d, 0.05550327226670944f));
  p = hn::MulAdd(p, f, hn::Set(d, 0.24022650922288827f));
  p = hn::MulAdd(p, f, hn::Set(d, 0.6931472067028321f));
  p = hn::MulAdd(p, f, hn::Set(d, 1.0f));
  // p lies in [0.7, 1.42]: the whole part goes into its exponent bits.
  const auto exponent = hn::ShiftLeft<23>(hn::ConvertTo(di, whole));
  const auto scaled = hn::BitCast(d, hn::Add(hn::BitCast(di, p), exponent));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -126.0f)), scaled);
}

}  // namespace ascend::server::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
