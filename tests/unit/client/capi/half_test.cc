#include "client/capi/half.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace ascend::client {
namespace {

constexpr uint16_t kFirstInfinity = 0x7C00;

TEST(HalfTest, EveryFiniteHalfComesBack) {
  for (uint32_t bits = 0; bits < kFirstInfinity; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    ASSERT_EQ(NarrowToHalf(WidenHalf(half)), half);
    const auto negative = static_cast<uint16_t>(half | 0x8000);
    ASSERT_EQ(NarrowToHalf(WidenHalf(negative)), negative);
    ASSERT_EQ(WidenHalf(negative), -WidenHalf(half));
  }
}

TEST(HalfTest, WideningIsIncreasing) {
  for (uint32_t bits = 1; bits < 0x8000; ++bits) {
    ASSERT_GT(WidenHalf(static_cast<uint16_t>(bits)),
              WidenHalf(static_cast<uint16_t>(bits - 1)));
  }
}

// Between two halves: below the middle down, above it up, on it to even.
TEST(HalfTest, NarrowingGoesToTheNearest) {
  for (uint32_t bits = 0; bits + 1 < kFirstInfinity; ++bits) {
    const auto low = static_cast<uint16_t>(bits);
    const auto high = static_cast<uint16_t>(bits + 1);
    const float middle = (WidenHalf(low) + WidenHalf(high)) / 2;
    const float inf = std::numeric_limits<float>::infinity();
    ASSERT_EQ(NarrowToHalf(middle), low % 2 == 0 ? low : high) << bits;
    ASSERT_EQ(NarrowToHalf(std::nextafter(middle, -inf)), low) << bits;
    ASSERT_EQ(NarrowToHalf(std::nextafter(middle, inf)), high) << bits;
  }
}

TEST(HalfTest, WhatIsTooLargeOrNoNumberSaturates) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float value : {65504.0f, 65520.0f, 1e38f, inf, nan}) {
    EXPECT_EQ(NarrowToHalf(value), 0x7BFF) << value;
    EXPECT_EQ(NarrowToHalf(-value), 0xFBFF) << value;
  }
}

TEST(HalfTest, TheLargestExponentIsAnOrdinaryOne) {
  EXPECT_EQ(WidenHalf(kFirstInfinity), 65536.0f);
  EXPECT_EQ(WidenHalf(0x7E00), 98304.0f);
}

}  // namespace
}  // namespace ascend::client
