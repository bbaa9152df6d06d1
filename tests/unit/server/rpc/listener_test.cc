#include "server/rpc/listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <future>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/rpc/peer_identity.h"
#include "tests/testing/daemon_process.h"

namespace ascend::server {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string MessageOf(const absl::Status& status) {
  return std::string(status.message());
}

core::UniqueFd Connect(const std::string& path) {
  sockaddr_un name{.sun_family = AF_UNIX};
  std::strcpy(name.sun_path, path.c_str());
  core::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)) !=
      0) {
    fd.Reset();
  }
  return fd;
}

ListenAddress UnixAddress(const std::string& path) {
  return *ParseListenAddress("unix:" + path);
}

TEST(ParseListenAddress, TakesLoopbackAndUnix) {
  EXPECT_EQ(ParseListenAddress("unix:/a/b")->path, "/a/b");
  EXPECT_EQ(ParseListenAddress("127.0.0.1:7700")->port, 7700);
  EXPECT_TRUE(ParseListenAddress("[::1]:0")->is_ipv6);
}

TEST(ParseListenAddress, RefusesOtherHostsUntilThereIsTls) {
  for (const char* address :
       {"0.0.0.0:1", "10.0.0.1:7700", "[::]:1", "npu:1", "localhost:7700"}) {
    EXPECT_THAT(MessageOf(ParseListenAddress(address).status()),
                HasSubstr("needs TLS, which this version does not have"))
        << address;
  }
}

TEST(ParseListenAddress, RefusesWhatIsNoAddress) {
  EXPECT_THAT(MessageOf(ParseListenAddress("/tmp/x").status()),
              HasSubstr("none of unix:PATH"));
  EXPECT_THAT(MessageOf(ParseListenAddress("127.0.0.1:65536").status()),
              HasSubstr("port '65536'"));
  EXPECT_THAT(MessageOf(ParseListenAddress("127.0.0.1:").status()),
              HasSubstr("port ''"));
  EXPECT_THAT(
      MessageOf(ParseListenAddress("unix:" + std::string(108, 'a')).status()),
      HasSubstr("has 108 bytes"));
}

TEST(Listener, TellsWhoConnects) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.path() + "/s";
  const auto listener = Listener::Open(UnixAddress(path));
  ASSERT_TRUE(listener.ok()) << listener.status();
  EXPECT_TRUE(absl::IsUnavailable((*listener)->Accept().status()));
  const core::UniqueFd client = Connect(path);
  const auto connection = (*listener)->Accept();
  ASSERT_TRUE(connection.ok()) << connection.status();
  EXPECT_EQ(connection->peer.transport, "unix");
  EXPECT_EQ(connection->peer.uid, ::getuid());
  EXPECT_EQ(connection->peer.gid, ::getgid());
  EXPECT_EQ(connection->peer.pid, ::getpid());
}

TEST(Listener, GivesItsSocketTheMode) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.path() + "/s";
  const auto listener = Listener::Open(UnixAddress(path), 0640);
  ASSERT_TRUE(listener.ok());
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST(Listener, MakesTheLastDirectoryOfItsPath) {
  const testing::TemporaryDirectory directory;
  EXPECT_TRUE(Listener::Open(UnixAddress(directory.path() + "/made/s")).ok());
  EXPECT_THAT(
      MessageOf(
          Listener::Open(UnixAddress(directory.path() + "/a/b/s")).status()),
      HasSubstr("cannot be made"));
}

TEST(Listener, ReplacesASocketThatNobodyListensAt) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.path() + "/s";
  {
    // As a daemon that was killed leaves it.
    sockaddr_un name{.sun_family = AF_UNIX};
    std::strcpy(name.sun_path, path.c_str());
    const core::UniqueFd dead(::socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(
        ::bind(dead.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)),
        0);
  }
  const auto listener = Listener::Open(UnixAddress(path));
  ASSERT_TRUE(listener.ok()) << listener.status();
  EXPECT_TRUE(Connect(path).is_valid());
}

TEST(Listener, LeavesALiveDaemonsSocketAlone) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.path() + "/s";
  const auto live = Listener::Open(UnixAddress(path));
  ASSERT_TRUE(live.ok());
  EXPECT_THAT(MessageOf(Listener::Open(UnixAddress(path)).status()),
              HasSubstr("another process listens at unix:" + path));
  EXPECT_TRUE(Connect(path).is_valid());
}

