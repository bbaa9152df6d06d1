// softmax, rms_norm and rope.
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
using ::ascend::testing::kFloatBound;
using ::ascend::testing::kHalfBound;
using ::ascend::testing::MeasureErrors;
using ::ascend::testing::RunKernel;
using ::ascend::testing::Tensor;

constexpr uint32_t kSeed = 20240705;
constexpr int32_t kTypes[] = {ASCRT_DT_FLOAT, ASCRT_DT_FLOAT16, ASCRT_DT_BF16};
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Matrix {
  int64_t rows;
  int64_t columns;
};
// Remainders of vectors and blocks; more rows than a chunk; one long row.
constexpr Matrix kMatrices[] = {{1, 1}, {3, 5}, {70, 1000}, {9, 2500}};

ErrorBound BoundOf(int32_t data_type) {
  return data_type == ASCRT_DT_FLOAT ? kFloatBound : kHalfBound;
}

ascrtSoftmaxArgs SoftmaxArgs(Tensor& x, Tensor& y, Matrix matrix) {
  return {.x = x.data(),
          .y = y.data(),
          .rows = matrix.rows,
          .columns = matrix.columns,
          .data_type = x.data_type()};
}

std::vector<double> ReferenceSoftmax(const std::vector<float>& x,
                                     Matrix matrix) {
  const size_t columns = size_t(matrix.columns);
  std::vector<double> y(x.size());
  for (size_t row = 0; row < x.size(); row += columns) {
    double largest = x[row];
    for (size_t i = 0; i < columns; ++i) {
      largest = std::max(largest, double{x[row + i]});
    }
    double sum = 0;
    for (size_t i = 0; i < columns; ++i) {
      sum += y[row + i] = std::exp(x[row + i] - largest);
    }
    for (size_t i = 0; i < columns; ++i) y[row + i] /= sum;
  }
  return y;
}

TEST(Softmax, AgreesWithDoublePrecision) {
  testing::ForEachTarget([] {
    for (const int32_t data_type : kTypes) {
      for (const Matrix matrix : kMatrices) {
        for (const float deviation : {1.0f, 30.0f}) {
          const int64_t count = matrix.rows * matrix.columns;
          Tensor x = Tensor::Normal(data_type, count, kSeed, deviation);
          Tensor y = Tensor::Unwritten(data_type, count);
          ASSERT_EQ(RunKernel(ASCRT_OP_SOFTMAX, SoftmaxArgs(x, y, matrix)),
                    absl::OkStatus());
          const auto report =
              MeasureErrors(y.Values(), ReferenceSoftmax(x.Values(), matrix),
                            BoundOf(data_type));
          EXPECT_TRUE(report.within)
              << "type " << data_type << " [" << matrix.rows << ", "
              << matrix.columns << "]: " << report.text << ", seed " << kSeed;
          ASSERT_EQ(RunKernel(ASCRT_OP_SOFTMAX, SoftmaxArgs(x, x, matrix)),
                    absl::OkStatus());
          EXPECT_EQ(x.bytes(), y.bytes());
        }
      }
    }
  });
}

TEST(Softmax, GivesInfiniteNegativeElementsNoWeight) {
  // Two blocks of a row: the first has nothing finite.
  std::vector<float> row(2048, -kInfinity);
  row[2000] = 3;
  row[2001] = 3;
  Tensor x(ASCRT_DT_FLOAT, row);
  Tensor y = Tensor::Unwritten(ASCRT_DT_FLOAT, 2048);
  ASSERT_EQ(RunKernel(ASCRT_OP_SOFTMAX, SoftmaxArgs(x, y, {1, 2048})),
            absl::OkStatus());
  std::vector<float> expected(2048, 0.0f);
  expected[2000] = expected[2001] = 0.5f;
  EXPECT_EQ(y.Values(), expected);
}

TEST(Softmax, MakesRowsWithoutAnyFiniteElementZero) {
  Tensor x(ASCRT_DT_BF16, std::vector<float>(40, -kInfinity));
  Tensor y = Tensor::Unwritten(ASCRT_DT_BF16, 40);
  ASSERT_EQ(RunKernel(ASCRT_OP_SOFTMAX, SoftmaxArgs(x, y, {2, 20})),
            absl::OkStatus());
  EXPECT_EQ(y.Values(), std::vector<float>(40, 0.0f));
}

