// The ends of streams: a daemon that stands still, a session that the daemon
// ends while both of its streams are open.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "client/grpc/grpc_transport.h"
#include "core/base/error.h"
#include "core/spec/device_spec.h"
#include "gtest/gtest.h"
#include "server/rpc/rpc_server.h"
#include "tests/integration/rpc/recording_sink.h"
#include "tests/testing/daemon_process.h"
#include "tests/testing/fake_machine_host.h"
#include "tests/testing/thread_state.h"

namespace ascend::client {
namespace {

using ascend::testing::DaemonProcess;
using ascend::testing::RecordingSink;

constexpr uint64_t kFirstAddress = 0x120000000000;  // of the fake host

void Post(GrpcTransport& transport, uint64_t ticket,
          core::Operation operation) {
  transport.Post(core::Command{.ticket = core::Ticket(ticket),
                               .lane = core::LaneId(1),
                               .operation = std::move(operation)});
}

// Makes an allocation by ticket 1 and opens the bulk stream by ticket 2.
void StartUpload(GrpcTransport& transport, RecordingSink& sink,
                 uint64_t bytes) {
  Post(transport, 1, core::Malloc{.bytes = bytes});
  ASSERT_TRUE(sink.AwaitReply(1).has_value());
  Post(
      transport, 2,
      core::Copy{.target = kFirstAddress, .bytes = bytes, .wants_reply = true});
  ASSERT_TRUE(sink.AwaitDue(2));
}

// An upload to a daemon that stands still.
class StuckUploadTest : public ::testing::Test {
 protected:
  StuckUploadTest() : transport_({.address = daemon_.unix_address()}, sink_) {
    EXPECT_TRUE(transport_.Open().ok());
    StartUpload(transport_, sink_, bytes_.size());
    EXPECT_EQ(::kill(daemon_.pid(), SIGSTOP), 0);
    int state = 0;
    EXPECT_EQ(::waitpid(daemon_.pid(), &state, WUNTRACED), daemon_.pid());
    EXPECT_TRUE(WIFSTOPPED(state));
    std::atomic<pid_t> thread{0};
    uploader_ = std::thread([this, &thread] {
      thread = ::gettid();
      sent_ = SendUpload();
    });
    while (thread == 0 || !ascend::testing::IsAsleep(thread)) {
    }
  }
  ~StuckUploadTest() override { ::kill(daemon_.pid(), SIGCONT); }

  absl::Status SendUpload() {
    return transport_.SendUpload(core::Ticket(2),
                                 std::as_bytes(std::span(bytes_)));
  }

  // More than any buffer between.
  const std::string bytes_ = std::string(64 << 20, 'x');
  DaemonProcess daemon_{ASCEND_TEST_DAEMON};
  RecordingSink sink_;
  GrpcTransport transport_;
  absl::Status sent_;
  std::thread uploader_;
};

TEST_F(StuckUploadTest, EndsWhenTheTransportIsClosed) {
  transport_.Close();
  uploader_.join();
  EXPECT_EQ(core::ReasonOf(sent_), core::Reason::kConnectionLost) << sent_;
  EXPECT_FALSE(SendUpload().ok());
}

TEST_F(StuckUploadTest, EndsWhenTheDaemonDies) {
  daemon_.Kill();
  uploader_.join();
  EXPECT_EQ(core::ReasonOf(sent_), core::Reason::kConnectionLost) << sent_;
  EXPECT_TRUE(sink_.AwaitLost().has_value());
}

// The daemon takes no bytes in, and ends the stream in peace when the session
// ends: what gRPC holds of the upload then must go all the same.
TEST(StreamsTest, AnUploadInItsMiddleEndsWithItsSession) {
  server::MachineHostOptions options;
  options.machine.spec = core::Ascend910Spec();
  ascend::testing::FakeMachineHost host(options);
  const ascend::testing::TemporaryDirectory directory;
  const std::string address = "unix:" + directory.path() + "/s";
  auto server = server::RpcServer::Start(
      host, {.listen = {*server::ParseListenAddress(address)}});
  ASSERT_TRUE(server.ok()) << server.status();
  RecordingSink sink;
  GrpcTransport transport({.address = address}, sink);
  ASSERT_TRUE(transport.Open().ok());
  const std::string bytes(64 << 20, 'x');
  StartUpload(transport, sink, bytes.size());
  host.HoldTurns(true);
  absl::Status sent;
  std::atomic<pid_t> thread{0};
  std::thread uploader([&] {
    thread = ::gettid();
    sent =
        transport.SendUpload(core::Ticket(2), std::as_bytes(std::span(bytes)));
  });
  while (thread == 0 || !ascend::testing::IsAsleep(thread)) {
  }
  transport.Close();
  uploader.join();
  EXPECT_EQ(core::ReasonOf(sent), core::Reason::kConnectionLost) << sent;
  host.HoldTurns(false);
  host.Shutdown(std::chrono::steady_clock::now());
}

TEST(StreamsTest, TheReasonForTheEndOfASessionIsTheDaemons) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  for (int i = 0; i < 50; ++i) {
    RecordingSink sink;
    GrpcTransport transport({.address = daemon.unix_address()}, sink);
    ASSERT_TRUE(transport.Open().ok());
    StartUpload(transport, sink, 1 << 20);
    Post(transport, 2, core::MemInfo{});  // a ticket that repeats
    const auto why = sink.AwaitLost();
    ASSERT_TRUE(why.has_value());
    ASSERT_EQ(core::ReasonOf(*why), core::Reason::kProtocolViolation)
        << *why << " in round " << i;
  }
}

}  // namespace
}  // namespace ascend::client
