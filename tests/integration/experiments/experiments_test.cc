// The published figures, and what policies change: programs of this tree as
// processes of their own, over gRPC, in lockstep. Bounds are those that the
// reference model of the timing states (decode_model.py), not fitted here.

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/bench/load/load.h"
#include "tests/testing/child_program.h"
#include "tests/testing/daemon_process.h"

namespace ascend {
namespace {

using load::JobKind;
using load::Load;
using load::Outcome;
using load::StreamLoad;
using load::StreamOutcome;
using testing::ChildProgram;
using testing::DaemonProcess;
using ::testing::HasSubstr;
using testing::TemporaryDirectory;

// What `ascend-rtd-bench decode` says.
struct Decoded {
  double total = 0;
  std::vector<double> tokens_per_s;
};

Decoded Decode(std::vector<std::string> flags) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/decode.json";
  std::vector<std::string> command = {ASCEND_TEST_BENCH, "decode",
                                      "--json=" + file};
  command.insert(command.end(), flags.begin(), flags.end());
  const testing::ProgramResult result = testing::RunProgram(command);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json out =
      nlohmann::json::parse(std::ifstream(file), nullptr, false);
  if (!out.is_object()) return {};
  EXPECT_EQ(out["degraded"], 0) << "the host's speed counted";
  return {out["total_tokens_per_s"],
          out["tokens_per_s"].get<std::vector<double>>()};
}

constexpr double kShare = 0.03;

TEST(DecodeTest, GangAndFifoGiveThePublishedFigures) {
  for (const auto& [count, published] :
       {std::pair{"1", 28.0}, {"2", 42.0}, {"4", 51.0}}) {
    SCOPED_TRACE(count);
    EXPECT_NEAR(Decode({std::string("--streams=") + count}).total, published,
                kShare * published);
    EXPECT_NEAR(Decode({std::string("--processes=") + count}).total, published,
                kShare * published);
  }
}

TEST(DecodeTest, SplitUnitsBeatGang) {
  EXPECT_GE(Decode({"--streams=2", "--hold=split"}).total, 45);
  EXPECT_GE(Decode({"--streams=4", "--hold=split"}).total, 54.5);
}

TEST(DecodeTest, BlocksWithTheRightPolicyBeatSplit) {
  EXPECT_GE(Decode({"--streams=2", "--hold=block", "--policy=srf"}).total,
            49.5);
  EXPECT_GE(Decode({"--streams=4", "--hold=block", "--policy=fair"}).total,
            55.5);
  EXPECT_GE(Decode({"--streams=8", "--hold=block", "--policy=fair"}).total, 57);
}

TEST(DecodeTest, OneStreamBesideFourOfAnotherTenantGetsItsShare) {
  constexpr double kAlone = 28.08;
  const Decoded decoded =
      Decode({"--layout=4,1", "--hold=block", "--policy=drfq", "--tokens=12"});
  ASSERT_EQ(decoded.tokens_per_s.size(), 5u);
  EXPECT_LE(kAlone / decoded.tokens_per_s[4], 1.55);
}

// The processes of `loads` beside each other on a daemon with these flags.
// `devices` are those that they see, by process; empty: all are on the first.
std::vector<Outcome> Play(std::vector<std::string> flags,
                          const std::vector<Load>& loads,
                          const std::vector<int>& devices = {}) {
  flags.push_back("--clock=lockstep");
  const DaemonProcess daemon(ASCEND_TEST_DAEMON, flags);
  std::vector<std::unique_ptr<ChildProgram>> programs;
  for (size_t i = 0; i < loads.size(); ++i) {
    const int device = devices.empty() ? 0 : devices[i];
    programs.push_back(std::make_unique<ChildProgram>(
        std::vector<std::string>{ASCEND_TEST_BENCH, "role", "load",
                                 nlohmann::json(loads[i]).dump()},
        std::vector<std::string>{
            "ASCEND_RTD_ADDRESS=" + daemon.unix_address(),
            "ASCEND_RT_VISIBLE_DEVICES=" + std::to_string(device)}));
  }
  std::vector<Outcome> outcomes;
  for (const auto& program : programs) {
    const nlohmann::json out =
        nlohmann::json::parse(program->ReadLine(), nullptr, false);
    EXPECT_TRUE(out.is_object());
    EXPECT_EQ(program->Wait(), 0);
    outcomes.push_back(out.is_object() ? out.get<Outcome>() : Outcome());
    if (outcomes.back().streams.empty()) outcomes.back().streams.resize(64);
  }
  return outcomes;
}

double Percentile(std::vector<double> values, double percent) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = percent / 100 * static_cast<double>(values.size());
  return values[std::min(values.size() - 1, static_cast<size_t>(at))];
}

