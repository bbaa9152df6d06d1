#include "tests/testing/float_formats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace ascend::testing {
namespace {

// Rounds to a format with one sign bit and the given fields.
uint16_t Narrow(float value, int mantissa_bits, int exponent_bits) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const uint16_t infinity =
      static_cast<uint16_t>(((1 << exponent_bits) - 1) << mantissa_bits);
  if (std::isnan(value)) {
    return static_cast<uint16_t>(sign | infinity | (1 << (mantissa_bits - 1)));
  }
  const double magnitude = std::fabs(static_cast<double>(value));
  if (magnitude == 0) return sign;
  if (std::isinf(magnitude)) return sign | infinity;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  // In units of the last place; nearbyint rounds ties to even by default. The
  // leading bit of a normal number, and one that rounding carries over, go into
  // the exponent by plain addition.
  const double units =
      std::nearbyint(std::ldexp(magnitude, mantissa_bits - exponent));
  const int64_t bits =
      (static_cast<int64_t>(exponent + bias - 1) << mantissa_bits) +
      static_cast<int64_t>(units);
  return static_cast<uint16_t>(sign | std::min<int64_t>(bits, infinity));
}

}  // namespace

float HalfToFloat(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  double magnitude = 0;
  if (exponent == 31) {
    magnitude = mantissa == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, -24);
  } else {
    magnitude = std::ldexp(1024 + mantissa, exponent - 25);
  }
  return static_cast<float>((bits & 0x8000) != 0 ? -magnitude : magnitude);
}

float Bf16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

uint16_t FloatToHalf(float value) { return Narrow(value, 10, 5); }

uint16_t FloatToBf16(float value) { return Narrow(value, 7, 8); }

}  // namespace ascend::testing
