// Calls of clients that do what ours do not: vanish in the middle of a hello,
// read late, open more calls than there is use for.
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "ascend/rtd/v1/session.grpc.pb.h"
#include "core/spec/device_spec.h"
#include "gtest/gtest.h"
#include "proto/wire.h"
#include "server/machine_host.h"
#include "server/rpc/rpc_server.h"
#include "tests/testing/daemon_process.h"
#include "tests/testing/fake_machine_host.h"

namespace ascend::server {
namespace {

namespace pb = ::ascend::rtd::v1;
using std::chrono::seconds;

MachineHostOptions Options() {
  MachineHostOptions options;
  options.machine.spec = core::Ascend910Spec();
  return options;
}

// True when `condition` held within 20 s.
template <typename Condition>
bool Await(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
  }
  return true;
}

class CallsTest : public ::testing::Test {
 protected:
  explicit CallsTest(std::unique_ptr<MachineHost> host)
      : host_(std::move(host)) {
    address_ = "unix:" + directory_.path() + "/s";
    auto server = RpcServer::Start(
        *host_, {.listen = {*ParseListenAddress(address_)}, .identity = {}});
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  ~CallsTest() override { host_->Shutdown(std::chrono::steady_clock::now()); }

  std::shared_ptr<grpc::Channel> Connect() {
    // A connection of its own: equal ones would share one.
    grpc::ChannelArguments arguments;
    arguments.SetInt("test.channel", ++channel_count_);
    return grpc::CreateCustomChannel(
        address_, grpc::InsecureChannelCredentials(), arguments);
  }

  static pb::ClientFrame Hello() {
    pb::ClientFrame frame;
    frame.mutable_hello()->set_protocol_version(wire::kProtocolVersion);
    return frame;
  }

  ascend::testing::TemporaryDirectory directory_;
  std::string address_;
  int channel_count_ = 0;
  std::unique_ptr<MachineHost> host_;
  std::unique_ptr<RpcServer> server_;
};

class FakeHostCallsTest : public CallsTest {
 protected:
  FakeHostCallsTest()
      : CallsTest(
            std::make_unique<ascend::testing::FakeMachineHost>(Options())),
        fake_(static_cast<ascend::testing::FakeMachineHost&>(*host_)) {}
  ascend::testing::FakeMachineHost& fake_;
};

// The host takes its time over the hello, and the client does not wait.
TEST_F(FakeHostCallsTest, AClientThatVanishesInMidHelloLeavesNoSession) {
  const auto channel = Connect();
  fake_.HoldTurns(true);
  grpc::ClientContext context;
  const auto stream = pb::Runtime::NewStub(channel)->OpenSession(&context);
  ASSERT_TRUE(stream->Write(Hello()));
  ASSERT_TRUE(Await([&] { return fake_.open_count() == 1; }));
  context.TryCancel();
  stream->Finish();
  fake_.HoldTurns(false);
  EXPECT_TRUE(Await([&] { return fake_.open_count() == 0; }));
}

size_t ThreadCount() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<size_t>(std::distance(begin(tasks), end(tasks)));
}

// An operator's call has a thread only while it is answered.
TEST_F(FakeHostCallsTest, ManyCallsDoNotMakeManyThreads) {
  constexpr size_t kCalls = 400;
  struct Call {
    grpc::ClientContext context;
    std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream;
  };
  const size_t before = ThreadCount();
  grpc::CompletionQueue queue;
  std::vector<std::unique_ptr<Call>> calls;
  std::vector<std::unique_ptr<grpc::GenericStub>> stubs;
  for (size_t i = 0; i < kCalls; ++i) {
    if (i % 10 == 0) {  // fewer than a connection may have
      stubs.push_back(std::make_unique<grpc::GenericStub>(Connect()));
    }
    calls.push_back(std::make_unique<Call>());
    Call& call = *calls.back();
    call.stream = stubs.back()->PrepareCall(
        &call.context,
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        &queue);
    call.stream->StartCall(&call);
  }
  void* tag = nullptr;
  bool ok = false;
  for (size_t i = 0; i < kCalls; ++i) ASSERT_TRUE(queue.Next(&tag, &ok));
  // The daemon is alive, and has seen what was sent before.
  grpc::ClientContext context;
  const auto stream = pb::Runtime::NewStub(Connect())->OpenSession(&context);
  ASSERT_TRUE(stream->Write(Hello()));
  pb::ServerFrame greeting;
  ASSERT_TRUE(stream->Read(&greeting));
  EXPECT_LT(ThreadCount() - before, 100u);
  context.TryCancel();
  stream->Finish();
  for (const auto& call : calls) call->context.TryCancel();
  calls.clear();
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {
  }
}

class RealHostCallsTest : public CallsTest {
 protected:
  RealHostCallsTest() : CallsTest(*MachineHost::Create(Options())) {}
};

pb::Command* AddCommand(pb::ClientFrame& frame, uint64_t ticket) {
  pb::Command* const command = frame.mutable_batch()->add_commands();
  command->set_ticket(ticket);
  return command;
}

// More bytes than may wait for a client come in order, however late it reads:
// copies to it are held back, and it is not taken for one that reads nothing.
TEST_F(RealHostCallsTest, ASlowReaderGetsAllItsBytes) {
  constexpr uint64_t kBytes = 64 * 1024;
  constexpr uint64_t kCopies = 400;  // 25 MiB
  constexpr uint64_t kHandle = uint64_t{1} << 32;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + seconds(60));
  const auto stream = pb::Runtime::NewStub(Connect())->OpenSession(&context);
  ASSERT_TRUE(stream->Write(Hello()));
  pb::ServerFrame frame;
  ASSERT_TRUE(stream->Read(&frame));
  pb::ClientFrame setup;
  pb::CreateContext* const create =
      AddCommand(setup, 1)->mutable_create_context();
  create->set_context(kHandle);
  create->set_default_stream(kHandle);
  AddCommand(setup, 2)->mutable_malloc()->set_bytes(kBytes);
  ASSERT_TRUE(stream->Write(setup));
  uint64_t address = 0;
  while (address == 0) {
    ASSERT_TRUE(stream->Read(&frame));
    for (const pb::ServerEvent& event : frame.events()) {
      if (event.reply().has_malloc())
        address = event.reply().malloc().address();
    }
  }
  pb::ClientFrame copies;
  for (uint64_t i = 0; i < kCopies; ++i) {
    pb::Copy* const copy = AddCommand(copies, 3 + i)->mutable_copy();
    copy->set_stream(kHandle);
    copy->set_kind(pb::Copy::KIND_DEVICE_TO_HOST);
    copy->set_source(address);
    copy->set_bytes(kBytes);
  }
  ASSERT_TRUE(stream->Write(copies));
  // The host serves another client the same copy many more times than that, so
  // it has done for this one what it means to do before this one reads.
  pb::ServerFrame others;
  grpc::ClientContext other_context;
  const auto other =
      pb::Runtime::NewStub(Connect())->OpenSession(&other_context);
  ASSERT_TRUE(other->Write(Hello()));
  ASSERT_TRUE(other->Read(&others));
  for (uint64_t i = 0; i < 4 * kCopies; ++i) {
    pb::ClientFrame ask;
    AddCommand(ask, 1 + i)->mutable_mem_info();
    ASSERT_TRUE(other->Write(ask));
    ASSERT_TRUE(other->Read(&others));
  }
  uint64_t next = 3;
  while (next < 3 + kCopies && stream->Read(&frame)) {
    for (const pb::ServerEvent& event : frame.events()) {
      ASSERT_FALSE(event.has_ended()) << event.ended().error().message();
      if (!event.has_host_data()) continue;
      EXPECT_EQ(event.host_data().ticket(), next++);
      EXPECT_EQ(event.host_data().data().size(), kBytes);
    }
  }
  EXPECT_EQ(next, 3 + kCopies);
  for (auto* each : {&context, &other_context}) each->TryCancel();
  stream->Finish();
  other->Finish();
}

}  // namespace
}  // namespace ascend::server
