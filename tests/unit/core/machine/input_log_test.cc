#include "core/machine/input_log.h"

#include <string>
#include <vector>

#include "core/command/command_codec.h"
#include "core/sim/rng.h"
#include "gtest/gtest.h"
#include "tests/testing/machine_harness.h"
#include "tests/testing/random_command.h"

namespace ascend::core {
namespace {

// What came out of a machine.
struct RunOutcome {
  uint64_t hash = 0;
  uint64_t tasks = 0;
  Tick tick = 0;
  std::vector<std::string> effects;
  friend bool operator==(const RunOutcome&, const RunOutcome&) = default;
};

MachineOptions OptionsOf(bool waits_for_jobs) {
  MachineOptions options{.spec = Ascend910Spec(),
                         .scheduling = {{"drfq", HoldMode::kBlock}}};
  options.spec.hbm_bytes = uint64_t{4} << 30;
  options.waits_for_jobs = waits_for_jobs;
  options.seed = 42;
  options.rank_weights = {3, 1};
  return options;
}

// Two clients with copies, kernels and events; jobs end late, at random.
RunOutcome RunRecorded(bool waits_for_jobs, std::string* log) {
  MachineOptions options = OptionsOf(waits_for_jobs);
  auto writer = std::make_unique<InputLogWriter>(
      options, [log](std::string bytes) { *log += bytes; });
  options.input_log = writer.get();
  MachineHarness harness(options);
  Rng rng(7);
  TestClient clients[] = {{harness, 1, 0}, {harness, 2, 1}};
  for (TestClient& client : clients) {
    const ContextHandle context = client.CreateContext();
    const StreamHandle second = client.CreateStream(context, 3);
    const uint64_t memory = client.Malloc(1 << 20);
    const EventHandle event = client.CreateEvent();
    for (int i = 0; i < 30; ++i) {
      const StreamHandle stream = i % 3 == 0 ? second : client.default_stream;
      const Tick stamp = i * Microseconds(4);
      client.Launch(stream,
                    {.hbm_bytes = 1 + rng.Below(20'000'000),
                     .vector_ticks = Microseconds(2)},
                    1 + static_cast<uint32_t>(rng.Below(32)), kTestMix, stamp);
      client.Send(Copy{.stream = stream,
                       .target = memory,
                       .bytes = 4,
                       .inline_data = "abcd"},
                  stamp);
      client.Send(RecordEvent{event, second}, stamp);
      client.Send(WaitEvent{.stream = client.default_stream, .event = event},
                  stamp);
    }
  }
  Machine& machine = *harness.machine;
  while (machine.NextEventTime().has_value() ||
         !harness.runners.running.empty()) {
    const auto next = machine.NextEventTime();
    if (next.has_value()) machine.AdvanceTo(*next + 1);
    if (rng.Below(3) == 0 || !next.has_value() || machine.WaitsForJob()) {
      harness.runners.FinishOne(machine);
    }
  }
  machine.CloseSession(SessionId(2));
  machine.AdvanceTo(kTickMax);
  writer.reset();
  return {machine.trace_hash(), machine.ended_task_count(), machine.now(),
          harness.observer.log};
}

class Replayed {
 public:
  explicit Replayed(const std::string& log)
      : reader_(InputLogReader::Open(log)) {
    if (!reader_.ok()) return;
    harness_ = std::make_unique<MachineHarness>(reader_->options());
  }
  absl::StatusOr<bool> Play(uint64_t records = ~uint64_t{0}) {
    if (!reader_.ok()) return reader_.status();
    return reader_->Play(*harness_->machine, records);
  }
  RunOutcome outcome() const {
    return {harness_->machine->trace_hash(),
            harness_->machine->ended_task_count(), harness_->machine->now(),
            harness_->observer.log};
  }

