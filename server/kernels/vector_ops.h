// Vectorised operations on arrays of floats, for the processor that runs them.
//
// Bodies load a block of elements as floats, work on it with these, and store
// it again; a block stays in the first-level cache. No alignment is needed.
//
// Threading: pure functions. Ownership: none.
#ifndef ASCEND_SERVER_KERNELS_VECTOR_OPS_H_
#define ASCEND_SERVER_KERNELS_VECTOR_OPS_H_

#include <cstddef>

namespace ascend::server {

// x[i] op= y[i].
void AddArray(float* x, const float* y, size_t count);
void MulArray(float* x, const float* y, size_t count);
// gate[i] = gate[i] / (1 + exp(-gate[i])) * up[i].
void SiluMulArray(float* gate, const float* up, size_t count);
// x[i] *= factor.
void ScaleArray(float* x, float factor, size_t count);

// The largest element; -infinity of none. NaN elements may be passed over.
float MaxOfArray(const float* x, size_t count);
float SumOfSquares(const float* x, size_t count);
// The sum of exp(x[i] - base), where no x[i] exceeds base.
float SumOfExp(const float* x, float base, size_t count);
// x[i] = exp(x[i] - base) * factor, where no x[i] exceeds base.
void ExpScaleArray(float* x, float base, float factor, size_t count);

// (x[i], y[i]) = (x c - y s, x s + y c): turns the pair by the angle whose
// cosine and sine are c[i] and s[i].
void RotatePairs(float* x, float* y, const float* cosines, const float* sines,
                 size_t count);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_KERNELS_VECTOR_OPS_H_
