// Unequal programs, in processes of their own that a busy host delays at
// random: in lockstep every run has the same simulated times, to the
// picosecond.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "tests/integration/clock/clock.h"

namespace ascend {
namespace {

using testing::AwaitSessions;
using testing::ChildProgram;
using testing::DaemonProcess;
using ::testing::HasSubstr;
using testing::ProgramResult;
using testing::Role;
using testing::RunInfo;
using testing::RunInfoOf;
using testing::RunProgram;
using testing::Start;
using testing::TemporaryDirectory;

constexpr int kRuns = 20;

// Roles by rank; the last one has two threads.
const std::vector<std::string> kUnequal{"streams", "poll", "host-functions",
                                        "callbacks", "threads"};
constexpr uint32_t kUnequalParticipants = 6;
// They do the same at the same simulated time.
const std::vector<std::string> kEqual(5, "equal");

struct Outcome {
  RunInfo info;
  std::vector<std::string> lines;  // by process

  friend bool operator==(const Outcome& a, const Outcome& b) {
    return a.info.hash == b.info.hash && a.info.tasks == b.info.tasks &&
           a.lines == b.lines;
  }
};

// The processes start in random order, and each is delayed at random.
Outcome RunOnce(const DaemonProcess& daemon,
                const std::vector<std::string>& names, uint32_t seed) {
  const auto participants = names == kUnequal
                                ? kUnequalParticipants
                                : static_cast<uint32_t>(names.size());
  std::vector<size_t> order(names.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  std::vector<std::unique_ptr<ChildProgram>> programs(names.size());
  for (const size_t i : order) {
    const auto rank = static_cast<uint32_t>(i);
    programs[i] =
        Start(daemon, Role(names[i], participants, rank, 8 * seed + rank));
  }
  Outcome outcome;
  for (size_t i = 0; i < programs.size(); ++i) {
    std::vector<std::string> lines = programs[i]->ReadLines();
    EXPECT_EQ(programs[i]->Wait(), 0) << names[i];
    std::sort(lines.begin(), lines.end());
    for (const std::string& line : lines) {
      outcome.lines.push_back(names[i] + " " + line);
    }
  }
  EXPECT_TRUE(AwaitSessions(daemon, 0));
  outcome.info = RunInfoOf(daemon);
  EXPECT_TRUE(AwaitSessions(daemon, 0));
  EXPECT_EQ(outcome.info.participants, participants);
  EXPECT_EQ(outcome.info.left, participants);
  return outcome;
}

std::set<uint64_t> HashesOf(const std::vector<Outcome>& outcomes) {
  std::set<uint64_t> hashes;
  for (const Outcome& outcome : outcomes) hashes.insert(outcome.info.hash);
  return hashes;
}

std::vector<Outcome> RunOften(const DaemonProcess& daemon,
                              const std::vector<std::string>& names) {
  std::vector<Outcome> outcomes;
  for (uint32_t seed = 1; seed <= kRuns; ++seed) {
    outcomes.push_back(RunOnce(daemon, names, seed));
  }
  return outcomes;
}

void ExpectEqual(const std::vector<Outcome>& outcomes) {
  for (const Outcome& outcome : outcomes) {
    EXPECT_TRUE(outcome.info.is_deterministic()) << outcome.info;
    EXPECT_EQ(outcome.info.hash, outcomes[0].info.hash) << outcome.info;
    EXPECT_EQ(outcome.lines, outcomes[0].lines);
  }
}

TEST(Determinism, InLockstepEveryRunHasTheSameTimes) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON, {"--clock", "lockstep"});
  const std::vector<Outcome> outcomes = RunOften(daemon, kUnequal);
  ExpectEqual(outcomes);
  EXPECT_GT(outcomes[0].info.tasks, 2600u);
  EXPECT_EQ(outcomes[0].lines.size(), 7u);
}

TEST(Determinism, InLockstepRanksDecideWhatIsAtTheSameTime) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON, {"--clock", "lockstep"});
  const std::vector<Outcome> outcomes = RunOften(daemon, kEqual);
  ExpectEqual(outcomes);
  // They do get in each other's way.
  EXPECT_GT(std::set(outcomes[0].lines.begin(), outcomes[0].lines.end()).size(),
            1u);
}

TEST(Determinism, WithoutAGateTheHostDecides) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON, {"--clock", "ungated"});
  EXPECT_GT(HashesOf(RunOften(daemon, kUnequal)).size(), 3u);
}

TEST(Determinism, ARecordedRunIsReplayedToThePicosecond) {
  const TemporaryDirectory directory;
  const std::string log = directory.path() + "/log";
  uint64_t hash = 0;
  uint64_t tasks = 0;
  {
    DaemonProcess daemon(ASCEND_TEST_DAEMON,
                         {"--clock", "lockstep", "--record", log});
    const Outcome outcome = RunOnce(daemon, kUnequal, 99);
    EXPECT_TRUE(outcome.info.is_deterministic()) << outcome.info;
    hash = outcome.info.hash;
    tasks = outcome.info.tasks;
    EXPECT_EQ(daemon.Terminate(), 0) << daemon.Log();
    // Another daemon, whose machine has another past.
    const DaemonProcess another(ASCEND_TEST_DAEMON, {"--clock", "lockstep"});
    EXPECT_EQ(RunOnce(another, kUnequal, 100), outcome);
  }
  const ProgramResult replayed =
      RunProgram({ASCEND_TEST_DAEMON, "replay", log});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
  EXPECT_THAT(replayed.out,
              HasSubstr(absl::StrFormat("run_tasks %d\nrun_trace_hash %016x\n",
                                        tasks, hash)));
}

}  // namespace
}  // namespace ascend