TEST(Listener, LeavesTheSocketOfADaemonThatStandsStillAlone) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.path() + "/s";
  sockaddr_un name{.sun_family = AF_UNIX};
  std::strcpy(name.sun_path, path.c_str());
  const core::UniqueFd still(::socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(
      ::bind(still.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
  ASSERT_EQ(::listen(still.get(), 0), 0);
  const core::UniqueFd fills_the_backlog = Connect(path);
  ASSERT_TRUE(fills_the_backlog.is_valid());
  EXPECT_THAT(MessageOf(Listener::Open(UnixAddress(path)).status()),
              HasSubstr("another process listens at unix:" + path));
}

TEST(Listener, LeavesAFileThatIsNoSocketAlone) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.path() + "/s";
  std::ofstream(path) << "precious";
  EXPECT_THAT(MessageOf(Listener::Open(UnixAddress(path)).status()),
              HasSubstr("exists and is no socket"));
  std::string content;
  std::ifstream(path) >> content;
  EXPECT_EQ(content, "precious");
}

TEST(Listener, RemovesItsOwnSocketOnly) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.path() + "/s";
  struct stat info {};
  { ASSERT_TRUE(Listener::Open(UnixAddress(path)).ok()); }
  EXPECT_NE(::lstat(path.c_str(), &info), 0);
  {
    const auto listener = Listener::Open(UnixAddress(path));
    ASSERT_TRUE(listener.ok());
    ASSERT_EQ(::unlink(path.c_str()), 0);
    std::ofstream(path) << "of another";
  }
  EXPECT_EQ(::lstat(path.c_str(), &info), 0);
}

TEST(Listener, ReportsThePortThatWasChosen) {
  const auto listener = Listener::Open(*ParseListenAddress("127.0.0.1:0"));
  ASSERT_TRUE(listener.ok()) << listener.status();
  EXPECT_THAT((*listener)->address(), StartsWith("127.0.0.1:"));
  EXPECT_NE((*listener)->address(), "127.0.0.1:0");
  const auto again =
      Listener::Open(*ParseListenAddress((*listener)->address()));
  EXPECT_THAT(MessageOf(again.status()), HasSubstr("cannot be listened at"));
}

TEST(Acceptor, HandsOverConnectionsUntilItStops) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.path() + "/s";
  std::vector<std::unique_ptr<Listener>> listeners;
  listeners.push_back(*Listener::Open(UnixAddress(path)));
  std::promise<Peer> accepted;
  {
    const Acceptor acceptor(std::move(listeners),
                            [&](Listener::Connection connection) {
                              accepted.set_value(connection.peer);
                            });
    const core::UniqueFd client = Connect(path);
    EXPECT_EQ(accepted.get_future().get().uid, ::getuid());
  }
  EXPECT_FALSE(Connect(path).is_valid());
}

int OptionOf(int fd, int level, int name) {
  int value = -1;
  socklen_t length = sizeof(value);
  EXPECT_EQ(::getsockopt(fd, level, name, &value, &length), 0);
  return value;
}

// A client in a debugger answers probes but does not read, perhaps for hours:
// a time-out of unsent bytes would end it.
TEST(Acceptor, GivesTcpProbesAndNoTimeOutOfUnsentBytes) {
  std::vector<std::unique_ptr<Listener>> listeners;
  listeners.push_back(*Listener::Open(*ParseListenAddress("127.0.0.1:0")));
  const std::string address = listeners.front()->address();
  std::promise<core::UniqueFd> accepted;
  const Acceptor acceptor(std::move(listeners),
                          [&](Listener::Connection connection) {
                            accepted.set_value(std::move(connection.socket));
                          });
  sockaddr_in name{.sin_family = AF_INET};
  name.sin_port = htons(
      static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const core::UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(
      ::connect(client.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)),
      0);
  const core::UniqueFd served = accepted.get_future().get();
  EXPECT_EQ(OptionOf(served.get(), SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(OptionOf(served.get(), IPPROTO_TCP, TCP_USER_TIMEOUT), 0);
}

TEST(PeerTable, FindsThePeerOfAnOpenSocket) {
  PeerTable table;
  core::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  const std::string name = "fd:" + std::to_string(socket.get());
  EXPECT_FALSE(table.Find(name).ok());
  table.Record(socket.get(), Peer{.transport = "unix", .uid = 77});
  ASSERT_TRUE(table.Find(name).ok());
  EXPECT_EQ(table.Find(name)->uid, 77u);
  EXPECT_FALSE(table.Find("ipv4:127.0.0.1:80").ok());
  EXPECT_FALSE(table.Find("fd:").ok());
}

TEST(PeerTable, RefusesANumberThatIsAnotherSocketNow) {
  PeerTable table;
  core::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  const int number = socket.get();
  table.Record(number, Peer{.transport = "unix", .uid = 77});
  socket.Reset();
  const std::string name = "fd:" + std::to_string(number);
  EXPECT_FALSE(table.Find(name).ok());
  socket.Reset(::socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(socket.get(), number);
  EXPECT_FALSE(table.Find(name).ok());
}

}  // namespace
}  // namespace ascend::server
