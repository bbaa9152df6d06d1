#include "server/kernels/half_types.h"

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "hwy/highway.h"
#include "tests/testing/float_formats.h"
#include "tests/unit/server/kernels/each_target.h"

namespace ascend::server {
namespace {

template <typename T>
std::vector<T> AllBitPatterns() {
  std::vector<T> all(65536);
  for (size_t i = 0; i < all.size(); ++i) all[i].bits = uint16_t(i);
  return all;
}

// Equal bits, or NaN both.
void ExpectSame(float actual, float expected, size_t bits) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual)) << bits;
  } else {
    EXPECT_EQ(std::bit_cast<uint32_t>(actual),
              std::bit_cast<uint32_t>(expected))
        << bits;
  }
}

// Ordinary numbers, all exponents, ties, and the edges of both formats.
std::vector<float> InterestingFloats() {
  std::vector<float> floats = {
      0.0f,          -0.0f,         65504.0f,       65519.9f,      65520.0f,
      1e30f,         -1e30f,        INFINITY,       -INFINITY,     NAN,
      -NAN,          5.9604645e-8f, 2.98023224e-8f, 2.9802325e-8f, 1e-45f,
      6.1035156e-5f, 6.1e-5f,       3.4e38f,        3.39e38f};
  for (uint32_t i = 0; i < 65536; ++i) {  // ties and their neighbours in bf16
    for (const uint32_t low : {0x7FFFu, 0x8000u, 0x8001u}) {
      floats.push_back(std::bit_cast<float>(i << 16 | low));
    }
  }
  std::mt19937 random(20240703);
  for (int i = 0; i < 20000; ++i) {
    const uint32_t sign = random() & 1;
    const uint32_t exponent = 95 + random() % 50;  // where halves live
    const uint32_t mantissa = random() & 0x7FF000;
    const uint32_t below = random() % 3;
    floats.push_back(
        std::bit_cast<float>(sign << 31 | exponent << 23 | mantissa | below));
  }
  return floats;
}

TEST(HalfTypes, WidenEveryHalfExactly) {
  testing::ForEachTarget([] {
    const std::vector<Half> all = AllBitPatterns<Half>();
    std::vector<float> widened(all.size());
    ToFloat(all.data(), widened.data(), all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      ExpectSame(widened[i], testing::HalfToFloat(uint16_t(i)), i);
    }
  });
}

TEST(HalfTypes, WidenEveryBf16Exactly) {
  testing::ForEachTarget([] {
    const std::vector<Bf16> all = AllBitPatterns<Bf16>();
    std::vector<float> widened(all.size());
    ToFloat(all.data(), widened.data(), all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      ExpectSame(widened[i], testing::Bf16ToFloat(uint16_t(i)), i);
    }
  });
}

TEST(HalfTypes, NarrowToTheNearestHalf) {
  testing::ForEachTarget([] {
    const std::vector<float> floats = InterestingFloats();
    std::vector<Half> narrowed(floats.size());
    FromFloat(floats.data(), narrowed.data(), floats.size());
    for (size_t i = 0; i < floats.size(); ++i) {
      ExpectSame(testing::HalfToFloat(narrowed[i].bits),
                 testing::HalfToFloat(testing::FloatToHalf(floats[i])), i);
    }
  });
}

TEST(HalfTypes, NarrowToTheNearestBf16) {
  testing::ForEachTarget([] {
    const std::vector<float> floats = InterestingFloats();
    std::vector<Bf16> narrowed(floats.size());
    FromFloat(floats.data(), narrowed.data(), floats.size());
    for (size_t i = 0; i < floats.size(); ++i) {
      ExpectSame(testing::Bf16ToFloat(narrowed[i].bits),
                 testing::Bf16ToFloat(testing::FloatToBf16(floats[i])), i);
    }
  });
}

TEST(HalfTypes, LeaveWhatLiesBeyondTheCountAlone) {
  testing::ForEachTarget([] {
    const std::vector<float> floats(64, 1.0f);
    for (size_t count = 0; count < 40; ++count) {
      std::vector<Bf16> narrowed(64, Bf16{0xABCD});
      FromFloat(floats.data(), narrowed.data(), count);
      for (size_t i = 0; i < narrowed.size(); ++i) {
        EXPECT_EQ(narrowed[i].bits, i < count ? 0x3F80 : 0xABCD) << i;
      }
    }
  });
}

}  // namespace
}  // namespace ascend::server
