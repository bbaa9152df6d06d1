// What programs do with their processes: fork, exec, dlopen; and the private
// daemon, which lives as long as its program.
#include <signal.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/life/life.h"
#include "tests/testing/daemon_process.h"
#include "tests/testing/operator_view.h"

namespace ascend {
namespace {

namespace pb = ::ascend::rtd::v1;
using ::testing::AllOf;
using testing::At;
using testing::AwaitOperator;
using testing::ChildProgram;
using testing::Client;
using testing::DaemonProcess;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::InfoOf;
using testing::IsLost;
using testing::TemporaryDirectory;

// --- fork -------------------------------------------------------------------

auto IsForked(const std::string& name) {
  return AllOf(IsLost(name), HasSubstr("fork before the first call"));
}

TEST(Fork, TheChildsCallsFailAndTheParentIsUnharmed) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  for (const std::string& address :
       {daemon.unix_address(), daemon.tcp_address()}) {
    ChildProgram client(Client("fork"), At(address));
    EXPECT_THAT(client.ReadLines(),
                ElementsAre(IsForked("child-aclrtMalloc"),
                            IsForked("child-aclrtMemcpy"),
                            IsForked("child-aclrtSynchronizeDevice"),
                            IsForked("child-aclrtSetDevice"),
                            IsForked("child-aclrtResetDevice"),
                            "calls 0 unharmed", "exits 0 unharmed",
                            "finalizes 0 unharmed", "execs 0 unharmed"));
    EXPECT_EQ(client.Wait(), 0);
  }
  EXPECT_EQ(InfoOf(daemon.unix_address()).protocol_violations(), 0u);
}

TEST(Fork, HoldsWhileAnotherThreadCopies) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  ChildProgram client(Client("fork-under-load"), At(daemon.unix_address()));
  EXPECT_THAT(client.ReadLines(), ElementsAre("0 failures, unharmed"));
  EXPECT_EQ(client.Wait(), 0);
}

TEST(Fork, BeforeTheFirstCallGivesEachItsSession) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  ChildProgram client(Client("fork-before-use"), At(daemon.unix_address()));
  EXPECT_THAT(client.ReadLines(), ElementsAre("uses 0 unharmed"));
  EXPECT_EQ(client.Wait(), 0);
  EXPECT_EQ(InfoOf(daemon.unix_address()).sessions_opened(), 2u);
}

// --- Again and again --------------------------------------------------------

TEST(ComeAndGo, FiftySessionsLeaveNothingInTheProgramOrTheDaemon) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  const std::string descriptors =
      "/proc/" + std::to_string(daemon.pid()) + "/fd";
  const auto count = [&descriptors] {
    const std::filesystem::directory_iterator entries(descriptors);
    return std::distance(begin(entries), end(entries));
  };
  const auto before = count();
  for (const std::string& address :
       {daemon.unix_address(), daemon.tcp_address()}) {
    ChildProgram client(Client("come-and-go"), At(address));
    EXPECT_THAT(client.ReadLines(),
                ElementsAre("few descriptors", "few threads"));
    EXPECT_EQ(client.Wait(), 0);
  }
  EXPECT_TRUE(testing::AwaitTrue([&] { return count() <= before; }))
      << before << " descriptors became " << count();
  EXPECT_EQ(InfoOf(daemon.unix_address()).sessions_opened(), 100u);
}

// --- dlopen -----------------------------------------------------------------

TEST(Dlopen, TheLibraryMayBeLoadedAndUnloadedTwice) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  for (const std::string how : {"finalize", "leave"}) {
    const auto result =
        testing::RunProgram({ASCEND_TEST_DLOPEN, ASCEND_TEST_LIBRARY, how},
                            At(daemon.unix_address()));
    EXPECT_EQ(result.exit_code, 0) << how << result.err;
  }
  EXPECT_TRUE(AwaitOperator<pb::GetInfoReply>(
      InfoOf, daemon.unix_address(), [](const pb::GetInfoReply& info) {
        return info.session_count() == 0 &&
               info.devices(0).hbm_used_bytes() == 0;
      }));
}

// --- The private daemon -----------------------------------------------------

// A directory for temporary files, where a private daemon puts its socket.
class PrivateDaemon : public ::testing::Test {
 protected:
  std::vector<std::string> environment() const {
    return {"ASCEND_RTD_ADDRESS=embedded", "TMPDIR=" + directory_.path()};
  }

  // The process of the one private daemon there is.
  pid_t DaemonPid() const {
    for (const auto& entry :
         std::filesystem::directory_iterator(directory_.path())) {
      const std::string socket = entry.path().string() + "/rtd.sock";
      return static_cast<pid_t>(InfoOf("unix:" + socket).pid());
    }
    ADD_FAILURE() << "there is no private daemon";
    return -1;
  }

  void ExpectGone(pid_t daemon) const {
    EXPECT_TRUE(testing::AwaitGone(daemon, std::chrono::minutes(1)));
    EXPECT_TRUE(std::filesystem::is_empty(directory_.path()))
        << "it leaves something behind";
  }

 private:
  TemporaryDirectory directory_;
};

TEST_F(PrivateDaemon, EndsWithItsProgram) {
  for (const std::string scenario : {"use", "use-unfinished"}) {
    ChildProgram client(Client(scenario), environment());
    ASSERT_EQ(client.ReadLine(), "ready");
    const pid_t daemon = DaemonPid();
    client.WriteLine("go on");
    EXPECT_EQ(client.Wait(), 0);
    ExpectGone(daemon);
  }
}

TEST_F(PrivateDaemon, EndsWhenItsProgramIsKilled) {
  ChildProgram client(Client("work-forever"), environment());
  ASSERT_EQ(client.ReadLine(), "working");
  const pid_t daemon = DaemonPid();
  client.Kill();
  EXPECT_EQ(client.Wait(), 128 + SIGKILL);
  ExpectGone(daemon);
}

TEST_F(PrivateDaemon, EndsThoughAForkedChildLivesOn) {
  ChildProgram client(Client("fork-and-die"), environment());
  ASSERT_EQ(client.ReadLine(), "ready");
  const pid_t daemon = DaemonPid();
  client.Kill();
  EXPECT_EQ(client.Wait(), 128 + SIGKILL);
  ExpectGone(daemon);
  client.WriteLine("the child may end");
}

TEST_F(PrivateDaemon, IsNotItsProgramsChild) {
  // A program that waits for all its children must not wait for it, nor does a
  // Ctrl-C at its terminal reach it.
  ChildProgram client(Client("use"), environment());
  ASSERT_EQ(client.ReadLine(), "ready");
  const pid_t daemon = DaemonPid();
  EXPECT_NE(::getsid(daemon), ::getsid(client.pid()));
  client.WriteLine("go on");
  EXPECT_EQ(client.Wait(), 0);
  ExpectGone(daemon);
}

TEST_F(PrivateDaemon, ThatCannotStartSaysWhatToDo) {
  std::vector<std::string> nowhere = environment();
  nowhere.push_back("ASCEND_RTD_HOME=/nonexistent");
  ChildProgram client(Client("connect"), nowhere);
  EXPECT_THAT(client.ReadLine(),
              AllOf(IsLost("aclrtSetDevice"), HasSubstr("/nonexistent"),
                    HasSubstr("start ascend-rtd, set ASCEND_RTD_ADDRESS")));
  EXPECT_EQ(client.Wait(), 0);
}

}  // namespace
}  // namespace ascend
