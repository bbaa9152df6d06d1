// The variables of client/TOOLS.md, in programs of their own.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/life/life.h"
#include "tests/testing/daemon_process.h"

namespace ascend {
namespace {

using ::testing::AllOf;
using testing::At;
using testing::Client;
using testing::DaemonProcess;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ProgramResult;
using testing::RunProgram;
using ::testing::StartsWith;

class Tools : public ::testing::Test {
 protected:
  // A program that connects, with these variables.
  ProgramResult Run(std::vector<std::string> environment,
                    const std::string& scenario = "connect") {
    environment.push_back(At(daemon_.unix_address()).front());
    return RunProgram(Client(scenario), environment);
  }

  const DaemonProcess daemon_{ASCEND_TEST_DAEMON};
};

TEST_F(Tools, SayNothingUnlessAsked) {
  const ProgramResult result = Run({});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, Not(HasSubstr("[")));
}

TEST_F(Tools, AFaultIsWhatTheProgramSees) {
  const ProgramResult result =
      Run({"ASCEND_RTD_FAULTS=aclrtSetDevice:1=507033"});
  EXPECT_THAT(result.out,
              HasSubstr("aclrtSetDevice 507033 EH0001: aclrtSetDevice: call 1 "
                        "fails because ASCEND_RTD_FAULTS says so"));
  EXPECT_THAT(result.err, IsEmpty());
}

TEST_F(Tools, ABadValueIsOneSentenceAndThenUnset) {
  const std::pair<const char*, const char*> kCases[] = {
      {"ASCEND_RTD_FAULTS=nonsense",
       "ASCEND_RTD_FAULTS is ignored: in the rule 'nonsense' something is "
       "missing: FUNCTION:N=CODE or FUNCTION:pP=CODE is meant"},
      {"ASCEND_RTD_CALL_TRACE=/nonexistent/file",
       "ASCEND_RTD_CALL_TRACE is ignored: the file '/nonexistent/file' cannot "
       "be written: No such file or directory"},
      {"ASCEND_RTD_LEAK_CHECK=2",
       "ASCEND_RTD_LEAK_CHECK is ignored: it is '2', not 0 or 1"},
      {"ASCEND_SLOG_PRINT_TO_STDOUT=yes",
       "ASCEND_SLOG_PRINT_TO_STDOUT is ignored: it is 'yes', not 0 or 1"},
      {"ASCEND_GLOBAL_LOG_LEVEL=5",
       "ASCEND_GLOBAL_LOG_LEVEL is ignored: it is '5', not 0 (debug), 1 "
       "(info), 2 (warning), 3 (error) or 4 (none)"},
      {"ASCEND_GLOBAL_LOG_LEVEL=loud",
       "ASCEND_GLOBAL_LOG_LEVEL is ignored: it is 'loud', not 0 (debug), 1 "
       "(info), 2 (warning), 3 (error) or 4 (none)"},
  };
  const ProgramResult unset = Run({});
  for (const auto& [variable, sentence] : kCases) {
    const ProgramResult result = Run({variable});
    EXPECT_EQ(result.exit_code, 0) << variable;
    EXPECT_EQ(result.err, "ascend-rtd: " + std::string(sentence) + "\n");
    EXPECT_EQ(result.out, unset.out) << variable;
  }
}

TEST_F(Tools, ABadSeedIsOneSentenceAndTheSeedIsOne) {
  const std::string rules = "ASCEND_RTD_FAULTS=aclrtSetDevice:p0.5=507033";
  const ProgramResult result = Run({rules, "ASCEND_RTD_FAULT_SEED=-1"});
  EXPECT_EQ(result.err,
            "ascend-rtd: ASCEND_RTD_FAULT_SEED is ignored: '-1' is no number "
            "of 0 to 2^64 - 1\n");
  EXPECT_EQ(result.out, Run({rules, "ASCEND_RTD_FAULT_SEED=1"}).out);
}

TEST_F(Tools, LeaksAreListedAtExitWithoutFinalize) {
  const ProgramResult result = Run({"ASCEND_RTD_LEAK_CHECK=1"}, "leave-things");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, StartsWith("ascend-rtd: not given back: 1 allocation "
                                     "of 64 bytes, 2 streams, 1 event\n"));
  EXPECT_THAT(Run({}, "leave-things").err, IsEmpty());
}

TEST_F(Tools, TheLogFollowsItsLevel) {
  const std::string print = "ASCEND_SLOG_PRINT_TO_STDOUT=1";
  const std::string fault = "ASCEND_RTD_FAULTS=aclrtSetDevice:1=507033";
  EXPECT_THAT(Run({print, fault}).out,
              AllOf(StartsWith("[ERROR] ascendcl("), Not(HasSubstr("[INFO]"))));
  EXPECT_THAT(Run({print, "ASCEND_GLOBAL_LOG_LEVEL=1"}).out,
              HasSubstr("[INFO] ascendcl("));
  EXPECT_THAT(Run({print, fault, "ASCEND_GLOBAL_LOG_LEVEL=4"}).out,
              Not(HasSubstr("[ERROR]")));
}

}  // namespace
}  // namespace ascend
