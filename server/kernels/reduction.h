// Sums, maxima and minima of two arrays, element by element, for the processor
// that runs them.
//
// Sums of integers wrap around. A maximum or minimum of floats is NaN where an
// operand is; of zeros of both signs it is that of `x`.
//
// Threading: pure functions. Ownership: none.
#ifndef ASCEND_SERVER_KERNELS_REDUCTION_H_
#define ASCEND_SERVER_KERNELS_REDUCTION_H_

#include <cstddef>
#include <cstdint>

namespace ascend::server {

// z[i] = x[i] op y[i] for an ASCRT_REDUCE_*; z may be x or y. No alignment is
// needed.
void ReduceArrays(uint32_t operation, const float* x, const float* y, float* z,
                  size_t count);
void ReduceArrays(uint32_t operation, const int8_t* x, const int8_t* y,
                  int8_t* z, size_t count);
void ReduceArrays(uint32_t operation, const int16_t* x, const int16_t* y,
                  int16_t* z, size_t count);
void ReduceArrays(uint32_t operation, const int32_t* x, const int32_t* y,
                  int32_t* z, size_t count);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_KERNELS_REDUCTION_H_
