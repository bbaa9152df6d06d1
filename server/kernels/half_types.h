// Half-width floats as they lie in device memory, and conversions of arrays.
//
// Conversions are vectorised for the processor that runs them, exact from half
// to float, and round to nearest even from float; what is too large becomes
// infinite, NaN stays NaN.
//
// Threading: pure functions. Ownership: none.
#ifndef ASCEND_SERVER_KERNELS_HALF_TYPES_H_
#define ASCEND_SERVER_KERNELS_HALF_TYPES_H_

#include <cstddef>
#include <cstdint>

namespace ascend::server {

struct Half {
  uint16_t bits;
};
struct Bf16 {
  uint16_t bits;
};

void ToFloat(const Half* source, float* target, size_t count);
void ToFloat(const Bf16* source, float* target, size_t count);
void FromFloat(const float* source, Half* target, size_t count);
void FromFloat(const float* source, Bf16* target, size_t count);

// The same for an array of the element type `data_type` (ASCRT_DT_*), floats
// included, beginning at element `first` of `tensor`.
void LoadFloats(int32_t data_type, const void* tensor, size_t first,
                float* target, size_t count);
void StoreFloats(int32_t data_type, const float* source, void* tensor,
                 size_t first, size_t count);

// The floats themselves when the tensor has them, else converted into
// `scratch`.
const float* AsFloats(int32_t data_type, const void* tensor, size_t first,
                      float* scratch, size_t count);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_KERNELS_HALF_TYPES_H_
