#include "core/kernels/argument_checks.h"

#include <cmath>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/kernels/catalog.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/core/kernels/kernel_arguments.h"

namespace ascend::core {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
constexpr int64_t kTiny = std::numeric_limits<int64_t>::min();

absl::Status CheckBytes(absl::string_view kernel,
                        std::span<const std::byte> bytes) {
  return Catalog::Builtin().Find(kernel)->check(bytes);
}

template <typename Args>
absl::Status Check(absl::string_view kernel, const Args& args) {
  return CheckBytes(kernel, BlockOf(args));
}

// The refusal names the field, its value and what is allowed.
template <typename Args>
void ExpectRefused(absl::string_view kernel, const Args& args,
                   absl::string_view field, absl::string_view value) {
  const absl::Status status = Check(kernel, args);
  EXPECT_EQ(ReasonOf(status), Reason::kInvalidArgument) << field;
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(HasSubstr(std::string(field)),
            HasSubstr(" is " + std::string(value)), HasSubstr(", but ")));
}

TEST(Checks, AcceptLegalBlocksOfEveryKernel) {
  for (const NamedBlock& block : LegalBlocks()) {
    EXPECT_EQ(CheckBytes(block.kernel, block.bytes), absl::OkStatus())
        << block.kernel;
  }
}

TEST(Checks, RefuseBlocksThatAreShorterThanTheyState) {
  for (const NamedBlock& block : LegalBlocks()) {
    for (size_t bytes = 0; bytes < block.bytes.size(); ++bytes) {
      const absl::Status status =
          CheckBytes(block.kernel, std::span(block.bytes).first(bytes));
      EXPECT_EQ(ReasonOf(status), Reason::kInvalidArgument)
          << block.kernel << " " << bytes;
    }
  }
}

TEST(Checks, RefuseSizesThatHoldNotEvenTheSize) {
  for (NamedBlock& block : LegalBlocks()) {
    for (const uint64_t size : {uint64_t{0}, uint64_t{7}}) {
      std::memcpy(block.bytes.data(), &size, sizeof(size));
      EXPECT_THAT(std::string(CheckBytes(block.kernel, block.bytes).message()),
                  HasSubstr("size is " + std::to_string(size)));
    }
  }
}

TEST(Checks, TakeMissingFieldsAsZero) {
  ascrtFlashAttentionArgs args = AttentionArgs();
  args.size = offsetof(ascrtFlashAttentionArgs, kv_heads);
  // What lies beyond the stated size is not read.
  args.kv_heads = 5;
  args.data_type = 99;
  EXPECT_EQ(Check(ASCRT_OP_FLASH_ATTENTION, args), absl::OkStatus());
  args.size = offsetof(ascrtFlashAttentionArgs, o);
  ExpectRefused(ASCRT_OP_FLASH_ATTENTION, args, "batch", "0");
}

TEST(Checks, TakeUnknownFieldsOnlyAsZero) {
  for (const NamedBlock& block : LegalBlocks()) {
    std::vector<std::byte> longer = block.bytes;
    const uint64_t size = longer.size() + 16;
    longer.resize(size);
    std::memcpy(longer.data(), &size, sizeof(size));
    EXPECT_EQ(CheckBytes(block.kernel, longer), absl::OkStatus());
    longer.back() = std::byte{1};
    EXPECT_EQ(ReasonOf(CheckBytes(block.kernel, longer)),
              Reason::kInvalidArgument);
  }
}

TEST(Checks, RefuseNullAndMisalignedPointers) {
  ascrtMatmulArgs args = MatmulArgs();
  args.b = nullptr;
  ExpectRefused(ASCRT_OP_MATMUL, args, "b", "null");
  args.b = reinterpret_cast<void*>(0x120000000001);
  ExpectRefused(ASCRT_OP_MATMUL, args, "b", "0x120000000001");
  args.b = reinterpret_cast<void*>(0x120000000002);
  EXPECT_EQ(Check(ASCRT_OP_MATMUL, args), absl::OkStatus());
  args.data_type = ASCRT_DT_FLOAT;
  ExpectRefused(ASCRT_OP_MATMUL, args, "b", "0x120000000002");
}

TEST(Checks, RefuseTensorsThatWrapAroundTheAddressSpace) {
  ascrtFillArgs args = FillArgs();
  args.y = reinterpret_cast<void*>(uint64_t{0} - 4 * 999);
  ExpectRefused(ASCRT_OP_FILL, args, "y", "0x");
  args.y = reinterpret_cast<void*>(uint64_t{0} - 4 * 1001);
  EXPECT_EQ(Check(ASCRT_OP_FILL, args), absl::OkStatus());
}

