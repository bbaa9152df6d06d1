#include <cmath>
#include <ostream>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "server/kernels/tile_product.h"
#include "tests/testing/error_bound.h"
#include "tests/testing/tensor.h"
#include "tests/unit/server/kernels/kernel_harness.h"

namespace ascend {
namespace {

using ::ascend::testing::ErrorBound;
using ::ascend::testing::MeasureErrors;
using ::ascend::testing::RunKernel;
using ::ascend::testing::Tensor;

constexpr uint32_t kSeed = 20240706;

struct Shape {
  int64_t m, n, k, batch;
};

std::ostream& operator<<(std::ostream& stream, const Shape& s) {
  return stream << s.m << "x" << s.n << "x" << s.k << "x" << s.batch;
}

class Matmul
    : public ::testing::TestWithParam<std::tuple<Shape, int32_t, bool, bool>> {
};

TEST_P(Matmul, AgreesWithDoublePrecision) {
  const auto [s, data_type, transpose_a, transpose_b] = GetParam();
  Tensor a = Tensor::Normal(data_type, s.batch * s.m * s.k, kSeed);
  Tensor b = Tensor::Normal(data_type, s.batch * s.k * s.n, kSeed + 1);
  Tensor c = Tensor::Unwritten(data_type, s.batch * s.m * s.n);
  ASSERT_EQ(RunKernel(ASCRT_OP_MATMUL,
                      ascrtMatmulArgs{.a = a.data(),
                                      .b = b.data(),
                                      .c = c.data(),
                                      .m = s.m,
                                      .n = s.n,
                                      .k = s.k,
                                      .batch = s.batch == 1 ? 0 : s.batch,
                                      .data_type = data_type,
                                      .transpose_a = transpose_a,
                                      .transpose_b = transpose_b}),
            absl::OkStatus());
  const std::vector<float> as = a.Values();
  const std::vector<float> bs = b.Values();
  std::vector<double> reference;
  for (int64_t batch = 0; batch < s.batch; ++batch) {
    const float* const a0 = as.data() + batch * s.m * s.k;
    const float* const b0 = bs.data() + batch * s.k * s.n;
    for (int64_t row = 0; row < s.m; ++row) {
      for (int64_t column = 0; column < s.n; ++column) {
        double sum = 0;
        for (int64_t k = 0; k < s.k; ++k) {
          sum += double{a0[transpose_a ? k * s.m + row : row * s.k + k]} *
                 double{b0[transpose_b ? column * s.k + k : k * s.n + column]};
        }
        reference.push_back(sum);
      }
    }
  }
  // Sums of k products grow like its root; halves add their rounding.
  const ErrorBound bound =
      data_type == ASCRT_DT_FLOAT
          ? ErrorBound{2e-6 * double(s.k), 1e-6, 1e-5}
          : ErrorBound{1e-3 * std::sqrt(double(s.k)), 1.0 / 128, 5e-3};
  const auto report = MeasureErrors(c.Values(), reference, bound);
  EXPECT_TRUE(report.within) << report.text << ", seed " << kSeed;
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Matmul,
    ::testing::Combine(
        ::testing::Values(Shape{1, 1, 1, 1}, Shape{3, 5, 7, 2},
                          Shape{64, 96, 128, 1}, Shape{259, 130, 300, 1},
                          Shape{20, 300, 530, 2}),
        ::testing::Values(ASCRT_DT_FLOAT, ASCRT_DT_FLOAT16, ASCRT_DT_BF16),
        ::testing::Bool(), ::testing::Bool()));

TEST(TileProduct, AddsToWhatIsThereWhenAsked) {
  const std::vector<float> a = {1, 2, 3, 4};
  const std::vector<float> b = {1, 0, 0, 1};
  std::vector<float> c = {10, 20, -1, 30, 40, -1};
  server::TileShape shape = {.m = 2,
                             .n = 2,
                             .k = 2,
                             .a_stride = 2,
                             .b_stride = 2,
                             .c_stride = 3,
                             .accumulate = true};
  ASSERT_EQ(server::Multiply(shape, a.data(), b.data(), c.data()),
            absl::OkStatus());
  EXPECT_EQ(c, (std::vector<float>{11, 22, -1, 33, 44, -1}));
  shape.accumulate = false;
  ASSERT_EQ(server::Multiply(shape, a.data(), b.data(), c.data()),
            absl::OkStatus());
  EXPECT_EQ(c, (std::vector<float>{1, 2, -1, 3, 4, -1}));
}

// More shapes than the cache keeps.
TEST(TileProduct, StaysRightWhenItsCacheStartsAnew) {
  std::vector<float> a(2200, 1), b(2200, 2);
  for (int64_t k = 1; k <= 1100; ++k) {
    float c = -1;
    ASSERT_EQ(server::Multiply({.m = 1,
                                .n = 1,
                                .k = k,
                                .a_stride = k,
                                .b_stride = 1,
                                .c_stride = 1},
                               a.data(), b.data(), &c),
              absl::OkStatus());
    ASSERT_EQ(c, 2 * float(k));
  }
}

}  // namespace
}  // namespace ascend
