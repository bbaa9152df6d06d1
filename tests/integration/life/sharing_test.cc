// Two programs on one device, their streams of different priority: both come
// forward, and neither disturbs the other's results.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/life/life.h"
#include "tests/testing/daemon_process.h"
#include "tests/testing/operator_view.h"

namespace ascend {
namespace {

using testing::At;
using testing::ChildProgram;
using testing::Client;
using testing::DaemonProcess;
using testing::SessionsOf;

TEST(Sharing, BothPrioritiesMakeProgress) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  ChildProgram urgent(Client("work-at-priority", "0"),
                      At(daemon.unix_address()));
  ChildProgram relaxed(Client("work-at-priority", "7"),
                       At(daemon.tcp_address()));
  ASSERT_EQ(urgent.ReadLine(), "half");
  ASSERT_EQ(relaxed.ReadLine(), "half");
  const auto sessions = SessionsOf(daemon.unix_address());
  ASSERT_EQ(sessions.sessions_size(), 2);
  for (const auto& session : sessions.sessions()) {
    EXPECT_GE(session.kernel_count(), 200u);
    EXPECT_GT(session.kernel_ns(), 0);
  }
  urgent.WriteLine("go on");
  relaxed.WriteLine("go on");
  EXPECT_EQ(urgent.ReadLine(), "right");
  EXPECT_EQ(relaxed.ReadLine(), "right");
  EXPECT_EQ(urgent.Wait(), 0);
  EXPECT_EQ(relaxed.Wait(), 0);
}

// The urgent one never stops; each of its pauses is the other's chance.
TEST(Sharing, TheRelaxedOneIsNotStarved) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  ChildProgram urgent(Client("work-forever"), At(daemon.unix_address()));
  ASSERT_EQ(urgent.ReadLine(), "working");
  ChildProgram relaxed(Client("work-at-priority", "7"),
                       At(daemon.unix_address()));
  ASSERT_EQ(relaxed.ReadLine(), "half");
  relaxed.WriteLine("go on");
  EXPECT_EQ(relaxed.ReadLine(), "right");
  EXPECT_EQ(relaxed.Wait(), 0);
  urgent.Kill();
}

}  // namespace
}  // namespace ascend
