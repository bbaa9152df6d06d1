// Half-precision numbers as AscendCL converts them on the host: the exponent
// that IEEE keeps for infinities and NaN is an ordinary one when widening, and
// narrowing saturates.
//
// Threading: pure functions.
#ifndef ASCEND_CLIENT_CAPI_HALF_H_
#define ASCEND_CLIENT_CAPI_HALF_H_

#include <cstdint>

namespace ascend::client {

float WidenHalf(uint16_t bits);

// To nearest, ties to even; at most 65504 in magnitude, which NaN becomes too.
uint16_t NarrowToHalf(float value);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_CAPI_HALF_H_
