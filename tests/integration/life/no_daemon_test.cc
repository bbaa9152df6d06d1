// Nobody, or nobody useful, at ASCEND_RTD_ADDRESS: one sentence that says what
// to do, soon.
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "ascend/rtd/v1/admin.grpc.pb.h"
#include "ascend/rtd/v1/session.grpc.pb.h"
#include "core/base/error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire.h"
#include "tests/integration/life/life.h"
#include "tests/testing/daemon_process.h"

namespace ascend {
namespace {

namespace pb = ::ascend::rtd::v1;
using ::testing::AllOf;
using testing::At;
using testing::ChildProgram;
using testing::Client;
using testing::DaemonProcess;
using ::testing::HasSubstr;
using testing::IsLost;
using testing::RefusalOf;
using testing::TemporaryDirectory;

TEST(NoDaemon, NobodyListens) {
  const TemporaryDirectory directory;
  const std::string address = "unix:" + directory.path() + "/none";
  EXPECT_THAT(RefusalOf(address),
              AllOf(IsLost("aclrtSetDevice"),
                    HasSubstr("no ascend-rtd answers at " + address),
                    HasSubstr("start one with 'ascend-rtd --listen")));
  EXPECT_THAT(RefusalOf("127.0.0.1:1"),
              AllOf(IsLost("aclrtSetDevice"), HasSubstr("start one with")));
  // What a dead daemon leaves behind.
  DaemonProcess dead(ASCEND_TEST_DAEMON);
  dead.Kill();
  EXPECT_THAT(RefusalOf(dead.unix_address()),
              AllOf(IsLost("aclrtSetDevice"), HasSubstr("start one with")));
}

TEST(NoDaemon, TheAddressIsNone) {
  for (const std::string address :
       {"unix:", "localhost", "127.0.0.1:", ":7700", "tcp://127.0.0.1:1"}) {
    EXPECT_THAT(RefusalOf(address),
                AllOf(IsLost("aclrtSetDevice"),
                      HasSubstr("use unix:PATH or HOST:PORT")))
        << address;
  }
}

// Listens at a socket, and does with each connection what it is told.
class Listener {
 public:
  explicit Listener(std::function<void(int fd)> answer)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)),
        answer_(std::move(answer)) {
    sockaddr_un name{.sun_family = AF_UNIX};
    std::strcpy(name.sun_path, path().c_str());
    EXPECT_EQ(
        ::bind(socket_.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)),
        0);
    EXPECT_EQ(::listen(socket_.get(), 8), 0);
    thread_ = std::thread([this] { Serve(); });
  }
  ~Listener() {
    ::shutdown(socket_.get(), SHUT_RDWR);
    thread_.join();
  }

  std::string address() const { return "unix:" + path(); }

 private:
  std::string path() const { return directory_.path() + "/s"; }

  void Serve() {
    std::vector<core::UniqueFd> peers;
    for (;;) {
      core::UniqueFd peer(::accept(socket_.get(), nullptr, nullptr));
      if (!peer.is_valid()) return;
      answer_(peer.get());
      peers.push_back(std::move(peer));
    }
  }

  TemporaryDirectory directory_;
  core::UniqueFd socket_;
  std::function<void(int fd)> answer_;
  std::thread thread_;
};

TEST(NoDaemon, SomethingElseAnswers) {
  Listener http([](int fd) {
    const std::string answer = "HTTP/1.1 400 Bad Request\r\n\r\n";
    (void)::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL);
  });
  EXPECT_THAT(
      RefusalOf(http.address()),
      AllOf(IsLost("aclrtSetDevice"), HasSubstr("no ascend-rtd answers at"),
            HasSubstr("start one with")));
  Listener noise([](int fd) {
    const std::string answer(4096, '\xa5');
    (void)::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL);
  });
  EXPECT_THAT(
      RefusalOf(noise.address()),
      AllOf(IsLost("aclrtSetDevice"), HasSubstr("no ascend-rtd answers at")));
}

TEST(NoDaemon, SomethingAcceptsAndSaysNothing) {
  Listener silent([](int) {});
  EXPECT_THAT(
      RefusalOf(silent.address()),
      AllOf(IsLost("aclrtSetDevice"), HasSubstr("does not answer as one")));
}

TEST(NoDaemon, SomethingHangsUp) {
  Listener rude([](int fd) { ::shutdown(fd, SHUT_RDWR); });
  EXPECT_THAT(
      RefusalOf(rude.address()),
      AllOf(IsLost("aclrtSetDevice"), HasSubstr("no ascend-rtd answers at")));
}

// A gRPC server at a UNIX socket, with one service.
class GrpcServer {
 public:
  explicit GrpcServer(grpc::Service& service) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address(), grpc::InsecureServerCredentials());
    builder.RegisterService(&service);
    server_ = builder.BuildAndStart();
  }
  ~GrpcServer() { server_->Shutdown(std::chrono::system_clock::now()); }
  std::string address() const { return "unix:" + directory_.path() + "/s"; }

 private:
  TemporaryDirectory directory_;
  std::unique_ptr<grpc::Server> server_;
};

TEST(NoDaemon, AnotherGrpcServiceAnswers) {
  pb::Admin::Service another;
  const GrpcServer server(another);
  EXPECT_THAT(RefusalOf(server.address()),
              AllOf(IsLost("aclrtSetDevice"),
                    HasSubstr("what answers there is another service")));
}

// A daemon of a later release, which refuses this one's protocol.
class LaterDaemon final : public pb::Runtime::Service {
 public:
  grpc::Status OpenSession(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<pb::ServerFrame, pb::ClientFrame>* stream)
      override {
    pb::ClientFrame hello;
    stream->Read(&hello);
    context->AddTrailingMetadata(
        wire::kReasonMetadataKey,
        absl::StrCat(static_cast<int>(core::Reason::kConnectionLost)));
    return {grpc::StatusCode::UNAVAILABLE, "install both from one release"};
  }
};

TEST(NoDaemon, ADaemonOfAnotherReleaseSaysWhatToDo) {
  LaterDaemon later;
  const GrpcServer server(later);
  EXPECT_THAT(RefusalOf(server.address()),
              AllOf(IsLost("aclrtSetDevice"),
                    HasSubstr("install both from one release")));
}

TEST(NoDaemon, ADaemonThatIsFullSaysSo) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON, {"--sessions-max=1"});
  ChildProgram first(Client("use"), At(daemon.unix_address()));
  ASSERT_EQ(first.ReadLine(), "ready");
  const std::string line = RefusalOf(daemon.unix_address());
  EXPECT_THAT(line, AllOf(HasSubstr("aclrtSetDevice 207012 EE1006: "),
                          HasSubstr("raise the limit")));
}

TEST(NoDaemon, ASocketThatThisUserMayNotUseSaysSo) {
  const DaemonProcess open(ASCEND_TEST_DAEMON);
  const DaemonProcess closed(ASCEND_TEST_DAEMON, {"--socket-mode=0000"});
  ChildProgram client(Client("connect-as-nobody", closed.unix_address()),
                      At(open.unix_address()));
  EXPECT_THAT(
      client.ReadLine(),
      AllOf(IsLost("aclrtSetDevice"),
            HasSubstr("no permission to connect to " + closed.unix_address()),
            HasSubstr("--socket-mode")));
  EXPECT_EQ(client.Wait(), 0);
}

}  // namespace
}  // namespace ascend
