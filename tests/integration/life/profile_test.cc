// What a program and an operator see of a device profile.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/life/life.h"
#include "tests/testing/daemon_process.h"
#include "tests/testing/operator_view.h"

namespace ascend {
namespace {

using ::testing::AllOf;
using testing::At;
using testing::ChildProgram;
using testing::Client;
using testing::DaemonProcess;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::InfoOf;
using testing::ProgramResult;
using testing::RunProgram;
using ::testing::StartsWith;
using testing::TemporaryDirectory;

std::vector<std::string> DescriptionAt(const std::string& address) {
  ChildProgram client(Client("describe"), At(address));
  std::vector<std::string> lines = client.ReadLines();
  EXPECT_EQ(client.Wait(), 0);
  return lines;
}

// More AIV than CUBE units, neither of them eight.
TEST(Profile, IsWhatAProgramSees) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON, {"--soc", "ascend910b2"});
  EXPECT_THAT(
      DescriptionAt(daemon.unix_address()),
      ElementsAre("soc Ascend910B2", "arch 2201", "ai_cpus 6", "ai_cores 24",
                  "cube_cores 24", "vector_cores 48", "hbm 68719476736",
                  "l2 201326592", "capability 48", "cube_limit 24",
                  "vector_limit 48", "total 68719476736", StartsWith("used "),
                  "Ascend910A 0", "Ascend910B3 1", "Ascend950DT_9581 0",
                  "sum 2"));
}

TEST(Profile, OfAnotherGenerationHasItsArch) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON, {"--soc=ascend950dt_9581"});
  EXPECT_THAT(
      DescriptionAt(daemon.unix_address()),
      ElementsAre("soc Ascend950DT_9581", "arch 3510", "ai_cpus 6",
                  "ai_cores 32", "cube_cores 32", "vector_cores 64",
                  "hbm 154618822656", "l2 134217728", "capability 64",
                  "cube_limit 32", "vector_limit 64", "total 154618822656",
                  StartsWith("used "), "Ascend910A 0", "Ascend910B3 0",
                  "Ascend950DT_9581 1", "sum 2"));
}

TEST(Profile, IsWhatAnOperatorSees) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON,
                             {"--soc", "ascend910b2", "--devices=2"});
  const auto info = InfoOf(daemon.unix_address());
  ASSERT_EQ(info.devices_size(), 2);
  for (const auto& status : info.devices()) {
    EXPECT_EQ(status.device().profile(), "ascend910b2");
    EXPECT_EQ(status.device().soc_name(), "Ascend910B2");
    EXPECT_EQ(status.device().cube_units(), 6u);
    EXPECT_EQ(status.device().aiv_units(), 12u);
    EXPECT_EQ(status.device().dma_units(), 4u);
  }
  const ProgramResult table = RunProgram(
      {ASCEND_TEST_RTCTL, "--address", daemon.unix_address(), "info"});
  EXPECT_THAT(table.out, AllOf(HasSubstr("ascend910b2"), HasSubstr("64 GiB"),
                               HasSubstr("0/6"), HasSubstr("0/12")));
}

TEST(Profile, OfAFileIsTakenFromIt) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/mine.textproto";
  std::ostringstream text;
  text << std::ifstream(ASCEND_TEST_SOC_DIRECTORY "/ascend910b4.textproto")
              .rdbuf();
  std::string mine = text.str();
  mine.replace(mine.find("ascend910b4\""), 11, "mine");
  std::ofstream(path) << mine;
  const DaemonProcess daemon(ASCEND_TEST_DAEMON, {"--soc", path});
  EXPECT_EQ(InfoOf(daemon.unix_address()).devices(0).device().profile(),
            "mine");
}

TEST(Profile, ThatIsWrongEndsTheDaemonBeforeItListens) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/wrong.textproto";
  std::ofstream(path) << "profile: \"wrong\"\ncubes: 8\n";
  const std::string socket = directory.path() + "/rtd.sock";
  const std::pair<std::string, std::string> cases[] = {
      {"ascend310",
       "ascend-rtd: --soc is 'ascend310', which is none of ascend910, "},
      {path, "ascend-rtd: device profile '" + path +
                 "', line 2: field 'cubes' is none of a profile; "
                 "soc.proto lists them\n"},
  };
  for (const auto& [soc, says] : cases) {
    const ProgramResult result = RunProgram(
        {ASCEND_TEST_DAEMON, "--listen", "unix:" + socket, "--soc", soc});
    EXPECT_EQ(result.exit_code, 2) << soc;
    EXPECT_THAT(result.err, StartsWith(says));
    EXPECT_EQ(result.out, "");
    EXPECT_FALSE(std::filesystem::exists(socket));
  }
}

}  // namespace
}  // namespace ascend