TEST(RmsNorm, AgreesWithDoublePrecision) {
  testing::ForEachTarget([] {
    for (const int32_t data_type : kTypes) {
      for (const Matrix matrix : kMatrices) {
        const int64_t count = matrix.rows * matrix.columns;
        Tensor x = Tensor::Normal(data_type, count, kSeed, 3);
        Tensor weight = Tensor::Normal(data_type, matrix.columns, kSeed + 1);
        Tensor y = Tensor::Unwritten(data_type, count);
        ascrtRmsNormArgs args = {.x = x.data(),
                                 .weight = weight.data(),
                                 .y = y.data(),
                                 .rows = matrix.rows,
                                 .columns = matrix.columns,
                                 .epsilon = 0.5f,
                                 .data_type = data_type};
        ASSERT_EQ(RunKernel(ASCRT_OP_RMS_NORM, args), absl::OkStatus());
        const std::vector<float> xs = x.Values();
        const std::vector<float> weights = weight.Values();
        std::vector<double> reference(xs.size());
        for (size_t row = 0; row < xs.size(); row += weights.size()) {
          double squares = 0;
          for (size_t i = 0; i < weights.size(); ++i) {
            squares += double{xs[row + i]} * xs[row + i];
          }
          const double root = std::sqrt(squares / double(matrix.columns) + 0.5);
          for (size_t i = 0; i < weights.size(); ++i) {
            reference[row + i] = xs[row + i] / root * weights[i];
          }
        }
        const auto report =
            MeasureErrors(y.Values(), reference, BoundOf(data_type));
        EXPECT_TRUE(report.within)
            << "type " << data_type << " [" << matrix.rows << ", "
            << matrix.columns << "]: " << report.text << ", seed " << kSeed;
        args.y = x.data();
        ASSERT_EQ(RunKernel(ASCRT_OP_RMS_NORM, args), absl::OkStatus());
        EXPECT_EQ(x.bytes(), y.bytes());
      }
    }
  });
}

TEST(RmsNorm, TakesNoEpsilonAsOneMillionth) {
  Tensor x(ASCRT_DT_FLOAT, {1e-3f, 1e-3f});
  Tensor weight(ASCRT_DT_FLOAT, {1, 1});
  Tensor y = Tensor::Unwritten(ASCRT_DT_FLOAT, 2);
  ASSERT_EQ(
      RunKernel(ASCRT_OP_RMS_NORM, ascrtRmsNormArgs{.x = x.data(),
                                                    .weight = weight.data(),
                                                    .y = y.data(),
                                                    .rows = 1,
                                                    .columns = 2}),
      absl::OkStatus());
  EXPECT_NEAR(y.Values()[0], 1 / std::sqrt(2), 1e-6);
}

std::vector<double> ReferenceRope(const ascrtRopeArgs& a,
                                  const std::vector<float>& x) {
  std::vector<double> y(x.begin(), x.end());
  const size_t size = size_t(a.head_size);
  const size_t turning = a.rotary_size == 0 ? size : size_t(a.rotary_size);
  const double base = a.base == 0 ? 10000 : a.base;
  for (size_t row = 0; row < x.size() / size; ++row) {
    const double position =
        double(a.first_position) + double(row % size_t(a.length));
    for (size_t pair = 0; pair < turning / 2; ++pair) {
      const size_t i = row * size + (a.interleaved ? 2 * pair : pair);
      const size_t j = a.interleaved ? i + 1 : i + turning / 2;
      const double angle =
          position * std::pow(base, -2.0 * double(pair) / double(turning));
      y[i] = x[i] * std::cos(angle) - x[j] * std::sin(angle);
      y[j] = x[i] * std::sin(angle) + x[j] * std::cos(angle);
    }
  }
  return y;
}

void ExpectRope(ascrtRopeArgs args) {
  const int64_t count = args.batch * args.heads * args.length * args.head_size;
  for (const int32_t data_type : kTypes) {
    Tensor x = Tensor::Normal(data_type, count, kSeed);
    Tensor y = Tensor::Unwritten(data_type, count);
    args.data_type = data_type;
    args.x = x.data();
    args.y = y.data();
    ASSERT_EQ(RunKernel(ASCRT_OP_ROPE, args), absl::OkStatus());
    const auto report = MeasureErrors(
        y.Values(), ReferenceRope(args, x.Values()), BoundOf(data_type));
    EXPECT_TRUE(report.within)
        << "type " << data_type << ": " << report.text << ", seed " << kSeed;
    args.y = x.data();
    ASSERT_EQ(RunKernel(ASCRT_OP_ROPE, args), absl::OkStatus());
    EXPECT_EQ(x.bytes(), y.bytes());
  }
}

TEST(Rope, TurnsHalvesOfAHead) {
  ExpectRope({.batch = 2, .heads = 3, .length = 100, .head_size = 128});
}

TEST(Rope, TurnsNeighbours) {
  ExpectRope({.batch = 1,
              .heads = 3,
              .length = 37,
              .head_size = 64,
              .interleaved = 1});
}

TEST(Rope, CopiesWhatDoesNotTurn) {
  ExpectRope({.batch = 1,
              .heads = 2,
              .length = 9,
              .head_size = 51,
              .rotary_size = 20});
}

TEST(Rope, IsExactAtLatePositions) {
  ExpectRope({.batch = 1,
              .heads = 1,
              .length = 5,
              .head_size = 64,
              .first_position = 1000000,
              .base = 500000});
}

TEST(Rope, TurnsHeadsLargerThanABlock) {
  ExpectRope({.batch = 1, .heads = 1, .length = 3, .head_size = 1100});
  ExpectRope({.batch = 1,
              .heads = 1,
              .length = 3,
              .head_size = 1100,
              .interleaved = 1});
}

}  // namespace
}  // namespace ascend
