#include "server/kernels/half_types.h"

#include <cstring>

#include "acl/ascend_rtd_ops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "server/kernels/half_types.cc"
#include "hwy/foreach_target.h"  // compiles this file once per target
#include "hwy/highway.h"
#include "server/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ascend::server::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Targets whose Highway conversions of half floats are done by the processor
// and round to nearest even. The emulated ones truncate.
#define ASCEND_HAS_F16C                                \
  (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || \
   HWY_TARGET == HWY_AVX3_DL)

#if ASCEND_HAS_F16C

template <class D>
hn::Vec<D> WidenHalf(D d, const Half* source) {
  const hn::Rebind<hwy::float16_t, D> d16;
  const hn::Rebind<uint16_t, D> du16;
  const auto bits = hn::LoadU(du16, reinterpret_cast<const uint16_t*>(source));
  return hn::PromoteTo(d, hn::BitCast(d16, bits));
}

template <class D>
void NarrowHalf(D d, hn::Vec<D> v, Half* target) {
  const hn::Rebind<hwy::float16_t, D> d16;
  const hn::Rebind<uint16_t, D> du16;
  hn::StoreU(hn::BitCast(du16, hn::DemoteTo(d16, v)), du16,
             reinterpret_cast<uint16_t*>(target));
}

#else

// Moves exponent and mantissa to their places and corrects the bias; infinity
// and NaN need a second correction, subnormals are made normal by an exact
// subtraction of floats.
template <class D>
hn::Vec<D> WidenHalf(D d, const Half* source) {
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<uint16_t, D> du16;
  const auto half = hn::PromoteTo(
      du, hn::LoadU(du16, reinterpret_cast<const uint16_t*>(source)));
  const auto magnitude = hn::ShiftLeft<13>(hn::And(half, hn::Set(du, 0x7FFF)));
  const auto exponent_mask = hn::Set(du, 0x7C00u << 13);
  const auto exponent = hn::And(magnitude, exponent_mask);
  const auto normal = hn::Add(magnitude, hn::Set(du, (127u - 15) << 23));
  const auto special = hn::Add(normal, hn::Set(du, (128u - 16) << 23));
  const auto subnormal = hn::BitCast(
      du, hn::Sub(hn::BitCast(d, hn::Add(normal, hn::Set(du, 1u << 23))),
                  hn::BitCast(d, hn::Set(du, 113u << 23))));
  auto bits = hn::IfThenElse(hn::Eq(exponent, exponent_mask), special, normal);
  bits = hn::IfThenElse(hn::Eq(exponent, hn::Zero(du)), subnormal, bits);
  const auto sign = hn::ShiftLeft<16>(hn::And(half, hn::Set(du, 0x8000)));
  return hn::BitCast(d, hn::Or(bits, sign));
}

// The mirror image: rounding to nearest even by an integer addition for normal
// results, by an addition of floats for subnormal ones.
template <class D>
void NarrowHalf(D d, hn::Vec<D> v, Half* target) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const hn::Rebind<uint16_t, D> du16;
  const auto all = hn::BitCast(du, v);
  const auto sign = hn::And(all, hn::Set(du, 0x80000000u));
  const auto magnitude = hn::Xor(all, sign);
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 1));
  const auto normal = hn::ShiftRight<13>(hn::Add(
      hn::Add(magnitude, hn::Set(du, 0xFFFu - ((127u - 15) << 23))), odd));
  const auto magic = hn::Set(du, ((127u - 15) + (23 - 10) + 1) << 23);
  const auto subnormal = hn::Sub(
      hn::BitCast(du,
                  hn::Add(hn::BitCast(d, magnitude), hn::BitCast(d, magic))),
      magic);
  // Magnitudes are below 2^31, so signed comparisons order them.
  const auto order = hn::BitCast(di, magnitude);
  const auto below = [&](uint32_t limit) HWY_ATTR {
    return hn::RebindMask(
        du, hn::Lt(order, hn::Set(di, static_cast<int32_t>(limit))));
  };
  const auto special = hn::IfThenElse(below((255u << 23) + 1),
                                      hn::Set(du, 0x7C00), hn::Set(du, 0x7E00));
  auto half = hn::IfThenElse(below(113u << 23), subnormal, normal);
  half = hn::IfThenElse(below((127u + 16) << 23), half, special);
  half = hn::Or(half, hn::ShiftRight<16>(sign));
  hn::StoreU(hn::DemoteTo(du16, hn::BitCast(di, half)), du16,
             reinterpret_cast<uint16_t*>(target));
}