TEST(Checks, RefuseDimensionsThatAreNotPositive) {
  for (const int64_t value : {int64_t{0}, int64_t{-1}, kTiny}) {
    const std::string text = std::to_string(value);
    ascrtFlashAttentionArgs attention = AttentionArgs();
    attention.batch = value;
    ExpectRefused(ASCRT_OP_FLASH_ATTENTION, attention, "batch", text);
    attention = AttentionArgs();
    attention.heads = value;
    ExpectRefused(ASCRT_OP_FLASH_ATTENTION, attention, "heads", text);
    attention = AttentionArgs();
    attention.q_length = value;
    ExpectRefused(ASCRT_OP_FLASH_ATTENTION, attention, "q_length", text);
    attention = AttentionArgs();
    attention.head_size = value;
    ExpectRefused(ASCRT_OP_FLASH_ATTENTION, attention, "head_size", text);
    ascrtMatmulArgs matmul = MatmulArgs();
    matmul.m = value;
    ExpectRefused(ASCRT_OP_MATMUL, matmul, "m", text);
    matmul = MatmulArgs();
    matmul.n = value;
    ExpectRefused(ASCRT_OP_MATMUL, matmul, "n", text);
    matmul = MatmulArgs();
    matmul.k = value;
    ExpectRefused(ASCRT_OP_MATMUL, matmul, "k", text);
    ascrtBinaryArgs binary = BinaryArgs();
    binary.count = value;
    ExpectRefused(ASCRT_OP_ADD, binary, "count", text);
    ExpectRefused(ASCRT_OP_MUL, binary, "count", text);
    ascrtSoftmaxArgs softmax = SoftmaxArgs();
    softmax.columns = value;
    ExpectRefused(ASCRT_OP_SOFTMAX, softmax, "columns", text);
    ascrtRmsNormArgs norm = RmsNormArgs();
    norm.rows = value;
    ExpectRefused(ASCRT_OP_RMS_NORM, norm, "rows", text);
    ascrtRopeArgs rope = RopeArgs();
    rope.length = value;
    ExpectRefused(ASCRT_OP_ROPE, rope, "length", text);
    ascrtFillArgs fill = FillArgs();
    fill.count = value;
    ExpectRefused(ASCRT_OP_FILL, fill, "count", text);
    ascrtSiluMulArgs silu = SiluMulArgs();
    silu.count = value;
    ExpectRefused(ASCRT_OP_SILU_MUL, silu, "count", text);
    ascrtReduceArgs reduce = ReduceArgs();
    reduce.count = value;
    ExpectRefused(ASCRT_OP_REDUCE, reduce, "count", text);
    ascrtAllReduceArgs all_reduce = AllReduceArgs();
    all_reduce.count = value;
    ExpectRefused(ASCRT_OP_ALL_REDUCE, all_reduce, "count", text);
  }
}

TEST(Checks, RefuseProductsThatOverflow) {
  ascrtSoftmaxArgs softmax = SoftmaxArgs();
  softmax.rows = int64_t{1} << 32;
  softmax.columns = int64_t{1} << 30;  // times 4 bytes: 2^64, which is 0
  ExpectRefused(ASCRT_OP_SOFTMAX, softmax, "the shape of x",
                "[4294967296, 1073741824]");
  ascrtMatmulArgs matmul = MatmulArgs();
  matmul.m = int64_t{1} << 46;
  matmul.k = 2;
  matmul.n = 1;
  matmul.data_type = ASCRT_DT_BF16;
  ExpectRefused(ASCRT_OP_MATMUL, matmul, "the shape of a",
                "[1, 70368744177664, 2]");
  ascrtFillArgs fill = FillArgs();
  fill.count = kHuge;
  ExpectRefused(ASCRT_OP_FILL, fill, "count", std::to_string(kHuge));
}

TEST(AttentionChecks, RefuseHeadsThatDoNotFit) {
  ascrtFlashAttentionArgs args = AttentionArgs();
  args.head_size = 257;
  ExpectRefused(ASCRT_OP_FLASH_ATTENTION, args, "head_size", "257");
  args = AttentionArgs();
  args.kv_heads = 3;
  ExpectRefused(ASCRT_OP_FLASH_ATTENTION, args, "kv_heads", "3");
  args.kv_heads = 16;
  ExpectRefused(ASCRT_OP_FLASH_ATTENTION, args, "kv_heads", "16");
  args.kv_heads = -2;
  ExpectRefused(ASCRT_OP_FLASH_ATTENTION, args, "kv_heads", "-2");
  args.kv_heads = 0;
  EXPECT_EQ(Check(ASCRT_OP_FLASH_ATTENTION, args), absl::OkStatus());
}

