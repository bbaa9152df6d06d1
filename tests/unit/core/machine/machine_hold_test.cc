// Hold modes: which units a kernel has when (core/machine/compute_array.h).

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/machine_harness.h"

namespace ascend::core {
namespace {

// On eight units: 10 us at 1020 GB/s, and 10 us of one unit at 128 GB/s.
constexpr uint64_t kWholeBody = 10'200'000;
constexpr uint64_t kUnitBody = 1'280'000;

DeviceSpec SpecOf(HoldMode hold) {
  DeviceSpec spec = ExactSpec();
  spec.hold = hold;
  return spec;
}

class HoldTest : public ::testing::Test {
 protected:
  void Start(HoldMode hold, std::string policy = "fifo",
             PolicyOptions options = {}) {
    harness_ = std::make_unique<MachineHarness>(
        MachineOptions{.spec = SpecOf(hold),
                       .scheduling = {{std::move(policy)}},
                       .policy_options = options});
    client_ = std::make_unique<TestClient>(*harness_, 1);
    context_ = client_->CreateContext();
  }
  StreamHandle NewStream(uint32_t priority = 0) {
    return client_->CreateStream(context_, priority);
  }
  // When what is in the streams so far is done.
  std::vector<Tick> Ends(const std::vector<StreamHandle>& streams) {
    std::vector<Ticket> tickets;
    for (const StreamHandle stream : streams) {
      tickets.push_back(client_->SynchronizeStream(stream));
    }
    harness_->RunUntilQuiet();
    std::vector<Tick> ends;
    for (const Ticket ticket : tickets) {
      const Reply* const reply = client_->ReplyTo(ticket);
      EXPECT_NE(reply, nullptr);
      ends.push_back(reply == nullptr ? -1 : reply->tick);
    }
    return ends;
  }
  Claim Held() const {
    return harness_->machine->GetDeviceUsage(DeviceId(0)).units_held;
  }
  UsageTicks CubeTicks() const {
    return harness_->machine->GetDeviceUsage(DeviceId(0)).cube_unit_ticks;
  }

