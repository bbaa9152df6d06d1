// What one thread posts before it hands over to another comes first, whatever
// the transport; and a daemon that does not look at tickets is found out.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/daemon_process.h"

namespace ascend {
namespace {

using testing::DaemonProcess;
using testing::ProgramResult;
using testing::RunProgram;

constexpr bool kUnix = true;
constexpr bool kTcp = false;
constexpr char kIgnoresTickets[] = "--ignore-tickets-for-test=true";

// Results of 8 KiB travel within the reply, of 256 KiB in a stream of their
// own.
constexpr char kSmall[] = "1024";
constexpr char kLarge[] = "32768";

ProgramResult RunThreadOrder(const DaemonProcess& daemon, bool over_unix,
                             const std::string& runs,
                             const std::string& count) {
  const std::string& address =
      over_unix ? daemon.unix_address() : daemon.tcp_address();
  return RunProgram({ASCEND_TEST_THREAD_ORDER, runs, count},
                    {"ASCEND_RTD_ADDRESS=" + address});
}

class ThreadOrder : public ::testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Sockets, ThreadOrder, ::testing::Values(kUnix, kTcp),
                         [](const auto& which) {
                           return which.param ? "Unix" : "Tcp";
                         });

TEST_P(ThreadOrder, IsTheOrderOfTheirCalls) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  const ProgramResult result =
      RunThreadOrder(daemon, GetParam(), "1000", kSmall);
  EXPECT_EQ(result.exit_code, 0) << result.err << daemon.Log();
  EXPECT_EQ(result.out, "0 of 1000 runs are wrong\n");
}

TEST_P(ThreadOrder, HoldsForBytesThatTravelApart) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  const ProgramResult result =
      RunThreadOrder(daemon, GetParam(), "100", kLarge);
  EXPECT_EQ(result.exit_code, 0) << result.err << daemon.Log();
  EXPECT_EQ(result.out, "0 of 100 runs are wrong\n");
}

TEST_P(ThreadOrder, IsLostWithTicketsIgnored) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON, {kIgnoresTickets});
  const ProgramResult result =
      RunThreadOrder(daemon, GetParam(), "100", kSmall);
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err << daemon.Log();
}

}  // namespace
}  // namespace ascend
