// The ends of streams: a daemon that stands still, a session that the daemon
// ends while both of its streams are open.
#include <signal.h>
#include <sys/wait.h>

#include <string>
#include <thread>

#include "client/grpc/grpc_transport.h"
#include "core/base/error.h"
#include "gtest/gtest.h"
#include "tests/integration/rpc/recording_sink.h"
#include "tests/testing/daemon_process.h"

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

TEST(StreamsTest, ClosingLetsGoOfAnUploadThatADaemonDoesNotRead) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  RecordingSink sink;
  GrpcTransport transport({.address = daemon.unix_address()}, sink);
  ASSERT_TRUE(transport.Open().ok());
  const std::string bytes(64 << 20, 'x');  // more than any buffer between
  StartUpload(transport, sink, bytes.size());
  ASSERT_EQ(::kill(daemon.pid(), SIGSTOP), 0);
  int state = 0;
  ASSERT_EQ(::waitpid(daemon.pid(), &state, WUNTRACED), daemon.pid());
  ASSERT_TRUE(WIFSTOPPED(state));
  absl::Status sent;
  std::thread uploader([&] {
    sent =
        transport.SendUpload(core::Ticket(2), std::as_bytes(std::span(bytes)));
  });
  transport.Close();
  uploader.join();
  EXPECT_EQ(core::ReasonOf(sent), core::Reason::kConnectionLost) << sent;
  EXPECT_FALSE(
      transport.SendUpload(core::Ticket(2), std::as_bytes(std::span(bytes)))
          .ok());
  ASSERT_EQ(::kill(daemon.pid(), SIGCONT), 0);
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
