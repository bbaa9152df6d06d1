#include "client/grpc/bulk_stream.h"

#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ascend/rtd/v1/transfer.pb.h"
#include "client/grpc/channel.h"
#include "client/grpc/command_encoder.h"
#include "client/grpc/dial.h"
#include "client/grpc/reply_decoder.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "core/base/sync.h"
#include "core/base/thread_slice.h"
#include "proto/wire.h"

namespace ascend::client {
namespace {

namespace pb = ::ascend::rtd::v1;

// The daemon is one, as its session shows; it may be busy.
constexpr std::chrono::seconds kAcceptTimeout{30};
// What ends a transfer is an event nearly always, but the end of a slice is
// not.
constexpr std::chrono::milliseconds kPollTimeout{100};

constexpr char kMethod[] = "/ascend.rtd.v1.Transfer/Transfer";

grpc::ByteBuffer Serialize(const pb::TransferFrame& frame) {
  const grpc::Slice slice(frame.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

class GrpcBulkStream final : public BulkStream {
 public:
  GrpcBulkStream(absl::string_view address, TransportSink& sink,
                 std::function<void(absl::Status)> on_broken)
      : address_(address), sink_(sink), on_broken_(std::move(on_broken)) {}

  void Close() override {
    if (!thread_.joinable()) return;
    {
      core::MutexLock lock(mutex_);
      closing_ = true;
    }
    changed_.NotifyAll();
    HangUp(socket_);
    thread_.join();
  }

  absl::Status Start(uint64_t session, const std::string& token) {
    ASCEND_ASSIGN_OR_RETURN(DialedChannel dialed, DialChannel(address_));
    socket_ = std::move(dialed.socket);
    pb::TransferFrame open;
    open.mutable_open()->set_session(session);
    open.mutable_open()->set_token(token);
    {
      core::MutexLock lock(mutex_);
      messages_.push_back(Serialize(open));
    }
    grpc::GenericStub stub(dialed.channel);
    call_ = std::make_unique<Call>();
    call_->stream = stub.PrepareCall(&call_->context, kMethod, &queue_);
    call_->stream->StartCall(Tag(kStart));
    thread_ = std::thread([this] { Poll(); });
    const absl::Status accepted = AwaitAcceptance();
    if (!accepted.ok()) Close();
    return accepted;
  }

  absl::Status Upload(core::Ticket ticket,
                      std::span<const std::byte> bytes) override {
    Sending sending{.stream = this, .ticket = ticket, .bytes = bytes};
    bool write = false;
    {
      core::MutexLock lock(mutex_);
      if (over_) return why_;
      if (bytes.empty()) return absl::OkStatus();
      uploads_.push_back(&sending);
      ++uploading_count_;
      write = ClaimWriter();
    }
    changed_.NotifyAll();
    if (write) WriteNext();
    core::MutexLock lock(mutex_);
    // Even a cancelled write may still read the bytes until its slice is gone.
    while ((sending.next < bytes.size() && !over_) || sending.slices > 0) {
      changed_.Wait(mutex_);
    }
    --uploading_count_;
    if (sending.next == bytes.size()) return absl::OkStatus();
    uploads_.erase(std::remove(uploads_.begin(), uploads_.end(), &sending),
                   uploads_.end());
    return why_;
  }

  void FailUpload(core::Ticket ticket, const absl::Status& why) override {
    pb::TransferFrame frame;
    frame.mutable_failed()->set_ticket(ticket.value());
    EncodeError(why, frame.mutable_failed()->mutable_error());
    {
      core::MutexLock lock(mutex_);
      if (over_) return;
      messages_.push_back(Serialize(frame));
      if (!ClaimWriter()) return;
    }
    changed_.NotifyAll();
    WriteNext();
  }

  void ExpectDownload() override {
    {
      core::MutexLock lock(mutex_);
      ++expected_count_;
    }
    changed_.NotifyAll();
  }

  void EndDownload() override {
    core::MutexLock lock(mutex_);
    if (expected_count_ > 0) --expected_count_;
  }

 private:
  enum Event : uintptr_t { kStart = 1, kAccepted, kRead, kWrite, kFinish };
  static void* Tag(Event event) { return reinterpret_cast<void*>(event); }

  struct Call {
    grpc::ClientContext context;
    std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream;
  };

  // One Upload under way, on its caller's stack. `mutex_` guards it.
  struct Sending {
    GrpcBulkStream* stream = nullptr;
    core::Ticket ticket;
    std::span<const std::byte> bytes;
    size_t next = 0;  // what has been handed to gRPC
    int slices = 0;   // that refer to `bytes`
  };

  static void ReleaseSlice(void* sending) {
    auto* upload = static_cast<Sending*>(sending);
    GrpcBulkStream* stream = upload->stream;
    core::MutexLock lock(stream->mutex_);
    if (--upload->slices == 0) stream->changed_.NotifyAll();
  }

  absl::Status AwaitAcceptance() {
    const auto deadline = core::CondVar::Clock::now() + kAcceptTimeout;
    core::MutexLock lock(mutex_);
    while (!accepted_ && !over_) {
      if (!changed_.WaitUntil(mutex_, deadline)) {
        return NoDaemonError(address_, "it does not accept a transfer stream");
      }
    }
    return accepted_ ? absl::OkStatus() : why_;
  }

  // --- Writing --------------------------------------------------------------

  // True: the caller has become the writer and calls WriteNext, once.
  bool ClaimWriter() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (writing_ || !started_ || over_) return false;
    if (messages_.empty() && uploads_.empty()) return false;
    writing_ = true;
    return true;
  }

  void WriteNext() {
    grpc::ByteBuffer message;
    {
      core::MutexLock lock(mutex_);
      if (!messages_.empty()) {
        message.Swap(&messages_.front());
        messages_.pop_front();
      } else {
        message = NextChunk();
      }
    }
    call_->stream->Write(message, Tag(kWrite));
  }

  // The upload at the front gives a chunk and goes to the back.
  grpc::ByteBuffer NextChunk() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    Sending* upload = uploads_.front();
    uploads_.pop_front();
    const std::span<const std::byte> chunk = upload->bytes.subspan(
        upload->next,
        std::min(wire::kChunkBytesMax, upload->bytes.size() - upload->next));
    ++upload->slices;
    const grpc::Slice slices[] = {
        grpc::Slice(wire::TransferChunkHeader(upload->ticket.value(),
                                              upload->next, chunk.size())),
        grpc::Slice(const_cast<std::byte*>(chunk.data()), chunk.size(),
                    &ReleaseSlice, upload)};
    upload->next += chunk.size();
    if (upload->next < upload->bytes.size()) uploads_.push_back(upload);
    return grpc::ByteBuffer(slices, std::size(slices));
  }

  // --- The stream's thread --------------------------------------------------

  void Poll() {
    core::SetThreadSlice(core::kPromptSlice);
    void* tag = nullptr;
    bool ok = false;
    for (;;) {
      AwaitUse();
      const auto got = queue_.AsyncNext(
          &tag, &ok, std::chrono::system_clock::now() + kPollTimeout);
      if (got == grpc::CompletionQueue::SHUTDOWN) break;
      if (got == grpc::CompletionQueue::TIMEOUT) continue;
      switch (static_cast<Event>(reinterpret_cast<uintptr_t>(tag))) {
        case kStart:
          OnStarted(ok);
          break;
        case kAccepted:
          OnAccepted(ok);
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
    // A call that is over still keeps what it was given to send; uploads wait
    // until that is gone.
    call_.reset();
  }

  // Returns when something may come, or is under way.
  void AwaitUse() {
    core::MutexLock lock(mutex_);
    while (accepted_ && !over_ && !closing_ && !writing_ &&
           uploading_count_ == 0 && expected_count_ == 0) {
      changed_.Wait(mutex_);
    }
  }

  // Ends the polling once nothing is under way any more.
  void StopIfOver() {
    {
      core::MutexLock lock(mutex_);
      if (!over_ || writing_) return;
    }
    queue_.Shutdown();
  }

  void OnStarted(bool ok) {
    if (!ok) {
      call_->stream->Finish(&status_, Tag(kFinish));
      return;
    }
    bool write = false;
    {
      core::MutexLock lock(mutex_);
      started_ = true;
      write = ClaimWriter();
    }
    if (write) WriteNext();
    call_->stream->ReadInitialMetadata(Tag(kAccepted));
  }

  // Initial metadata come with acceptance, or with a refusal's status.
  void OnAccepted(bool ok) {
    if (!ok) {
      call_->stream->Finish(&status_, Tag(kFinish));
      return;
    }
    {
      core::MutexLock lock(mutex_);
      accepted_ = call_->context.GetServerInitialMetadata().count(
                      wire::kAcceptedMetadataKey) > 0;
    }
    changed_.NotifyAll();
    call_->stream->Read(&incoming_, Tag(kRead));
  }

  void OnRead(bool ok) {
    if (ok) {
      grpc::ProtoBufferReader reader(&incoming_);
      misread_ = DeliverTransferFrame(reader, sink_);
    }
    incoming_.Clear();
    if (ok && misread_.ok()) {
      call_->stream->Read(&incoming_, Tag(kRead));
      return;
    }
    if (ok) call_->context.TryCancel();
    call_->stream->Finish(&status_, Tag(kFinish));
  }

  void OnWritten() {
    bool write = false;
    {
      core::MutexLock lock(mutex_);
      writing_ = false;
      if (ClaimWriter()) write = true;
    }
    write ? WriteNext() : StopIfOver();
  }

  void OnFinished() {
    const absl::Status why =
        core::MakeError(core::Reason::kConnectionLost,
                        absl::StrCat("transfer stream to the ascend-rtd at ",
                                     address_, " is lost: ", Explain()));
    bool tell = false;
    {
      core::MutexLock lock(mutex_);
      why_ = why;
      over_ = true;
      tell = accepted_ && !closing_ && !(status_.ok() && misread_.ok());
    }
    changed_.NotifyAll();
    StopIfOver();
    if (tell) on_broken_(why);
  }

  std::string Explain() const {
    if (!misread_.ok()) return std::string(misread_.message());
    if (!status_.error_message().empty()) return status_.error_message();
    return "the daemon ends it";
  }

  const std::string address_;
  TransportSink& sink_;
  const std::function<void(absl::Status)> on_broken_;
  core::UniqueFd socket_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<Call> call_;
  std::thread thread_;

  // The stream's thread's own.
  grpc::ByteBuffer incoming_;
  grpc::Status status_;
  absl::Status misread_;  // why the stream was cancelled from here

  core::Mutex mutex_;
  core::CondVar changed_;
  std::deque<grpc::ByteBuffer> messages_ ABSL_GUARDED_BY(mutex_);
  std::deque<Sending*> uploads_ ABSL_GUARDED_BY(mutex_);
  int uploading_count_ ABSL_GUARDED_BY(mutex_) = 0;  // calls of Upload
  int expected_count_ ABSL_GUARDED_BY(mutex_) = 0;   // downloads
  bool started_ ABSL_GUARDED_BY(mutex_) = false;
  bool accepted_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool closing_ ABSL_GUARDED_BY(mutex_) = false;
  bool over_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status why_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<std::shared_ptr<BulkStream>> BulkStream::Open(
    absl::string_view address, uint64_t session, const std::string& token,
    TransportSink& sink, std::function<void(absl::Status)> on_broken) {
  auto stream =
      std::make_shared<GrpcBulkStream>(address, sink, std::move(on_broken));
  ASCEND_RETURN_IF_ERROR(stream->Start(session, token));
  return stream;
}

}  // namespace ascend::client
