#include "client/grpc/control_stream.h"

#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/support/async_stream.h>
#include <unistd.h>

#include <chrono>
#include <deque>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "ascend/rtd/v1/session.grpc.pb.h"
#include "ascend/rtd/v1/session.pb.h"
#include "client/grpc/channel.h"
#include "client/grpc/command_encoder.h"
#include "client/grpc/dial.h"
#include "client/grpc/reader_role.h"
#include "client/grpc/reply_decoder.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "core/base/sync.h"
#include "core/base/thread_slice.h"
#include "proto/wire.h"

namespace ascend::client {
namespace {

namespace pb = ::ascend::rtd::v1;
using Clock = std::chrono::steady_clock;

// For everything posted to leave, and for the daemon's goodbye.
constexpr std::chrono::seconds kCloseTimeout{2};

// gRPC knows the system's clock only.
std::chrono::system_clock::time_point SystemDeadline(Deadline deadline) {
  if (!deadline.has_value())
    return std::chrono::system_clock::time_point::max();
  return std::chrono::system_clock::now() +
         std::chrono::duration_cast<std::chrono::system_clock::duration>(
             *deadline - Clock::now());
}

class GrpcControlStream final : public ControlStream {
 public:
  GrpcControlStream(TransportOptions options, TransportSink& sink)
      : options_(std::move(options)),
        sink_(sink),
        role_([&sink] { return sink.IsAwaited(); }) {}

  absl::StatusOr<SessionGreeting> Open() override {
    ASCEND_ASSIGN_OR_RETURN(DialedChannel dialed,
                            DialChannel(options_.address));
    socket_ = std::move(dialed.socket);
    const auto stub = pb::Runtime::NewStub(dialed.channel);
    stream_ = stub->PrepareAsyncOpenSession(&context_, &queue_);
    stream_->StartCall(Tag(kStart));
    thread_ = std::thread([this] { Poll(); });

    absl::StatusOr<SessionGreeting> greeting = AwaitGreeting();
    if (!greeting.ok()) {
      context_.TryCancel();
      Join();
    }
    return greeting;
  }

  void Post(core::Command command) override {
    // Whoever asks will read; the others need somebody who does, at once if the
    // daemon is going to call.
    const bool will_read = core::IsRequest(command.operation);
    const bool is_called_back =
        std::holds_alternative<core::HostFunction>(command.operation);
    bool is_writer = false;
    {
      core::MutexLock lock(mutex_);
      while (batch_.is_full() && !over_) {
        role_.Call();
        changed_.Wait(mutex_);
      }
      if (over_) return;
      batch_.Append(std::move(command));
      is_writer = ClaimWriter();
    }
    if (is_writer) WriteNext();
    if (is_called_back || (!is_writer && !will_read)) role_.Call();
  }

  void ReadWhile(absl::FunctionRef<bool()> goes_on,
                 Deadline deadline) override {
    if (!role_.TryVisit()) return;
    const auto until = SystemDeadline(deadline);
    void* tag = nullptr;
    bool ok = false;
    while (goes_on() && !IsOver() &&
           queue_.AsyncNext(&tag, &ok, until) ==
               grpc::CompletionQueue::GOT_EVENT) {
      OnEvent(tag, ok);
    }
    role_.Leave();
  }

  void FinishDownload(core::Ticket ticket, absl::Status status) override {
    pb::ClientFrame frame;
    frame.mutable_download_done()->set_ticket(ticket.value());
    if (!status.ok()) {
      EncodeError(status, frame.mutable_download_done()->mutable_error());
    }
    bool is_writer = false;
    {
      core::MutexLock lock(mutex_);
      if (over_) return;
      others_.push_back(std::move(frame));
      is_writer = ClaimWriter();
    }
    if (is_writer) {
      WriteNext();
    } else {
      role_.Call();
    }
  }

  void Fail(absl::Status why) override {
    {
      core::MutexLock lock(mutex_);
      if (!failure_.has_value()) failure_ = std::move(why);
    }
    context_.TryCancel();
  }

