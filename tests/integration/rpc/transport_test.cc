// The transport against a daemon process, over each kind of socket.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "client/grpc/dial.h"
#include "client/grpc/grpc_transport.h"
#include "core/base/error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/rpc/recording_sink.h"
#include "tests/testing/daemon_process.h"

namespace ascend {
namespace {

using testing::DaemonProcess;
using ::testing::HasSubstr;
using testing::RecordingSink;

std::string MessageOf(const absl::Status& status) {
  return std::string(status.message());
}

std::string RandomBytes(size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

std::span<const std::byte> BytesOf(const std::string& bytes) {
  return std::as_bytes(std::span(bytes.data(), bytes.size()));
}

// A transport and its sink; tickets are given in the order of the calls.
class Client {
 public:
  explicit Client(const std::string& address)
      : transport_({.address = address,
                    .client_version = "test",
                    .program = "transport_test"},
                   sink_) {}

  client::GrpcTransport& transport() { return transport_; }
  RecordingSink& sink() { return sink_; }

  uint64_t Post(core::Operation operation) {
    transport_.Post(core::Command{.ticket = core::Ticket(++ticket_),
                                  .lane = core::LaneId(1),
                                  .operation = std::move(operation)});
    return ticket_;
  }

  core::Reply Ask(core::Operation operation) {
    return sink_.AwaitReply(Post(std::move(operation)))
        .value_or(core::Reply{.status = absl::DeadlineExceededError("")});
  }

  uint64_t Malloc(uint64_t bytes) {
    const core::Reply reply = Ask(core::Malloc{.bytes = bytes});
    EXPECT_TRUE(reply.status.ok()) << reply.status;
    return std::get<core::MallocReply>(reply.payload).address;
  }

  // A synchronous upload through the bulk stream.
  void Upload(uint64_t target, const std::string& bytes) {
    const uint64_t ticket = Post(core::Copy{
        .target = target, .bytes = bytes.size(), .wants_reply = true});
    ASSERT_TRUE(sink_.AwaitDue(ticket));
    ASSERT_TRUE(
        transport_.SendUpload(core::Ticket(ticket), BytesOf(bytes)).ok());
    ASSERT_TRUE(sink_.AwaitReply(ticket).has_value());
  }

  std::string Download(uint64_t source, uint64_t bytes) {
    const uint64_t ticket =
        Post(core::Copy{.kind = core::CopyKind::kDeviceToHost,
                        .source = source,
                        .bytes = bytes,
                        .wants_reply = true});
    std::string data = sink_.AwaitData(ticket, bytes);
    if (bytes > core::kInlineBytesMax) {
      transport_.FinishDownload(core::Ticket(ticket), absl::OkStatus());
    }
    EXPECT_TRUE(sink_.AwaitReply(ticket).has_value());
    return data;
  }

 private:
  RecordingSink sink_;
  client::GrpcTransport transport_;
  uint64_t ticket_ = 0;
};

class TransportTest : public ::testing::TestWithParam<bool> {
 protected:
  std::string address() const {
    return GetParam() ? daemon_.unix_address() : daemon_.tcp_address();
  }

  DaemonProcess daemon_{ASCEND_TEST_DAEMON};
};

INSTANTIATE_TEST_SUITE_P(Sockets, TransportTest, ::testing::Bool(),
                         [](const auto& which) {
                           return which.param ? "Unix" : "Tcp";
                         });

TEST_P(TransportTest, AnswersRequests) {
  Client client(address());
  ASSERT_TRUE(client.transport().Open().ok());
  const core::Reply package = client.Ask(core::LoadPackage{"builtin:ops"});
  EXPECT_EQ(std::get<core::PackageReply>(package.payload).kernels.size(), 1u);
  const core::Reply unknown = client.Ask(core::LoadPackage{"no\xffne"});
  EXPECT_EQ(core::ReasonOf(unknown.status), core::Reason::kUnknownKernel);
  EXPECT_THAT(MessageOf(unknown.status), HasSubstr("no\xffne"));
}

TEST_P(TransportTest, CopiesSmallBytesInline) {
  Client client(address());
  ASSERT_TRUE(client.transport().Open().ok());
  const std::string bytes = RandomBytes(core::kInlineBytesMax, 1);
  const uint64_t address = client.Malloc(bytes.size());
  const core::Reply copied = client.Ask(core::Copy{.target = address,
                                                   .bytes = bytes.size(),
                                                   .inline_data = bytes,
                                                   .wants_reply = true});
  EXPECT_TRUE(copied.status.ok()) << copied.status;
  EXPECT_EQ(client.Download(address, bytes.size()), bytes);
}

TEST_P(TransportTest, CopiesLargeBytesInChunks) {
  Client client(address());
  ASSERT_TRUE(client.transport().Open().ok());
  for (const size_t size : {core::kInlineBytesMax + 1, uint64_t{1} << 20,
                            (uint64_t{9} << 20) + 5}) {
    const std::string bytes = RandomBytes(size, size);
    const uint64_t address = client.Malloc(size);
    client.Upload(address, bytes);
    EXPECT_TRUE(client.Download(address, size) == bytes) << size;
  }
  EXPECT_FALSE(client.sink().out_of_order());
}

TEST_P(TransportTest, UploadsOfSeveralThreadsInterleave) {
  Client client(address());
  ASSERT_TRUE(client.transport().Open().ok());
  constexpr size_t kBytes = 6 << 20;
  struct Job {
    std::string bytes;
    uint64_t address;
    uint64_t ticket;
  };
  std::vector<Job> jobs(3);
  for (size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].bytes = RandomBytes(kBytes + i, i);
    jobs[i].address = client.Malloc(jobs[i].bytes.size());
    jobs[i].ticket = client.Post(core::Copy{.target = jobs[i].address,
                                            .bytes = jobs[i].bytes.size(),
                                            .wants_reply = true});
    ASSERT_TRUE(client.sink().AwaitDue(jobs[i].ticket));
  }
  std::vector<std::thread> threads;
  for (const Job& job : jobs) {
    threads.emplace_back([&client, &job] {
      EXPECT_TRUE(client.transport()
                      .SendUpload(core::Ticket(job.ticket), BytesOf(job.bytes))
                      .ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Job& job : jobs) {
    EXPECT_TRUE(client.sink().AwaitReply(job.ticket).has_value());
    EXPECT_TRUE(client.Download(job.address, job.bytes.size()) == job.bytes);
  }
}

TEST_P(TransportTest, AnUploadThatCannotBeHadFailsItsCopyOnly) {
  Client client(address());
  ASSERT_TRUE(client.transport().Open().ok());
  const uint64_t address = client.Malloc(1 << 20);
  const uint64_t ticket = client.Post(
      core::Copy{.target = address, .bytes = 1 << 20, .wants_reply = true});
  ASSERT_TRUE(client.sink().AwaitDue(ticket));
  client.transport().FailUpload(
      core::Ticket(ticket),
      core::MakeError(core::Reason::kInvalidArgument, "host memory is gone"));
  const auto reply = client.sink().AwaitReply(ticket);
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(MessageOf(reply->status), "host memory is gone");
  EXPECT_TRUE(client.Ask(core::MemInfo{}).status.ok());
}

TEST_P(TransportTest, PostedCommandsArriveAllAndInOrder) {
  constexpr uint64_t kCount = 50'000;  // many times a full batch
  Client client(address());
  ASSERT_TRUE(client.transport().Open().ok());
  for (uint64_t i = 0; i < kCount; ++i) {
    client.Post(core::Launch{.stream = {.index = 0, .generation = 1},
                             .args = "arguments"});
  }
  EXPECT_TRUE(client.Ask(core::MemInfo{}).status.ok());
  EXPECT_TRUE(client.sink().AwaitRetired(kCount));
}

TEST_P(TransportTest, CloseSendsWhatWasPosted) {
  RecordingSink* sink = nullptr;
  Client client(address());
  sink = &client.sink();
  ASSERT_TRUE(client.transport().Open().ok());
  for (int i = 0; i < 5000; ++i) {
    client.Post(core::Launch{.stream = {.index = 0, .generation = 1}});
  }
  client.transport().Close();
  EXPECT_EQ(sink->lost_count(), 0);
  // Dropped, without harm.
  client.Post(core::MemInfo{});
}

TEST_P(TransportTest, ADaemonThatIsKilledIsTheOneLoss) {
  Client client(address());
  ASSERT_TRUE(client.transport().Open().ok());
  client.Malloc(1);
  daemon_.Kill();
  const auto why = client.sink().AwaitLost();
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(core::ReasonOf(*why), core::Reason::kConnectionLost);
  EXPECT_THAT(MessageOf(*why), HasSubstr("is lost"));
  client.Post(core::MemInfo{});
  EXPECT_FALSE(client.transport().SendUpload(core::Ticket(9), {}).ok());
  client.transport().Close();
  EXPECT_EQ(client.sink().lost_count(), 1);
}

TEST_P(TransportTest, ADaemonThatEndsSaysSo) {
  Client client(address());
  ASSERT_TRUE(client.transport().Open().ok());
  EXPECT_EQ(daemon_.Terminate(), 0);
  const auto why = client.sink().AwaitLost();
  ASSERT_TRUE(why.has_value());
  EXPECT_THAT(MessageOf(*why), HasSubstr("daemon is ending"));
}

TEST_P(TransportTest, AViolationEndsTheSessionWithItsReason) {
  Client client(address());
  ASSERT_TRUE(client.transport().Open().ok());
  client.transport().Post(
      core::Command{.ticket = core::Ticket(1), .operation = core::Launch{}});
  const auto why = client.sink().AwaitLost();
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(core::ReasonOf(*why), core::Reason::kProtocolViolation);
  EXPECT_THAT(MessageOf(*why), HasSubstr("stream is 0, which is no handle"));
}

// --- Nobody there -----------------------------------------------------------

void ExpectRefused(const std::string& address, const std::string& says) {
  Client client(address);
  const auto server = client.transport().Open();
  ASSERT_FALSE(server.ok());
  EXPECT_EQ(core::ReasonOf(server.status()), core::Reason::kConnectionLost);
  EXPECT_THAT(MessageOf(server.status()), HasSubstr(says));
  EXPECT_EQ(client.sink().lost_count(), 0);
}

TEST(TransportRefused, NobodyListens) {
  const testing::TemporaryDirectory directory;
  const std::string address = "unix:" + directory.path() + "/none";
  ExpectRefused(address, "no ascend-rtd answers at " + address);
  ExpectRefused(address, "start one with 'ascend-rtd --listen " + address);
  ExpectRefused("127.0.0.1:1", "Connection refused");
  ExpectRefused("no-port", "cannot be used");
}

TEST(TransportRefused, TheUserHasNoPermission) {
  if (::getuid() == 0) {
    GTEST_SKIP() << "root may connect to every socket";
  }
  const DaemonProcess daemon(ASCEND_TEST_DAEMON, {"--socket-mode=0000"});
  ExpectRefused(daemon.unix_address(), "no permission");
}

// Listens and never says a word.
class SilentListener {
 public:
  SilentListener() : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un name{.sun_family = AF_UNIX};
    std::strcpy(name.sun_path, path().c_str());
    EXPECT_EQ(
        ::bind(socket_.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)),
        0);
    EXPECT_EQ(::listen(socket_.get(), 1), 0);
  }
  std::string path() const { return directory_.path() + "/s"; }
  int fd() const { return socket_.get(); }

 private:
  testing::TemporaryDirectory directory_;
  core::UniqueFd socket_;
};

TEST(TransportRefused, SomethingListensAndIsNoDaemon) {
  const SilentListener silent;
  ExpectRefused("unix:" + silent.path(), "does not answer as one");
}

TEST(TransportRefused, SomethingListensAndHangsUp) {
  const SilentListener rude;
  std::thread hangs_up(
      [&] { core::UniqueFd peer(::accept(rude.fd(), nullptr, nullptr)); });
  ExpectRefused("unix:" + rude.path(), "no ascend-rtd answers");
  hangs_up.join();
}

}  // namespace
}  // namespace ascend