// A job of five decode kernels, 40 a second, on the most urgent stream beside
// four that prefill.
struct Urgent {
  double p99_us = 0;
  int background_jobs = 0;
};

Load UrgentLoad(int participants, int first_rank) {
  constexpr double kUntil = 2'000'000;
  Load load{.participants = participants, .seed = 11};
  load.streams.push_back({.rank = first_rank,
                          .priority = 0,
                          .kind = JobKind::kLayerHead,
                          .start_us = 5000,
                          .until_us = kUntil - 30'000,
                          .rate = 40});
  for (int i = 0; i < 4; ++i) {
    load.streams.push_back({.rank = first_rank + i + 1,
                            .priority = 5,
                            .kind = JobKind::kPrefillLayer,
                            .start_us = i * 1300.0,
                            .until_us = kUntil,
                            .jobs_at_once = 4});
  }
  return load;
}

Urgent UrgentOf(const Outcome& outcome) {
  Urgent urgent{.p99_us = Percentile(outcome.streams[0].latencies_us, 99)};
  for (size_t i = 1; i < 5; ++i) {
    urgent.background_jobs += outcome.streams[i].jobs;
  }
  return urgent;
}

Urgent PlayUrgent(std::vector<std::string> flags) {
  return UrgentOf(Play(std::move(flags), {UrgentLoad(5, 0)})[0]);
}

TEST(PolicyTest, PreemptionAtBlockEdgesServesAnUrgentStreamInATwentieth) {
  const Urgent gang = PlayUrgent({"--policy=fifo", "--hold=gang"});
  const Urgent block = PlayUrgent(
      {"--policy=strict_priority", "--hold=block", "--preempt=true"});
  EXPECT_GT(gang.p99_us, 0);
  EXPECT_LE(block.p99_us, gang.p99_us / 20)
      << block.p99_us << " us of " << gang.p99_us;
  EXPECT_GE(block.background_jobs, gang.background_jobs);
}

TEST(PolicyTest, ALargeClaimIsNotStarvedByAFloodOfSmallOnes) {
  constexpr double kUntil = 200'000;
  Load load{.participants = 13};
  for (int i = 0; i < 12; ++i) {
    load.streams.push_back({.rank = i,
                            .units = 1,
                            .us = 60.0 + 7 * i,
                            .start_us = 3.0 * i,
                            .until_us = kUntil,
                            .jobs_at_once = 16});
  }
  load.streams.push_back(
      {.rank = 12, .units = 4, .us = 100, .start_us = 50, .until_us = kUntil});
  const Outcome outcome =
      Play({"--policy=fifo", "--reserve-after-us=200"}, {load})[0];
  const std::vector<double>& latencies = outcome.streams[12].latencies_us;
  ASSERT_GT(latencies.size(), 100u);
  // What is beyond its own 100 us and what a launch and a wait cost.
  EXPECT_LE(Percentile(latencies, 99) - 100, 300);
  EXPECT_GE(outcome.cube_percent, 94);  // of whole percents, rounded down
}

TEST(PolicyTest, BesideSevenBusyUnitsAClaimOfOneStartsAtOnce) {
  const auto wait_of = [](uint32_t units) {
    Load load{.participants = 8};
    for (int i = 0; i < 7; ++i) {
      load.streams.push_back({.rank = i,
                              .units = 1,
                              .us = 200.0 + 40 * i,
                              .until_us = 1,
                              .jobs_max = 1});
    }
    load.streams.push_back({.rank = 7,
                            .units = units,
                            .us = 100,
                            .start_us = 100,
                            .until_us = 101,
                            .jobs_max = 1});
    const Outcome outcome = Play({"--policy=fifo"}, {load})[0];
    const auto& latencies = outcome.streams[7].latencies_us;
    EXPECT_EQ(latencies.size(), 1u);
    return latencies.empty() ? 0 : latencies[0] - 100;
  };
  EXPECT_LT(wait_of(1), 20);
  EXPECT_NEAR(wait_of(2), 100, 20);
  EXPECT_NEAR(wait_of(4), 182, 20);
  EXPECT_NEAR(wait_of(8), 341, 20);
}

// A tenant with kernels of 300 us on the whole device.
Load Tenant(int participants, int first_rank, int streams) {
  Load load{.participants = participants};
  for (int i = 0; i < streams; ++i) {
    load.streams.push_back({.rank = first_rank + i,
                            .units = 8,
                            .us = 300,
                            .until_us = 300'000,
                            .jobs_at_once = 8});
  }
  return load;
}

// The shares of the device that two tenants got.
std::pair<double, double> SharesOf(const Outcome& first,
                                   const Outcome& second) {
  const auto jobs_of = [](const Outcome& outcome) {
    double jobs = 0;
    for (const StreamOutcome& stream : outcome.streams) jobs += stream.jobs;
    return jobs;
  };
  const double all = jobs_of(first) + jobs_of(second);
  return {jobs_of(first) / all, jobs_of(second) / all};
}