  void Close() override {
    if (!thread_.joinable()) return;
    role_.End();
    bool write = false;
    {
      core::MutexLock lock(mutex_);
      closing_ = true;
      goodbye_due_ = true;
      write = ClaimWriter();
    }
    if (write) WriteNext();
    {
      const Clock::time_point deadline = Clock::now() + kCloseTimeout;
      core::MutexLock lock(mutex_);
      while (!over_ && changed_.WaitUntil(mutex_, deadline)) {
      }
    }
    context_.TryCancel();  // no effect on a call that is over
    Join();
  }

 private:
  enum Event : uintptr_t { kStart = 1, kRead, kWrite, kFinish };
  static void* Tag(Event event) { return reinterpret_cast<void*>(event); }

  absl::StatusOr<SessionGreeting> AwaitGreeting() {
    const Clock::time_point deadline = Clock::now() + kAttachTimeout;
    core::MutexLock lock(mutex_);
    while (!greeting_.has_value() && !over_) {
      if (!changed_.WaitUntil(mutex_, deadline)) {
        return NoDaemonError(
            options_.address,
            "something listens there, but does not answer as one");
      }
    }
    if (greeting_.has_value()) return *std::move(greeting_);
    return *failure_;
  }

  // --- Writing --------------------------------------------------------------

  // True: the caller has become the writer and calls WriteNext, once.
  bool ClaimWriter() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (writing_ || !started_ || over_) return false;
    if (others_.empty() && batch_.empty() && !goodbye_due_) return false;
    writing_ = true;
    return true;
  }

  // Called by the writer; its role ends with OnWritten. The message is
  // serialised before Write returns.
  void WriteNext() {
    pb::ClientFrame frame;
    bool is_batch = false;
    {
      core::MutexLock lock(mutex_);
      if (!others_.empty()) {
        frame = std::move(others_.front());
        others_.pop_front();
      } else if (!batch_.empty()) {
        is_batch = true;
        std::swap(batch_, leaving_);
        batch_.Clear();
      } else {
        goodbye_due_ = false;
        frame.mutable_goodbye();
      }
    }
    if (is_batch) {
      changed_.NotifyAll();  // there is room
      stream_->Write(leaving_.frame(), Tag(kWrite));
    } else {
      stream_->Write(frame, Tag(kWrite));
    }
  }

  // --- The completion thread ------------------------------------------------

  // The standby of the ReaderRole.
  void Poll() {
    core::SetThreadSlice(core::kPromptSlice);
    void* tag = nullptr;
    bool ok = false;
    for (;;) {
      role_.AwaitTurn();
      do {
        if (!queue_.Next(&tag, &ok)) return;
        OnEvent(tag, ok);
      } while (role_.GoesOn());
    }
  }

  void OnEvent(void* tag, bool ok) {
    switch (static_cast<Event>(reinterpret_cast<uintptr_t>(tag))) {
      case kStart:
        OnStarted(ok);
        break;
      case kRead:
        OnRead(ok);
        break;
      case kWrite:
        OnWritten();
        break;
      case kFinish:
        OnFinished();
        break;
    }
  }

  bool IsOver() {
    core::MutexLock lock(mutex_);
    return over_;
  }

  void OnStarted(bool ok) {
    if (!ok) {
      stream_->Finish(&status_, Tag(kFinish));
      return;
    }
    pb::ClientFrame frame;
    pb::Hello* hello = frame.mutable_hello();
    hello->set_protocol_version(wire::kProtocolVersion);
    hello->set_client_version(options_.client_version);
    hello->set_pid(::getpid());
    hello->set_program(options_.program);
    {
      core::MutexLock lock(mutex_);
      started_ = true;
      others_.push_back(std::move(frame));
      if (!ClaimWriter()) return;
    }
    WriteNext();
    stream_->Read(&incoming_, Tag(kRead));
  }

  void OnRead(bool ok) {
    if (!ok) {
      stream_->Finish(&status_, Tag(kFinish));
      return;
    }
    if (!greeted_) {
      greeted_ = true;
      OnGreeting();
    }
    absl::Status ended = DeliverEvents(incoming_, sink_);
    if (!ended.ok()) {
      core::MutexLock lock(mutex_);
      if (!failure_.has_value()) failure_ = std::move(ended);
    }
    stream_->Read(&incoming_, Tag(kRead));
  }

