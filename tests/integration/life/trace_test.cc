// What two programs did, as the daemon's --trace and ascend-rtctl trace show
// it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/life/life.h"
#include "tests/testing/daemon_process.h"
#include "tests/testing/tiny_xml.h"

namespace ascend {
namespace {

using nlohmann::json;
using testing::At;
using testing::ChildProgram;
using testing::Client;
using testing::DaemonProcess;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ParseXml;
using testing::ProgramResult;
using testing::RunProgram;
using testing::TemporaryDirectory;

constexpr int kKernels = 400;  // of work-at-priority

std::string BytesOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Two programs that launch kernels at the same time; both have ended.
void RunTwoPrograms(const DaemonProcess& daemon) {
  ChildProgram one(Client("work-at-priority", "1"), At(daemon.unix_address()));
  ChildProgram two(Client("work-at-priority", "3"), At(daemon.unix_address()));
  EXPECT_EQ(one.ReadLine(), "half");
  EXPECT_EQ(two.ReadLine(), "half");
  one.WriteLine("go on");
  two.WriteLine("go on");
  EXPECT_EQ(one.ReadLine(), "right");
  EXPECT_EQ(two.ReadLine(), "right");
  EXPECT_EQ(one.Wait(), 0);
  EXPECT_EQ(two.Wait(), 0);
}

int64_t TicksOf(const json& us) { return std::llround(us.get<double>() * 1e6); }

// The slices of each process, and that flows begin and end in them.
std::map<int, std::vector<json>> SlicesOf(const json& document) {
  std::map<int, std::vector<json>> slices;
  std::map<int, int> flows;
  for (const json& event : document["traceEvents"]) {
    const std::string phase = event["ph"];
    if (phase == "X") slices[event["pid"]].push_back(event);
    if (phase == "s") ++flows[event["id"]];
    if (phase == "f") --flows[event["id"]];
  }
  EXPECT_FALSE(flows.empty());
  for (const auto& [id, open] : flows) EXPECT_EQ(open, 0) << id;
  return slices;
}

size_t CountOf(const std::vector<json>& slices, const std::string& name) {
  size_t count = 0;
  for (const json& slice : slices) count += slice["name"] == name;
  return count;
}

ProgramResult Rtctl(const DaemonProcess& daemon,
                    const std::vector<std::string>& words) {
  std::vector<std::string> command = {ASCEND_TEST_RTCTL, "--address",
                                      daemon.unix_address()};
  command.insert(command.end(), words.begin(), words.end());
  return RunProgram(command);
}

TEST(Trace, TheDaemonLeavesOneWhenItEnds) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/run.json";
  DaemonProcess daemon(ASCEND_TEST_DAEMON, {"--trace", path});
  RunTwoPrograms(daemon);
  EXPECT_THAT(BytesOf(path), IsEmpty());
  EXPECT_EQ(daemon.Terminate(), 0);
  EXPECT_THAT(daemon.Log(), HasSubstr(" tasks to " + path));
  const json document =
      json::parse(BytesOf(path), nullptr, /*allow_exceptions=*/false);
  ASSERT_FALSE(document.is_discarded());
  EXPECT_EQ(document["otherData"]["dropped_tasks"], 0);
  const auto slices = SlicesOf(document);
  ASSERT_EQ(slices.size(), 2u);
  for (const auto& [process, of_process] : slices) {
    EXPECT_EQ(CountOf(of_process, "add"), size_t{kKernels});
    EXPECT_EQ(CountOf(of_process, "copy to device"), 1u);
    EXPECT_EQ(CountOf(of_process, "copy to host"), 1u);
    for (const json& slice : of_process) {
      if (slice["name"] != "add") continue;
      EXPECT_EQ(slice["args"]["cube_units"], 2);
      EXPECT_GE(TicksOf(slice["ts"]), TicksOf(slice["args"]["submitted_us"]));
      EXPECT_GT(TicksOf(slice["dur"]), 0);
    }
  }
}

TEST(Trace, AFileForAPictureGetsOne) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/run.svg";
  DaemonProcess daemon(ASCEND_TEST_DAEMON, {"--trace", path});
  RunTwoPrograms(daemon);
  EXPECT_EQ(daemon.Terminate(), 0);
  const std::string svg = BytesOf(path);
  EXPECT_TRUE(ParseXml(svg).has_value());
  EXPECT_THAT(svg, HasSubstr(">add: 800 tasks, "));
}

