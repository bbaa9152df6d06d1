// A kernel that seems never to end, until --kernel-timeout-s puts an end to it:
// what its own program sees of that, and the others.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "tests/integration/clock/clock.h"

namespace ascend {
namespace {

using rtd::v1::DeviceStatus;
using rtd::v1::ListSessionsReply;
using ::testing::AllOf;
using testing::AwaitOperator;
using testing::AwaitSessions;
using testing::ChildProgram;
using testing::DaemonProcess;
using ::testing::HasSubstr;
using testing::InfoOf;
using testing::Role;
using testing::SessionsOf;
using testing::Start;
using ::testing::StartsWith;

// An attention kernel: of CUBE cores (ACL_ERROR_RT_AICORE_TIMEOUT).
constexpr char kEndedByWatchdog[] = "ended 507014 ";

// What an operator sees of the program. Empty: the daemon has no such session.
rtd::v1::Session SessionOf(const ListSessionsReply& reply,
                           const ChildProgram& program) {
  for (const rtd::v1::Session& session : reply.sessions()) {
    if (session.peer().pid() == program.pid()) return session;
  }
  return {};
}

uint64_t PendingOf(const DaemonProcess& daemon, const ChildProgram& program) {
  return SessionOf(SessionsOf(daemon.unix_address()), program).tasks_pending();
}

// Waits until all those programs have work that has not ended.
bool AwaitPending(const DaemonProcess& daemon,
                  const std::vector<const ChildProgram*>& programs) {
  return AwaitOperator<ListSessionsReply>(
      SessionsOf, daemon.unix_address(), [&](const ListSessionsReply& reply) {
        return std::all_of(
            programs.begin(), programs.end(), [&](const ChildProgram* program) {
              return SessionOf(reply, *program).tasks_pending() > 0;
            });
      });
}

// Its line says that so many seconds were the limit.
void ExpectEndedByWatchdog(ChildProgram& culprit, uint32_t limit_s) {
  EXPECT_THAT(culprit.ReadLine(),
              AllOf(StartsWith(kEndedByWatchdog), HasSubstr("flash_attention"),
                    HasSubstr(absl::StrCat("has run for ", limit_s, " s")),
                    HasSubstr("--kernel-timeout-s")));
}

// Nothing runs, holds a unit or waits for one.
void ExpectEmptyQueues(const DaemonProcess& daemon) {
  const ListSessionsReply reply = SessionsOf(daemon.unix_address());
  for (const rtd::v1::Session& session : reply.sessions()) {
    EXPECT_EQ(session.tasks_pending(), 0u) << session.DebugString();
  }
  const DeviceStatus device = InfoOf(daemon.unix_address()).devices(0);
  EXPECT_EQ(device.tasks_waiting(), 0u);
  EXPECT_EQ(device.cube_units_held(), 0u);
  EXPECT_EQ(device.aiv_units_held(), 0u);
  EXPECT_EQ(device.dma_units_held(), 0u);
}

// The p50 that it measured, once its data was right.
double MicrosecondsOf(ChildProgram& program) {
  const std::string line = program.ReadLine();
  absl::string_view rest = line;
  double ns = 0;
  EXPECT_TRUE(absl::ConsumePrefix(&rest, "p50 ") && absl::SimpleAtod(rest, &ns))
      << line;
  EXPECT_EQ(program.ReadLine(), "right");
  EXPECT_EQ(program.Wait(), 0);
  return ns / 1e3;
}

// Two programs at a time that launch and synchronise; the larger p50.
double RoundTripsOfTwo(const DaemonProcess& daemon) {
  const std::unique_ptr<ChildProgram> programs[] = {
      Start(daemon, Role("round-trips")), Start(daemon, Role("round-trips"))};
  for (const auto& program : programs) EXPECT_EQ(program->ReadLine(), "begun");
  for (const auto& program : programs) program->WriteLine("go on");
  double us = 0;
  for (const auto& program : programs) {
    us = std::max(us, MicrosecondsOf(*program));
  }
  return us;
}

TEST(Watchdog, OthersGoOnBesideAnEndlessKernelAndAfterIt) {
  // The others need 0.2 s of that where nothing else runs.
  constexpr uint32_t kLimitS = 10;
  const DaemonProcess daemon(
      ASCEND_TEST_DAEMON,
      {"--clock", "free", "--kernel-timeout-s", absl::StrCat(kLimitS)});
  const double undisturbed_us = RoundTripsOfTwo(daemon);

  const auto culprit = Start(daemon, Role("long-kernel"));
  ASSERT_EQ(culprit->ReadLine(), "launched");
  ASSERT_TRUE(AwaitPending(daemon, {culprit.get()}));
  const double beside_us = RoundTripsOfTwo(daemon);
  EXPECT_EQ(PendingOf(daemon, *culprit), 1u) << "it has ended too early";

  ExpectEndedByWatchdog(*culprit, kLimitS);
  ExpectEmptyQueues(daemon);
  const double after_us = RoundTripsOfTwo(daemon);
  ExpectEmptyQueues(daemon);
  culprit->WriteLine("end");
  EXPECT_EQ(culprit->Wait(), 0);
  EXPECT_TRUE(AwaitSessions(daemon, 0));
  EXPECT_EQ(InfoOf(daemon.unix_address()).devices(0).hbm_used_bytes(), 0u);
  // For the reader: what the host does meanwhile has its part in these.
  std::printf(
      "launch + synchronise of two programs, p50: %.0f us; beside an endless "
      "kernel %.0f us, x %.2f (target: at most 2); after it %.0f us\n",
      undisturbed_us, beside_us, beside_us / undisturbed_us, after_us);
}

TEST(Watchdog, InLockstepTimeStandsStillUntilItEndsTheKernel) {
  constexpr uint32_t kLimitS = 3;
  const DaemonProcess daemon(
      ASCEND_TEST_DAEMON,
      {"--clock", "lockstep", "--kernel-timeout-s", absl::StrCat(kLimitS)});
  const auto other = Start(daemon, Role("round-trips"));
  ASSERT_EQ(other->ReadLine(), "begun");
  const auto culprit = Start(daemon, Role("long-kernel"));
  ASSERT_EQ(culprit->ReadLine(), "launched");
  ASSERT_TRUE(AwaitPending(daemon, {culprit.get()}));
  other->WriteLine("go on");
  ASSERT_TRUE(AwaitPending(daemon, {culprit.get(), other.get()}));
  // The kernel holds all units; who needs one gets it at a later time.
  EXPECT_TRUE(AwaitOperator<ListSessionsReply>(
      SessionsOf, daemon.unix_address(), [&](const ListSessionsReply& reply) {
        if (SessionOf(reply, *culprit).tasks_pending() == 0) return true;
        EXPECT_EQ(SessionOf(reply, *other).kernel_ns(), 0);
        return false;
      }));
  ExpectEndedByWatchdog(*culprit, kLimitS);
  MicrosecondsOf(*other);
  ExpectEmptyQueues(daemon);
}

TEST(Watchdog, LeavesAKernelAloneThatOnlyTakesTime) {
  constexpr uint32_t kLimitS = 1;
  constexpr int kPace = 8;
  const DaemonProcess daemon(ASCEND_TEST_DAEMON,
                             {"--clock", absl::StrCat("paced:", kPace),
                              "--kernel-timeout-s", absl::StrCat(kLimitS)});
  const auto program = Start(daemon, Role("long-timing-only"));
  ASSERT_EQ(program->ReadLine(), "launched");
  const std::chrono::duration<double> longer(kLimitS);
  const auto since = std::chrono::steady_clock::now();
  EXPECT_THAT(program->ReadLine(), StartsWith("ended 0 "));
  EXPECT_GT(std::chrono::steady_clock::now() - since, longer)
      << "the watchdog had no chance";
  ExpectEmptyQueues(daemon);
}

}  // namespace
}  // namespace ascend