// Of four streams and of one.
std::pair<double, double> SharesByDrfq(const std::string& weights) {
  const std::vector<Outcome> outcomes =
      Play({"--policy=drfq", "--rank-weights=" + weights},
           {Tenant(5, 0, 4), Tenant(5, 4, 1)});
  return SharesOf(outcomes[0], outcomes[1]);
}

TEST(PolicyTest, DrfqSharesEvenlyAmongTenantsWhateverTheirStreams) {
  const auto [many, one] = SharesByDrfq("1");
  EXPECT_NEAR(many, 0.5, 0.025);
  EXPECT_NEAR(one, 0.5, 0.025);
  const double jain =
      (many + one) * (many + one) / (2 * (many * many + one * one));
  EXPECT_GE(jain, 0.98);
}

TEST(PolicyTest, DrfqSharesByWeight) {
  const auto [many, one] = SharesByDrfq("2,1,1,1,1");
  EXPECT_NEAR(many / one, 2, 0.1);
}

// The same tenants on both devices of a daemon: what each gets is up to the
// policy of its device. The shares of those of four streams, by device.
std::pair<double, double> SharesOnTwoDevices(const std::string& policies) {
  const std::vector<Outcome> outcomes = Play(
      {"--devices=2", "--policy=" + policies},
      {Tenant(10, 0, 4), Tenant(10, 4, 1), Tenant(10, 5, 4), Tenant(10, 9, 1)},
      {0, 0, 1, 1});
  return {SharesOf(outcomes[0], outcomes[1]).first,
          SharesOf(outcomes[2], outcomes[3]).first};
}

TEST(DevicesTest, EachSharesByAPolicyOfItsOwn) {
  const auto [drfq, fifo] = SharesOnTwoDevices("drfq,fifo");
  EXPECT_NEAR(drfq, 0.5, 0.025);
  EXPECT_NEAR(fifo, 0.8, 0.025);
  const auto [fifo_first, drfq_second] = SharesOnTwoDevices("fifo,drfq");
  EXPECT_NEAR(fifo_first, 0.8, 0.025);
  EXPECT_NEAR(drfq_second, 0.5, 0.025);
  const auto [both, of_them] = SharesOnTwoDevices("drfq");
  EXPECT_NEAR(both, 0.5, 0.025);
  EXPECT_NEAR(of_them, 0.5, 0.025);
}

TEST(DevicesTest, EachHoldsUnitsInAModeOfItsOwn) {
  const std::vector<Outcome> outcomes =
      Play({"--devices=2", "--policy=fifo,strict_priority", "--hold=gang,block",
            "--preempt=true"},
           {UrgentLoad(10, 0), UrgentLoad(10, 5)}, {0, 1});
  const Urgent gang = UrgentOf(outcomes[0]);
  const Urgent block = UrgentOf(outcomes[1]);
  EXPECT_GT(gang.p99_us, 0);
  EXPECT_LE(block.p99_us, gang.p99_us / 20)
      << block.p99_us << " us of " << gang.p99_us;
}

// What a command prints stands in its README, which says how to read it.
TEST(ReadmeTest, ShowsWhatSweepAndCostsPrint) {
  std::ostringstream readme;
  readme << std::ifstream(ASCEND_TEST_LOAD_README).rdbuf();
  for (const char* command : {"sweep", "costs"}) {
    SCOPED_TRACE(command);
    const testing::ProgramResult result =
        testing::RunProgram({ASCEND_TEST_BENCH, command});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const std::vector<std::string> lines =
        absl::StrSplit(result.out, '\n', absl::SkipEmpty());
    EXPECT_GE(lines.size(), 5u);
    std::string table;
    for (const std::string& line : lines) {
      absl::StrAppend(&table, "    ", line, "\n");
    }
    EXPECT_THAT(readme.str(), HasSubstr("\n\n" + table + "\n"));
  }
}

TEST(LayoutTest, ContiguousTensorsAreCopiedAFifthToAThirdFaster) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON, {"--clock=lockstep"});
  const auto rate_of = [&](const char* policy) {
    const testing::ProgramResult result =
        testing::RunProgram({ASCEND_TEST_BENCH, "role", "layout", policy},
                            {"ASCEND_RTD_ADDRESS=" + daemon.unix_address()});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return std::atof(result.out.c_str());
  };
  const double gain = rate_of("huge-first") / rate_of("normal-only");
  EXPECT_GE(gain, 1.20);
  EXPECT_LE(gain, 1.30);
}

}  // namespace
}  // namespace ascend
