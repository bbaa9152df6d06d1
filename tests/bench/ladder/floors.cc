#include "tests/bench/ladder/floors.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <cstdlib>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/check.h"
#include "tests/bench/ladder/timing.h"

namespace ascend::ladder {
namespace {

constexpr size_t kChunkBytes = 1 << 20;
constexpr int kPingPongs = 2000;
// At least this many bytes per measurement of bulk, at most 32 runs.
constexpr size_t kBulkBytes = size_t{256} << 20;

int RunsOf(size_t bytes) {
  return static_cast<int>(
      std::clamp<size_t>(kBulkBytes / bytes, 5, size_t{32}));
}

std::string Address(const testing::DaemonProcess& server, bool over_tcp) {
  return over_tcp ? server.tcp_address() : server.unix_address();
}

grpc::ByteBuffer BufferOf(std::string text) {
  const grpc::Slice slice(std::move(text));
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace

// One stream, every operation awaited.
class Floors::Call {
 public:
  Call(const std::shared_ptr<grpc::Channel>& channel, const std::string& method)
      : stub_(channel),
        stream_(stub_.PrepareCall(&context_, "/floor/" + method, &queue_)) {
    stream_->StartCall(this);
    Await();
  }
  ~Call() {
    grpc::Status status;
    stream_->Finish(&status, this);
    Await();
  }

  void Write(const grpc::ByteBuffer& message) {
    stream_->Write(message, this);
    ASCEND_CHECK(Await()) << "the floor server is gone";
  }
  void WritesDone() {
    stream_->WritesDone(this);
    Await();
  }
  bool Read(grpc::ByteBuffer* message) {
    stream_->Read(message, this);
    return Await();
  }

 private:
  bool Await() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok) && ok;
  }

  grpc::CompletionQueue queue_;
  grpc::ClientContext context_;
  grpc::GenericStub stub_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
};

Floors::Floors(bool over_tcp) : server_(LADDER_FLOOR_SERVER) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  channel_ =
      grpc::CreateCustomChannel(Address(server_, over_tcp),
                                grpc::InsecureChannelCredentials(), arguments);
}

Floors::~Floors() = default;

double Floors::PingPongMicroseconds() {
  Call call(channel_, "Echo");
  const grpc::ByteBuffer message = BufferOf(std::string(64, 'x'));
  std::vector<double> times;
  for (int i = 0; i < kPingPongs; ++i) {
    times.push_back(MicrosecondsOf([&] {
      call.Write(message);
      grpc::ByteBuffer answer;
      ASCEND_CHECK(call.Read(&answer)) << "the floor server is gone";
    }));
  }
  call.WritesDone();
  return MedianOf(times);
}

double Floors::UploadGigabytesPerSecond(size_t bytes) {
  const grpc::ByteBuffer chunk =
      BufferOf(std::string(std::min(bytes, kChunkBytes), 'x'));
  std::vector<double> rates;
  for (int run = 0; run < RunsOf(bytes); ++run) {
    Call call(channel_, "Sink");
    const double us = MicrosecondsOf([&] {
      for (size_t sent = 0; sent < bytes; sent += kChunkBytes) {
        call.Write(chunk);
      }
      call.WritesDone();
      grpc::ByteBuffer answer;
      call.Read(&answer);
    });
    rates.push_back(static_cast<double>(bytes) / us / 1e3);
  }
  return MedianOf(rates);
}

double Floors::DownloadGigabytesPerSecond(size_t bytes) {
  const size_t count = std::max<size_t>(1, bytes / kChunkBytes);
  std::vector<double> rates;
  for (int run = 0; run < RunsOf(bytes); ++run) {
    Call call(channel_, "Source");
    const double us = MicrosecondsOf([&] {
      call.Write(BufferOf(absl::StrCat(count)));
      grpc::ByteBuffer chunk;
      for (size_t i = 0; i < count; ++i) call.Read(&chunk);
    });
    call.WritesDone();
    rates.push_back(static_cast<double>(count * kChunkBytes) / us / 1e3);
  }
  return MedianOf(rates);
}

}  // namespace ascend::ladder