 private:
  absl::StatusOr<InputLogReader> reader_;
  std::unique_ptr<MachineHarness> harness_;
};

class InputLogTest : public ::testing::TestWithParam<bool> {};

TEST_P(InputLogTest, ARecordedRunRepeatsToTheLastEffect) {
  std::string log;
  const RunOutcome recorded = RunRecorded(GetParam(), &log);
  EXPECT_GT(recorded.tasks, 200u);
  Replayed replayed(log);
  const auto has_more = replayed.Play();
  ASSERT_TRUE(has_more.ok()) << has_more.status();
  EXPECT_FALSE(*has_more);
  EXPECT_EQ(replayed.outcome(), recorded);
}

TEST_P(InputLogTest, ALogUpToTheMiddleIsASnapshot) {
  std::string log;
  const RunOutcome recorded = RunRecorded(GetParam(), &log);
  Replayed replayed(log);
  while (replayed.outcome().tasks < recorded.tasks / 2) {
    ASSERT_TRUE(replayed.Play(1).value());
  }
  const RunOutcome middle = replayed.outcome();
  EXPECT_LT(middle.tasks, recorded.tasks);
  ASSERT_TRUE(replayed.Play().ok());
  EXPECT_EQ(replayed.outcome(), recorded);
}

INSTANTIATE_TEST_SUITE_P(Clocks, InputLogTest, ::testing::Bool());

TEST(InputLogFaultTest, RefusesWhatIsNoLogOrOfAnotherVersion) {
  EXPECT_EQ(InputLogReader::Open("").status().message(),
            "this is no input log");
  std::string log;
  RunRecorded(false, &log);
  const size_t version = log.find('\n') + 1;
  log[version] = 9;
  EXPECT_NE(InputLogReader::Open(log).status().message().find(
                "version 9, but this program replays version 2"),
            std::string::npos);
}

TEST(InputLogFaultTest, SaysThatALogWasCutShort) {
  std::string log;
  RunRecorded(false, &log);
  for (const size_t cut : {size_t{1}, size_t{10}, log.size() / 2}) {
    const std::string part = log.substr(0, log.size() - cut);
    Replayed replayed(part);
    const auto played = replayed.Play();
    EXPECT_EQ(ReasonOf(played.status()), Reason::kInvalidArgument) << cut;
  }
}

TEST(InputLogFaultTest, ADeviceThatCannotBeIsRefused) {
  std::string log;
  MachineOptions options = OptionsOf(false);
  options.spec.cube_units = 0;
  InputLogWriter(options, [&log](std::string bytes) { log += bytes; });
  const absl::Status status = InputLogReader::Open(log).status();
  EXPECT_NE(status.message().find("cube_units"), std::string::npos) << status;
}

absl::Status StatusOfLogOf(std::vector<DeviceScheduling> scheduling) {
  std::string log;
  MachineOptions options = OptionsOf(false);
  options.device_count = 2;
  options.scheduling = std::move(scheduling);
  InputLogWriter(options, [&log](std::string bytes) { log += bytes; });
  return InputLogReader::Open(log).status();
}

TEST(InputLogHeadTest, SaysHowEachDeviceIsShared) {
  std::string log;
  MachineOptions options = OptionsOf(false);
  options.device_count = 2;
  options.scheduling = {{"fifo"}, {"fair", HoldMode::kSplit}};
  InputLogWriter(options, [&log](std::string bytes) { log += bytes; });
  const auto reader = InputLogReader::Open(log);
  ASSERT_TRUE(reader.ok()) << reader.status();
  const MachineOptions& read = reader->options();
  ASSERT_EQ(read.scheduling.size(), 2u);
  EXPECT_EQ(read.SchedulingOf(0).policy, "fifo");
  EXPECT_FALSE(read.SchedulingOf(0).hold.has_value());
  EXPECT_EQ(read.SchedulingOf(1).policy, "fair");
  EXPECT_EQ(read.HoldOf(1), HoldMode::kSplit);
}

TEST(InputLogFaultTest, SchedulingThatCannotBeIsRefused) {
  EXPECT_TRUE(StatusOfLogOf({{"fifo"}}).ok());
  EXPECT_TRUE(StatusOfLogOf({{"fifo"}, {"srf"}}).ok());
  for (const std::vector<DeviceScheduling>& scheduling :
       {std::vector<DeviceScheduling>{},
        {{"fifo"}, {"whim"}},
        {{"fifo"}, {"fifo"}, {"fifo"}}}) {
    EXPECT_EQ(ReasonOf(StatusOfLogOf(scheduling)), Reason::kInvalidArgument)
        << scheduling.size();
  }
}

// Whatever bytes there are, replaying them ends with an answer.
TEST(InputLogFaultTest, BytesThatWereChangedDoNoHarm) {
  std::string log;
  RunRecorded(false, &log);
  Rng rng(3);
  const size_t head = log.find('\n') + 1;
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    std::string changed = log;
    for (int k = 0; k < 3; ++k) {
      const size_t at = head + rng.Below(changed.size() - head);
      changed[at] = static_cast<char>(rng.Below(256));
    }
    Replayed replayed(changed);
    if (!replayed.Play().ok()) ++refused;
  }
  EXPECT_GT(refused, 0);
}

TEST(CommandCodecTest, ReadsEveryCommandThatItWrites) {
  testing::RandomCommand random(5);
  for (int i = 0; i < 5000; ++i) {
    const Command command = random.Next();
    ByteWriter out;
    WriteCommand(command, out);
    ByteReader in(out.bytes());
    const Command read = ReadCommand(in);
    ASSERT_TRUE(in.ok() && in.at_end()) << OperationName(command.operation);
    ByteWriter again;
    WriteCommand(read, again);
    ASSERT_EQ(again.bytes(), out.bytes()) << OperationName(command.operation);
    ASSERT_EQ(read.operation.index(), command.operation.index());
  }
}

}  // namespace
}  // namespace ascend::core
