#include "client/capi/half.h"

#include <cmath>

namespace ascend::client {
namespace {

constexpr int kFractionBits = 10;
constexpr uint16_t kFractionMask = (1 << kFractionBits) - 1;
constexpr uint16_t kExponentMask = 0x1F;
constexpr uint16_t kSignBit = 0x8000;
constexpr uint16_t kLargestBits = 0x7BFF;
constexpr float kLargest = 65504;
// Of the steps between subnormal halves, and between those of exponent 1.
constexpr int kLeastStepExponent = -24;

}  // namespace

float WidenHalf(uint16_t bits) {
  const int exponent = (bits >> kFractionBits) & kExponentMask;
  int significand = bits & kFractionMask;
  if (exponent > 0) significand |= 1 << kFractionBits;
  const float magnitude =
      std::ldexp(static_cast<float>(significand),
                 kLeastStepExponent + (exponent > 0 ? exponent - 1 : 0));
  return (bits & kSignBit) != 0 ? -magnitude : magnitude;
}

uint16_t NarrowToHalf(float value) {
  const uint16_t sign = std::signbit(value) ? kSignBit : 0;
  const float magnitude = std::fabs(value);
  // Also NaN, of which no comparison is true.
  if (!(magnitude < kLargest)) return sign | kLargestBits;
  if (magnitude == 0) return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // The step between the halves around the value: 11 bits of significand.
  int step_exponent = exponent - (kFractionBits + 1);
  if (step_exponent < kLeastStepExponent) step_exponent = kLeastStepExponent;
  const auto steps = static_cast<uint32_t>(
      std::nearbyint(std::ldexp(magnitude, -step_exponent)));
  // Counting on from the first half of that exponent carries over by itself.
  const auto base = static_cast<uint32_t>(step_exponent - kLeastStepExponent)
                    << kFractionBits;
  return static_cast<uint16_t>(sign | (base + steps));
}

}  // namespace ascend::client
