#include "core/kernels/cost_model.h"

#include <cmath>

#include "acl/ascend_rtd_ops.h"
#include "core/kernels/catalog.h"
#include "gtest/gtest.h"
#include "tests/unit/core/kernels/kernel_arguments.h"

namespace ascend::core {
namespace {

template <typename Args>
KernelCost CostOfLaunch(absl::string_view kernel, const Args& args,
                        Claim claim) {
  return Catalog::Builtin().Find(kernel)->cost(BlockOf(args), claim,
                                               Ascend910Spec());
}

// Body alone on an idle device, in microseconds.
double BodyMicroseconds(const KernelCost& cost, Claim claim) {
  const DeviceSpec spec = Ascend910Spec();
  const double units = claim.cube > 0 ? claim.cube : claim.aiv;
  return 1e6 * std::max({double(cost.hbm_bytes) /
                             std::min(spec.hbm_bytes_per_second,
                                      units * spec.unit_hbm_bytes_per_second),
                         cost.flops / (units * spec.unit_flops_per_second),
                         double(cost.l2_bytes) /
                             (units * spec.unit_l2_bytes_per_second)});
}

TEST(ClaimOfBlocks, TakesOneUnitPerFourBlocks) {
  const DeviceSpec spec = Ascend910Spec();
  EXPECT_EQ(ClaimOfBlocks(CoreKind::kMix, 1, spec), (Claim{1, 1, 0}));
  EXPECT_EQ(ClaimOfBlocks(CoreKind::kMix, 4, spec), (Claim{1, 1, 0}));
  EXPECT_EQ(ClaimOfBlocks(CoreKind::kMix, 5, spec), (Claim{2, 2, 0}));
  EXPECT_EQ(ClaimOfBlocks(CoreKind::kCube, 16, spec), (Claim{4, 0, 0}));
  EXPECT_EQ(ClaimOfBlocks(CoreKind::kVector, 8, spec), (Claim{0, 2, 0}));
}

TEST(ClaimOfBlocks, NeverExceedsTheDeviceAndIsNeverEmpty) {
  const DeviceSpec spec = Ascend910Spec();
  EXPECT_EQ(ClaimOfBlocks(CoreKind::kMix, 0xFFFFFFFF, spec), (Claim{8, 8, 0}));
  EXPECT_EQ(ClaimOfBlocks(CoreKind::kVector, 0, spec), (Claim{0, 1, 0}));
}

// The decode step of the timing model's section 2: 1.05 MB of keys and values.
TEST(AttentionCost, OfADecodeStepIsThatOfTheTimingModel) {
  ascrtFlashAttentionArgs args = AttentionArgs();
  args.batch = 1;
  args.heads = 8;
  args.kv_heads = 1;
  args.q_length = 1;
  args.kv_length = 2048;
  args.head_size = 128;
  const Claim claim = {4, 4, 0};
  const KernelCost cost = CostOfLaunch(ASCRT_OP_FLASH_ATTENTION, args, claim);
  const uint64_t kv_bytes = 2 * 2048 * 128 * 2;
  EXPECT_EQ(cost.hbm_bytes, kv_bytes + 2 * 8 * 128 * 2);
  EXPECT_EQ(cost.vector_ticks, Microseconds(5));
  // 16 rows of the cube, though only 8 are used.
  EXPECT_EQ(cost.flops, 4.0 * 16 * 2048 * 128);
  EXPECT_NEAR(BodyMicroseconds(cost, claim), kv_bytes / 512e3, 0.1);
}

TEST(AttentionCost, OfCausalIsAboutHalfTheFlops) {
  ascrtFlashAttentionArgs args = AttentionArgs();
  args.kv_length = args.q_length = 4096;
  const KernelCost whole =
      CostOfLaunch(ASCRT_OP_FLASH_ATTENTION, args, {8, 8, 0});
  args.causal = 1;
  const KernelCost causal =
      CostOfLaunch(ASCRT_OP_FLASH_ATTENTION, args, {8, 8, 0});
  EXPECT_NEAR(causal.flops / whole.flops, 0.5, 0.001);
  EXPECT_EQ(causal.hbm_bytes, whole.hbm_bytes);
}

TEST(AttentionCost, KnowsTheShareOfKeysThatLateQueriesSee) {
  ascrtFlashAttentionArgs args = AttentionArgs();
  args.q_length = 1;
  args.kv_length = 500;
  const double whole =
      CostOfLaunch(ASCRT_OP_FLASH_ATTENTION, args, {8, 8, 0}).flops;
  args.causal = 1;  // the last query sees every key
  EXPECT_EQ(CostOfLaunch(ASCRT_OP_FLASH_ATTENTION, args, {8, 8, 0}).flops,
            whole);
  args.q_length = 2000;  // 1500 rows see none, the others half
  args.causal = 0;
  const double longer =
      CostOfLaunch(ASCRT_OP_FLASH_ATTENTION, args, {8, 8, 0}).flops;
  args.causal = 1;
  EXPECT_NEAR(
      CostOfLaunch(ASCRT_OP_FLASH_ATTENTION, args, {8, 8, 0}).flops / longer,
      501.0 / 2 / 2000, 1e-9);
}

TEST(AttentionCost, GrowsWithTheBatchInWaves) {
  ascrtFlashAttentionArgs args = AttentionArgs();
  args.heads = args.kv_heads = 1;
  args.q_length = 128;
  const auto flops = [&args](int64_t batch) {
    args.batch = batch;
    return CostOfLaunch(ASCRT_OP_FLASH_ATTENTION, args, {8, 8, 0}).flops;
  };
  EXPECT_EQ(flops(32), 32 * flops(1));
  EXPECT_EQ(flops(33), 64 * flops(1));
  EXPECT_EQ(flops(64), 64 * flops(1));
}

TEST(MatmulCost, OfAProjectionReadsItsWeightsOnce) {
  ascrtMatmulArgs args = MatmulArgs();
  args.m = 1;
  args.k = 8192;
  args.n = 1280;  // qkv of the timing model: 21.0 MB
  const Claim claim = {8, 8, 0};
  const KernelCost cost = CostOfLaunch(ASCRT_OP_MATMUL, args, claim);
  const uint64_t weight_bytes = 8192 * 1280 * 2;
  EXPECT_EQ(cost.hbm_bytes, weight_bytes + 2 * 8192 + 2 * 1280);
  EXPECT_EQ(cost.vector_ticks, Microseconds(1));
  EXPECT_NEAR(BodyMicroseconds(cost, claim), weight_bytes / 1020e3, 0.1);
}

TEST(MatmulCost, OfLargeSquaresIsBoundByTheCube) {
  ascrtMatmulArgs args = MatmulArgs();
  args.m = args.n = args.k = 4096;
  const Claim claim = {8, 8, 0};
  const KernelCost half = CostOfLaunch(ASCRT_OP_MATMUL, args, claim);
  EXPECT_EQ(half.flops, 2.0 * 4096 * 4096 * 4096);
  EXPECT_NEAR(BodyMicroseconds(half, claim),
              1e6 * half.flops / (8 * 4 * 4096 * 2 * 0.65e9), 1);
  args.data_type = ASCRT_DT_FLOAT;
  EXPECT_EQ(CostOfLaunch(ASCRT_OP_MATMUL, args, claim).flops, 4 * half.flops);
}

TEST(MatmulCost, ReadsAnOperandAgainWhenNeitherStaysInCache) {
  ascrtMatmulArgs args = MatmulArgs();
  args.m = args.n = args.k = 8192;  // 128 MiB each
  const KernelCost cost = CostOfLaunch(ASCRT_OP_MATMUL, args, {8, 8, 0});
  const uint64_t operand_bytes = uint64_t{128} << 20;
  EXPECT_EQ(cost.hbm_bytes, operand_bytes * (1 + 8 + 1));
}

TEST(VectorCost, OfASmallKernelIsTheLeastVectorTime) {
  const KernelCost cost = CostOfLaunch(ASCRT_OP_ADD, BinaryArgs(), {0, 2, 0});
  EXPECT_EQ(cost.hbm_bytes, 3u * 1000 * 4);
  EXPECT_EQ(cost.flops, 0);
  EXPECT_EQ(cost.vector_ticks, Microseconds(3));
}

TEST(VectorCost, OfArithmeticThatOutrunsMemoryJoinsTheTail) {
  DeviceSpec spec = Ascend910Spec();
  spec.vector_unit_flops_per_second = 1e9;
  const KernelCost cost = Catalog::Builtin()
                              .Find(ASCRT_OP_SILU_MUL)
                              ->cost(BlockOf(SiluMulArgs()), {0, 2, 0}, spec);
  // 8 operations on 1000 elements at 2e9 a second, less 12 kB at 256 GB/s.
  const double seconds = 8 * 1000 / 2e9 - 12000 / 256e9;
  EXPECT_NEAR(double(cost.vector_ticks),
              double(Microseconds(3)) + seconds * 1e12, 1);
}

// The timing model's section 2: 16 KiB among 8 ranks are latency.
TEST(AllReduceCost, OfASmallOneIsItsLatencyWhateverItMoves) {
  const Claim claim = {0, 0, 1};
  for (const int64_t count : {1, 8192, 200'000}) {
    for (const uint32_t ranks : {2u, 8u, 1024u}) {
      ascrtAllReduceArgs args = AllReduceArgs();
      args.count = count;
      args.ranks = ranks;
      const KernelCost cost = CostOfLaunch(ASCRT_OP_ALL_REDUCE, args, claim);
      EXPECT_EQ(cost.vector_ticks, Microseconds(40)) << count;
      EXPECT_EQ(cost.hbm_bytes, 0u);
      EXPECT_EQ(cost.flops, 0);
      EXPECT_EQ(cost.tail_jitter, 0.1);
    }
  }
}

// Each rank sends 2 (ranks - 1) / ranks of the data at 256 GB/s.
TEST(AllReduceCost, OfALargeOneIsThatOfARing) {
  const auto ticks = [](int64_t count, uint32_t ranks) {
    ascrtAllReduceArgs args = AllReduceArgs();
    args.count = count;
    args.ranks = ranks;
    return CostOfLaunch(ASCRT_OP_ALL_REDUCE, args, {0, 0, 1}).vector_ticks;
  };
  // 10.24 MB: as long as the latency among two.
  EXPECT_EQ(ticks(5'120'000, 2), Microseconds(40));
  EXPECT_EQ(ticks(10'240'000, 2), Microseconds(80));
  EXPECT_EQ(ticks(10'240'000, 8), Microseconds(140));
  EXPECT_EQ(ticks(102'400'000, 8), Microseconds(1400));
  EXPECT_NEAR(double(ticks(10'240'000, 1024)), double(Microseconds(160)),
              double(Microseconds(1)));
}

TEST(AllReduceCost, HoldsOneDmaUnitAndWaitsForNoScheduler) {
  const KernelDescriptor& kernel =
      *Catalog::Builtin().Find(ASCRT_OP_ALL_REDUCE);
  EXPECT_EQ(kernel.claim, (Claim{0, 0, 1}));
  EXPECT_FALSE(kernel.has_dispatch_gap);
}

TEST(Costs, OfTheLargestLegalShapesStayInRange) {
  ascrtFlashAttentionArgs args = AttentionArgs();
  args.q = reinterpret_cast<void*>(uint64_t{1} << 50);
  args.k = reinterpret_cast<void*>(uint64_t{1} << 51);
  args.v = reinterpret_cast<void*>(uint64_t{1} << 52);
  args.o = reinterpret_cast<void*>(uint64_t{1} << 53);
  args.batch = args.heads = args.head_size = 1;
  args.kv_heads = 0;
  args.q_length = args.kv_length = int64_t{1} << 46;
  const KernelDescriptor& kernel =
      *Catalog::Builtin().Find(ASCRT_OP_FLASH_ATTENTION);
  ASSERT_EQ(kernel.check(BlockOf(args)), absl::OkStatus());
  const KernelCost cost =
      kernel.cost(BlockOf(args), {1, 1, 0}, Ascend910Spec());
  EXPECT_TRUE(std::isfinite(cost.flops));
  EXPECT_GE(cost.vector_ticks, Microseconds(5));
  EXPECT_GT(cost.l2_bytes, uint64_t{1} << 60);
  ascrtAllReduceArgs sum = AllReduceArgs();
  sum.x = reinterpret_cast<void*>(uint64_t{1} << 50);
  sum.y = reinterpret_cast<void*>(uint64_t{1} << 51);
  sum.count = int64_t{1} << 46;
  ASSERT_EQ(Catalog::Builtin().Find(ASCRT_OP_ALL_REDUCE)->check(BlockOf(sum)),
            absl::OkStatus());
  EXPECT_GT(CostOfLaunch(ASCRT_OP_ALL_REDUCE, sum, {0, 0, 1}).vector_ticks,
            kTicksPerSecond);
}

TEST(WaveFactor, IsTheShareOfTheLastWaveThatIdles) {
  const DeviceSpec spec = Ascend910Spec();
  EXPECT_EQ(WaveFactor(1, {8, 8, 0}, spec), 1);
  EXPECT_EQ(WaveFactor(32, {8, 8, 0}, spec), 1);
  EXPECT_EQ(WaveFactor(40, {8, 8, 0}, spec), 64.0 / 40);
  EXPECT_EQ(WaveFactor(40, {1, 1, 0}, spec), 1);
}

}  // namespace
}  // namespace ascend::core