  void OnGreeting() {
    if (incoming_.events_size() == 0 || !incoming_.events(0).has_hello()) {
      return;  // ended before it began; the reason is in this frame
    }
    const pb::HelloReply& hello = incoming_.events(0).hello();
    core::MutexLock lock(mutex_);
    greeting_ =
        SessionGreeting{.server = DecodeHello(hello), .token = hello.token()};
    changed_.NotifyAll();
  }

  void OnWritten() {
    {
      core::MutexLock lock(mutex_);
      writing_ = false;
      leaving_.Clear();
      changed_.NotifyAll();
      if (!ClaimWriter()) return;
    }
    WriteNext();
  }

  void OnFinished() {
    absl::Status why;
    bool tell = false;
    {
      core::MutexLock lock(mutex_);
      if (!failure_.has_value()) failure_ = Explain();
      why = *failure_;
      over_ = true;
      // Whoever opens or closes hears of it as the result of that.
      tell = greeting_seen_by_caller() && !closing_;
    }
    changed_.NotifyAll();
    if (tell) sink_.OnLost(std::move(why));
  }

  bool greeting_seen_by_caller() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return greeting_.has_value();
  }

  // Why the call is over, from its final status.
  absl::Status Explain() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const std::string& address = options_.address;
    const std::string message = status_.error_message();
    const auto& trailers = context_.GetServerTrailingMetadata();
    const auto reason = trailers.find(wire::kReasonMetadataKey);
    int number = 0;
    if (reason != trailers.end() &&
        absl::SimpleAtoi(
            absl::string_view(reason->second.data(), reason->second.size()),
            &number)) {
      pb::Error error;
      error.set_reason(static_cast<uint32_t>(number));
      error.set_message(message);
      return DecodeError(error);
    }
    if (greeting_.has_value()) {
      return core::MakeError(
          core::Reason::kConnectionLost,
          absl::StrCat("connection to the ascend-rtd at ", address,
                       " is lost: the daemon has ended or was killed; all "
                       "device memory and streams of this process are gone"));
    }
    if (status_.error_code() == grpc::StatusCode::UNIMPLEMENTED) {
      return NoDaemonError(address, "what answers there is another service");
    }
    return NoDaemonError(address, message.empty() ? "it hangs up" : message);
  }

  // Ends the polling. The call is over, or will be since it was cancelled.
  void Join() {
    role_.End();
    HangUp(socket_);
    {
      core::MutexLock lock(mutex_);
      while (!over_ || writing_) changed_.Wait(mutex_);
    }
    queue_.Shutdown();
    thread_.join();
  }

  const TransportOptions options_;
  TransportSink& sink_;
  core::UniqueFd socket_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<
      grpc::ClientAsyncReaderWriter<pb::ClientFrame, pb::ServerFrame>>
      stream_;
  std::thread thread_;
  ReaderRole role_;

  // The reader's own.
  pb::ServerFrame incoming_;
  grpc::Status status_;
  bool greeted_ = false;

  // The writer's own.
  CommandBatch leaving_;

  core::Mutex mutex_;
  core::CondVar changed_;
  CommandBatch batch_ ABSL_GUARDED_BY(mutex_);
  std::deque<pb::ClientFrame> others_ ABSL_GUARDED_BY(mutex_);
  absl::optional<SessionGreeting> greeting_ ABSL_GUARDED_BY(mutex_);
  absl::optional<absl::Status> failure_ ABSL_GUARDED_BY(mutex_);
  bool started_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool goodbye_due_ ABSL_GUARDED_BY(mutex_) = false;
  bool closing_ ABSL_GUARDED_BY(mutex_) = false;
  bool over_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace

std::unique_ptr<ControlStream> MakeControlStream(TransportOptions options,
                                                 TransportSink& sink) {
  return std::make_unique<GrpcControlStream>(std::move(options), sink);
}

}  // namespace ascend::client
