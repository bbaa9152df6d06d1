// The built-in kernels through the interface: right numbers in every data type.
// Their corners are tested in tests/unit/server/kernels; here it is that the
// arguments arrive as they were meant.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"
#include "tests/testing/attention_reference.h"
#include "tests/testing/error_bound.h"
#include "tests/testing/tensor.h"

namespace ascend::conformance {
namespace {

using testing::Tensor;

class KernelNumbersTest : public AclTest,
                          public ::testing::WithParamInterface<int32_t> {
 protected:
  int32_t type() const { return GetParam(); }
  Tensor Random(int64_t count, uint32_t seed) const {
    return Tensor::Normal(type(), count, seed);
  }
  void ExpectNear(const Tensor& actual,
                  const std::vector<double>& reference) const {
    const testing::ErrorReport report = testing::MeasureErrors(
        actual.Values(), reference,
        type() == ASCRT_DT_FLOAT ? testing::kFloatBound : testing::kHalfBound);
    EXPECT_TRUE(report.within) << report.text;
  }
};

// A tensor's bytes on the device.
class OnDevice {
 public:
  explicit OnDevice(const Tensor& tensor) : memory_(tensor.bytes()) {}
  void* data() const { return memory_.data(); }
  Tensor Load(const Tensor& shape) const {
    Tensor result = shape;
    EXPECT_ACL_OK(aclrtMemcpy(result.data(), memory_.bytes(), memory_.data(),
                              memory_.bytes(), ACL_MEMCPY_DEVICE_TO_HOST));
    return result;
  }

