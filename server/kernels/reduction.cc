#include "server/kernels/reduction.h"

#include "acl/ascend_rtd_ops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "server/kernels/reduction.cc"
#include "hwy/foreach_target.h"  // compiles this file once per target
#include "hwy/highway.h"
#include "server/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ascend::server::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Highway leaves open what its own maximum makes of NaN. Comparisons with NaN
// are false, so only that of `y` has to be asked for.
template <class D, class V>
HWY_INLINE V Larger(D, V x, V y) {
  if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
    return hn::IfThenElse(hn::Or(hn::Lt(x, y), hn::IsNaN(y)), y, x);
  } else {
    return hn::Max(x, y);
  }
}

template <class D, class V>
HWY_INLINE V Smaller(D, V x, V y) {
  if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
    return hn::IfThenElse(hn::Or(hn::Lt(y, x), hn::IsNaN(y)), y, x);
  } else {
    return hn::Min(x, y);
  }
}

template <typename T>
HWY_INLINE void Reduce(uint32_t operation, const T* x, const T* y, T* z,
                       size_t count) {
  switch (operation) {
    case ASCRT_REDUCE_SUM:
      return ForEachVector<T>(count, [&](auto d, size_t i) HWY_ATTR {
        hn::StoreU(hn::Add(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, z + i);
      });
    case ASCRT_REDUCE_MAX:
      return ForEachVector<T>(count, [&](auto d, size_t i) HWY_ATTR {
        hn::StoreU(Larger(d, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d,
                   z + i);
      });
    default:
      return ForEachVector<T>(count, [&](auto d, size_t i) HWY_ATTR {
        hn::StoreU(Smaller(d, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d,
                   z + i);
      });
  }
}

void ReduceFloat(uint32_t operation, const float* x, const float* y, float* z,
                 size_t count) {
  Reduce(operation, x, y, z, count);
}

void ReduceInt8(uint32_t operation, const int8_t* x, const int8_t* y, int8_t* z,
                size_t count) {
  Reduce(operation, x, y, z, count);
}

void ReduceInt16(uint32_t operation, const int16_t* x, const int16_t* y,
                 int16_t* z, size_t count) {
  Reduce(operation, x, y, z, count);
}

void ReduceInt32(uint32_t operation, const int32_t* x, const int32_t* y,
                 int32_t* z, size_t count) {
  Reduce(operation, x, y, z, count);
}

}  // namespace ascend::server::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ascend::server {

HWY_EXPORT(ReduceFloat);
HWY_EXPORT(ReduceInt8);
HWY_EXPORT(ReduceInt16);
HWY_EXPORT(ReduceInt32);

void ReduceArrays(uint32_t operation, const float* x, const float* y, float* z,
                  size_t count) {
  HWY_DYNAMIC_DISPATCH(ReduceFloat)(operation, x, y, z, count);
}

void ReduceArrays(uint32_t operation, const int8_t* x, const int8_t* y,
                  int8_t* z, size_t count) {
  HWY_DYNAMIC_DISPATCH(ReduceInt8)(operation, x, y, z, count);
}

void ReduceArrays(uint32_t operation, const int16_t* x, const int16_t* y,
                  int16_t* z, size_t count) {
  HWY_DYNAMIC_DISPATCH(ReduceInt16)(operation, x, y, z, count);
}

void ReduceArrays(uint32_t operation, const int32_t* x, const int32_t* y,
                  int32_t* z, size_t count) {
  HWY_DYNAMIC_DISPATCH(ReduceInt32)(operation, x, y, z, count);
}

}  // namespace ascend::server
#endif  // HWY_ONCE