TEST(AttentionChecks, RefuseWhatIsNoNumberOrFlag) {
  ascrtFlashAttentionArgs args = AttentionArgs();
  args.scale = NAN;
  ExpectRefused(ASCRT_OP_FLASH_ATTENTION, args, "scale", "nan");
  args.scale = -INFINITY;
  ExpectRefused(ASCRT_OP_FLASH_ATTENTION, args, "scale", "-inf");
  args = AttentionArgs();
  args.causal = 2;
  ExpectRefused(ASCRT_OP_FLASH_ATTENTION, args, "causal", "2");
  args = AttentionArgs();
  args.reserved0 = 1;
  ExpectRefused(ASCRT_OP_FLASH_ATTENTION, args, "reserved0", "1");
  for (const int32_t data_type : {-1, 2, 26, 28}) {
    args = AttentionArgs();
    args.data_type = data_type;
    ExpectRefused(ASCRT_OP_FLASH_ATTENTION, args, "data_type",
                  std::to_string(data_type));
  }
}

TEST(RopeChecks, RefuseSizesThatMakeNoPairs) {
  ascrtRopeArgs args = RopeArgs();
  args.head_size = 63;
  ExpectRefused(ASCRT_OP_ROPE, args, "head_size", "63");
  args.rotary_size = 62;
  EXPECT_EQ(Check(ASCRT_OP_ROPE, args), absl::OkStatus());
  args.rotary_size = 61;
  ExpectRefused(ASCRT_OP_ROPE, args, "rotary_size", "61");
  args.rotary_size = 64;
  ExpectRefused(ASCRT_OP_ROPE, args, "rotary_size", "64");
  args = RopeArgs();
  args.base = 0.5f;
  ExpectRefused(ASCRT_OP_ROPE, args, "base", "0.5");
  args = RopeArgs();
  args.first_position = -1;
  ExpectRefused(ASCRT_OP_ROPE, args, "first_position", "-1");
}

TEST(RmsNormChecks, RefuseANegativeEpsilon) {
  ascrtRmsNormArgs args = RmsNormArgs();
  args.epsilon = -1;
  ExpectRefused(ASCRT_OP_RMS_NORM, args, "epsilon", "-1");
}

TEST(ReduceChecks, RefuseWhatIsNoOperationOrNumber) {
  for (const uint32_t operation : {0u, 9u, 13u, 0xFFFFFFFFu}) {
    ascrtReduceArgs args = ReduceArgs();
    args.operation = operation;
    ExpectRefused(ASCRT_OP_REDUCE, args, "operation",
                  std::to_string(operation));
  }
  for (const int32_t data_type : {-1, 4, 5, 7, 11, 26, 28}) {
    ascrtReduceArgs args = ReduceArgs();
    args.data_type = data_type;
    ExpectRefused(ASCRT_OP_REDUCE, args, "data_type",
                  std::to_string(data_type));
  }
}

TEST(ReduceChecks, KnowTheSizesOfAllTypes) {
  const std::pair<int32_t, uint64_t> sizes[] = {
      {ASCRT_DT_INT8, 1},    {ASCRT_DT_INT16, 2}, {ASCRT_DT_INT32, 4},
      {ASCRT_DT_FLOAT16, 2}, {ASCRT_DT_BF16, 2},  {ASCRT_DT_FLOAT, 4}};
  for (const auto& [data_type, bytes] : sizes) {
    ascrtReduceArgs args = ReduceArgs();
    args.data_type = data_type;
    ASSERT_EQ(Check(ASCRT_OP_REDUCE, args), absl::OkStatus()) << data_type;
    for (const DeviceRange& range :
         Catalog::Builtin().Find(ASCRT_OP_REDUCE)->ranges(BlockOf(args))) {
      EXPECT_EQ(range.bytes, 1000 * bytes) << data_type;
    }
  }
}

TEST(AllReduceChecks, RefuseGroupsOfLessThanTwoOrTooManyRanks) {
  for (const uint32_t ranks : {0u, 1u, 1025u, 0xFFFFFFFFu}) {
    ascrtAllReduceArgs args = AllReduceArgs();
    args.ranks = ranks;
    ExpectRefused(ASCRT_OP_ALL_REDUCE, args, "ranks", std::to_string(ranks));
  }
  for (const uint32_t ranks : {2u, 3u, 1024u}) {
    ascrtAllReduceArgs args = AllReduceArgs();
    args.ranks = ranks;
    EXPECT_EQ(Check(ASCRT_OP_ALL_REDUCE, args), absl::OkStatus()) << ranks;
  }
}

TEST(AllReduceChecks, AllowTheSumInPlaceButNotBesideIt) {
  ascrtAllReduceArgs args = AllReduceArgs();
  args.y = const_cast<void*>(args.x);
  EXPECT_EQ(Check(ASCRT_OP_ALL_REDUCE, args), absl::OkStatus());
  args.y = static_cast<char*>(args.y) + 2;
  ExpectRefused(ASCRT_OP_ALL_REDUCE, args, "y", "0x");
}

