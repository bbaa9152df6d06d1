// BidiCall: the life of one bidirectional call, on the completion-queue API.
//
// Keeps gRPC's rules in one place: one read and one write under way at a time,
// finishing only after the last write, nothing after that. Messages are raw
// bytes: a service decodes them itself, since a message that cannot be parsed
// and a broken connection must not look the same, and since bulk bytes should
// not be copied into a message.
//
// Reads happen when armed, one message per ArmRead: not arming is
// back-pressure. Writes are pulled: whenever nothing is being written,
// TakeMessage is asked.
//
// Threading: hooks run on the polling thread and on the pump; OnMessage one at
// a time, TakeMessage and OnMessageLeft one at a time. OnGone comes once, when
// gRPC says so, on the polling thread, which is one: so no OnMessage goes on,
// and none follows. ArmRead, Advance, Kick, FinishAfterWrites and Abort are for
// any thread; of these, only Advance calls gRPC.
// Ownership: keeps itself alive while gRPC knows of it.
#ifndef ASCEND_SERVER_RPC_BIDI_CALL_H_
#define ASCEND_SERVER_RPC_BIDI_CALL_H_

#include <grpcpp/alarm.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/byte_buffer.h>

#include <atomic>
#include <memory>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "core/base/sync.h"
#include "server/rpc/reply_pump.h"
#include "server/rpc/rpc_shared.h"

namespace ascend::server {

// What the polling thread finds in the completion queue.
class CompletionTag {
 public:
  virtual ~CompletionTag() = default;
  virtual void OnComplete(bool ok) = 0;
};

// The same number, and the Reason in the trailing metadata.
grpc::Status ToGrpcStatus(const absl::Status& status);

class BidiCall : public Pumped, public std::enable_shared_from_this<BidiCall> {
 public:
  using Stream =
      grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;

  explicit BidiCall(std::shared_ptr<RpcShared> shared);

  // Waits for the next client. Called once, right after construction.
  void Start();

  void Pump() final;

 protected:
  // Asks the service for a call: Request...(context, stream, queue, queue,
  // tag).
  virtual void RequestCall(grpc::GenericServerContext* context, Stream* stream,
                           grpc::ServerCompletionQueue* queue, void* tag) = 0;
  // A fresh call, to wait for the client after this one.
  virtual std::shared_ptr<BidiCall> MakeNext() = 0;
  virtual void OnMessage(grpc::ByteBuffer message) = 0;
  // The client has no more to say: how the call ends.
  virtual absl::Status OnNoMoreMessages() { return absl::OkStatus(); }
  // The next message to write; false when there is none now.
  virtual bool TakeMessage(grpc::ByteBuffer* message) = 0;
  // The message last taken has left, or never will.
  virtual void OnMessageLeft() {}
  // The client is gone, or the call has been finished. See above.
  virtual void OnGone() = 0;

  // Before any message is written, initial metadata with this key go out.
  void AnnounceFirst(const char* key);
  void ArmRead();
  // Starts whatever can be started: something was armed or is to be written.
  void Advance();
  // The same on the pump, for those who must not call gRPC.
  void Kick();
  // Finishes once all messages have been taken and have left; cancels if the
  // client does not take them within kLinger. Only the first call counts.
  void FinishAfterWrites(const absl::Status& status);
  // Cancels the call without regard to what is still to be written.
  void Abort();

  RpcShared& shared() { return *shared_; }
  const std::shared_ptr<RpcShared>& shared_ptr() const { return shared_; }
  // Alive as long as the call.
  grpc::GenericServerContext& context() { return context_; }

 private:
  // One operation under way; holds the call.
  class Op final : public CompletionTag {
   public:
    Op(BidiCall& call, void (BidiCall::*handler)(bool))
        : call_(call), handler_(handler) {}
    void* Hold() {
      keep_ = call_.shared_from_this();
      return this;
    }
    void Drop() { keep_.reset(); }
    void OnComplete(bool ok) override {
      const std::shared_ptr<BidiCall> keep = std::move(keep_);
      (call_.*handler_)(ok);
    }

   private:
    BidiCall& call_;
    void (BidiCall::*const handler_)(bool);
    std::shared_ptr<BidiCall> keep_;
  };

  void OnRequested(bool ok);
  void OnRead(bool ok);
  void OnWritten(bool ok);
  void OnFinished(bool ok);
  void OnDone(bool ok);
  void OnLingered(bool ok);

  void StartCancel();
  void StartLinger();
  void StartRead();
  // At most one thread at a time is the writer: it takes a message, starts the
  // write and leaves the role to OnWritten, or gives it up.
  bool ClaimWriter();
  bool StartWrite();
  // Finishes the call if that is due. True: something came up meanwhile.
  bool ReleaseWriter();

  const std::shared_ptr<RpcShared> shared_;
  grpc::GenericServerContext context_;
  Stream stream_{&context_};
  grpc::ByteBuffer incoming_;
  std::atomic<bool> kicked_{false};

  Op request_op_{*this, &BidiCall::OnRequested};
  Op read_op_{*this, &BidiCall::OnRead};
  Op write_op_{*this, &BidiCall::OnWritten};
  Op finish_op_{*this, &BidiCall::OnFinished};
  Op done_op_{*this, &BidiCall::OnDone};
  Op linger_op_{*this, &BidiCall::OnLingered};

  core::Mutex mutex_;
  grpc::Alarm linger_ ABSL_GUARDED_BY(mutex_);
  bool started_ ABSL_GUARDED_BY(mutex_) = false;
  bool metadata_due_ ABSL_GUARDED_BY(mutex_) = false;
  bool read_armed_ ABSL_GUARDED_BY(mutex_) = false;
  bool reading_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  // Somebody had something to write while `writing_`.
  bool look_again_ ABSL_GUARDED_BY(mutex_) = false;
  bool broken_ ABSL_GUARDED_BY(mutex_) = false;
  bool abort_ ABSL_GUARDED_BY(mutex_) = false;
  bool finishing_ ABSL_GUARDED_BY(mutex_) = false;
  bool lingering_ ABSL_GUARDED_BY(mutex_) = false;
  bool gone_ ABSL_GUARDED_BY(mutex_) = false;
  absl::optional<absl::Status> finish_status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_RPC_BIDI_CALL_H_
