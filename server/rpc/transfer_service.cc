#include "server/rpc/transfer_service.h"

#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/slice.h>

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ascend/rtd/v1/transfer.grpc.pb.h"
#include "core/base/error.h"
#include "proto/wire.h"
#include "server/rpc/bidi_call.h"
#include "server/session/transfer_decoder.h"

namespace ascend::server {
namespace {

namespace pb = ::ascend::rtd::v1;
using TransferMethods =
    pb::Transfer::WithRawMethod_Transfer<pb::Transfer::Service>;

using Owner = std::shared_ptr<const void>;

// A slice of the bytes where they lie.
grpc::Slice SliceOf(BulkBytes::Piece piece, const Owner& owner) {
  return grpc::Slice(
      const_cast<std::byte*>(piece.data()), piece.size(),
      [](void* kept) { delete static_cast<Owner*>(kept); }, new Owner(owner));
}

class TransferCall final : public BidiCall, public BulkSink {
 public:
  TransferCall(TransferMethods& service, std::shared_ptr<RpcShared> shared)
      : BidiCall(std::move(shared)), service_(service) {}

  // --- BulkSink: the copy pool ----------------------------------------------

  void SendChunk(core::Ticket ticket, uint64_t offset, BulkBytes bytes,
                 std::function<void()> sent) override {
    {
      core::MutexLock lock(mutex_);
      if (!gone_) {
        outgoing_.push_back(
            Chunk{ticket, offset, std::move(bytes), std::move(sent)});
        sent = nullptr;
      }
    }
    if (sent) {
      sent();
    } else {
      Advance();
    }
  }

 private:
  struct Chunk {
    core::Ticket ticket;
    uint64_t offset = 0;
    BulkBytes bytes;
    std::function<void()> sent;
  };

  // --- BidiCall -------------------------------------------------------------

  void RequestCall(grpc::GenericServerContext* context, Stream* stream,
                   grpc::ServerCompletionQueue* queue, void* tag) override {
    service_.RequestTransfer(context, stream, queue, queue, tag);
  }

  std::shared_ptr<BidiCall> MakeNext() override {
    return std::make_shared<TransferCall>(service_, shared_ptr());
  }

  void OnMessage(grpc::ByteBuffer message) override {
    const auto kept = std::make_shared<grpc::ByteBuffer>();
    kept->Swap(&message);
    absl::StatusOr<TransferFrame> frame = [&] {
      grpc::ProtoBufferReader reader(kept.get());
      return DecodeTransferFrame(reader, kept->Length(), kept);
    }();
    if (!frame.ok()) {
      Violate(frame.status());
    } else if (!opened_) {
      OnOpen(*frame);
    } else {
      std::visit([this](auto& content) { OnFrame(content); }, *frame);
    }
  }

  bool TakeMessage(grpc::ByteBuffer* message) override {
    Chunk chunk;
    {
      core::MutexLock lock(mutex_);
      if (outgoing_.empty()) return false;
      chunk = std::move(outgoing_.front());
      outgoing_.pop_front();
    }
    std::vector<grpc::Slice> slices;
    slices.emplace_back(wire::TransferChunkHeader(
        chunk.ticket.value(), chunk.offset, chunk.bytes.size()));
    for (const BulkBytes::Piece piece : chunk.bytes.pieces()) {
      slices.push_back(SliceOf(piece, chunk.bytes.owner()));
    }
    *message = grpc::ByteBuffer(slices.data(), slices.size());
    leaving_ = std::move(chunk.sent);
    return true;
  }

  void OnMessageLeft() override {
    if (const auto sent = std::exchange(leaving_, nullptr)) sent();
  }

  void OnGone() override {
    std::deque<Chunk> unsent;
    {
      core::MutexLock lock(mutex_);
      gone_ = true;
      unsent.swap(outgoing_);
    }
    for (const Chunk& chunk : unsent) {
      if (chunk.sent) chunk.sent();
    }
    if (opened_) shared().sessions.DetachBulk(session_);
  }

  // --- Frames ---------------------------------------------------------------

  void OnOpen(const TransferFrame& frame) {
    const auto* open = std::get_if<TransferOpenFrame>(&frame);
    if (open == nullptr) {
      Violate(core::MakeError(core::Reason::kProtocolViolation,
                              "first frame of the transfer is not an open"));
      return;
    }
    const auto self =
        std::static_pointer_cast<TransferCall>(shared_from_this());
    const std::weak_ptr<TransferCall> weak = self;
    session_ = open->session;
    const absl::Status status =
        shared().sessions.AttachBulk(open->session, open->token, [weak] {
          if (const auto call = weak.lock()) {
            call->FinishAfterWrites(absl::OkStatus());
          }
        });
    if (!status.ok()) {
      FinishAfterWrites(status);
      return;
    }
    opened_ = true;
    AnnounceFirst(wire::kAcceptedMetadataKey);
    shared().host.AttachBulk(session_, self);
    ArmRead();
  }

  void OnFrame(const TransferOpenFrame&) {
    Violate(core::MakeError(core::Reason::kProtocolViolation,
                            "transfer is opened twice"));
  }

  void OnFrame(TransferChunkFrame& chunk) {
    bool has_room = false;
    {
      core::MutexLock lock(mutex_);
      ++unconsumed_;
      has_room = unconsumed_ < kUploadChunksMax;
      paused_ = !has_room;
    }
    shared().host.ReceiveUpload(
        session_, chunk.ticket, chunk.offset, std::move(chunk.data),
        [self = std::static_pointer_cast<TransferCall>(shared_from_this())] {
          self->OnConsumed();
        });
    if (has_room) ArmRead();
  }

  void OnFrame(TransferFailedFrame& failed) {
    shared().host.FailUpload(session_, failed.ticket, std::move(failed.why));
    ArmRead();
  }

  void OnConsumed() {
    {
      core::MutexLock lock(mutex_);
      --unconsumed_;
      if (!paused_) return;
      paused_ = false;
    }
    ArmRead();
    Advance();
  }

  // Ends the session, and with it this call.
  void Violate(const absl::Status& why) {
    if (opened_) {
      shared().host.EndSession(session_, why);
    } else {
      ++shared().violations_before_hello;
    }
    FinishAfterWrites(why);
  }

  TransferMethods& service_;
  // Set by OnMessage before the host or the registry knows of the call.
  bool opened_ = false;
  core::SessionId session_;
  std::function<void()> leaving_;  // of the message being written

  core::Mutex mutex_;
  bool gone_ ABSL_GUARDED_BY(mutex_) = false;
  bool paused_ ABSL_GUARDED_BY(mutex_) = false;  // waits for OnConsumed
  int unconsumed_ ABSL_GUARDED_BY(mutex_) = 0;
  std::deque<Chunk> outgoing_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

class TransferService::Impl {
 public:
  TransferMethods service;
};

TransferService::TransferService() : impl_(std::make_unique<Impl>()) {}
TransferService::~TransferService() = default;

grpc::Service* TransferService::service() { return &impl_->service; }

void TransferService::Serve(std::shared_ptr<RpcShared> shared) {
  std::make_shared<TransferCall>(impl_->service, std::move(shared))->Start();
}

}  // namespace ascend::server