  std::unique_ptr<MachineHarness> harness_;
  std::unique_ptr<TestClient> client_;
  ContextHandle context_;
};

TEST_F(HoldTest, GangHoldsBothKindsFromStartToEnd) {
  Start(HoldMode::kGang);
  client_->Launch(client_->default_stream,
                  {.hbm_bytes = kWholeBody, .vector_ticks = Microseconds(4)},
                  32);
  harness_->RunUntil(kRamp + Microseconds(12));
  EXPECT_EQ(Held(), (Claim{.cube = 8, .aiv = 8}));
  harness_->RunUntilQuiet();
  EXPECT_EQ(CubeTicks(), UsageTicks{8} * (kRamp + Microseconds(14)));
}

TEST_F(HoldTest, SplitGivesCubeUnitsBackBeforeTheTail) {
  Start(HoldMode::kSplit);
  client_->Launch(client_->default_stream,
                  {.hbm_bytes = kWholeBody, .vector_ticks = Microseconds(4)},
                  32);
  harness_->RunUntil(kRamp + Microseconds(5));
  EXPECT_EQ(Held(), (Claim{.cube = 8}));
  harness_->RunUntil(kRamp + Microseconds(12));
  EXPECT_EQ(Held(), (Claim{.aiv = 2}));
  EXPECT_EQ(Ends({client_->default_stream})[0], kRamp + Microseconds(14));
  EXPECT_EQ(CubeTicks(), UsageTicks{8} * (kRamp + Microseconds(10)));
}

TEST_F(HoldTest, SplitHoldsBothKindsForVectorWorkInTheBody) {
  Start(HoldMode::kSplit);
  client_->Launch(
      client_->default_stream,
      {.hbm_bytes = kWholeBody / 2, .vector_ticks = Microseconds(4)}, 16,
      kTestFused);
  harness_->RunUntil(kRamp + Microseconds(1));
  EXPECT_EQ(Held(), (Claim{.cube = 4, .aiv = 4}));
}

TEST_F(HoldTest, SplitRunsATailBesideAnotherBody) {
  Start(HoldMode::kSplit);
  const StreamHandle first = NewStream();
  const StreamHandle second = NewStream();
  for (const StreamHandle stream : {first, second}) {
    client_->Launch(
        stream, {.hbm_bytes = kWholeBody, .vector_ticks = Microseconds(4)}, 32);
  }
  // The second body begins where the first one ends, not behind its tail.
  EXPECT_EQ(
      Ends({first, second}),
      (std::vector<Tick>{kRamp + Microseconds(14),
                         2 * (kRamp + Microseconds(10)) + Microseconds(4)}));
}

TEST_F(HoldTest, BlockCutsABodyIntoSlicesOfOneUnit) {
  Start(HoldMode::kBlock);
  // 16 MB in slices of 2 MB: one wave of eight, each at 1020 / 8 GB/s.
  client_->Launch(client_->default_stream, {.hbm_bytes = 8 * 2'040'000}, 32);
  harness_->RunUntil(kRamp + Microseconds(1));
  EXPECT_EQ(Held(), (Claim{.cube = 8}));
  EXPECT_EQ(Ends({client_->default_stream})[0], kRamp + Microseconds(16));
}

TEST_F(HoldTest, BlockPaysTheRampOnlyWhereAUnitTurnsToAnotherKernel) {
  Start(HoldMode::kBlock);
  // Four waves of eight slices.
  client_->Launch(client_->default_stream, {.hbm_bytes = 32 * 2'040'000}, 32);
  EXPECT_EQ(Ends({client_->default_stream})[0], kRamp + 4 * Microseconds(16));
}

TEST_F(HoldTest, BlockTailFollowsTheLastSlice) {
  Start(HoldMode::kBlock);
  client_->Launch(client_->default_stream,
                  {.hbm_bytes = kUnitBody, .vector_ticks = Microseconds(5)}, 4);
  harness_->RunUntil(kRamp + Microseconds(12));
  EXPECT_EQ(Held(), (Claim{.aiv = 1}));
  EXPECT_EQ(Ends({client_->default_stream})[0], kRamp + Microseconds(15));
}

TEST_F(HoldTest, BlockAndFairShareUnitsBetweenKernels) {
  Start(HoldMode::kBlock, "fair");
  const StreamHandle first = NewStream();
  const StreamHandle second = NewStream();
  // Compute: 100 slices of 20 us of one unit each.
  const double unit_flops = 4 * 4096 * 2 * 0.65e9;
  for (const StreamHandle stream : {first, second}) {
    client_->Launch(stream, {.flops = 96 * unit_flops * 20e-6}, 32);
  }
  const std::vector<Tick> ends = Ends({first, second});
  // Alone each takes 12 waves, 240 us. Side by side both end near 480.
  EXPECT_GT(ends[0], Microseconds(440));
  EXPECT_LT(ends[1], Microseconds(500));
}

TEST_F(HoldTest, BlockAndFifoFinishTheFirstKernelFirst) {
  Start(HoldMode::kBlock, "fifo");
  const StreamHandle first = NewStream();
  const StreamHandle second = NewStream();
  const double unit_flops = 4 * 4096 * 2 * 0.65e9;
  for (const StreamHandle stream : {first, second}) {
    client_->Launch(stream, {.flops = 96 * unit_flops * 20e-6}, 32);
  }
  const std::vector<Tick> ends = Ends({first, second});
  EXPECT_EQ(ends[0], kRamp + Microseconds(240));
  EXPECT_EQ(ends[1], 2 * (kRamp + Microseconds(240)));
}

TEST_F(HoldTest, DevicesHaveHoldModesAndPoliciesOfTheirOwn) {
  MachineHarness harness(
      MachineOptions{.spec = SpecOf(HoldMode::kGang),
                     .device_count = 2,
                     .scheduling = {{"fifo"}, {"fair", HoldMode::kBlock}}});
  TestClient client(harness, 1);
  const double unit_flops = 4 * 4096 * 2 * 0.65e9;
  std::vector<Ticket> tickets;
  for (const uint32_t device : {0u, 1u}) {
    const ContextHandle context = client.CreateContext(DeviceId(device));
    for (int i = 0; i < 2; ++i) {
      const StreamHandle stream = client.CreateStream(context);
      client.Launch(stream, {.flops = 96 * unit_flops * 20e-6}, 32);
      tickets.push_back(client.SynchronizeStream(stream));
    }
  }
  harness.RunUntil(kRamp + Microseconds(1));
  EXPECT_EQ(harness.machine->GetDeviceUsage(DeviceId(0)).units_held,
            (Claim{.cube = 8, .aiv = 8}));
  EXPECT_EQ(harness.machine->GetDeviceUsage(DeviceId(1)).units_held,
            (Claim{.cube = 8}));
  harness.RunUntilQuiet();
  // One behind the other; side by side.
  EXPECT_EQ(client.ReplyTo(tickets[0])->tick, kRamp + Microseconds(240));
  EXPECT_EQ(client.ReplyTo(tickets[1])->tick, 2 * (kRamp + Microseconds(240)));
  EXPECT_GT(client.ReplyTo(tickets[2])->tick, Microseconds(440));
  EXPECT_GT(client.ReplyTo(tickets[3])->tick, Microseconds(440));
}

TEST_F(HoldTest, BlockAndSrfLetAShortKernelThrough) {
  Start(HoldMode::kBlock, "srf");
  const StreamHandle slow = NewStream();
  const StreamHandle fast = NewStream();
  const double unit_flops = 4 * 4096 * 2 * 0.65e9;
  client_->Launch(slow, {.flops = 960 * unit_flops * 20e-6}, 32);
  const Tick late = Microseconds(100);
  client_->Launch(fast, {.flops = 8 * unit_flops * 20e-6}, 32, kTestMix, late);
  const Tick end = Ends({slow, fast})[1];
  // At the next block edge after it came, 20 us and a ramp later.
  EXPECT_LT(end, late + Microseconds(50));
}

TEST_F(HoldTest, OnlyWithPreemptionDoesAnUrgentKernelGetUnitsAtBlockEdges) {
  const double unit_flops = 4 * 4096 * 2 * 0.65e9;
  const auto run = [&](bool preempts) {
    Start(HoldMode::kBlock, "strict_priority", {.preempts = preempts});
    const StreamHandle slow = NewStream(/*priority=*/5);
    const StreamHandle urgent = NewStream(/*priority=*/0);
    client_->Launch(slow, {.flops = 960 * unit_flops * 20e-6}, 32);
    client_->Launch(urgent, {.flops = 8 * unit_flops * 20e-6}, 32, kTestMix,
                    Microseconds(100));
    return Ends({slow, urgent});
  };
  const std::vector<Tick> held = run(false);
  EXPECT_GT(held[1], Microseconds(2400));
  const std::vector<Tick> preempted = run(true);
  EXPECT_LT(preempted[1], Microseconds(150));
  // What the urgent one took, and two ramps.
  EXPECT_LE(preempted[0], held[0] + Microseconds(20) + 2 * kRamp);
}

TEST_F(HoldTest, ASlicedKernelThatIsHugeIsCutIntoABoundedNumber) {
  Start(HoldMode::kBlock);
  client_->Launch(client_->default_stream, {.hbm_bytes = uint64_t{1} << 60}, 4);
  // An hour for each slice at most; what counts is that it ends.
  EXPECT_GT(Ends({client_->default_stream})[0], kTicksPerSecond);
}

TEST_F(HoldTest, ACollectiveHoldsADmaUnitAndNeedsNoGap) {
  Start(HoldMode::kGang);
  const StreamHandle stream = client_->default_stream;
  client_->Launch(stream, {.vector_ticks = Microseconds(3)}, 8, kTestVector);
  client_->Launch(stream, {.vector_ticks = Microseconds(40)}, 1,
                  kTestCollective);
  harness_->RunUntil(kRamp + Microseconds(10));
  EXPECT_EQ(Held(), (Claim{.dma = 1}));
  EXPECT_EQ(Ends({stream})[0], kRamp + Microseconds(43));
}

TEST_F(HoldTest, AClaimLargerThanTheDeviceIsRefusedAtLaunch) {
  Start(HoldMode::kSplit);
  client_->Launch(client_->default_stream, {}, 1, kTestTooLarge);
  const Ticket ticket = client_->SynchronizeStream(client_->default_stream);
  harness_->RunUntilQuiet();
  const absl::Status& status = client_->ReplyTo(ticket)->status;
  EXPECT_EQ(ReasonOf(status), Reason::kInvalidArgument);
  EXPECT_NE(status.message().find("9 CUBE"), std::string::npos) << status;
  EXPECT_EQ(harness_->runners.started_count, 0u);
}

TEST_F(HoldTest, TimingOnlyWorkTakesItsTimeAndStartsNoJob) {
  Start(HoldMode::kGang);
  client_->Send(
      Launch{.stream = client_->default_stream,
             .kernel = kTestVector,
             .num_blocks = 8,
             .args = TestKernelArgs{.vector_ticks = Microseconds(3)}.ToBlock(),
             .is_timing_only = true});
  EXPECT_EQ(Ends({client_->default_stream})[0], kRamp + Microseconds(3));
  const uint64_t memory = client_->Malloc(1 << 20);
  client_->Send(Fill{.stream = client_->default_stream,
                     .address = memory,
                     .bytes = 1 << 20,
                     .is_timing_only = true});
  const Tick before = harness_->machine->now();
  EXPECT_GT(Ends({client_->default_stream})[0], before);
  EXPECT_EQ(harness_->runners.started_count, 0u);
  EXPECT_EQ(client_->Usage().kernel_count, 1u);
}

TEST_F(HoldTest, ACopyByTheCpuTakesTenTimesAsLongAndNoDmaUnit) {
  Start(HoldMode::kGang);
  constexpr uint64_t kBytes = uint64_t{16} << 20;
  const uint64_t memory = client_->Malloc(kBytes);
  const auto time_of = [&](bool is_by_cpu) {
    const Tick before = harness_->machine->now();
    client_->Send(Copy{.stream = client_->default_stream,
                       .target = memory,
                       .bytes = kBytes,
                       .is_by_cpu = is_by_cpu});
    return Ends({client_->default_stream})[0] - before;
  };
  const Tick dma = time_of(false);
  const UsageTicks held = client_->Usage().dma_unit_ticks;
  const Tick cpu = time_of(true);
  EXPECT_NEAR(static_cast<double>(cpu) / static_cast<double>(dma), 9.85, 0.05);
  EXPECT_EQ(client_->Usage().dma_unit_ticks, held);
}

}  // namespace
}  // namespace ascend::core
