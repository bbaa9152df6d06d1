#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/tensor.h"
#include "tests/unit/server/kernels/each_target.h"
#include "tests/unit/server/kernels/kernel_harness.h"

namespace ascend {
namespace {

using ::ascend::testing::RunKernel;
using ::ascend::testing::Tensor;

constexpr uint32_t kSeed = 20240704;
constexpr uint32_t kOperations[] = {ASCRT_REDUCE_SUM, ASCRT_REDUCE_MAX,
                                    ASCRT_REDUCE_MIN};
constexpr int32_t kFloatTypes[] = {ASCRT_DT_FLOAT, ASCRT_DT_FLOAT16,
                                   ASCRT_DT_BF16};
// Remainders of vectors, of blocks and of chunks.
constexpr size_t kCounts[] = {1, 7, 130, 1024, 1031, 65536 + 1024 + 5};

ascrtReduceArgs ReduceArgs(uint32_t operation, int32_t data_type, const void* x,
                           const void* y, void* z, size_t count) {
  return {.x = x,
          .y = y,
          .z = z,
          .count = static_cast<int64_t>(count),
          .data_type = data_type,
          .operation = operation};
}

template <typename T>
T Select(uint32_t operation, T x, T y) {
  return operation == ASCRT_REDUCE_MAX ? (x < y ? y : x) : (y < x ? y : x);
}

// Modulo 2^bits, as two's complement has it.
template <typename T>
T ReduceIntegers(uint32_t operation, T x, T y) {
  if (operation != ASCRT_REDUCE_SUM) return Select(operation, x, y);
  return static_cast<T>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
}

// All bit patterns are alike likely, so that many sums wrap around.
template <typename T>
std::vector<T> AnyIntegers(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(random());
  values.front() = std::numeric_limits<T>::min();
  values.back() = std::numeric_limits<T>::max();
  return values;
}

template <typename T>
void ExpectIntegers(int32_t data_type) {
  for (const uint32_t operation : kOperations) {
    for (const size_t count : kCounts) {
      SCOPED_TRACE(::testing::Message()
                   << "operation " << operation << " count " << count);
      const std::vector<T> x = AnyIntegers<T>(count, kSeed);
      const std::vector<T> y = AnyIntegers<T>(count, kSeed + 1);
      // One more, which must stay.
      std::vector<T> expected(count + 1, 77);
      for (size_t i = 0; i < count; ++i) {
        expected[i] = ReduceIntegers(operation, x[i], y[i]);
      }
      std::vector<T> z(count + 1, 77);
      ASSERT_EQ(
          RunKernel(ASCRT_OP_REDUCE, ReduceArgs(operation, data_type, x.data(),
                                                y.data(), z.data(), count)),
          absl::OkStatus());
      EXPECT_TRUE(z == expected);
      // In place, into either operand.
      expected.pop_back();
      std::vector<T> x2 = x;
      ASSERT_EQ(
          RunKernel(ASCRT_OP_REDUCE, ReduceArgs(operation, data_type, x2.data(),
                                                y.data(), x2.data(), count)),
          absl::OkStatus());
      EXPECT_TRUE(x2 == expected);
      std::vector<T> y2 = y;
      ASSERT_EQ(
          RunKernel(ASCRT_OP_REDUCE, ReduceArgs(operation, data_type, x.data(),
                                                y2.data(), y2.data(), count)),
          absl::OkStatus());
      EXPECT_TRUE(y2 == expected);
    }
  }
}

TEST(Reduce, OfIntegersWrapsAround) {
  testing::ForEachTarget([] {
    ExpectIntegers<int8_t>(ASCRT_DT_INT8);
    ExpectIntegers<int16_t>(ASCRT_DT_INT16);
    ExpectIntegers<int32_t>(ASCRT_DT_INT32);
  });
}

TEST(Reduce, OfEqualAndOppositeIntegersIsExact) {
  const std::vector<int8_t> x = {127, -128, -128, 127, 0, -1};
  const std::vector<int8_t> y = {1, -1, -128, 127, 0, 1};
  std::vector<int8_t> z(6);
  const auto run = [&](uint32_t operation) {
    EXPECT_EQ(
        RunKernel(ASCRT_OP_REDUCE, ReduceArgs(operation, ASCRT_DT_INT8,
                                              x.data(), y.data(), z.data(), 6)),
        absl::OkStatus());
    return z;
  };
  EXPECT_EQ(run(ASCRT_REDUCE_SUM),
            (std::vector<int8_t>{-128, 127, 0, -2, 0, 0}));
  EXPECT_EQ(run(ASCRT_REDUCE_MAX),
            (std::vector<int8_t>{127, -1, -128, 127, 0, 1}));
  EXPECT_EQ(run(ASCRT_REDUCE_MIN),
            (std::vector<int8_t>{1, -128, -128, 127, 0, -1}));
}

TEST(Reduce, OfFloatsIsRoundedOnce) {
  testing::ForEachTarget([] {
    for (const int32_t data_type : kFloatTypes) {
      for (const uint32_t operation : kOperations) {
        for (const size_t count : kCounts) {
          const auto elements = static_cast<int64_t>(count);
          Tensor x = Tensor::Normal(data_type, elements, kSeed, 2);
          Tensor y = Tensor::Normal(data_type, elements, kSeed + 1);
          Tensor z = Tensor::Unwritten(data_type, elements);
          std::vector<float> expected;
          const std::vector<float> xs = x.Values();
          const std::vector<float> ys = y.Values();
          for (size_t i = 0; i < count; ++i) {
            expected.push_back(operation == ASCRT_REDUCE_SUM
                                   ? xs[i] + ys[i]
                                   : Select(operation, xs[i], ys[i]));
          }
          ASSERT_EQ(RunKernel(ASCRT_OP_REDUCE,
                              ReduceArgs(operation, data_type, x.data(),
                                         y.data(), z.data(), count)),
                    absl::OkStatus());
          EXPECT_TRUE(z.bytes() == Tensor(data_type, expected).bytes())
              << "operation " << operation << " type " << data_type << " count "
              << count;
          ASSERT_EQ(RunKernel(ASCRT_OP_REDUCE,
                              ReduceArgs(operation, data_type, x.data(),
                                         y.data(), x.data(), count)),
                    absl::OkStatus());
          EXPECT_TRUE(x.bytes() == z.bytes());
        }
      }
    }
  });
}

// What is as true in the middle of a vector as in what is left over.
TEST(Reduce, OfFloatsKnowsInfinityAndNan) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr size_t kCount = 67;
  struct Case {
    uint32_t operation;
    float x, y, expected;
  };
  testing::ForEachTarget([] {
    for (const int32_t data_type : kFloatTypes) {
      for (const Case& c : {Case{ASCRT_REDUCE_SUM, kInfinity, 1, kInfinity},
                            Case{ASCRT_REDUCE_SUM, kInfinity, -kInfinity, NAN},
                            Case{ASCRT_REDUCE_SUM, 1, NAN, NAN},
                            Case{ASCRT_REDUCE_MAX, -kInfinity, 3, 3},
                            Case{ASCRT_REDUCE_MIN, -kInfinity, 3, -kInfinity},
                            Case{ASCRT_REDUCE_MAX, NAN, 3, NAN},
                            Case{ASCRT_REDUCE_MAX, 3, NAN, NAN},
                            Case{ASCRT_REDUCE_MIN, NAN, 3, NAN},
                            Case{ASCRT_REDUCE_MIN, 3, NAN, NAN},
                            Case{ASCRT_REDUCE_MAX, -0.0f, 0.0f, -0.0f},
                            Case{ASCRT_REDUCE_MIN, 0.0f, -0.0f, 0.0f}}) {
        Tensor x(data_type, std::vector<float>(kCount, c.x));
        Tensor y(data_type, std::vector<float>(kCount, c.y));
        Tensor z = Tensor::Unwritten(data_type, kCount);
        ASSERT_EQ(RunKernel(ASCRT_OP_REDUCE,
                            ReduceArgs(c.operation, data_type, x.data(),
                                       y.data(), z.data(), kCount)),
                  absl::OkStatus());
        for (const float value : z.Values()) {
          if (std::isnan(c.expected)) {
            EXPECT_TRUE(std::isnan(value)) << c.x << " " << c.y;
          } else {
            EXPECT_EQ(std::bit_cast<uint32_t>(value),
                      std::bit_cast<uint32_t>(c.expected))
                << c.operation << " " << c.x << " " << c.y;
          }
        }
      }
    }
  });
}

// Beyond the largest number of the type is infinity, not the largest number.
TEST(Reduce, OfHalvesOverflowsToInfinity) {
  Tensor x(ASCRT_DT_FLOAT16, {65504, -65504, 65504});
  Tensor y(ASCRT_DT_FLOAT16, {65504, -65504, 1});
  ASSERT_EQ(
      RunKernel(ASCRT_OP_REDUCE, ReduceArgs(ASCRT_REDUCE_SUM, ASCRT_DT_FLOAT16,
                                            x.data(), y.data(), x.data(), 3)),
      absl::OkStatus());
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(x.Values(), (std::vector<float>{kInfinity, -kInfinity, 65504}));
}

}  // namespace
}  // namespace ascend
