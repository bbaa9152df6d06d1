#include "server/kernels/bodies/flash_attention.h"

#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/attention_reference.h"
#include "tests/testing/error_bound.h"
#include "tests/testing/tensor.h"
#include "tests/unit/server/kernels/kernel_harness.h"

namespace ascend {
namespace {

using ::ascend::testing::AttentionMistake;
using ::ascend::testing::AttentionProblem;
using ::ascend::testing::ErrorBound;
using ::ascend::testing::kFloatBound;
using ::ascend::testing::kHalfBound;
using ::ascend::testing::MeasureErrors;
using ::ascend::testing::ReferenceAttention;
using ::ascend::testing::RunKernel;
using ::ascend::testing::Tensor;

constexpr uint32_t kSeed = 20240702;

struct Tensors {
  Tensor q, k, v, o;
};

// `deviation` is that of q and k: logits then have deviation^2.
Tensors MakeTensors(const AttentionProblem& problem, int32_t data_type,
                    float deviation = 1) {
  return {Tensor::Normal(data_type, problem.q_count(), kSeed, deviation),
          Tensor::Normal(data_type, problem.kv_count(), kSeed + 1, deviation),
          Tensor::Normal(data_type, problem.kv_count(), kSeed + 2),
          Tensor::Unwritten(data_type, problem.q_count())};
}

ascrtFlashAttentionArgs ArgsOf(const AttentionProblem& problem, Tensors& t) {
  ascrtFlashAttentionArgs args{};
  args.size = sizeof(args);
  args.q = t.q.data();
  args.k = t.k.data();
  args.v = t.v.data();
  args.o = t.o.data();
  args.batch = problem.batch;
  args.heads = problem.heads;
  args.q_length = problem.q_length;
  args.head_size = problem.head_size;
  args.kv_heads = problem.kv_heads;
  args.kv_length = problem.kv_length;
  args.scale = static_cast<float>(problem.scale);
  args.data_type = t.q.data_type();
  args.causal = problem.causal ? 1 : 0;
  return args;
}

std::vector<double> ReferenceOf(const AttentionProblem& problem,
                                const Tensors& t) {
  return ReferenceAttention(problem, t.q.Values(), t.k.Values(), t.v.Values());
}

ErrorBound BoundOf(int32_t data_type) {
  return data_type == ASCRT_DT_FLOAT ? kFloatBound : kHalfBound;
}

struct Case {
  const char* name;
  AttentionProblem problem;
  float deviation = 1;
};

std::ostream& operator<<(std::ostream& stream, const Case& c) {
  return stream << c.name;
}

const Case kCases[] = {
    {"OneTile",
     {.batch = 2,
      .heads = 2,
      .kv_heads = 2,
      .q_length = 64,
      .kv_length = 64,
      .head_size = 64}},
    {"SeveralTiles",
     {.heads = 2,
      .kv_heads = 2,
      .q_length = 512,
      .kv_length = 512,
      .head_size = 128}},
    {"Ragged",
     {.batch = 2,
      .heads = 1,
      .kv_heads = 1,
      .q_length = 259,
      .kv_length = 517,
      .head_size = 40}},
    {"OddHeadSize", {.q_length = 33, .kv_length = 31, .head_size = 7}},
    {"LargestHeadSize", {.q_length = 70, .kv_length = 300, .head_size = 256}},
    {"HeadSizeOne", {.q_length = 9, .kv_length = 300, .head_size = 1}},
    {"SingleElement", {}},
    {"GroupedHeads",
     {.batch = 2,
      .heads = 6,
      .kv_heads = 2,
      .q_length = 100,
      .kv_length = 130,
      .head_size = 64}},
    {"Decode",
     {.batch = 2,
      .heads = 8,
      .kv_heads = 1,
      .q_length = 1,
      .kv_length = 777,
      .head_size = 128}},
    {"Causal",
     {.heads = 2,
      .kv_heads = 2,
      .q_length = 515,
      .kv_length = 515,
      .head_size = 64,
      .causal = true}},
    {"CausalLaterQueries",
     {.heads = 4,
      .kv_heads = 2,
      .q_length = 130,
      .kv_length = 400,
      .head_size = 64,
      .causal = true}},
    {"CausalRowsWithoutKeys",
     {.heads = 2,
      .kv_heads = 1,
      .q_length = 300,
      .kv_length = 37,
      .head_size = 32,
      .causal = true}},
    {"PeakedLogits",
     {.heads = 2,
      .kv_heads = 2,
      .q_length = 150,
      .kv_length = 300,
      .head_size = 64},
     3},
    {"VeryPeakedLogits",
     {.q_length = 150, .kv_length = 600, .head_size = 128, .causal = true},
     6},
    // Many outputs of which each hangs on few keys: rounded weights show.
    {"PeakedInManyRows",
     {.heads = 2,
      .kv_heads = 2,
      .q_length = 500,
      .kv_length = 500,
      .head_size = 128},
     4},
    {"GivenScale",
     {.q_length = 65, .kv_length = 290, .head_size = 64, .scale = 0.03125}},
    {"NegativeScale",
     {.q_length = 65, .kv_length = 290, .head_size = 64, .scale = -0.25}},
};

class FlashAttention
    : public ::testing::TestWithParam<std::tuple<Case, int32_t>> {};

TEST_P(FlashAttention, AgreesWithDoublePrecision) {
  const auto& [c, data_type] = GetParam();
  Tensors t = MakeTensors(c.problem, data_type, c.deviation);
  ASSERT_EQ(RunKernel(ASCRT_OP_FLASH_ATTENTION, ArgsOf(c.problem, t)),
            absl::OkStatus());
  const auto report = MeasureErrors(t.o.Values(), ReferenceOf(c.problem, t),
                                    BoundOf(data_type));
  EXPECT_TRUE(report.within) << report.text << ", seed " << kSeed;
}

std::string TypeName(int32_t data_type) {
  return data_type == ASCRT_DT_FLOAT     ? "Float"
         : data_type == ASCRT_DT_FLOAT16 ? "Float16"
                                         : "Bf16";
}

INSTANTIATE_TEST_SUITE_P(Shapes, FlashAttention,
                         ::testing::Combine(::testing::ValuesIn(kCases),
                                            ::testing::Values(ASCRT_DT_FLOAT,
                                                              ASCRT_DT_FLOAT16,
                                                              ASCRT_DT_BF16)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name +
                                  TypeName(std::get<1>(test.param));
                         });

// The product of bf16 tiles as the processor's instructions would do it.
absl::Status MultiplyPlainly(const server::TileShape& s, const server::Bf16* a,
                             const server::Bf16* b, float* c) {
  for (int64_t row = 0; row < s.m; ++row) {
    for (int64_t column = 0; column < s.n; ++column) {
      float sum = s.accumulate ? c[row * s.c_stride + column] : 0;
      for (int64_t k = 0; k < s.k; ++k) {
        sum += testing::Bf16ToFloat(a[row * s.a_stride + k].bits) *
               testing::Bf16ToFloat(b[s.transpose_b ? column * s.b_stride + k
                                                    : k * s.b_stride + column]
                                        .bits);
      }
      c[row * s.c_stride + column] = sum;
    }
  }
  return absl::OkStatus();
}

class Bf16Path : public ::testing::TestWithParam<Case> {};

// Runs everywhere, also where the processor lacks bf16 instructions.
TEST_P(Bf16Path, AgreesWithDoublePrecision) {
  const Case& c = GetParam();
  Tensors t = MakeTensors(c.problem, ASCRT_DT_BF16, c.deviation);
  const ascrtFlashAttentionArgs args = ArgsOf(c.problem, t);
  void* const tensors[] = {t.q.data(), t.k.data(), t.v.data(), t.o.data()};
  const auto job = server::MakeFlashAttentionJobWith(
      MultiplyPlainly, testing::BytesOf(args), tensors);
  for (size_t chunk = 0; chunk < job->chunk_count(); ++chunk) {
    ASSERT_EQ(job->RunChunk(chunk), absl::OkStatus());
  }
  const auto report =
      MeasureErrors(t.o.Values(), ReferenceOf(c.problem, t), kHalfBound);
  EXPECT_TRUE(report.within) << report.text << ", seed " << kSeed;
}

INSTANTIATE_TEST_SUITE_P(Shapes, Bf16Path, ::testing::ValuesIn(kCases),
                         [](const auto& test) {
                           return std::string(test.param.name);
                         });

// What the bounds are worth: kernels with a known mistake do not keep them.
class AttentionBound : public ::testing::TestWithParam<AttentionMistake> {};

TEST_P(AttentionBound, IsBrokenByMistake) {
  for (const Case& c : kCases) {
    if (c.problem.kv_length < 64 || c.problem.head_size == 1) continue;
    for (const int32_t data_type : {ASCRT_DT_BF16, ASCRT_DT_FLOAT}) {
      // With the scale stated there is none to forget by default, and a peaked
      // row's largest key outweighs a single other one or l = 1.
      if (c.deviation > 1) continue;
      const Tensors t = MakeTensors(c.problem, data_type);
      const std::vector<double> wrong = ReferenceAttention(
          c.problem, t.q.Values(), t.k.Values(), t.v.Values(), GetParam());
      const auto report =
          MeasureErrors(std::vector<float>(wrong.begin(), wrong.end()),
                        ReferenceOf(c.problem, t), BoundOf(data_type));
      EXPECT_FALSE(report.within) << c.name << ": " << report.text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mistakes, AttentionBound,
                         ::testing::Values(AttentionMistake::kDropsOneKey,
                                           AttentionMistake::kForgetsScale,
                                           AttentionMistake::kStartsSumAtOne),
                         [](const auto& test) -> std::string {
                           switch (test.param) {
                             case AttentionMistake::kDropsOneKey:
                               return "DropsOneKey";
                             case AttentionMistake::kForgetsScale:
                               return "ForgetsScale";
                             default:
                               return "StartsSumAtOne";
                           }
                         });

TEST(FlashAttentionRows, WithoutKeysAreExactlyZero) {
  const AttentionProblem problem = {
      .q_length = 5, .kv_length = 2, .head_size = 4, .causal = true};
  Tensors t = MakeTensors(problem, ASCRT_DT_FLOAT);
  ASSERT_EQ(RunKernel(ASCRT_OP_FLASH_ATTENTION, ArgsOf(problem, t)),
            absl::OkStatus());
  const std::vector<float> o = t.o.Values();
  for (size_t i = 0; i < 3 * 4; ++i) EXPECT_EQ(o[i], 0) << i;
  EXPECT_NE(o[3 * 4], 0);
}

// A key whose logit is -infinity weighs nothing, wherever it stands; a whole
// tile of them before the first finite logit must not make NaN.
TEST(FlashAttentionRows, TakeInfiniteNegativeLogitsAsAbsentKeys) {
  const AttentionProblem problem = {
      .q_length = 3, .kv_length = 600, .head_size = 2};
  Tensors t = MakeTensors(problem, ASCRT_DT_FLOAT);
  std::vector<float> q(3 * 2, 1.0f);
  std::vector<float> k = t.k.Values();
  const float infinity = std::numeric_limits<float>::infinity();
  for (size_t key = 0; key < 599; ++key) k[key * 2] = -infinity;
  t.q = Tensor(ASCRT_DT_FLOAT, q);
  t.k = Tensor(ASCRT_DT_FLOAT, k);
  ASSERT_EQ(RunKernel(ASCRT_OP_FLASH_ATTENTION, ArgsOf(problem, t)),
            absl::OkStatus());
  const std::vector<float> v = t.v.Values();
  const std::vector<float> o = t.o.Values();
  for (size_t row = 0; row < 3; ++row) {
    EXPECT_FLOAT_EQ(o[row * 2], v[599 * 2]);
    EXPECT_FLOAT_EQ(o[row * 2 + 1], v[599 * 2 + 1]);
  }
}

TEST(FlashAttentionRows, AreZeroWhenAllLogitsAreNegativeInfinity) {
  const AttentionProblem problem = {
      .q_length = 2, .kv_length = 300, .head_size = 1};
  Tensors t = MakeTensors(problem, ASCRT_DT_FLOAT);
  t.q = Tensor(ASCRT_DT_FLOAT, {1, 1});
  t.k =
      Tensor(ASCRT_DT_FLOAT,
             std::vector<float>(300, -std::numeric_limits<float>::infinity()));
  ASSERT_EQ(RunKernel(ASCRT_OP_FLASH_ATTENTION, ArgsOf(problem, t)),
            absl::OkStatus());
  EXPECT_EQ(t.o.Values(), std::vector<float>(2, 0.0f));
}

TEST(FlashAttentionRows, PassNotANumberOnInTheirRowAlone) {
  const AttentionProblem problem = {
      .q_length = 300, .kv_length = 40, .head_size = 8};
  Tensors t = MakeTensors(problem, ASCRT_DT_FLOAT);
  std::vector<float> q = t.q.Values();
  q[7 * 8 + 3] = std::numeric_limits<float>::quiet_NaN();
  t.q = Tensor(ASCRT_DT_FLOAT, q);
  ASSERT_EQ(RunKernel(ASCRT_OP_FLASH_ATTENTION, ArgsOf(problem, t)),
            absl::OkStatus());
  const std::vector<float> o = t.o.Values();
  for (size_t i = 0; i < o.size(); ++i) {
    EXPECT_EQ(std::isnan(o[i]), i / 8 == 7) << i;
  }
}

TEST(FlashAttentionArguments, OfOlderProgramsMeanTheirDefaults) {
  const AttentionProblem problem = {.heads = 2,
                                    .kv_heads = 2,
                                    .q_length = 20,
                                    .kv_length = 20,
                                    .head_size = 16};
  Tensors t = MakeTensors(problem, ASCRT_DT_FLOAT);
  ascrtFlashAttentionArgs args = ArgsOf(problem, t);
  // A block that ended before kv_heads: heads, q_length, 1 / sqrt(head size),
  // float and not causal.
  args.size = offsetof(ascrtFlashAttentionArgs, kv_heads);
  testing::IdentityResolver resolver;
  server::SequentialFor parallel;
  ASSERT_EQ(server::RunBody(
                core::Catalog::Builtin().Find(ASCRT_OP_FLASH_ATTENTION)->id,
                {testing::BytesOf(args).first(args.size), resolver, parallel}),
            absl::OkStatus());
  const auto report =
      MeasureErrors(t.o.Values(), ReferenceOf(problem, t), kFloatBound);
  EXPECT_TRUE(report.within) << report.text;
}

}  // namespace
}  // namespace ascend
