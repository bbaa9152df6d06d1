#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/tensor.h"
#include "tests/unit/server/kernels/kernel_harness.h"

namespace ascend {
namespace {

using ::ascend::testing::RunKernel;
using ::ascend::testing::Tensor;

constexpr int32_t kTypes[] = {ASCRT_DT_FLOAT, ASCRT_DT_FLOAT16, ASCRT_DT_BF16};
// Remainders of chunks, which have a MiB.
constexpr int64_t kCounts[] = {1, 7, 1 << 18, (1 << 19) + 5, (1 << 20) + 1};

ascrtAllReduceArgs Args(const Tensor& x, Tensor& y, int64_t count) {
  return {.x = const_cast<Tensor&>(x).data(),
          .y = y.data(),
          .count = count,
          .data_type = x.data_type(),
          .ranks = 8};
}

TEST(AllReduce, OfOneRankIsItsPart) {
  for (const int32_t type : kTypes) {
    for (const int64_t count : kCounts) {
      const Tensor x = Tensor::Normal(type, count, 7);
      Tensor y = Tensor::Unwritten(type, count);
      ASSERT_EQ(RunKernel(ASCRT_OP_ALL_REDUCE, Args(x, y, count)),
                absl::OkStatus());
      EXPECT_TRUE(y.bytes() == x.bytes()) << type << " " << count;
    }
  }
}

TEST(AllReduce, WritesNothingBeyondItsCount) {
  constexpr int64_t kCount = (1 << 20) + 1;
  const Tensor x = Tensor::Normal(ASCRT_DT_FLOAT, kCount + 3, 7);
  Tensor y(ASCRT_DT_FLOAT, std::vector<float>(kCount + 3, 5));
  ASSERT_EQ(RunKernel(ASCRT_OP_ALL_REDUCE, Args(x, y, kCount)),
            absl::OkStatus());
  std::vector<float> expected = x.Values();
  for (int64_t i = kCount; i < kCount + 3; ++i) expected[i] = 5;
  EXPECT_TRUE(y.Values() == expected);
}

TEST(AllReduce, WorksInPlace) {
  constexpr int64_t kCount = (1 << 19) + 5;
  Tensor x = Tensor::Normal(ASCRT_DT_BF16, kCount, 7);
  const std::vector<float> before = x.Values();
  ASSERT_EQ(RunKernel(ASCRT_OP_ALL_REDUCE, Args(x, x, kCount)),
            absl::OkStatus());
  EXPECT_TRUE(x.Values() == before);
}

}  // namespace
}  // namespace ascend