#endif  // ASCEND_HAS_F16C
#undef ASCEND_HAS_F16C

template <class D>
hn::Vec<D> WidenBf16(D d, const Bf16* source) {
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<uint16_t, D> du16;
  const auto bits = hn::PromoteTo(
      du, hn::LoadU(du16, reinterpret_cast<const uint16_t*>(source)));
  return hn::BitCast(d, hn::ShiftLeft<16>(bits));
}

void HalfToFloat(const Half* source, float* target, size_t count) {
  ForEachVector(count, [&](auto d, size_t i) HWY_ATTR {
    hn::StoreU(WidenHalf(d, source + i), d, target + i);
  });
}

void Bf16ToFloat(const Bf16* source, float* target, size_t count) {
  ForEachVector(count, [&](auto d, size_t i) HWY_ATTR {
    hn::StoreU(WidenBf16(d, source + i), d, target + i);
  });
}

void FloatToHalf(const float* source, Half* target, size_t count) {
  ForEachVector(count, [&](auto d, size_t i) HWY_ATTR {
    NarrowHalf(d, hn::LoadU(d, source + i), target + i);
  });
}

void FloatToBf16(const float* source, Bf16* target, size_t count) {
  ForEachVector(count, [&](auto d, size_t i) HWY_ATTR {
    NarrowBf16(d, hn::LoadU(d, source + i), target + i);
  });
}

}  // namespace ascend::server::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ascend::server {

HWY_EXPORT(HalfToFloat);
HWY_EXPORT(Bf16ToFloat);
HWY_EXPORT(FloatToHalf);
HWY_EXPORT(FloatToBf16);

void ToFloat(const Half* source, float* target, size_t count) {
  HWY_DYNAMIC_DISPATCH(HalfToFloat)(source, target, count);
}

void ToFloat(const Bf16* source, float* target, size_t count) {
  HWY_DYNAMIC_DISPATCH(Bf16ToFloat)(source, target, count);
}

void FromFloat(const float* source, Half* target, size_t count) {
  HWY_DYNAMIC_DISPATCH(FloatToHalf)(source, target, count);
}

void FromFloat(const float* source, Bf16* target, size_t count) {
  HWY_DYNAMIC_DISPATCH(FloatToBf16)(source, target, count);
}

void LoadFloats(int32_t data_type, const void* tensor, size_t first,
                float* target, size_t count) {
  switch (data_type) {
    case ASCRT_DT_FLOAT16:
      return ToFloat(static_cast<const Half*>(tensor) + first, target, count);
    case ASCRT_DT_BF16:
      return ToFloat(static_cast<const Bf16*>(tensor) + first, target, count);
    default:
      std::memcpy(target, static_cast<const float*>(tensor) + first,
                  count * sizeof(float));
  }
}

void StoreFloats(int32_t data_type, const float* source, void* tensor,
                 size_t first, size_t count) {
  switch (data_type) {
    case ASCRT_DT_FLOAT16:
      return FromFloat(source, static_cast<Half*>(tensor) + first, count);
    case ASCRT_DT_BF16:
      return FromFloat(source, static_cast<Bf16*>(tensor) + first, count);
    default:
      std::memcpy(static_cast<float*>(tensor) + first, source,
                  count * sizeof(float));
  }
}

const float* AsFloats(int32_t data_type, const void* tensor, size_t first,
                      float* scratch, size_t count) {
  if (data_type == ASCRT_DT_FLOAT) {
    return static_cast<const float*>(tensor) + first;
  }
  LoadFloats(data_type, tensor, first, scratch, count);
  return scratch;
}

}  // namespace ascend::server
#endif  // HWY_ONCE
