// Either end of a session dies in the middle of work.
#include <signal.h>

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
using testing::At;
using testing::AwaitOperator;
using testing::ChildProgram;
using testing::Client;
using testing::DaemonProcess;
using ::testing::HasSubstr;
using testing::InfoOf;
using testing::IsLost;
using testing::SessionsOf;

class Death : public ::testing::TestWithParam<bool> {
 protected:
  std::string address() const {
    return GetParam() ? daemon_.unix_address() : daemon_.tcp_address();
  }

  DaemonProcess daemon_{ASCEND_TEST_DAEMON};
};

INSTANTIATE_TEST_SUITE_P(Sockets, Death, ::testing::Bool(),
                         [](const auto& which) {
                           return which.param ? "Unix" : "Tcp";
                         });

// Nothing of a device is used or held.
bool IsIdle(const pb::GetInfoReply& info) {
  const pb::DeviceStatus& device = info.devices(0);
  return device.hbm_used_bytes() == 0 && device.hbm_quarantined_bytes() == 0 &&
         device.cube_units_held() == 0 && device.aiv_units_held() == 0 &&
         device.dma_units_held() == 0 && device.tasks_waiting() == 0;
}

TEST_P(Death, AClientThatIsKilledLeavesNothingBehind) {
  for (int i = 0; i < 3; ++i) {
    ChildProgram client(Client("work-forever"), At(address()));
    ASSERT_EQ(client.ReadLine(), "working");
    const pb::ListSessionsReply sessions = SessionsOf(address());
    ASSERT_EQ(sessions.sessions_size(), 1);
    EXPECT_EQ(sessions.sessions(0).stream_count(), 3u);
    EXPECT_EQ(sessions.sessions(0).event_count(), 1u);
    EXPECT_GE(sessions.sessions(0).hbm_used_bytes(), 16u << 20);
    client.Kill();
    EXPECT_EQ(client.Wait(), 128 + SIGKILL);
    EXPECT_TRUE(AwaitOperator<pb::GetInfoReply>(
        InfoOf, address(),
        [](const pb::GetInfoReply& info) {
          return info.session_count() == 0 && IsIdle(info);
        }))
        << InfoOf(address()).DebugString();
  }
  EXPECT_EQ(InfoOf(address()).protocol_violations(), 0u);
  EXPECT_EQ(daemon_.Terminate(), 0) << daemon_.Log();
}

// Its child has copies of all its sockets, unless it closes them.
TEST_P(Death, AClientThatIsKilledLeavesNothingBehindThoughAChildLivesOn) {
  ChildProgram client(Client("fork-and-die"), At(address()));
  ASSERT_EQ(client.ReadLine(), "ready");
  EXPECT_EQ(InfoOf(address()).session_count(), 1u);
  client.Kill();
  EXPECT_EQ(client.Wait(), 128 + SIGKILL);
  EXPECT_TRUE(AwaitOperator<pb::GetInfoReply>(
      InfoOf, address(),
      [](const pb::GetInfoReply& info) {
        return info.session_count() == 0 && IsIdle(info);
      }))
      << InfoOf(address()).DebugString();
  client.WriteLine("the child may end");
}

TEST_P(Death, ANeighbourOfAClientThatIsKilledGoesOn) {
  ChildProgram neighbour(Client("work-at-priority", "3"), At(address()));
  ChildProgram client(Client("work-forever"), At(address()));
  ASSERT_EQ(client.ReadLine(), "working");
  ASSERT_EQ(neighbour.ReadLine(), "half");
  client.Kill();
  neighbour.WriteLine("go on");
  EXPECT_EQ(neighbour.ReadLine(), "right");
  EXPECT_EQ(neighbour.Wait(), 0);
}

