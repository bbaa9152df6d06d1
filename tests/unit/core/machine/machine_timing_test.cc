// When things happen, to the tick: the numbers of the timing model.

#include <cmath>
#include <utility>

#include "gtest/gtest.h"
#include "tests/testing/machine_harness.h"

namespace ascend::core {
namespace {

constexpr Tick kGap = Microseconds(10);

class MachineTimingTest : public ::testing::TestWithParam<const char*> {
 protected:
  // When the stream's work so far was done.
  Tick EndOf(TestClient& client, StreamHandle stream) {
    const Ticket ticket = client.SynchronizeStream(stream);
    harness_.RunUntilQuiet();
    const Reply* reply = client.ReplyTo(ticket);
    EXPECT_NE(reply, nullptr);
    return reply == nullptr ? -1 : reply->tick;
  }

  MachineHarness harness_{ExactSpec(), GetParam()};
};

TEST_P(MachineTimingTest, AKernelHoldsRampThenBodyThenTail) {
  TestClient client(harness_, 1);
  client.CreateContext();
  // 32 blocks are 8 units: 21.0 MB at min(1020, 8 * 128) GB/s, then 1 us.
  client.Launch(client.default_stream,
                {.hbm_bytes = 20'971'520, .vector_ticks = Microseconds(1)}, 32);
  const auto body = static_cast<Tick>(std::ceil(20'971'520.0 / 1020e9 * 1e12));
  EXPECT_EQ(EndOf(client, client.default_stream),
            kRamp + body + Microseconds(1));
}

TEST_P(MachineTimingTest, FewUnitsCannotPullTheWholeBandwidth) {
  TestClient client(harness_, 1);
  client.CreateContext();
  client.Launch(client.default_stream, {.hbm_bytes = 1'280'000}, 4);
  // One unit pulls 128 GB/s: 10 us.
  EXPECT_EQ(EndOf(client, client.default_stream), kRamp + Microseconds(10));
}

TEST_P(MachineTimingTest, TheSlowestOfMemoryComputeAndL2IsTheBody) {
  TestClient client(harness_, 1);
  client.CreateContext();
  const double unit_flops = 4 * 4096 * 2 * 0.65e9;
  client.Launch(client.default_stream,
                {.hbm_bytes = 1'280'000, .flops = 2 * unit_flops * 20e-6}, 8);
  EXPECT_EQ(EndOf(client, client.default_stream), kRamp + Microseconds(20));
  client.CreateContext();
  const Tick start = harness_.machine->now();
  client.Launch(client.default_stream,
                {.flops = 2 * unit_flops * 1e-6, .l2_bytes = 2 * 440'000 * 30},
                8);
  EXPECT_EQ(EndOf(client, client.default_stream) - start,
            kRamp + Microseconds(30));
}

TEST_P(MachineTimingTest, KernelsOfOneStreamKeepTheGap) {
  TestClient client(harness_, 1);
  client.CreateContext();
  for (int i = 0; i < 3; ++i) {
    client.Launch(client.default_stream, {.vector_ticks = Microseconds(3)}, 8,
                  kTestVector);
  }
  EXPECT_EQ(EndOf(client, client.default_stream),
            3 * (kRamp + Microseconds(3)) + 2 * kGap);
}

TEST_P(MachineTimingTest, FlowsShareTheBandwidthMaxMinFair) {
  // Three kernels of 2, 3 and 3 units: caps 256, 384 and 384 GB/s, together
  // 1024 of 1020. So the small one has its cap and the others 382 each.
  TestClient client(harness_, 1);
  StreamHandle streams[3];
  const ContextHandle context = client.CreateContext();
  for (StreamHandle& stream : streams) stream = client.CreateStream(context);
  client.Launch(streams[0], {.hbm_bytes = 2'560'000}, 8);   // 10 us
  client.Launch(streams[1], {.hbm_bytes = 3'820'000}, 12);  // 10 us at 382
  client.Launch(streams[2], {.hbm_bytes = 7'660'000}, 12);  // and 10 us at 384
  Ticket tickets[3];
  for (int i = 0; i < 3; ++i) tickets[i] = client.SynchronizeStream(streams[i]);
  harness_.RunUntilQuiet();
  EXPECT_EQ(client.ReplyTo(tickets[0])->tick, kRamp + Microseconds(10));
  EXPECT_EQ(client.ReplyTo(tickets[1])->tick, kRamp + Microseconds(10));
  EXPECT_EQ(client.ReplyTo(tickets[2])->tick, kRamp + Microseconds(20));
}

// A decode layer, by hand: norm, qkv, rope, attention, projection. Gang mode,
// no jitter. The bodies are what the reference model computes.
TEST_P(MachineTimingTest, ReproducesATimelineOfTheReferenceModel) {
  TestClient client(harness_, 1);
  client.CreateContext();
  const StreamHandle stream = client.default_stream;
  client.Launch(stream, {.vector_ticks = Microseconds(3)}, 8, kTestVector);
  client.Launch(stream,
                {.hbm_bytes = 20'971'520,
                 .flops = 2.0 * 16 * 10'485'760,
                 .vector_ticks = Microseconds(1)},
                32);
  client.Launch(stream, {.vector_ticks = Microseconds(3)}, 8, kTestVector);
  client.Launch(stream,
                {.hbm_bytes = 1'048'576,
                 .flops = 4.0 * 16 * 2048 * 128,
                 .vector_ticks = Microseconds(5)},
                16);
  client.Launch(stream,
                {.hbm_bytes = 16'777'216,
                 .flops = 2.0 * 16 * 8'388'608,
                 .vector_ticks = Microseconds(1)},
                32);
  // Whole ticks, rounded up, of `bytes` at `rate` GB/s.
  const auto body = [](Tick bytes, Tick rate) {
    return (bytes * 1000 + rate - 1) / rate;
  };
  const Tick holds = 5 * kRamp + Microseconds(3 + 1 + 3 + 5 + 1) +
                     body(20'971'520, 1020) + body(1'048'576, 512) +
                     body(16'777'216, 1020);
  EXPECT_EQ(EndOf(client, stream), holds + 4 * kGap);
}

// Timing model, section 6: seven kernels of one unit end at 200 + 40 i us; a
// kernel that claims 1, 2, 4 or 8 units comes at 100 us.
TEST_P(MachineTimingTest, ALargeClaimQueuesUntilEnoughUnitsAreFree) {
  const struct {
    uint32_t units;
    Tick wait;
  } cases[] = {{1, 0},
               {2, Microseconds(100)},
               {4, Microseconds(180)},
               {8, Microseconds(340)}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.units);
    MachineHarness harness(ExactSpec(), GetParam());
    TestClient client(harness, 1);
    const ContextHandle context = client.CreateContext();
    for (int i = 0; i < 7; ++i) {
      client.Launch(client.CreateStream(context),
                    {.vector_ticks = Microseconds(200 + 40 * i) - kRamp});
    }
    client.Launch(client.default_stream, {.vector_ticks = Microseconds(100)},
                  c.units * 4, kTestMix, Microseconds(100));
    const Ticket done = client.SynchronizeStream(client.default_stream);
    harness.RunUntilQuiet();
    EXPECT_EQ(client.ReplyTo(done)->tick,
              Microseconds(100) + c.wait + kRamp + Microseconds(100));
  }
}

TEST_P(MachineTimingTest, CopiesWithTheHostTakeSetupAndTheLink) {
  TestClient client(harness_, 1);
  client.CreateContext();
  const uint64_t address = client.Malloc(1 << 20);
  const Tick start = harness_.machine->now();
  const Ticket copy = client.Send(Copy{.kind = CopyKind::kHostToDevice,
                                       .target = address,
                                       .bytes = 1 << 20,
                                       .wants_reply = true});
  harness_.RunUntilQuiet();
  ASSERT_NE(client.ReplyTo(copy), nullptr);
  EXPECT_EQ(client.ReplyTo(copy)->tick - start,
            Microseconds(10) + (Tick{1} << 20) * 40);  // 40 ps per byte
}

TEST_P(MachineTimingTest, ScatteredMemoryCostsDescriptors) {
  TestClient client(harness_, 1);
  client.CreateContext();
  constexpr uint64_t kBytes = 4 << 20;
  Tick durations[2];
  for (const uint32_t policy : {0u, 2u}) {
    const uint64_t source = client.Malloc(kBytes, policy);
    const uint64_t target = client.Malloc(kBytes, policy);
    ASSERT_NE(target, 0u);
    const Tick start = harness_.machine->now();
    const Ticket copy = client.Send(Copy{.kind = CopyKind::kDeviceToDevice,
                                         .target = target,
                                         .source = source,
                                         .bytes = kBytes,
                                         .wants_reply = true});
    harness_.RunUntilQuiet();
    durations[policy == 0 ? 0 : 1] = client.ReplyTo(copy)->tick - start;
  }
  const auto transfer = static_cast<Tick>(std::ceil(kBytes / 256e9 * 1e12));
  EXPECT_GE(durations[0], Microseconds(1) + transfer);
  EXPECT_LT(durations[0], Microseconds(1) + transfer + Nanoseconds(300));
  // Runs of 64 KiB: about 64 descriptors of 64 ns, +24 %.
  EXPECT_NEAR(static_cast<double>(durations[1] - Microseconds(1)) /
                  static_cast<double>(transfer),
              1.24, 0.05);
}

TEST_P(MachineTimingTest, RecordsAndWaitsTakeAMicrosecondAndNoUnit) {
  TestClient client(harness_, 1);
  const ContextHandle context = client.CreateContext();
  const StreamHandle a = client.CreateStream(context);
  const StreamHandle b = client.CreateStream(context);
  const EventHandle event = client.CreateEvent();
  client.Launch(a, {.vector_ticks = Microseconds(50)});
  client.Send(RecordEvent{event, a});
  client.Send(WaitEvent{b, event});
  client.Launch(b, {.vector_ticks = Microseconds(5)});
  EXPECT_EQ(EndOf(client, b), kRamp + Microseconds(50) + Microseconds(1) +
                                  Microseconds(1) + kRamp + Microseconds(5));
}

TEST_P(MachineTimingTest, CopiesQueueForTheDmaUnits) {
  TestClient client(harness_, 1);
  const ContextHandle context = client.CreateContext();
  const uint64_t address = client.Malloc(1 << 20);
  const Tick start = harness_.machine->now();
  const Tick one = Microseconds(10) + (Tick{1} << 20) * 40;
  Ticket tickets[5];
  for (Ticket& ticket : tickets) {
    const StreamHandle stream = client.CreateStream(context);
    client.Send(Copy{.stream = stream,
                     .kind = CopyKind::kHostToDevice,
                     .target = address,
                     .bytes = 1 << 20});
    ticket = client.SynchronizeStream(stream);
  }
  harness_.RunUntilQuiet();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(client.ReplyTo(tickets[i])->tick - start, one);
  }
  EXPECT_EQ(client.ReplyTo(tickets[4])->tick - start, 2 * one);
}

TEST_P(MachineTimingTest, UsageIsUnitsTimesTime) {
  TestClient client(harness_, 1);
  client.CreateContext();
  client.Launch(client.default_stream, {.vector_ticks = Microseconds(10)}, 8);
  harness_.RunUntilQuiet();
  const Tick hold = kRamp + Microseconds(10);
  const SessionUsage usage = client.Usage();
  EXPECT_TRUE(usage.cube_unit_ticks == UsageTicks{2} * hold);
  EXPECT_TRUE(usage.aiv_unit_ticks == UsageTicks{2} * hold);
  EXPECT_TRUE(usage.dma_unit_ticks == 0);
  EXPECT_TRUE(usage.kernel_ticks == hold);
  EXPECT_EQ(usage.kernel_count, 1u);
  const DeviceUsage device = harness_.machine->GetDeviceUsage(DeviceId(0));
  EXPECT_TRUE(device.cube_unit_ticks == usage.cube_unit_ticks);
  EXPECT_EQ(device.units_held, Claim{});
}

INSTANTIATE_TEST_SUITE_P(Policies, MachineTimingTest,
                         ::testing::Values("fifo", "strict_priority"),
                         [](const auto& param) {
                           return std::string(param.param);
                         });

// Of heads that wait for the same units the most urgent goes first. Exact here,
// where no job is late: when the host computes slower than the model, clock
// mode `free` lets each stream slip by itself, and clients see no order.
TEST(MachinePriorityTest, UrgentStreamsGoFirst) {
  const auto ends = [](const char* policy) {
    MachineHarness harness(ExactSpec(), policy);
    TestClient client(harness, 1);
    const ContextHandle context = client.CreateContext();
    const StreamHandle patient = client.CreateStream(context, 7);
    const StreamHandle urgent = client.CreateStream(context, 0);
    client.Launch(client.default_stream, {}, 32);  // all units
    for (int i = 0; i < 4; ++i) client.Launch(patient, {}, 32);
    const Ticket patient_done = client.SynchronizeStream(patient);
    for (int i = 0; i < 4; ++i) client.Launch(urgent, {}, 32);
    const Ticket urgent_done = client.SynchronizeStream(urgent);
    harness.RunUntilQuiet();
    return std::pair(client.ReplyTo(patient_done)->tick,
                     client.ReplyTo(urgent_done)->tick);
  };
  const auto [fifo_patient, fifo_urgent] = ends("fifo");
  EXPECT_LT(fifo_patient, fifo_urgent);
  const auto [patient, urgent] = ends("strict_priority");
  EXPECT_LT(urgent, patient);
}

TEST(MachineJitterTest, DependsOnSeedRankStreamAndTaskOnly) {
  const auto end_tick = [](uint64_t seed, uint64_t rank, bool has_neighbour) {
    MachineHarness harness(Ascend910Spec(), "fifo", 1, seed);
    TestClient client(harness, 1, rank);
    client.CreateContext();
    if (has_neighbour) {
      TestClient other(harness, 2, rank + 1);
      other.CreateContext();
      for (int i = 0; i < 5; ++i) other.Launch(other.default_stream);
    }
    for (int i = 0; i < 5; ++i) client.Launch(client.default_stream);
    const Ticket done = client.SynchronizeStream(client.default_stream);
    harness.RunUntilQuiet();
    return client.ReplyTo(done)->tick;
  };
  EXPECT_EQ(end_tick(1, 0, false), end_tick(1, 0, true));
  EXPECT_NE(end_tick(1, 0, false), end_tick(2, 0, false));
  EXPECT_NE(end_tick(1, 0, false), end_tick(1, 5, false));
  EXPECT_NEAR(static_cast<double>(end_tick(1, 0, false)),
              static_cast<double>(5 * kRamp + 4 * kGap), 4 * 0.1 * kGap);
}

}  // namespace
}  // namespace ascend::core