TEST(Trace, ARunningDaemonGivesAWindow) {
  const TemporaryDirectory directory;
  DaemonProcess daemon(ASCEND_TEST_DAEMON,
                       {"--trace", directory.path() + "/run.json"});
  RunTwoPrograms(daemon);
  const std::string all = directory.path() + "/all.json";
  EXPECT_THAT(Rtctl(daemon, {"trace", all}).out, HasSubstr(" to " + all));
  int64_t first = INT64_MAX;
  size_t all_count = 0;
  for (const auto& [process, slices] : SlicesOf(json::parse(BytesOf(all)))) {
    all_count += CountOf(slices, "add");
    for (const json& slice : slices) {
      if (slice["name"] != "add") continue;
      first = std::min(first, TicksOf(slice["ts"]) / 1'000'000);
    }
  }
  EXPECT_EQ(all_count, size_t{2 * kKernels});

  // The clock is in the middle of the kernels there.
  const std::string some = directory.path() + "/some.json";
  const std::string from = std::to_string(first + 1000);
  const std::string to = std::to_string(first + 1500);
  ASSERT_EQ(Rtctl(daemon, {"trace", "--from-us", from, "--to-us", to, some})
                .exit_code,
            0);
  size_t count = 0;
  for (const auto& [process, slices] : SlicesOf(json::parse(BytesOf(some)))) {
    count += CountOf(slices, "add");
    for (const json& slice : slices) {
      if (slice["name"] != "add") continue;
      EXPECT_LT(TicksOf(slice["ts"]), (first + 1500) * 1'000'000);
      EXPECT_GT(TicksOf(slice["ts"]) + TicksOf(slice["dur"]),
                (first + 1000) * 1'000'000);
    }
  }
  EXPECT_GT(count, 0u);
  EXPECT_LT(count, all_count / 2);

  const std::string picture = directory.path() + "/all.svg";
  EXPECT_EQ(Rtctl(daemon, {"trace", picture}).exit_code, 0);
  EXPECT_TRUE(ParseXml(BytesOf(picture)).has_value());
}

TEST(Trace, WhoKeepsNoneSaysWhatToDo) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/run.json";
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  const ProgramResult result = Rtctl(daemon, {"trace", path});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err,
            "ascend-rtctl: the daemon keeps no trace; start it with --trace "
            "FILE\n");
  EXPECT_FALSE(std::ifstream(path).good());
}

TEST(Trace, AFileThatCannotBeWrittenEndsTheDaemonAtOnce) {
  const ProgramResult result =
      RunProgram({ASCEND_TEST_DAEMON, "--trace", "/nonexistent/run.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            "ascend-rtd: --trace is '/nonexistent/run.json', which cannot be "
            "written: No such file or directory\n");
}

TEST(Trace, QuestionsThatMakeNoSenseAreRefused) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  const std::pair<std::vector<std::string>, std::string> kCases[] = {
      {{"trace"}, "trace lacks the FILE"},
      {{"trace", "--from-us", "x", "a"}, "--from-us is 'x'"},
      {{"trace", "--from-us", "5", "--to-us", "5", "a"}, "--to-us is 5"},
      {{"info", "--from-us", "5"}, "belong to trace"},
      {{"trace", "a", "b"}, "argument 'b' is not understood"}};
  for (const auto& [words, sentence] : kCases) {
    const ProgramResult result = Rtctl(daemon, words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(sentence));
  }
}

}  // namespace
}  // namespace ascend