 private:
  DeviceArray<unsigned char> memory_;
};

// Runs a kernel and loads its output, which begins as `shape`.
template <typename Args>
Tensor ResultOf(const char* name, Args args, void* Args::*output,
                const Tensor& shape) {
  const Ops ops;
  const OnDevice result(shape);
  args.*output = result.data();
  const OwnStream stream;
  EXPECT_ACL_OK(ops.Launch(name, args, stream));
  EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
  return result.Load(shape);
}

TEST_P(KernelNumbersTest, FlashAttention) {
  const testing::AttentionProblem problem{.batch = 2,
                                          .heads = 4,
                                          .kv_heads = 2,
                                          .q_length = 37,
                                          .kv_length = 53,
                                          .head_size = 40,
                                          .causal = true};
  const Tensor q = Random(problem.q_count(), 1);
  const Tensor k = Random(problem.kv_count(), 2);
  const Tensor v = Random(problem.kv_count(), 3);
  const OnDevice dq(q);
  const OnDevice dk(k);
  const OnDevice dv(v);
  ascrtFlashAttentionArgs args{};
  args.q = dq.data();
  args.k = dk.data();
  args.v = dv.data();
  args.batch = problem.batch;
  args.heads = problem.heads;
  args.kv_heads = problem.kv_heads;
  args.q_length = problem.q_length;
  args.kv_length = problem.kv_length;
  args.head_size = problem.head_size;
  args.causal = 1;
  args.data_type = type();
  const Tensor o =
      ResultOf(ASCRT_OP_FLASH_ATTENTION, args, &ascrtFlashAttentionArgs::o,
               Tensor::Unwritten(type(), problem.q_count()));
  ExpectNear(o,
             ReferenceAttention(problem, q.Values(), k.Values(), v.Values()));
}

TEST_P(KernelNumbersTest, MatmulOfTransposedB) {
  constexpr int64_t kBatch = 2;
  constexpr int64_t kM = 5;
  constexpr int64_t kN = 33;
  constexpr int64_t kK = 17;
  const Tensor a = Random(kBatch * kM * kK, 1);
  const Tensor b = Random(kBatch * kN * kK, 2);
  const OnDevice da(a);
  const OnDevice db(b);
  ascrtMatmulArgs args{};
  args.a = da.data();
  args.b = db.data();
  args.m = kM;
  args.n = kN;
  args.k = kK;
  args.batch = kBatch;
  args.transpose_b = 1;
  args.data_type = type();
  const Tensor c = ResultOf(ASCRT_OP_MATMUL, args, &ascrtMatmulArgs::c,
                            Tensor::Unwritten(type(), kBatch * kM * kN));
  const std::vector<float> av = a.Values();
  const std::vector<float> bv = b.Values();
  std::vector<double> reference;
  for (int64_t i = 0; i < kBatch; ++i) {
    for (int64_t m = 0; m < kM; ++m) {
      for (int64_t n = 0; n < kN; ++n) {
        double sum = 0;
        for (int64_t k = 0; k < kK; ++k) {
          sum += double{av[(i * kM + m) * kK + k]} * bv[(i * kN + n) * kK + k];
        }
        reference.push_back(sum);
      }
    }
  }
  ExpectNear(c, reference);
}

TEST_P(KernelNumbersTest, AddMulAndSiluMul) {
  constexpr int64_t kCount = 1003;
  const Tensor x = Random(kCount, 1);
  const Tensor y = Random(kCount, 2);
  const OnDevice dx(x);
  const OnDevice dy(y);
  ascrtBinaryArgs args{};
  args.x = dx.data();
  args.y = dy.data();
  args.count = kCount;
  args.data_type = type();
  ascrtSiluMulArgs silu{};
  silu.gate = dx.data();
  silu.up = dy.data();
  silu.count = kCount;
  silu.data_type = type();
  const Tensor shape = Tensor::Unwritten(type(), kCount);
  std::vector<double> sum;
  std::vector<double> product;
  std::vector<double> gated;
  const std::vector<float> xv = x.Values();
  const std::vector<float> yv = y.Values();
  for (int64_t i = 0; i < kCount; ++i) {
    sum.push_back(double{xv[i]} + yv[i]);
    product.push_back(double{xv[i]} * yv[i]);
    gated.push_back(xv[i] / (1 + std::exp(-double{xv[i]})) * yv[i]);
  }
  ExpectNear(ResultOf(ASCRT_OP_ADD, args, &ascrtBinaryArgs::z, shape), sum);
  ExpectNear(ResultOf(ASCRT_OP_MUL, args, &ascrtBinaryArgs::z, shape), product);
  ExpectNear(ResultOf(ASCRT_OP_SILU_MUL, silu, &ascrtSiluMulArgs::y, shape),
             gated);
}

TEST_P(KernelNumbersTest, SoftmaxAndRmsNorm) {
  constexpr int64_t kRows = 7;
  constexpr int64_t kColumns = 129;
  const Tensor x = Random(kRows * kColumns, 1);
  const Tensor weight = Random(kColumns, 2);
  const OnDevice dx(x);
  const OnDevice dw(weight);
  ascrtSoftmaxArgs softmax{};
  softmax.x = dx.data();
  softmax.rows = kRows;
  softmax.columns = kColumns;
  softmax.data_type = type();
  ascrtRmsNormArgs norm{};
  norm.x = dx.data();
  norm.weight = dw.data();
  norm.rows = kRows;
  norm.columns = kColumns;
  norm.epsilon = 1e-5f;
  norm.data_type = type();
  const std::vector<float> xv = x.Values();
  const std::vector<float> wv = weight.Values();
  std::vector<double> shares;
  std::vector<double> scaled;
  for (int64_t r = 0; r < kRows; ++r) {
    double sum = 0;
    double squares = 0;
    for (int64_t c = 0; c < kColumns; ++c) {
      const double value = xv[r * kColumns + c];
      sum += std::exp(value);
      squares += value * value;
    }
    const double root = std::sqrt(squares / kColumns + 1e-5);
    for (int64_t c = 0; c < kColumns; ++c) {
      const double value = xv[r * kColumns + c];
      shares.push_back(std::exp(value) / sum);
      scaled.push_back(value / root * wv[c]);
    }
  }
  const Tensor shape = Tensor::Unwritten(type(), kRows * kColumns);
  ExpectNear(ResultOf(ASCRT_OP_SOFTMAX, softmax, &ascrtSoftmaxArgs::y, shape),
             shares);
  ExpectNear(ResultOf(ASCRT_OP_RMS_NORM, norm, &ascrtRmsNormArgs::y, shape),
             scaled);
}

TEST_P(KernelNumbersTest, RopeAndFill) {
  constexpr int64_t kLength = 9;
  constexpr int64_t kHeadSize = 8;
  constexpr int64_t kFirst = 100;
  const Tensor x = Random(kLength * kHeadSize, 1);
  const OnDevice dx(x);
  ascrtRopeArgs rope{};
  rope.x = dx.data();
  rope.batch = 1;
  rope.heads = 1;
  rope.length = kLength;
  rope.head_size = kHeadSize;
  rope.first_position = kFirst;
  rope.data_type = type();
  const std::vector<float> xv = x.Values();
  std::vector<double> turned(kLength * kHeadSize);
  for (int64_t s = 0; s < kLength; ++s) {
    for (int64_t i = 0; i < kHeadSize / 2; ++i) {
      const double angle =
          static_cast<double>(kFirst + s) *
          std::pow(10000.0, -2.0 * static_cast<double>(i) / kHeadSize);
      const int64_t low = s * kHeadSize + i;
      const int64_t high = low + kHeadSize / 2;
      turned[low] = xv[low] * std::cos(angle) - xv[high] * std::sin(angle);
      turned[high] = xv[low] * std::sin(angle) + xv[high] * std::cos(angle);
    }
  }
  const Tensor shape = Tensor::Unwritten(type(), kLength * kHeadSize);
  ExpectNear(ResultOf(ASCRT_OP_ROPE, rope, &ascrtRopeArgs::y, shape), turned);
  ascrtFillArgs fill{};
  fill.count = kLength * kHeadSize;
  fill.value = 1.5f;
  fill.data_type = type();
  ExpectNear(ResultOf(ASCRT_OP_FILL, fill, &ascrtFillArgs::y, shape),
             std::vector<double>(kLength * kHeadSize, 1.5));
}

// The other ranks' parts are zero.
TEST_P(KernelNumbersTest, AllReduce) {
  constexpr int64_t kCount = 1003;
  const Tensor x = Random(kCount, 1);
  const OnDevice dx(x);
  ascrtAllReduceArgs args{};
  args.x = dx.data();
  args.count = kCount;
  args.data_type = type();
  args.ranks = 8;
  const Tensor y = ResultOf(ASCRT_OP_ALL_REDUCE, args, &ascrtAllReduceArgs::y,
                            Tensor::Unwritten(type(), kCount));
  EXPECT_TRUE(y.bytes() == x.bytes());
}

std::string TypeName(const ::testing::TestParamInfo<int32_t>& info) {
  switch (info.param) {
    case ASCRT_DT_FLOAT:
      return "Float";
    case ASCRT_DT_FLOAT16:
      return "Float16";
    default:
      return "Bf16";
  }
}

INSTANTIATE_TEST_SUITE_P(Types, KernelNumbersTest,
                         ::testing::Values(ASCRT_DT_FLOAT, ASCRT_DT_FLOAT16,
                                           ASCRT_DT_BF16),
                         TypeName);

}  // namespace
}  // namespace ascend::conformance
