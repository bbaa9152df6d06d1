// Programs that say nothing to the clock, as any other; and simulated time that
// is held to wall time.
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "tests/integration/clock/clock.h"

namespace ascend {
namespace {

using testing::DaemonProcess;
using testing::Role;
using testing::Start;

// What a line says behind `name` and a space; -1: something else.
double ValueOf(const std::string& line, const std::string& name) {
  double value = -1;
  absl::string_view rest = line;
  if (!absl::ConsumePrefix(&rest, name + " ") ||
      !absl::SimpleAtod(rest, &value)) {
    return -1;
  }
  return value;
}

// Wall time, once the result is right.
double MicrosecondsOf(const DaemonProcess& daemon, const std::string& role) {
  const auto program = Start(daemon, Role(role));
  const double us = ValueOf(program->ReadLine(), "us");
  EXPECT_GT(us, 0) << role;
  EXPECT_EQ(program->ReadLine(), "right") << role;
  EXPECT_EQ(program->Wait(), 0) << role;
  return us;
}

TEST(Free, ThreadsThatWaitForEachOtherUnseenGoOnAndAreRight) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON, {"--clock", "free"});
  const double waits = MicrosecondsOf(daemon, "one-thread");
  const double polls = MicrosecondsOf(daemon, "one-thread-polls");
  const double baton = MicrosecondsOf(daemon, "pass-baton");
  const double flag = MicrosecondsOf(daemon, "spin-on-flag");
  const double events = MicrosecondsOf(daemon, "spin-on-events");
  // For the reader: what the host does meanwhile has its part in these.
  std::printf(
      "one thread that waits: %.0f us; two with a mutex: x %.2f, two that spin "
      "on a flag: x %.2f (target: below 2)\n"
      "one thread that polls: %.0f us; two that spin on events: x %.2f "
      "(target: below 2)\n",
      waits, baton / waits, flag / waits, polls, events / polls);
}

TEST(Paced, SimulatedTimeKeepsBehindWallTime) {
  constexpr double kPace = 0.1;
  const DaemonProcess daemon(ASCEND_TEST_DAEMON, {"--clock", "paced:0.1"});
  const auto program = Start(daemon, Role("measure"));
  ASSERT_EQ(program->ReadLine(), "begun");
  const auto since = std::chrono::steady_clock::now();
  program->WriteLine("go on");
  const double simulated_ns = ValueOf(program->ReadLine(), "simulated");
  const double wall_ns = std::chrono::duration<double, std::nano>(
                             std::chrono::steady_clock::now() - since)
                             .count();
  EXPECT_EQ(program->Wait(), 0);
  EXPECT_GT(simulated_ns, 10e6);
  // What the host itself takes, to launch and to wake up, is not held.
  constexpr double kHostNs = 1e6;
  EXPECT_LT(simulated_ns, kPace * wall_ns + kHostNs);
}

}  // namespace
}  // namespace ascend
