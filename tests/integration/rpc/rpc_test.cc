// What operators and other tools ask of the real daemon.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "acl/ascend_rtd_ops.h"
#include "client/grpc/dial.h"
#include "core/base/error.h"
#include "core/command/command.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/rpc/raw_session.h"
#include "tests/testing/daemon_process.h"
#include "tests/testing/operator_view.h"

namespace ascend {
namespace {

namespace pb = ::ascend::rtd::v1;
using core::Reason;
using ::testing::AllOf;
using testing::AwaitOperator;
using testing::DaemonProcess;
using testing::HandleBits;
using ::testing::HasSubstr;
using testing::InfoOf;
using testing::RawCall;
using testing::RawSession;
using testing::RunProgram;
using testing::SessionsOf;
using ::testing::StartsWith;

constexpr uint64_t kMiB = 1 << 20;

TEST(Rpc, WhatIsNoGrpcIsHungUpOn) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  RawSession session(daemon.unix_address());
  session.Start();
  for (const std::string& address :
       {daemon.unix_address(), daemon.tcp_address()}) {
    const auto silent = client::Dial(address);
    ASSERT_TRUE(silent.ok()) << silent.status();
    const auto rude = client::Dial(address);
    ASSERT_TRUE(rude.ok()) << rude.status();
    // The socket of a TCP connection does not block.
    pollfd polled{.fd = rude->get(), .events = POLLIN};
    ASSERT_GT(::send(rude->get(), "GET / HTTP/1.1\r\n\r\n", 18, 0), 0);
    char answer[4096];
    ssize_t got = 0;
    do {
      ASSERT_EQ(::poll(&polled, 1, 30'000), 1) << "it does not hang up";
      got = ::recv(rude->get(), answer, sizeof(answer), 0);
    } while (got > 0);
    EXPECT_TRUE(session.IsAlive());
  }
}

// --- ascend-rtctl -----------------------------------------------------------

TEST(Rpc, InfoDescribesTheDaemon) {
  const DaemonProcess daemon(
      ASCEND_TEST_DAEMON,
      {"--devices=2", "--policy=fifo", "--hbm-quota-per-session=64M"});
  RawSession session(daemon.unix_address());
  session.Start();
  session.Malloc(3 * kMiB);
  const pb::GetInfoReply info = InfoOf(daemon.tcp_address());
  EXPECT_EQ(info.pid(), daemon.pid());
  EXPECT_EQ(info.policy(), "fifo");
  EXPECT_EQ(info.clock_mode(), "free");
  EXPECT_EQ(info.hbm_quota_per_session_bytes(), 64 * kMiB);
  EXPECT_EQ(info.session_count(), 1u);
  EXPECT_EQ(info.sessions_opened(), 1u);
  EXPECT_EQ(info.protocol_violations(), 0u);
  ASSERT_EQ(info.listeners_size(), 2);
  EXPECT_EQ(info.listeners(0), daemon.unix_address());
  EXPECT_EQ(info.listeners(1), daemon.tcp_address());
  ASSERT_EQ(info.devices_size(), 2);
  const pb::Device& device = info.devices(0).device();
  EXPECT_EQ(device.profile(), "ascend910");
  EXPECT_EQ(device.hbm_bytes(), uint64_t{32} << 30);
  EXPECT_EQ(device.cube_units(), 8u);
  EXPECT_EQ(device.aiv_units(), 8u);
  EXPECT_EQ(device.dma_units(), 4u);
  EXPECT_GE(info.devices(0).hbm_used_bytes(), 3 * kMiB);
  EXPECT_EQ(info.devices(1).hbm_used_bytes(), 0u);
}

TEST(Rpc, InfoNamesPoliciesAndHoldModesThatDevicesHave) {
  const DaemonProcess daemon(
      ASCEND_TEST_DAEMON,
      {"--devices=3", "--policy=fifo,drfq,fifo", "--hold=block"});
  const pb::GetInfoReply info = InfoOf(daemon.tcp_address());
  EXPECT_EQ(info.policy(), "fifo,drfq,fifo");
  EXPECT_EQ(info.hold(), "block");
}

uint32_t KernelId(RawSession& session, const std::string& name) {
  session.Next()->mutable_load_package()->set_name("builtin:ops");
  const pb::Reply reply = session.Ask();
  for (const pb::KernelInfo& kernel : reply.package().kernels()) {
    if (kernel.name() == name) return kernel.id();
  }
  ADD_FAILURE() << "no kernel " << name;
  return 0;
}

// Fills and adds in device memory, waits, and frees half of the memory.
void UseTheDevice(RawSession& session) {
  const uint64_t x = session.Malloc(4 * kMiB);
  const uint64_t y = session.Malloc(4 * kMiB);
  pb::CreateStream* stream = session.Next()->mutable_create_stream();
  stream->set_stream(HandleBits(1));
  stream->set_context(HandleBits(0));
  ASSERT_FALSE(session.Ask().has_error());
  session.Next()->mutable_create_event()->set_event(HandleBits(0));
  const ascrtAddArgs args = {sizeof args,
                             reinterpret_cast<void*>(x),
                             reinterpret_cast<void*>(x),
                             reinterpret_cast<void*>(y),
                             kMiB,
                             ASCRT_DT_FLOAT,
                             0};
  const uint32_t add = KernelId(session, ASCRT_OP_ADD);
  pb::Launch* launch = session.Next()->mutable_launch();
  launch->set_stream(HandleBits(1));
  launch->set_kernel(add);
  launch->set_num_blocks(8);
  launch->set_args(
      std::string(reinterpret_cast<const char*>(&args), sizeof args));
  pb::Copy* copy = session.Next()->mutable_copy();
  copy->set_kind(pb::Copy::KIND_DEVICE_TO_DEVICE);
  copy->set_stream(HandleBits(1));
  copy->set_target(x);
  copy->set_source(y);
  copy->set_bytes(4 * kMiB);
  pb::Synchronize* wait = session.Next()->mutable_synchronize();
  wait->set_target(pb::Synchronize::TARGET_STREAM);
  wait->set_handle(HandleBits(1));
  const pb::Reply reply = session.Ask();
  ASSERT_FALSE(reply.has_error()) << reply.error().message();
  session.Next()->mutable_free()->set_address(y);
  ASSERT_TRUE(session.IsAlive());
}

TEST(Rpc, SessionsShowWhoUsesWhat) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  RawSession busy(daemon.unix_address());
  busy.Start("busy");
  UseTheDevice(busy);
  RawSession idle(daemon.tcp_address());
  idle.Start("idle\n\x1b[31m");

  const pb::ListSessionsReply reply = SessionsOf(daemon.unix_address());
  ASSERT_EQ(reply.sessions_size(), 2);
  const pb::Session& first = reply.sessions(0);
  EXPECT_EQ(first.id(), busy.hello().session());
  EXPECT_EQ(first.program(), "busy");
  EXPECT_EQ(first.peer().transport(), "unix");
  EXPECT_EQ(first.peer().pid(), ::getpid());
  EXPECT_EQ(first.peer().uid(), ::getuid());
  EXPECT_EQ(first.peer().gid(), ::getgid());
  EXPECT_GT(first.age_ns(), 0);
  EXPECT_EQ(first.context_count(), 1u);
  EXPECT_EQ(first.stream_count(), 2u);
  EXPECT_EQ(first.event_count(), 1u);
  EXPECT_GE(first.hbm_used_bytes(), 4 * kMiB);
  EXPECT_LT(first.hbm_used_bytes(), 8 * kMiB);
  EXPECT_GE(first.hbm_peak_bytes(), 8 * kMiB);
  EXPECT_LT(first.hbm_peak_bytes(), 9 * kMiB);
  EXPECT_EQ(first.kernel_count(), 1u);
  EXPECT_EQ(first.copy_count(), 1u);
  EXPECT_EQ(first.copied_bytes(), 4 * kMiB);
  EXPECT_EQ(first.tasks_pending(), 0u);
  EXPECT_GT(first.kernel_ns(), 0);
  EXPECT_GT(first.copy_ns(), 0);
  EXPECT_GT(first.aiv_unit_ns(), 0);
  EXPECT_EQ(first.cube_unit_ns(), first.aiv_unit_ns()) << "a gang holds both";
  EXPECT_GT(first.dma_unit_ns(), 0);

  const pb::Session& second = reply.sessions(1);
  EXPECT_EQ(second.program(), "idle??[31m") << "nothing that moves a cursor";
  EXPECT_EQ(second.peer().transport(), "tcp");
  EXPECT_THAT(second.peer().address(), StartsWith("127.0.0.1:"));
  EXPECT_EQ(second.peer().pid(), ::getpid()) << "as the client says";
  EXPECT_EQ(second.hbm_peak_bytes(), 0u);
  EXPECT_EQ(second.kernel_ns(), 0);
}

TEST(Rpc, GoodbyeEndsTheSession) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  RawSession session(daemon.unix_address());
  session.Start();
  session.Malloc(kMiB);
  pb::ClientFrame goodbye;
  goodbye.mutable_goodbye();
  ASSERT_TRUE(session.call().Send(goodbye));
  EXPECT_TRUE(session.call().Finish().ok());
  EXPECT_TRUE(AwaitOperator<pb::GetInfoReply>(
      InfoOf, daemon.unix_address(), [](const pb::GetInfoReply& info) {
        return info.session_count() == 0 &&
               info.devices(0).hbm_used_bytes() == 0 &&
               info.protocol_violations() == 0;
      }));
}

// --- Limits -----------------------------------------------------------------

TEST(Rpc, AddressesThatOthersCouldReachAreRefused) {
  for (const std::string address :
       {"0.0.0.0:7700", "[::]:7700", "192.0.2.1:7700", "*:7700", ":7700",
        "example.org:7700"}) {
    const auto result = RunProgram({ASCEND_TEST_DAEMON, "--listen", address});
    EXPECT_EQ(result.exit_code, 2) << address;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, AllOf(StartsWith("ascend-rtd: "),
                                  HasSubstr("'" + address + "'"),
                                  HasSubstr("127.0.0.1:PORT")));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1)
        << result.err;
  }
}