TEST(AllReduceRanges, AreTheTwoTensors) {
  const std::vector<DeviceRange> ranges =
      Catalog::Builtin()
          .Find(ASCRT_OP_ALL_REDUCE)
          ->ranges(BlockOf(AllReduceArgs()));
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_STREQ(ranges[0].argument, "x");
  EXPECT_STREQ(ranges[1].argument, "y");
  for (uint64_t i = 0; i < 2; ++i) {
    EXPECT_EQ(ranges[i].address, reinterpret_cast<uint64_t>(Address(i)));
    EXPECT_EQ(ranges[i].bytes, 2000u);
  }
}

TEST(Checks, RefuseIntegersWhereKernelsComputeWithFloats) {
  for (const int32_t data_type :
       {ASCRT_DT_INT8, ASCRT_DT_INT16, ASCRT_DT_INT32}) {
    ascrtBinaryArgs args = BinaryArgs();
    args.data_type = data_type;
    ExpectRefused(ASCRT_OP_ADD, args, "data_type", std::to_string(data_type));
    ascrtMatmulArgs matmul = MatmulArgs();
    matmul.data_type = data_type;
    ExpectRefused(ASCRT_OP_MATMUL, matmul, "data_type",
                  std::to_string(data_type));
    ascrtAllReduceArgs all_reduce = AllReduceArgs();
    all_reduce.data_type = data_type;
    ExpectRefused(ASCRT_OP_ALL_REDUCE, all_reduce, "data_type",
                  std::to_string(data_type));
  }
}

TEST(Checks, RefuseOutputsThatOverlapInputs) {
  ascrtFlashAttentionArgs attention = AttentionArgs();
  attention.o = const_cast<void*>(attention.q);
  EXPECT_THAT(std::string(Check(ASCRT_OP_FLASH_ATTENTION, attention).message()),
              HasSubstr("must not overlap q"));
  ascrtBinaryArgs add = BinaryArgs();
  add.z = const_cast<void*>(add.y);
  EXPECT_EQ(Check(ASCRT_OP_ADD, add), absl::OkStatus());
  add.z = static_cast<char*>(add.z) + 4;
  ExpectRefused(ASCRT_OP_ADD, add, "z", "0x");
  add.z = static_cast<char*>(add.z) + 4 * 999;
  EXPECT_EQ(Check(ASCRT_OP_ADD, add), absl::OkStatus());
  ascrtRmsNormArgs norm = RmsNormArgs();
  norm.y = const_cast<void*>(norm.x);
  EXPECT_EQ(Check(ASCRT_OP_RMS_NORM, norm), absl::OkStatus());
  norm.rows = 1;
  norm.y = const_cast<void*>(norm.weight);
  ExpectRefused(ASCRT_OP_RMS_NORM, norm, "y", "0x");
}

TEST(Checks, AllowInputsThatAreTheSameTensor) {
  ascrtBinaryArgs mul = BinaryArgs();
  mul.y = mul.x;
  EXPECT_EQ(Check(ASCRT_OP_MUL, mul), absl::OkStatus());
}

TEST(Ranges, CoverTheTensorsOfAttention) {
  const KernelDescriptor& kernel =
      *Catalog::Builtin().Find(ASCRT_OP_FLASH_ATTENTION);
  const std::vector<DeviceRange> ranges =
      kernel.ranges(BlockOf(AttentionArgs()));
  ASSERT_EQ(ranges.size(), 4u);
  const uint64_t q_bytes = 2 * 8 * 100 * 64 * 2;
  const uint64_t kv_bytes = 2 * 2 * 300 * 64 * 2;
  const uint64_t bytes[] = {q_bytes, kv_bytes, kv_bytes, q_bytes};
  const char* const arguments[] = {"q", "k", "v", "o"};
  for (uint64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(ranges[i].address, reinterpret_cast<uint64_t>(Address(i)));
    EXPECT_EQ(ranges[i].bytes, bytes[i]);
    EXPECT_STREQ(ranges[i].argument, arguments[i]);
    EXPECT_EQ(ranges[i].access, i == 3 ? Access::kWrite : Access::kRead);
  }
}

TEST(Ranges, OfEveryKernelEndWithItsOutput) {
  for (const NamedBlock& block : LegalBlocks()) {
    const auto ranges =
        Catalog::Builtin().Find(block.kernel)->ranges(block.bytes);
    ASSERT_FALSE(ranges.empty());
    for (const DeviceRange& range : ranges) {
      EXPECT_EQ(range.access,
                &range == &ranges.back() ? Access::kWrite : Access::kRead)
          << block.kernel << " " << range.argument;
      EXPECT_GT(range.bytes, 0u);
    }
  }
}

}  // namespace
}  // namespace ascend::core
