// Half-width floats, one value at a time and obviously right: the conversions
// that fast ones are compared with.
//
// Threading: pure functions. Ownership: none.
#ifndef ASCEND_TESTS_TESTING_FLOAT_FORMATS_H_
#define ASCEND_TESTS_TESTING_FLOAT_FORMATS_H_

#include <cstdint>

namespace ascend::testing {

float HalfToFloat(uint16_t bits);
float Bf16ToFloat(uint16_t bits);
// To nearest, ties to even; overflow to infinity; NaN to a NaN.
uint16_t FloatToHalf(float value);
uint16_t FloatToBf16(float value);

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_TESTING_FLOAT_FORMATS_H_
