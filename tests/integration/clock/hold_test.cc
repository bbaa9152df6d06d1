// Programs that hold the clock, or seem to: who waits for whom, for how long,
// and what is counted.
#include <signal.h>

#include <chrono>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/integration/clock/clock.h"

namespace ascend {
namespace {

using testing::AwaitSessions;
using testing::AwaitTrue;
using testing::ChildProgram;
using testing::DaemonProcess;
using ::testing::HasSubstr;
using testing::Role;
using testing::RunInfo;
using testing::RunInfoOf;
using testing::Start;

using Seconds = std::chrono::duration<double>;

class Hold : public ::testing::TestWithParam<std::string> {
 protected:
  bool is_lockstep() const { return GetParam() == "lockstep"; }

  const DaemonProcess daemon_{ASCEND_TEST_DAEMON, {"--clock", GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(Modes, Hold, ::testing::Values("lockstep", "free"),
                         [](const auto& which) { return which.param; });

// As under a debugger.
TEST_P(Hold, AParticipantThatStandsStillIsWaitedForAndThenCounted) {
  const auto stopped = Start(daemon_, Role("endless", 2, 0));
  const auto other = Start(daemon_, Role("stand-still", 2, 1));
  ASSERT_EQ(other->ReadLine(), "begun");
  ASSERT_EQ(::kill(stopped->pid(), SIGSTOP), 0);
  const auto since = std::chrono::steady_clock::now();
  other->WriteLine("go on");
  EXPECT_EQ(other->ReadLine(), "done");
  const Seconds waited = std::chrono::steady_clock::now() - since;
  EXPECT_EQ(other->Wait(), 0);
  // The patience of lockstep is 10 s, that of free 1 ms.
  EXPECT_EQ(waited > Seconds(5), is_lockstep()) << waited.count() << " s";
  const RunInfo info = RunInfoOf(daemon_);
  EXPECT_GE(info.evicted, 1u) << info;
  if (is_lockstep()) {
    EXPECT_EQ(info.evicted, 1u) << info;
    EXPECT_EQ(info.late, 0u) << info;
  }
  ASSERT_EQ(::kill(stopped->pid(), SIGCONT), 0);
  EXPECT_TRUE(
      AwaitTrue([&] { return RunInfoOf(daemon_).tasks > info.tasks + 100; }));
  EXPECT_GT(RunInfoOf(daemon_).late, info.late);
}

TEST_P(Hold, AThreadThatHasEndedIsNotWaitedFor) {
  const auto program = Start(daemon_, Role("end-threads"));
  EXPECT_EQ(program->ReadLine(), "done");
  EXPECT_EQ(program->Wait(), 0);
  if (is_lockstep()) {
    EXPECT_EQ(RunInfoOf(daemon_).demoted, 0u);
  }
}

TEST_P(Hold, WhoPollsOrNeverWaitsHangsNobody) {
  const auto submit = Start(daemon_, Role("submit", 3, 0));
  const auto poll = Start(daemon_, Role("poll", 3, 1));
  const auto work = Start(daemon_, Role("work", 3, 2));
  ASSERT_EQ(work->ReadLine(), "begun");
  EXPECT_EQ(work->ReadLine(), "done");
  EXPECT_THAT(poll->ReadLine(), HasSubstr("polls "));
  EXPECT_EQ(submit->ReadLine(), "begun");
  const RunInfo info = RunInfoOf(daemon_);
  if (is_lockstep()) {
    EXPECT_TRUE(info.is_deterministic()) << info;
  }
  submit->Kill();
  EXPECT_EQ(submit->Wait(), 128 + SIGKILL);
  work->WriteLine("end");
  EXPECT_EQ(work->Wait(), 0);
  EXPECT_TRUE(AwaitSessions(daemon_, 0));
  EXPECT_EQ(RunInfoOf(daemon_).left, 3u);
}

TEST_P(Hold, WithoutARunWhoPollsOrNeverWaitsHangsNobody) {
  const auto submit = Start(daemon_, Role("submit"));
  EXPECT_EQ(submit->ReadLine(), "begun");
  const auto poll = Start(daemon_, Role("poll"));
  EXPECT_THAT(poll->ReadLine(), HasSubstr("polls "));
  const auto work = Start(daemon_, Role("work"));
  ASSERT_EQ(work->ReadLine(), "begun");
  EXPECT_EQ(work->ReadLine(), "done");
}

TEST_P(Hold, AParticipantThatIsKilledHasLeft) {
  const auto killed = Start(daemon_, Role("endless", 3, 0));
  const auto other = Start(daemon_, Role("stand-still", 3, 1));
  const auto third = Start(daemon_, Role("stand-still", 3, 2));
  ASSERT_EQ(other->ReadLine(), "begun");
  ASSERT_EQ(third->ReadLine(), "begun");
  killed->Kill();
  EXPECT_EQ(killed->Wait(), 128 + SIGKILL);
  other->WriteLine("go on");
  third->WriteLine("go on");
  EXPECT_EQ(other->ReadLine(), "done");
  EXPECT_EQ(third->ReadLine(), "done");
  const RunInfo info = RunInfoOf(daemon_);
  EXPECT_EQ(info.left, 3u);
  if (is_lockstep()) {
    EXPECT_TRUE(info.is_deterministic()) << info;
  }
}

// One waits for a line of the other, which waits for the device.
TEST_P(Hold, WhoSaysThatItIsBlockedHoldsNobodyUp) {
  const auto hears = Start(daemon_, Role("hear-said", 2, 0));
  const auto tells = Start(daemon_, Role("tell-later", 2, 1));
  ASSERT_EQ(hears->ReadLine(), "begun");
  ASSERT_EQ(tells->ReadLine(), "byte");
  hears->WriteLine("byte");
  EXPECT_EQ(hears->ReadLine(), "done");
  EXPECT_EQ(tells->ReadLine(), "done");
  const RunInfo info = RunInfoOf(daemon_);
  EXPECT_EQ(info.left, 2u);
  if (is_lockstep()) {
    EXPECT_EQ(info.demoted + info.evicted, 0u) << info;
  }
}

TEST_P(Hold, WhoDoesNotSayThatItIsBlockedIsCounted) {
  const auto hears = Start(daemon_, Role("hear-unsaid"));
  ASSERT_EQ(hears->ReadLine(), "begun");
  const auto tells = Start(daemon_, Role("tell-later"));
  ASSERT_EQ(tells->ReadLine(), "byte");
  hears->WriteLine("byte");
  EXPECT_EQ(hears->ReadLine(), "done");
  EXPECT_EQ(tells->ReadLine(), "done");
  EXPECT_GE(RunInfoOf(daemon_).demoted, 1u);
}

TEST_P(Hold, WhoIsIdleOrComesLateHangsNobody) {
  const auto idle = Start(daemon_, Role("attach"));
  ASSERT_EQ(idle->ReadLine(), "attached");
  const auto work = Start(daemon_, Role("work", 2, 0));
  const auto other = Start(daemon_, Role("endless", 2, 1));
  ASSERT_EQ(work->ReadLine(), "begun");
  const auto late = Start(daemon_, Role("attach"));
  ASSERT_EQ(late->ReadLine(), "attached");
  const auto refused = Start(daemon_, Role("work", 3, 2));
  EXPECT_THAT(refused->ReadLine(), HasSubstr("a run of 2 is under way"));
  EXPECT_EQ(refused->Wait(), 3);
  late->WriteLine("work");
  EXPECT_EQ(late->ReadLine(), "done");
  EXPECT_EQ(work->ReadLine(), "done");
  if (is_lockstep()) {
    EXPECT_EQ(RunInfoOf(daemon_).evicted, 0u);
  }
  idle->WriteLine("work");
  EXPECT_EQ(idle->ReadLine(), "done");
}

// One thread is far ahead, so that the daemon takes no more of the process; the
// other, whose calls are behind those, cannot be waited for.
TEST_P(Hold, AThreadThatCannotBeHeardIsNotWaitedFor) {
  const auto since = std::chrono::steady_clock::now();
  const auto flood = Start(daemon_, Role("flood", 2, 0));
  EXPECT_EQ(flood->ReadLine(), "done");
  EXPECT_LT(Seconds(std::chrono::steady_clock::now() - since), Seconds(5));
  EXPECT_GE(RunInfoOf(daemon_).evicted, 1u);
}

}  // namespace
}  // namespace ascend