// As under a debugger: it reads nothing and says nothing for a while.
TEST_P(Death, AClientThatStandsStillHarmsNobodyAndGoesOn) {
  ChildProgram client(Client("work-forever"), At(address()));
  ASSERT_EQ(client.ReadLine(), "working");
  ASSERT_EQ(::kill(client.pid(), SIGSTOP), 0);
  ChildProgram neighbour(Client("work-at-priority", "3"), At(address()));
  ASSERT_EQ(neighbour.ReadLine(), "half");
  neighbour.WriteLine("go on");
  EXPECT_EQ(neighbour.ReadLine(), "right");
  EXPECT_EQ(neighbour.Wait(), 0);
  const uint64_t kernels = SessionsOf(address()).sessions(0).kernel_count();
  ASSERT_EQ(::kill(client.pid(), SIGCONT), 0);
  EXPECT_TRUE(AwaitOperator<pb::ListSessionsReply>(
      SessionsOf, address(), [kernels](const pb::ListSessionsReply& reply) {
        return reply.sessions(0).kernel_count() > kernels + 100;
      }));
}

TEST_P(Death, EveryCallAfterTheDaemonIsKilledSaysSo) {
  ChildProgram client(Client("call-all"), At(address()));
  ASSERT_EQ(client.ReadLine(), "ready");
  daemon_.Kill();
  client.WriteLine("go on");
  const std::vector<std::string> lines = client.ReadLines();
  EXPECT_EQ(client.Wait(), 0);
  ASSERT_EQ(lines.size(), 23u);
  EXPECT_EQ(lines.back(), "aclFinalize 0 ");
  for (size_t i = 0; i + 1 < lines.size(); ++i) {
    EXPECT_THAT(lines[i], IsLost(lines[i].substr(0, lines[i].find(' '))));
    EXPECT_THAT(lines[i],
                HasSubstr("connection to the ascend-rtd at " + address() +
                          " is lost: the daemon has ended or was killed"));
  }
}

TEST_P(Death, WorkUnderWayEndsWhenTheDaemonIsKilled) {
  for (int i = 0; i < 3; ++i) {
    DaemonProcess daemon(ASCEND_TEST_DAEMON);
    ChildProgram client(
        Client("work-forever"),
        At(GetParam() ? daemon.unix_address() : daemon.tcp_address()));
    ASSERT_EQ(client.ReadLine(), "working");
    daemon.Kill();
    EXPECT_THAT(client.ReadLine(), HasSubstr(" 507901 EE1901: "));
    EXPECT_EQ(client.Wait(), 3);
  }
}

TEST_P(Death, AFinalizedProgramMayConnectToAnotherDaemon) {
  const DaemonProcess another(ASCEND_TEST_DAEMON);
  ChildProgram client(Client("reconnect", another.unix_address()),
                      At(address()));
  ASSERT_EQ(client.ReadLine(), "ready");
  daemon_.Kill();
  client.WriteLine("go on");
  EXPECT_THAT(client.ReadLine(), IsLost("aclrtMemcpy"));
  EXPECT_EQ(client.ReadLine(), "again");
  EXPECT_EQ(client.Wait(), 0);
}

TEST_P(Death, ADaemonThatIsToldToEndLetsClientsFinish) {
  ChildProgram client(Client("use"), At(address()));
  ASSERT_EQ(client.ReadLine(), "ready");
  ASSERT_EQ(::kill(daemon_.pid(), SIGTERM), 0);
  // From now on no new session, but the open one has its time, and may begin
  // a large copy.
  EXPECT_TRUE(testing::AwaitTrue([this] {
    return testing::RefusalOf(address()).find("is shutting down") !=
           std::string::npos;
  }));
  client.WriteLine("go on");
  EXPECT_EQ(client.Wait(), 0);
  EXPECT_EQ(daemon_.Terminate(), 0) << daemon_.Log();
}

TEST_P(Death, ADaemonThatIsToldToEndEndsWhateverClientsDo) {
  ChildProgram busy(Client("work-forever"), At(address()));
  ChildProgram idle(Client("call-all"), At(address()));
  ASSERT_EQ(busy.ReadLine(), "working");
  ASSERT_EQ(idle.ReadLine(), "ready");
  EXPECT_EQ(daemon_.Terminate(std::chrono::seconds(60)), 0) << daemon_.Log();
  EXPECT_THAT(busy.ReadLine(), HasSubstr(" 507901 EE1901: "));
  EXPECT_EQ(busy.Wait(), 3);
  idle.WriteLine("go on");
  const std::string line = idle.ReadLine();
  EXPECT_THAT(line, IsLost("aclrtMalloc"));
  EXPECT_THAT(line, HasSubstr("the daemon is shutting down"));
}

}  // namespace
}  // namespace ascend