TEST(Rpc, TheQuotaOfHbmIsEnforcedPerSession) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON,
                             {"--hbm-quota-per-session=64M"});
  RawSession session(daemon.unix_address());
  session.Start();
  const uint64_t first = session.Malloc(48 * kMiB);
  session.Next()->mutable_malloc()->set_bytes(32 * kMiB);
  const pb::Reply refused = session.Ask();
  EXPECT_EQ(refused.error().reason(),
            static_cast<uint32_t>(Reason::kOutOfDeviceMemory));
  EXPECT_THAT(refused.error().message(),
              AllOf(HasSubstr("quota"), HasSubstr("67108864")));

  RawSession other(daemon.unix_address());
  other.Start();
  other.Malloc(60 * kMiB);  // a quota of its own

  session.Next()->mutable_free()->set_address(first);
  session.Malloc(32 * kMiB);
  const pb::ListSessionsReply reply = SessionsOf(daemon.unix_address());
  ASSERT_EQ(reply.sessions_size(), 2);
  EXPECT_GE(reply.sessions(0).hbm_used_bytes(), 32 * kMiB);
  EXPECT_LT(reply.sessions(0).hbm_used_bytes(), 33 * kMiB);
  EXPECT_GE(reply.sessions(0).hbm_peak_bytes(), 48 * kMiB);
  EXPECT_LE(reply.sessions(0).hbm_peak_bytes(), 64 * kMiB);
}

