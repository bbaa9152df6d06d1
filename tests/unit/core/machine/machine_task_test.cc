// Copies, fills, fetched argument blocks; jobs that end late, early or badly;
// what is reported of it; and what is counted.

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/testing/machine_harness.h"

namespace ascend::core {
namespace {

class MachineTaskTest : public ::testing::Test {
 protected:
  void SetUp() override {
    context_ = client_.CreateContext();
    stream_ = client_.default_stream;
    address_ = client_.Malloc(kMib);
  }

  // The reason with which the stream's next synchronisation is answered.
  Reason NextReport(StreamHandle stream) {
    const Ticket ticket = client_.SynchronizeStream(stream);
    harness_.RunUntilQuiet();
    const Reply* reply = client_.ReplyTo(ticket);
    EXPECT_NE(reply, nullptr);
    return reply == nullptr ? Reason::kInternal : ReasonOf(reply->status);
  }
  Copy ToDevice(uint64_t bytes) const {
    return {.kind = CopyKind::kHostToDevice,
            .target = address_,
            .bytes = bytes,
            .wants_reply = true};
  }

  MachineHarness harness_;
  TestClient client_{harness_, 1};
  ContextHandle context_;
  StreamHandle stream_;
  uint64_t address_ = 0;
};

// --- Copies and fills --------------------------------------------------------

TEST_F(MachineTaskTest, CopiesOfAllDirectionsReachTheRunner) {
  const uint64_t other = client_.Malloc(kMib);
  for (const CopyKind kind : {CopyKind::kHostToDevice, CopyKind::kDeviceToHost,
                              CopyKind::kDeviceToDevice}) {
    for (const StreamHandle stream : {stream_, StreamHandle{}}) {
      const Ticket ticket = client_.Send(Copy{.stream = stream,
                                              .kind = kind,
                                              .target = address_,
                                              .source = other + 64,
                                              .bytes = 100,
                                              .wants_reply = true});
      harness_.RunUntilQuiet();
      ASSERT_NE(client_.ReplyTo(ticket), nullptr);
      EXPECT_TRUE(client_.ReplyTo(ticket)->status.ok());
      const CopyJob& job = harness_.runners.copies.back();
      EXPECT_EQ(job.kind, kind);
      EXPECT_EQ(job.ticket, ticket);
      EXPECT_EQ(job.target, address_);
      EXPECT_EQ(job.source, other + 64);
      EXPECT_EQ(job.bytes, 100u);
      // Small downloads come with the reply, and nothing else does.
      const auto data =
          harness_.observer.host_data.find({SessionId(1), ticket});
      EXPECT_EQ(data != harness_.observer.host_data.end(),
                kind == CopyKind::kDeviceToHost);
    }
  }
  EXPECT_EQ(client_.Usage().copy_count, 6u);
  EXPECT_EQ(client_.Usage().copied_bytes, 600u);
}

TEST_F(MachineTaskTest, InlineBytesReachTheRunner) {
  Copy copy = ToDevice(5);
  copy.inline_data = "bytes";
  client_.Send(copy);
  harness_.RunUntilQuiet();
  EXPECT_EQ(harness_.runners.copies.back().inline_data, "bytes");
}

TEST_F(MachineTaskTest, InlineBytesMustBeTheCopys) {
  const std::string large(kInlineBytesMax + 1, 'x');
  Copy shorter = ToDevice(5), wrong_way = ToDevice(4), larger = ToDevice(1);
  shorter.inline_data = "four";
  wrong_way.inline_data = "four";
  wrong_way.kind = CopyKind::kDeviceToHost;
  larger.bytes = large.size();
  larger.inline_data = large;
  for (const Copy& copy : {shorter, wrong_way, larger}) {
    MachineHarness harness;
    TestClient client(harness, 1);
    client.Send(copy);
    harness.RunUntilQuiet();
    EXPECT_TRUE(absl::StrContains(client.Violation(), "inline"));
  }
}

TEST_F(MachineTaskTest, ACopyWithoutStreamAndReplyIsAViolation) {
  Copy copy = ToDevice(5);
  copy.wants_reply = false;
  client_.Send(copy);
  harness_.RunUntilQuiet();
  EXPECT_TRUE(absl::StrContains(client_.Violation(), "neither stream"));
}

TEST_F(MachineTaskTest, CopiesOutOfBoundsAreRefusedAndStartNothing) {
  std::vector<Copy> bad(6, ToDevice(64));
  bad[0].bytes = 0;
  bad[1].target = address_ + kMib;
  bad[2].bytes = kMib + 1;
  bad[3].bytes = ~uint64_t{0};
  bad[4].target = 0;
  bad[5].kind = CopyKind::kDeviceToDevice;  // from 0
  for (const Copy& copy : bad) {
    for (const StreamHandle stream : {stream_, StreamHandle{}}) {
      Copy placed = copy;
      placed.stream = stream;
      const Ticket ticket = client_.Send(placed);
      harness_.RunUntilQuiet();
      ASSERT_NE(client_.ReplyTo(ticket), nullptr);
      EXPECT_EQ(ReasonOf(client_.ReplyTo(ticket)->status),
                Reason::kInvalidArgument);
    }
  }
  EXPECT_EQ(harness_.runners.started_count, 0u);
  EXPECT_EQ(client_.Usage().copy_count, 0u);
  EXPECT_EQ(NextReport(stream_), Reason::kNone) << "the reply told it";
}

TEST_F(MachineTaskTest, FillsAreBoundedLikeCopies) {
  const auto fill = [&](uint64_t address, uint64_t bytes) {
    const Ticket ticket = client_.Send(
        Fill{.address = address, .bytes = bytes, .wants_reply = true});
    harness_.RunUntilQuiet();
    return ReasonOf(client_.ReplyTo(ticket)->status);
  };
  EXPECT_EQ(fill(address_, kMib), Reason::kNone);
  EXPECT_EQ(fill(address_ + 1, kMib), Reason::kInvalidArgument);
  EXPECT_EQ(fill(address_, 0), Reason::kInvalidArgument);
  EXPECT_EQ(fill(~uint64_t{0}, 2), Reason::kInvalidArgument);
  EXPECT_EQ(harness_.runners.started_count, 1u);
}

TEST_F(MachineTaskTest, APostedCopyThatIsRefusedFailsInItsPlace) {
  Copy copy = ToDevice(2 * kMib);
  copy.stream = stream_;
  copy.wants_reply = false;
  client_.Send(copy);
  client_.Launch(stream_);
  EXPECT_EQ(NextReport(stream_), Reason::kInvalidArgument);
  EXPECT_EQ(client_.Usage().kernel_count, 1u) << "later work runs all the same";
}

// --- Argument blocks in device memory ----------------------------------------

TEST_F(MachineTaskTest, AFetchedArgumentBlockIsTheKernels) {
  harness_.runners.memory[address_] =
      TestKernelArgs{.vector_ticks = Microseconds(7)}.ToBlock();
  client_.Send(Launch{.stream = stream_,
                      .kernel = kTestMix,
                      .num_blocks = 5,
                      .args_address = address_,
                      .args_bytes = sizeof(TestKernelArgs)});
  const Ticket done = client_.SynchronizeStream(stream_);
  const Tick start = harness_.machine->now();
  harness_.RunUntilQuiet();
  EXPECT_EQ(client_.ReplyTo(done)->tick - start, kRamp + Microseconds(7));
  EXPECT_EQ(harness_.runners.kernels.back().args,
            harness_.runners.memory[address_]);
}

TEST_F(MachineTaskTest, AFetchedBlockIsCheckedWhenItHasBeenRead) {
  const auto launch = [&](std::string block) {
    harness_.runners.memory[address_] = std::move(block);
    client_.Send(Launch{.stream = stream_,
                        .kernel = kTestVector,
                        .num_blocks = 1,
                        .args_address = address_,
                        .args_bytes = sizeof(TestKernelArgs)});
    return NextReport(stream_);
  };
  EXPECT_EQ(launch(TestKernelArgs{}.ToBlock()), Reason::kNone);
  EXPECT_EQ(launch(TestKernelArgs{.is_legal = 0}.ToBlock()),
            Reason::kVectorFault);
  EXPECT_EQ(launch("short"), Reason::kVectorFault);
  EXPECT_EQ(launch(TestKernelArgs{.address = 64, .bytes = 1}.ToBlock()),
            Reason::kVectorFault);
  EXPECT_EQ(client_.Usage().kernel_count, 1u);
}

TEST_F(MachineTaskTest, AFetchOfForeignMemoryIsAFault) {
  TestClient other(harness_, 2, 2);
  const uint64_t foreign = other.Malloc(4 * kMib);
  client_.Send(Launch{.stream = stream_,
                      .kernel = kTestMix,
                      .num_blocks = 1,
                      .args_address = foreign + 2 * kMib,
                      .args_bytes = 64});
  EXPECT_EQ(NextReport(stream_), Reason::kCubeFault);
  EXPECT_EQ(harness_.runners.started_count, 0u);
}

TEST_F(MachineTaskTest, AFetchThatFailsFailsTheKernel) {
  client_.Send(Launch{.stream = stream_,
                      .kernel = kTestMix,
                      .num_blocks = 1,
                      .args_address = address_,
                      .args_bytes = 64});
  harness_.machine->AdvanceTo(harness_.machine->now() + 1);
  harness_.runners.FinishOne(*harness_.machine,
                             MakeError(Reason::kInternal, "no memory"));
  EXPECT_EQ(NextReport(stream_), Reason::kInternal);
}

TEST_F(MachineTaskTest, MemoryFreedAfterTheLaunchIsStillTheKernels) {
  harness_.runners.memory[address_] =
      TestKernelArgs{.address = address_, .bytes = 64}.ToBlock();
  client_.Send(Launch{.stream = stream_,
                      .kernel = kTestMix,
                      .num_blocks = 1,
                      .args_address = address_,
                      .args_bytes = sizeof(TestKernelArgs)});
  client_.Send(Free{address_});
  EXPECT_EQ(NextReport(stream_), Reason::kNone);
  EXPECT_EQ(client_.Usage().hbm_used_bytes, 0u);
}

// --- Jobs against the modelled end -------------------------------------------

TEST_F(MachineTaskTest, AJobThatEndsEarlyIsNotSeenBeforeTheModelledEnd) {
  client_.Launch(stream_, {.vector_ticks = Microseconds(50)});
  const Ticket done = client_.SynchronizeStream(stream_);
  const Tick start = harness_.machine->now();
  harness_.machine->AdvanceTo(start + 1);
  ASSERT_TRUE(harness_.runners.FinishOne(*harness_.machine));
  harness_.machine->AdvanceTo(start + kRamp + Microseconds(50));
  EXPECT_EQ(client_.ReplyTo(done), nullptr);
  harness_.machine->AdvanceTo(start + kRamp + Microseconds(50) + 1);
  EXPECT_NE(client_.ReplyTo(done), nullptr);
}

TEST_F(MachineTaskTest, ALateJobHoldsItsStreamButNoUnits) {
  const StreamHandle other = client_.CreateStream(context_);
  client_.Launch(stream_, {.vector_ticks = Microseconds(50)}, 32);
  client_.Launch(other, {.vector_ticks = Microseconds(10)}, 32);
  const Ticket late = client_.SynchronizeStream(stream_);
  const Ticket prompt = client_.SynchronizeStream(other);
  const Tick start = harness_.machine->now();
  harness_.machine->AdvanceTo(start + Milliseconds(1));
  // The first kernel's job goes on; its units went to the second one.
  ASSERT_EQ(harness_.runners.running.size(), 2u);
  std::swap(harness_.runners.running[0], harness_.runners.running[1]);
  harness_.runners.FinishOne(*harness_.machine);
  harness_.machine->AdvanceTo(start + Milliseconds(2));
  EXPECT_NE(client_.ReplyTo(prompt), nullptr);
  EXPECT_EQ(client_.ReplyTo(late), nullptr);
  EXPECT_EQ(harness_.machine->GetDeviceUsage(DeviceId(0)).units_held, Claim{});
  harness_.runners.FinishOne(*harness_.machine);
  harness_.machine->AdvanceTo(start + Milliseconds(3));
  EXPECT_NE(client_.ReplyTo(late), nullptr);
  // What is accounted is the model's time.
  EXPECT_TRUE(client_.Usage().kernel_ticks ==
              2 * kRamp + Microseconds(50 + 10));
}

// --- Errors ------------------------------------------------------------------

TEST_F(MachineTaskTest, AnErrorIsReportedOnceByTheNextSynchronise) {
  client_.Launch(stream_, {.is_legal = 0});
  EXPECT_EQ(NextReport(stream_), Reason::kCubeFault);
  EXPECT_EQ(NextReport(stream_), Reason::kNone);
}

TEST_F(MachineTaskTest, TheFirstErrorIsTheOneReported) {
  client_.Launch(stream_, {.is_legal = 0}, 1, kTestVector);
  client_.Launch(stream_, {.is_legal = 0}, 1, kTestCube);
  EXPECT_EQ(NextReport(stream_), Reason::kVectorFault);
  EXPECT_EQ(NextReport(stream_), Reason::kNone);
}

TEST_F(MachineTaskTest, AnErrorStaysWithItsStreamUntilItIsCovered) {
  const StreamHandle other = client_.CreateStream(context_);
  client_.Launch(other, {.is_legal = 0});
  EXPECT_EQ(NextReport(stream_), Reason::kNone);
  const Ticket device =
      client_.Send(Synchronize{.target = Synchronize::Target::kDevice});
  harness_.RunUntilQuiet();
  EXPECT_EQ(ReasonOf(client_.ReplyTo(device)->status), Reason::kCubeFault);
  EXPECT_EQ(NextReport(other), Reason::kNone);
}

TEST_F(MachineTaskTest, ADeviceReportsTheOldestErrorFirst) {
  const StreamHandle other = client_.CreateStream(context_);
  client_.Launch(other, {.is_legal = 0}, 1, kTestVector);
  harness_.RunUntilQuiet();
  client_.Launch(stream_, {.is_legal = 0}, 1, kTestCube);
  const Synchronize device{.target = Synchronize::Target::kDevice};
  const Ticket first = client_.Send(device);
  const Ticket second = client_.Send(device);
  harness_.RunUntilQuiet();
  EXPECT_EQ(ReasonOf(client_.ReplyTo(first)->status), Reason::kVectorFault);
  EXPECT_EQ(ReasonOf(client_.ReplyTo(second)->status), Reason::kCubeFault);
}

TEST_F(MachineTaskTest, AJobsErrorIsReportedAndLaterTasksRun) {
  client_.Launch(stream_);
  client_.Launch(stream_);
  harness_.machine->AdvanceTo(harness_.machine->now() + 1);
  harness_.runners.FinishOne(*harness_.machine,
                             MakeError(Reason::kVectorFault, "it crashed"));
  EXPECT_EQ(NextReport(stream_), Reason::kVectorFault);
  EXPECT_EQ(client_.Usage().kernel_count, 2u);
}

TEST_F(MachineTaskTest, ACopysErrorGoesToItsReplyOnly) {
  Copy copy = ToDevice(kMib);
  copy.stream = stream_;
  const Ticket ticket = client_.Send(copy);
  harness_.machine->AdvanceTo(harness_.machine->now() + 1);
  harness_.runners.FinishOne(
      *harness_.machine, MakeError(Reason::kConnectionLost, "client is gone"));
  EXPECT_EQ(NextReport(stream_), Reason::kNone);
  EXPECT_EQ(ReasonOf(client_.ReplyTo(ticket)->status), Reason::kConnectionLost);
}

// --- Two devices; usage ------------------------------------------------------

TEST(MachineDevicesTest, DevicesHaveUnitsOfTheirOwn) {
  MachineHarness harness(ExactSpec(), "fifo", 2);
  TestClient client(harness, 1);
  Ticket done[2];
  for (uint32_t d = 0; d < 2; ++d) {
    client.CreateContext(DeviceId(d));
    client.Launch(client.default_stream, {.vector_ticks = Microseconds(50)},
                  32);
    done[d] = client.SynchronizeStream(client.default_stream);
  }
  const Ticket device = client.Send(Synchronize{
      .target = Synchronize::Target::kDevice, .device = DeviceId(1)});
  const Ticket unknown = client.Send(MemInfo{DeviceId(2)});
  harness.RunUntilQuiet();
  EXPECT_EQ(client.ReplyTo(done[0])->tick, kRamp + Microseconds(50));
  EXPECT_EQ(client.ReplyTo(done[1])->tick, kRamp + Microseconds(50));
  EXPECT_EQ(client.ReplyTo(device)->tick, kRamp + Microseconds(50));
  EXPECT_EQ(ReasonOf(client.ReplyTo(unknown)->status), Reason::kUnknownDevice);
}

TEST(MachineDevicesTest, AnEventOrdersStreamsOfTwoDevices) {
  MachineHarness harness(ExactSpec(), "fifo", 2);
  TestClient client(harness, 1);
  client.CreateContext(DeviceId(0));
  const StreamHandle a = client.default_stream;
  client.CreateContext(DeviceId(1));
  const StreamHandle b = client.default_stream;
  const EventHandle event = client.CreateEvent();
  client.Launch(a, {.vector_ticks = Microseconds(50)});
  client.Send(RecordEvent{event, a});
  client.Send(WaitEvent{b, event});
  const Ticket done = client.SynchronizeStream(b);
  harness.RunUntilQuiet();
  EXPECT_EQ(client.ReplyTo(done)->tick, kRamp + Microseconds(52));
}

TEST(MachineDevicesTest, ACopyWithoutStreamUsesTheDeviceOfItsMemory) {
  MachineHarness harness(ExactSpec(), "fifo", 2);
  TestClient client(harness, 1);
  const Ticket malloc = client.Send(Malloc{DeviceId(1), kMib, 0});
  harness.RunUntilQuiet();
  const uint64_t address =
      std::get<MallocReply>(client.ReplyTo(malloc)->payload).address;
  client.Send(Copy{.kind = CopyKind::kDeviceToHost,
                   .source = address,
                   .bytes = kMib,
                   .wants_reply = true});
  harness.RunUntilQuiet();
  EXPECT_TRUE(harness.machine->GetDeviceUsage(DeviceId(0)).dma_unit_ticks == 0);
  EXPECT_TRUE(harness.machine->GetDeviceUsage(DeviceId(1)).dma_unit_ticks ==
              client.Usage().dma_unit_ticks);
  EXPECT_TRUE(client.Usage().dma_unit_ticks == client.Usage().copy_ticks);
}

TEST(MachineDevicesTest, UnitTicksOfSessionsAddUpToThoseOfDevices) {
  MachineHarness harness(Ascend910Spec(), "fifo", 2);
  TestClient one(harness, 1, 1), two(harness, 2, 2);
  for (TestClient* client : {&one, &two}) {
    const uint64_t address = client->Malloc(kMib);
    for (uint32_t d = 0; d < 2; ++d) {
      client->CreateContext(DeviceId(d));
      for (uint32_t i = 0; i < 20; ++i) {
        client->Launch(client->default_stream,
                       {.hbm_bytes = 100'000 * i, .flops = 1e9 * i}, 1 + i * 3,
                       1 + i % 3);
        client->Send(Fill{.stream = client->default_stream,
                          .address = address,
                          .bytes = 1000});
      }
    }
  }
  harness.RunUntilQuiet();
  UsageTicks cube = 0, aiv = 0, dma = 0;
  for (uint32_t d = 0; d < 2; ++d) {
    const DeviceUsage usage = harness.machine->GetDeviceUsage(DeviceId(d));
    EXPECT_EQ(usage.units_held, Claim{});
    cube += usage.cube_unit_ticks;
    aiv += usage.aiv_unit_ticks;
    dma += usage.dma_unit_ticks;
  }
  EXPECT_TRUE(cube > 0 && aiv > 0 && dma > 0);
  const SessionUsage a = one.Usage(), b = two.Usage();
  EXPECT_TRUE(cube == a.cube_unit_ticks + b.cube_unit_ticks);
  EXPECT_TRUE(aiv == a.aiv_unit_ticks + b.aiv_unit_ticks);
  EXPECT_TRUE(dma == a.dma_unit_ticks + b.dma_unit_ticks);
  EXPECT_EQ(a.kernel_count, 40u);
  EXPECT_EQ(a.copy_count, 0u) << "fills are none";
}

}  // namespace
}  // namespace ascend::core
