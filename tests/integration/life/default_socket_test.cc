// ASCEND_RTD_ADDRESS is not set: the daemon at the default socket, else a
// private one. The test's process has a /run of its own, so that it neither
// sees nor disturbs a daemon of the machine.
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/life/life.h"
#include "tests/testing/daemon_process.h"
#include "tests/testing/operator_view.h"

namespace ascend {
namespace {

using ::testing::AllOf;
using testing::ChildProgram;
using testing::Client;
using testing::DaemonProcess;
using ::testing::HasSubstr;
using testing::InfoOf;
using testing::IsLost;

constexpr char kDefaultAddress[] = "unix:/run/ascend-rtd/ascend-rtd.sock";

// Containers forbid it at times.
bool HaveOwnRun() {
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", "/run", "tmpfs", 0, "mode=0755") == 0;
}

class DefaultSocket : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    has_own_run_ = HaveOwnRun();
    ::unsetenv("ASCEND_RTD_ADDRESS");
  }
  void SetUp() override {
    if (!has_own_run_) {
      GTEST_SKIP() << "this user may not mount a /run of its own";
    }
  }

 private:
  static bool has_own_run_;
};

bool DefaultSocket::has_own_run_ = false;

TEST_F(DefaultSocket, TheDaemonThereIsUsed) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON, {"--listen", kDefaultAddress});
  ChildProgram client(Client("use"));
  ASSERT_EQ(client.ReadLine(), "ready");
  EXPECT_EQ(InfoOf(kDefaultAddress).session_count(), 1u);
  client.WriteLine("go on");
  EXPECT_EQ(client.Wait(), 0);
}

TEST_F(DefaultSocket, WithoutADaemonAPrivateOneIsStarted) {
  ChildProgram client(Client("use"));
  ASSERT_EQ(client.ReadLine(), "ready");
  client.WriteLine("go on");
  EXPECT_EQ(client.Wait(), 0);
}

TEST_F(DefaultSocket, ThatADeadDaemonLeftIsNoDaemon) {
  DaemonProcess daemon(ASCEND_TEST_DAEMON, {"--listen", kDefaultAddress});
  daemon.Kill();
  ChildProgram client(Client("use"));
  ASSERT_EQ(client.ReadLine(), "ready");
  client.WriteLine("go on");
  EXPECT_EQ(client.Wait(), 0);
}

TEST_F(DefaultSocket, ThatThisUserMayNotUseIsNotPassedOver) {
  const DaemonProcess open(ASCEND_TEST_DAEMON);
  const DaemonProcess closed(
      ASCEND_TEST_DAEMON, {"--socket-mode=0000", "--listen", kDefaultAddress});
  ChildProgram client(Client("connect-as-nobody"),
                      testing::At(open.unix_address()));
  EXPECT_THAT(client.ReadLine(),
              AllOf(IsLost("aclrtSetDevice"), HasSubstr("refuses this user"),
                    HasSubstr("ASCEND_RTD_ADDRESS=embedded")));
  EXPECT_EQ(client.Wait(), 0);
}

}  // namespace
}  // namespace ascend
