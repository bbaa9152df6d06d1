// A bare gRPC server: what the transport alone can do on this machine.
//
// Methods, by their last word: Echo sends each message back; Sink takes
// messages in until the client has no more, then answers with an empty one;
// Source is told a number and sends as many chunks. Started as a daemon is
// (tests/testing/daemon_process.h): --listen, --ready-fd, --lifeline-fd.
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "proto/malloc_policy.h"

namespace ascend {
namespace {

constexpr size_t kChunkBytes = 1 << 20;

// One call after the other on one thread, as the synchronous API would.
class FloorServer {
 public:
  explicit FloorServer(std::vector<std::string>* addresses) {
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(-1);
    std::vector<int> ports(addresses->size());
    for (size_t i = 0; i < ports.size(); ++i) {
      builder.AddListeningPort((*addresses)[i],
                               grpc::InsecureServerCredentials(), &ports[i]);
    }
    builder.RegisterAsyncGenericService(&service_);
    queue_ = builder.AddCompletionQueue();
    server_ = builder.BuildAndStart();
    for (size_t i = 0; i < ports.size(); ++i) {
      if (!absl::StartsWith((*addresses)[i], "unix:")) {
        (*addresses)[i] = absl::StrCat("127.0.0.1:", ports[i]);
      }
    }
  }

  [[noreturn]] void Serve() {
    for (;;) {
      grpc::GenericServerContext context;
      grpc::GenericServerAsyncReaderWriter stream(&context);
      service_.RequestCall(&context, &stream, queue_.get(), queue_.get(), this);
      if (!Await()) continue;
      if (absl::EndsWith(context.method(), "Echo")) Echo(stream);
      if (absl::EndsWith(context.method(), "Sink")) Sink(stream);
      if (absl::EndsWith(context.method(), "Source")) Source(stream);
      stream.Finish(grpc::Status::OK, this);
      Await();
    }
  }

 private:
  using Stream = grpc::GenericServerAsyncReaderWriter;

  bool Await() {
    void* tag = nullptr;
    bool ok = false;
    return queue_->Next(&tag, &ok) && ok;
  }

  bool Read(Stream& stream, grpc::ByteBuffer* message) {
    stream.Read(message, this);
    return Await();
  }

  bool Write(Stream& stream, const grpc::ByteBuffer& message) {
    stream.Write(message, this);
    return Await();
  }

  void Echo(Stream& stream) {
    grpc::ByteBuffer message;
    while (Read(stream, &message) && Write(stream, message)) {
    }
  }

  void Sink(Stream& stream) {
    grpc::ByteBuffer message;
    while (Read(stream, &message)) {
    }
    Write(stream, grpc::ByteBuffer(nullptr, 0));
  }

  void Source(Stream& stream) {
    grpc::ByteBuffer request;
    if (!Read(stream, &request)) return;
    grpc::Slice count_text;
    request.DumpToSingleSlice(&count_text).ok();
    int count = 0;
    (void)absl::SimpleAtoi(
        absl::string_view(reinterpret_cast<const char*>(count_text.begin()),
                          count_text.size()),
        &count);
    const grpc::Slice bytes(std::string(kChunkBytes, 'x'));
    const grpc::ByteBuffer chunk(&bytes, 1);
    for (int i = 0; i < count && Write(stream, chunk); ++i) {
    }
  }

  grpc::AsyncGenericService service_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<grpc::Server> server_;
};

int FdOf(absl::string_view argument) {
  int fd = -1;
  (void)absl::SimpleAtoi(argument.substr(argument.find('=') + 1), &fd);
  return fd;
}

int Main(int argc, char** argv) {
  wire::KeepFreedMemory();  // as the daemon does
  std::vector<std::string> addresses;
  int ready_fd = -1;
  int lifeline_fd = -1;
  for (int i = 1; i < argc; ++i) {
    const absl::string_view argument = argv[i];
    if (argument == "--listen" && i + 1 < argc) {
      addresses = absl::StrSplit(argv[++i], ',');
    } else if (absl::StartsWith(argument, "--ready-fd=")) {
      ready_fd = FdOf(argument);
    } else if (absl::StartsWith(argument, "--lifeline-fd=")) {
      lifeline_fd = FdOf(argument);
    }
  }
  FloorServer server(&addresses);
  const std::string line = absl::StrCat(absl::StrJoin(addresses, ","), "\n");
  (void)!::write(ready_fd, line.data(), line.size());
  ::close(ready_fd);
  std::thread([lifeline_fd] {
    char unused;
    (void)!::read(lifeline_fd, &unused, 1);
    std::_Exit(0);
  }).detach();
  server.Serve();
}

}  // namespace
}  // namespace ascend

int main(int argc, char** argv) { return ascend::Main(argc, argv); }
