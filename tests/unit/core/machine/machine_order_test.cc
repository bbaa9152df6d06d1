// Commands: their order, and the contract of handles.

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/testing/machine_harness.h"

namespace ascend::core {
namespace {

class MachineOrderTest : public ::testing::Test {
 protected:
  void SetUp() override { context_ = client_.CreateContext(); }
  StreamHandle stream() const { return client_.default_stream; }

  // Sends `operation`, which ends the session.
  void ExpectViolation(Operation operation, const std::string& text) {
    TestClient bystander(harness_, 77, 77);
    const ContextHandle context = bystander.CreateContext();
    client_.Send(std::move(operation));
    const Ticket alive = bystander.SynchronizeStream(bystander.default_stream);
    harness_.RunUntilQuiet();
    EXPECT_TRUE(absl::StrContains(client_.Violation(), text))
        << "'" << client_.Violation() << "' does not say '" << text << "'";
    EXPECT_TRUE(client_.is_closed());
    EXPECT_EQ(bystander.Violation(), "");
    ASSERT_NE(bystander.ReplyTo(alive), nullptr);
    EXPECT_TRUE(bystander.ReplyTo(alive)->status.ok());
    EXPECT_NE(context.generation, 0u);
  }

  MachineHarness harness_;
  TestClient client_{harness_, 1};
  ContextHandle context_;
};

TEST_F(MachineOrderTest, CommandsOfEqualStampsGoInTicketOrder) {
  const Ticket first = client_.Send(QueryStream{stream()}, Microseconds(5));
  client_.Launch(stream());
  // An earlier stamp does not overtake.
  const Ticket last = client_.Send(QueryStream{stream()}, 0);
  harness_.RunUntilQuiet();
  EXPECT_EQ(client_.ReplyTo(first)->tick, Microseconds(5));
  EXPECT_TRUE(std::get<QueryReply>(client_.ReplyTo(first)->payload).complete);
  EXPECT_EQ(client_.ReplyTo(last)->tick, Microseconds(5));
  EXPECT_FALSE(std::get<QueryReply>(client_.ReplyTo(last)->payload).complete);
}

TEST_F(MachineOrderTest, AGapInTheTicketsIsAViolation) {
  client_.SkipTicket();
  ExpectViolation(QueryStream{stream()}, "ticket 3 follows ticket 1");
}

TEST_F(MachineOrderTest, ARepeatedOrZeroTicketIsAViolation) {
  for (const uint64_t ticket : {1u, 0u}) {
    MachineHarness harness;
    TestClient client(harness, 1);
    client.CreateContext();
    harness.machine->Submit(client.session,
                            {.ticket = Ticket(ticket),
                             .operation = QueryStream{client.default_stream}});
    EXPECT_TRUE(absl::StrContains(client.Violation(), "follows ticket 1"));
    EXPECT_TRUE(client.is_closed());
  }
}

TEST_F(MachineOrderTest, SessionsOfOneInstantGoByRank) {
  MachineHarness harness;
  TestClient late(harness, 1, /*rank=*/9);
  TestClient early(harness, 2, /*rank=*/3);
  late.CreateContext();
  early.CreateContext();
  harness.RunUntilQuiet();
  EXPECT_EQ(harness.observer.log.front().substr(0, 3), "s2 ");
}

TEST_F(MachineOrderTest, CommandsOfUnknownSessionsAreIgnored) {
  harness_.machine->Submit(
      SessionId(99), {.ticket = Ticket(1), .operation = MemInfo{DeviceId(0)}});
  harness_.machine->CloseSession(SessionId(99));
  harness_.RunUntilQuiet();
  EXPECT_EQ(harness_.observer.closed.size(), 0u);
}

// Every command that names a handle, with one that is not live.
TEST_F(MachineOrderTest, EachCommandRefusesAHandleThatIsNotLive) {
  const StreamHandle no_stream{3, 9};
  const ContextHandle no_context{3, 9};
  const EventHandle no_event{3, 9};
  using Target = Synchronize::Target;
  const auto make = [&](size_t i, TestClient& client) -> Operation {
    const StreamHandle stream = client.default_stream;
    const EventHandle event = client.CreateEvent();
    switch (i) {
      case 0:
        return DestroyContext{no_context};
      case 1:
        return CreateStream{.stream = {5, 1}, .context = no_context};
      case 2:
        return DestroyStream{no_stream};
      case 3:
        return QueryStream{no_stream};
      case 4:
        return DestroyEvent{no_event};
      case 5:
        return RecordEvent{no_event, stream};
      case 6:
        return RecordEvent{event, no_stream};
      case 7:
        return WaitEvent{no_stream, event};
      case 8:
        return WaitEvent{stream, no_event};
      case 9:
        return QueryEvent{no_event};
      case 10:
        return Synchronize{.target = Target::kStream, .stream = no_stream};
      case 11:
        return Synchronize{.target = Target::kEvent, .event = no_event};
      case 12:
        return Synchronize{.target = Target::kContext, .context = no_context};
      case 13:
        return Copy{.stream = no_stream, .bytes = 1};
      case 14:
        return Fill{.stream = no_stream, .bytes = 1};
      case 15:
        return Launch{.stream = no_stream,
                      .kernel = kTestMix,
                      .num_blocks = 1,
                      .args = TestKernelArgs{}.ToBlock()};
      default:
        return MemInfo{DeviceId(0)};
    }
  };
  for (size_t i = 0; i < 16; ++i) {
    SCOPED_TRACE(i);
    MachineHarness harness;
    TestClient client(harness, 1);
    client.CreateContext();
    const Operation operation = make(i, client);
    client.Send(operation);
    harness.RunUntilQuiet();
    EXPECT_TRUE(absl::StrContains(
        client.Violation(), absl::StrCat(OperationName(operation), " names ")))
        << client.Violation();
    EXPECT_TRUE(absl::StrContains(client.Violation(), "0x900000003"));
    EXPECT_TRUE(client.is_closed());
  }
}

TEST_F(MachineOrderTest, AStaleHandleIsNotItsSuccessor) {
  const StreamHandle old = client_.CreateStream(context_);
  client_.Send(DestroyStream{old});
  client_.Send(CreateStream{.stream = {old.index, old.generation + 1},
                            .context = context_});
  harness_.RunUntilQuiet();
  EXPECT_EQ(client_.Violation(), "");
  ExpectViolation(QueryStream{old}, "QueryStream names stream");
}

TEST_F(MachineOrderTest, AHandleOfAnotherSessionIsNotLive) {
  TestClient other(harness_, 2, 2);
  const StreamHandle foreign = other.CreateStream(other.CreateContext());
  ExpectViolation(QueryStream{foreign}, "QueryStream names stream");
  EXPECT_EQ(other.Violation(), "");
}

TEST_F(MachineOrderTest, AHandleIsMadeOnce) {
  client_.CreateEvent();
  ExpectViolation(CreateEvent{EventHandle{0, 1}, DeviceId(0)},
                  "CreateEvent names event");
}

TEST_F(MachineOrderTest, ADefaultStreamIsNotDestroyed) {
  ExpectViolation(DestroyStream{stream()}, "DestroyStream names stream");
}

TEST_F(MachineOrderTest, AStreamThatIsBeingDestroyedTakesNoCommands) {
  const StreamHandle other = client_.CreateStream(context_);
  client_.Launch(other, {.vector_ticks = Microseconds(50)});
  client_.Send(DestroyStream{other});
  ExpectViolation(QueryStream{other}, "QueryStream names stream");
}

TEST_F(MachineOrderTest, AContextThatIsBeingDestroyedTakesNoCommands) {
  client_.Launch(stream(), {.vector_ticks = Microseconds(50)});
  client_.Send(DestroyContext{context_});
  ExpectViolation(CreateStream{.stream = {4, 1}, .context = context_},
                  "CreateStream names context");
}

TEST_F(MachineOrderTest, LaunchesAreChecked) {
  const Launch good{.stream = stream(),
                    .kernel = kTestMix,
                    .num_blocks = 1,
                    .args = TestKernelArgs{}.ToBlock()};
  std::vector<Launch> bad(5, good);
  bad[0].kernel = 99;
  bad[1].num_blocks = 0;
  bad[2].args.clear();
  bad[3].args.assign(kLaunchArgsBytesMax + 1, '\0');
  bad[4].args_address = 1;  // and inline too
  bad[4].args_bytes = 64;
  for (const Launch& launch : bad) {
    MachineHarness harness;
    TestClient client(harness, 1);
    client.CreateContext();
    client.Send(launch);
    harness.RunUntilQuiet();
    EXPECT_TRUE(absl::StrContains(client.Violation(), "Launch"))
        << client.Violation();
  }
}

TEST_F(MachineOrderTest, DevicesAreChecked) {
  const Ticket create = client_.Send(
      CreateContext{ContextHandle{7, 1}, DeviceId(1), StreamHandle{7, 1}});
  harness_.RunUntilQuiet();
  EXPECT_EQ(ReasonOf(client_.ReplyTo(create)->status), Reason::kUnknownDevice);
  ExpectViolation(CreateEvent{EventHandle{0, 1}, DeviceId(1)},
                  "CreateEvent names device 1 of 1");
}

TEST_F(MachineOrderTest, OnlyTheBuiltinPackageCanBeLoaded) {
  const Ticket builtin = client_.Send(LoadPackage{"builtin:ops"});
  const Ticket other = client_.Send(LoadPackage{"mine.so"});
  harness_.RunUntilQuiet();
  EXPECT_EQ(
      std::get<PackageReply>(client_.ReplyTo(builtin)->payload).kernels.size(),
      6u);
  EXPECT_EQ(ReasonOf(client_.ReplyTo(other)->status), Reason::kUnknownKernel);
}

DeviceSpec FewStreams() {
  DeviceSpec spec = ExactSpec();
  spec.streams_max = 3;
  spec.stream_depth = 4;
  spec.events_max = 2;
  return spec;
}

TEST(MachineCapacityTest, StreamsOfADeviceAreSharedAndComeBack) {
  MachineHarness harness(FewStreams());
  TestClient one(harness, 1), two(harness, 2, 2);
  const ContextHandle context = one.CreateContext();
  const StreamHandle stream = one.CreateStream(context);
  two.CreateContext();
  harness.RunUntilQuiet();
  const Ticket refused_stream =
      one.Send(CreateStream{.stream = {2, 1}, .context = context});
  const Ticket refused_context = two.Send(
      CreateContext{ContextHandle{1, 1}, DeviceId(0), StreamHandle{1, 1}});
  harness.RunUntilQuiet();
  for (const Reply* reply :
       {one.ReplyTo(refused_stream), two.ReplyTo(refused_context)}) {
    ASSERT_NE(reply, nullptr);
    EXPECT_EQ(ReasonOf(reply->status), Reason::kStreamsExhausted);
  }
  one.Send(DestroyStream{stream});
  const Ticket again =
      one.Send(CreateStream{.stream = {2, 2}, .context = context});
  harness.RunUntilQuiet();
  EXPECT_TRUE(one.ReplyTo(again)->status.ok());
  harness.machine->CloseSession(one.session);
  const ContextHandle other = two.CreateContext();
  two.CreateStream(other);
  const Ticket info = two.SynchronizeStream(two.default_stream);
  harness.RunUntilQuiet();
  EXPECT_TRUE(two.ReplyTo(info)->status.ok());
  EXPECT_EQ(two.Usage().stream_count, 3u);
}

TEST(MachineCapacityTest, AHandlePastTheLimitIsAViolation) {
  MachineHarness harness(FewStreams());
  TestClient client(harness, 1);
  client.CreateContext();
  client.CreateEvent();
  client.CreateEvent();
  harness.RunUntilQuiet();
  EXPECT_EQ(client.Usage().event_count, 2u);
  client.CreateEvent();
  harness.RunUntilQuiet();
  EXPECT_TRUE(absl::StrContains(client.Violation(), "CreateEvent names event"));
}

TEST(MachineCapacityTest, AStreamIsAsDeepAsTheProfileSays) {
  MachineHarness harness(FewStreams());
  TestClient client(harness, 1);
  client.CreateContext();
  for (int i = 0; i < 4; ++i) {
    client.Launch(client.default_stream, {.vector_ticks = Microseconds(50)});
  }
  harness.machine->AdvanceTo(Microseconds(1));
  EXPECT_EQ(client.Violation(), "");
  EXPECT_EQ(client.Usage().tasks_pending, 4u);
  client.Launch(client.default_stream);
  harness.machine->AdvanceTo(Microseconds(2));
  EXPECT_TRUE(absl::StrContains(client.Violation(), "gets one more"));
  // As soon as one has retired there is room.
  TestClient patient(harness, 2);
  patient.CreateContext();
  for (int i = 0; i < 4; ++i) patient.Launch(patient.default_stream);
  harness.RunUntilQuiet();
  for (int i = 0; i < 4; ++i) patient.Launch(patient.default_stream);
  harness.RunUntilQuiet();
  EXPECT_EQ(patient.Violation(), "");
  EXPECT_EQ(patient.Usage().kernel_count, 8u);
}

}  // namespace
}  // namespace ascend::core
