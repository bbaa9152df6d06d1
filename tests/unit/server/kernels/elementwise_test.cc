#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/error_bound.h"
#include "tests/testing/tensor.h"
#include "tests/unit/server/kernels/each_target.h"
#include "tests/unit/server/kernels/kernel_harness.h"

namespace ascend {
namespace {

using ::ascend::testing::ErrorBound;
using ::ascend::testing::MeasureErrors;
using ::ascend::testing::RunKernel;
using ::ascend::testing::Tensor;

constexpr uint32_t kSeed = 20240704;
constexpr int32_t kTypes[] = {ASCRT_DT_FLOAT, ASCRT_DT_FLOAT16, ASCRT_DT_BF16};
// Remainders of vectors, of blocks and of chunks.
constexpr int64_t kCounts[] = {1, 7, 1024, 1031, 65536 + 1024 + 5};

// Single operations are off by one rounding at most.
ErrorBound RoundingOf(int32_t data_type) {
  switch (data_type) {
    case ASCRT_DT_FLOAT:
      return {1e-7, 1e-6, 1e-6};
    case ASCRT_DT_FLOAT16:
      return {1e-6, 1.0 / 1024, 1.0 / 1024};
    default:
      return {1e-6, 1.0 / 128, 1.0 / 128};
  }
}

template <typename Args>
Args BinaryArgs(const void* x, const void* y, void* z, const Tensor& like,
                int64_t count);

template <>
ascrtBinaryArgs BinaryArgs(const void* x, const void* y, void* z,
                           const Tensor& like, int64_t count) {
  return {
      .x = x, .y = y, .z = z, .count = count, .data_type = like.data_type()};
}

template <>
ascrtSiluMulArgs BinaryArgs(const void* x, const void* y, void* z,
                            const Tensor& like, int64_t count) {
  return {.gate = x,
          .up = y,
          .y = z,
          .count = count,
          .data_type = like.data_type()};
}

template <typename Args>
void ExpectBinary(const char* name, double (*combine)(double, double)) {
  for (const int32_t data_type : kTypes) {
    for (const int64_t count : kCounts) {
      Tensor x = Tensor::Normal(data_type, count, kSeed, 2);
      Tensor y = Tensor::Normal(data_type, count, kSeed + 1);
      Tensor z = Tensor::Unwritten(data_type, count);
      ASSERT_EQ(RunKernel(name, BinaryArgs<Args>(x.data(), y.data(), z.data(),
                                                 x, count)),
                absl::OkStatus());
      const std::vector<float> xs = x.Values();
      const std::vector<float> ys = y.Values();
      std::vector<double> reference;
      for (size_t i = 0; i < xs.size(); ++i) {
        reference.push_back(combine(xs[i], ys[i]));
      }
      const auto report =
          MeasureErrors(z.Values(), reference, RoundingOf(data_type));
      EXPECT_TRUE(report.within)
          << name << " type " << data_type << " count " << count << ": "
          << report.text << ", seed " << kSeed;

      // In place, into either operand.
      const std::vector<unsigned char> expected = z.bytes();
      Tensor x2 = x;
      ASSERT_EQ(RunKernel(name, BinaryArgs<Args>(x2.data(), y.data(), x2.data(),
                                                 x, count)),
                absl::OkStatus());
      EXPECT_EQ(x2.bytes(), expected);
      ASSERT_EQ(RunKernel(name, BinaryArgs<Args>(x.data(), y.data(), y.data(),
                                                 x, count)),
                absl::OkStatus());
      EXPECT_EQ(y.bytes(), expected);
    }
  }
}

TEST(Add, AgreesWithDoublePrecision) {
  testing::ForEachTarget([] {
    ExpectBinary<ascrtAddArgs>(ASCRT_OP_ADD,
                               [](double x, double y) { return x + y; });
  });
}

TEST(Mul, AgreesWithDoublePrecision) {
  testing::ForEachTarget([] {
    ExpectBinary<ascrtMulArgs>(ASCRT_OP_MUL,
                               [](double x, double y) { return x * y; });
  });
}

TEST(SiluMul, AgreesWithDoublePrecision) {
  testing::ForEachTarget([] {
    ExpectBinary<ascrtSiluMulArgs>(ASCRT_OP_SILU_MUL,
                                   [](double gate, double up) {
                                     return gate / (1 + std::exp(-gate)) * up;
                                   });
  });
}

TEST(SiluMul, IsRightAtTheEndsOfTheRange) {
  const float infinity = std::numeric_limits<float>::infinity();
  Tensor gate(ASCRT_DT_FLOAT, {-200, -100, -1000, 200, 0, infinity, NAN});
  Tensor up(ASCRT_DT_FLOAT, {1, 1, 1, 1, 1, 1, 1});
  Tensor y = Tensor::Unwritten(ASCRT_DT_FLOAT, 7);
  ASSERT_EQ(RunKernel(ASCRT_OP_SILU_MUL,
                      BinaryArgs<ascrtSiluMulArgs>(gate.data(), up.data(),
                                                   y.data(), gate, 7)),
            absl::OkStatus());
  const std::vector<float> values = y.Values();
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(values[i], 0, 1e-30) << i;
  EXPECT_EQ(values[3], 200);
  EXPECT_EQ(values[4], 0);
  EXPECT_EQ(values[5], infinity);
  EXPECT_TRUE(std::isnan(values[6]));
}

TEST(Fill, WritesTheRoundedValueAndNothingElse) {
  for (const int32_t data_type : kTypes) {
    for (const int64_t count : kCounts) {
      Tensor y = Tensor::Unwritten(data_type, count + 1);
      ascrtFillArgs args{};
      args.y = y.data();
      args.count = count;
      args.value = 0.3f;
      args.data_type = data_type;
      ASSERT_EQ(RunKernel(ASCRT_OP_FILL, args), absl::OkStatus());
      const float rounded = Tensor(data_type, {0.3f}).Values()[0];
      const float untouched = Tensor::Unwritten(data_type, 1).Values()[0];
      const std::vector<float> values = y.Values();
      for (size_t i = 0; i < size_t(count); ++i) {
        ASSERT_EQ(values[i], rounded) << i;
      }
      EXPECT_EQ(values.back(), untouched);
    }
  }
}

}  // namespace
}  // namespace ascend
