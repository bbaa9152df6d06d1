// What ascend-rtd-bench says of a command line that it cannot carry out.

#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/daemon_process.h"

namespace ascend {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

testing::ProgramResult Run(std::vector<std::string> words) {
  words.insert(words.begin(), ASCEND_TEST_BENCH);
  const testing::ProgramResult result = testing::RunProgram(words);
  EXPECT_EQ(result.out, "") << "figures of what was not asked for";
  return result;
}

void ExpectUsage(const std::vector<std::string>& words,
                 const std::string& why) {
  SCOPED_TRACE(::testing::PrintToString(words));
  const testing::ProgramResult result = Run(words);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, StartsWith("ascend-rtd-bench: " + why +
                                     "\nusage: ascend-rtd-bench ladder "));
}

// `decode --streams 1` with `words`.
void ExpectRefused(std::vector<std::string> words, int exit_code,
                   const std::string& says) {
  SCOPED_TRACE(::testing::PrintToString(words));
  words.insert(words.begin(), {"decode", "--streams=1"});
  const testing::ProgramResult result = Run(words);
  EXPECT_EQ(result.exit_code, exit_code);
  EXPECT_THAT(result.err, HasSubstr(says));
  EXPECT_THAT(result.err, Not(HasSubstr("check failed")));
}

TEST(CommandLine, NamesWhatIsNoCommand) {
  ExpectUsage({}, "a command is missing");
  ExpectUsage({"frob"}, "command 'frob' is unknown");
  ExpectUsage({"decode", "twice", "--streams=1"},
              "'twice' is one word too many");
  ExpectUsage({"ladder", "--transport=pigeon"},
              "--transport is 'pigeon', which is neither grpc-uds nor "
              "grpc-tcp");
}

TEST(CommandLine, OfDecodeTakesOneLayoutOfAtLeastOneStream) {
  const std::string one_of =
      "decode takes one of --streams, --processes and --layout";
  ExpectUsage({"decode"}, one_of);
  ExpectUsage({"decode", "--streams=1", "--processes=1"}, one_of);
  ExpectUsage({"decode", "--streams=1", "--layout=1"}, one_of);
  for (const char* count : {"0", "-3", "1025"}) {
    const std::string no_count =
        std::string(": '") + count + "' is no whole number from 1 to 1024";
    for (const std::string flag : {"--streams", "--processes", "--layout"}) {
      ExpectUsage({"decode", flag + "=" + count}, flag + no_count);
    }
  }
  for (const char* part : {"0", "x", "-1", ""}) {
    ExpectUsage({"decode", std::string("--layout=4,") + part},
                std::string("--layout: '") + part +
                    "' is no whole number from 1 to 1024");
  }
  ExpectUsage({"decode", "--streams=1", "--tokens=1"},
              "--tokens is 1, and at least 2 are needed");
}

TEST(CommandLine, NamesFlagsThatAreNoneAndValuesThatAreNoNumbers) {
  ExpectRefused({"--streams"}, 1, "Missing the value for the flag 'streams'");
  ExpectRefused({"--streams=x"}, 1, "'x' specified for flag 'streams'");
  ExpectRefused({"--processes=1.5"}, 1, "'1.5' specified for flag 'processes'");
  ExpectRefused({"--streams=99999999999"}, 1,
                "'99999999999' specified for flag 'streams'");
  ExpectRefused({"--seed=-1"}, 1, "'-1' specified for flag 'seed'");
  ExpectRefused({"--colour=red"}, 1, "Unknown command line flag 'colour'");
}

TEST(CommandLine, NamesWhatTheDaemonDoesNotTake) {
  ExpectRefused({"--policy=whim"}, 2,
                "--policy is 'whim', which is none of strict_priority, ");
  ExpectRefused({"--hold=tight"}, 2,
                "--hold is 'tight', which is none of gang, split, block");
  ExpectRefused({"--clock=fast"}, 2, "clock is 'fast', which is none of free");
  ExpectRefused({"--daemon_flags=--colour=red"}, 2,
                "option '--colour' is unknown");
  ExpectRefused({"--daemon_flags=--ageing-us"}, 2,
                "option '--ageing-us' lacks its value");
}

TEST(CommandLine, NamesWhatIsNoShape) {
  ExpectRefused({"--shape=/no/such"}, 2,
                "ascend-rtd-bench: shape file /no/such: it cannot be read");
  ExpectRefused({"--rows=2000000000"}, 2,
                "ascend-rtd-bench: 'rows' is 2000000000, which is no whole "
                "number from 1 to 1000000");
  ExpectRefused({"--rows=-1"}, 2, "'rows' is -1, which is no whole number");
  const testing::TemporaryDirectory directory;
  const std::string path = directory.path() + "/shape.json";
  ASSERT_TRUE((std::ofstream(path) << R"({"layers": 0})").flush());
  ExpectRefused({"--shape=" + path}, 2,
                "ascend-rtd-bench: shape file " + path +
                    ": 'layers' is 0, which is no whole number");
}

}  // namespace
}  // namespace ascend