TEST(Rpc, OneSessionMoreThanAllowedIsRefused) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON, {"--sessions-max=1"});
  RawSession session(daemon.unix_address());
  session.Start();
  RawCall call(daemon.unix_address(), testing::kSessionMethod);
  ASSERT_TRUE(call.Send(testing::HelloFrame("second")));
  const absl::Status status = call.Finish();
  EXPECT_EQ(core::ReasonOf(status), Reason::kQuotaExceeded);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("end a program that uses it or raise the limit"));
  EXPECT_TRUE(session.IsAlive());
}

// A client that asks and reads no answer: the daemon keeps a bounded part and
// then ends the session; another one goes on. (Bytes that it does not read are
// not even fetched: tests/unit/server/rpc/calls_test.)
TEST(Rpc, AClientThatReadsNothingIsEnded) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  RawSession other(daemon.unix_address());
  other.Start();
  RawSession session(daemon.unix_address());
  session.Start();
  // 40 MiB of answers, which quote the name: more than sockets and windows
  // hold.
  const std::string name(4096, 'n');
  for (int frame = 0; frame < 100; ++frame) {
    for (int i = 0; i < 100; ++i) {
      session.Next()->mutable_load_package()->set_name(name);
    }
    if (!session.Send()) break;
  }
  EXPECT_TRUE(AwaitOperator<pb::GetInfoReply>(
      InfoOf, daemon.unix_address(), [](const pb::GetInfoReply& info) {
        return info.session_count() == 1 && info.protocol_violations() == 1;
      }));
  EXPECT_TRUE(other.IsAlive());
}

}  // namespace
}  // namespace ascend
