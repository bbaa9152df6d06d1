#include "server/rpc/runtime_service.h"

#include <grpcpp/impl/codegen/proto_utils.h>

#include <deque>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ascend/rtd/v1/session.grpc.pb.h"
#include "ascend/rtd/v1/session.pb.h"
#include "core/base/error.h"
#include "proto/wire.h"
#include "server/rpc/bidi_call.h"
#include "server/session/command_decoder.h"
#include "server/session/reply_encoder.h"

namespace ascend::server {
namespace {

namespace pb = ::ascend::rtd::v1;
using RuntimeMethods =
    pb::Runtime::WithRawMethod_OpenSession<pb::Runtime::Service>;

// A frame that is this large takes no more events.
constexpr size_t kFrameBytesTarget = 512 * 1024;

class RuntimeCall final : public BidiCall, public SessionSink {
 public:
  RuntimeCall(RuntimeMethods& service, std::shared_ptr<RpcShared> shared)
      : BidiCall(std::move(shared)), service_(service) {}

  // --- SessionSink ----------------------------------------------------------

  void OnReply(core::Reply reply) override {
    core::MutexLock lock(mutex_);
    Frame().AddReply(std::move(reply));
  }
  void OnHostData(core::Ticket ticket, std::string bytes) override {
    core::MutexLock lock(mutex_);
    Frame().AddHostData(ticket, std::move(bytes));
  }
  void OnTransferDue(core::Ticket ticket) override {
    core::MutexLock lock(mutex_);
    Frame().AddTransferDue(ticket);
  }
  void OnStreamProgress(core::StreamHandle stream, uint64_t retired) override {
    core::MutexLock lock(mutex_);
    Frame().AddProgress(stream, retired);
  }

  void OnHostFunctionDue(core::Ticket ticket, core::Tick tick) override {
    core::MutexLock lock(mutex_);
    Frame().AddHostFunctionDue(ticket, tick);
  }
  void OnTaskFailed(core::TaskFailure failure) override {
    core::MutexLock lock(mutex_);
    Frame().AddTaskFailed(failure);
  }

  bool HasRoom(uint64_t bytes) override {
    core::MutexLock lock(mutex_);
    wants_room_ = PendingBytes() + bytes > kRoomBytes;
    return !wants_room_;
  }

  void Flush() override {
    bool is_full = false;
    {
      core::MutexLock lock(mutex_);
      is_full = PendingBytes() > kPendingBytesMax;
    }
    if (!is_full) return Advance();
    End(core::MakeError(
        core::Reason::kProtocolViolation,
        absl::StrCat("client lets more than ", kPendingBytesMax,
                     " bytes of events wait; it must read its stream")));
    Abort();
  }

  void OnDrained() override {
    {
      core::MutexLock lock(mutex_);
      drained_ = true;
      if (!paused_) return;
      paused_ = false;
    }
    ArmRead();
    Advance();
  }

  void OnEnded(absl::Status why) override {
    core::SessionId session;
    {
      core::MutexLock lock(mutex_);
      session = session_;
      open_ = false;
      ended_ = true;
      Frame().AddEnded(why);
    }
    shared().sessions.Remove(session);
    FinishAfterWrites(why);
  }

 private:
  // --- BidiCall -------------------------------------------------------------

  void RequestCall(grpc::GenericServerContext* context, Stream* stream,
                   grpc::ServerCompletionQueue* queue, void* tag) override {
    service_.RequestOpenSession(context, stream, queue, queue, tag);
  }

  std::shared_ptr<BidiCall> MakeNext() override {
    return std::make_shared<RuntimeCall>(service_, shared_ptr());
  }

  void OnMessage(grpc::ByteBuffer message) override {
    absl::StatusOr<ClientFrame> frame = [&] {
      grpc::ProtoBufferReader reader(&message);
      return DecodeClientFrame(reader, message.Length());
    }();
    message.Clear();
    if (!frame.ok()) {
      Violate(frame.status());
    } else if (!greeted_) {
      greeted_ = true;
      OnHello(*frame);
    } else {
      std::visit([this](auto& content) { OnFrame(content); }, *frame);
    }
  }

  bool TakeMessage(grpc::ByteBuffer* message) override {
    EventFrame frame;
    bool has_room_again = false;
    {
      core::MutexLock lock(mutex_);
      if (pending_.empty()) return false;
      frame = std::move(pending_.front());
      pending_.pop_front();
      has_room_again = wants_room_ && PendingBytes() <= kRoomBytes / 2;
      if (has_room_again) wants_room_ = false;
    }
    if (has_room_again) shared().host.OnRoom(session_);
    bool own_buffer = false;
    return grpc::SerializationTraits<pb::ServerFrame>::Serialize(
               frame.message(), message, &own_buffer)
        .ok();
  }

  void OnGone() override {
    bool was_open = false;
    {
      core::MutexLock lock(mutex_);
      was_open = std::exchange(open_, false);
      pending_.clear();
    }
    shared().sessions.Remove(session_);
    if (was_open) shared().host.CloseSession(session_);
  }

  // --- Frames ---------------------------------------------------------------

  void OnHello(const ClientFrame& frame) {
    const auto* hello = std::get_if<HelloFrame>(&frame);
    if (hello == nullptr) {
      Violate(core::MakeError(core::Reason::kProtocolViolation,
                              "first frame of the session is not Hello"));
      return;
    }
    if (const absl::Status status = Open(*hello); !status.ok()) {
      FinishAfterWrites(status);
    }
  }

  absl::Status Open(const HelloFrame& hello) {
    if (hello.protocol_version != wire::kProtocolVersion) {
      return core::MakeError(
          core::Reason::kConnectionLost,
          absl::StrCat("client ", hello.client_version,
                       " speaks protocol version ", hello.protocol_version,
                       " and ascend-rtd ", shared().identity.version,
                       " speaks version ", wire::kProtocolVersion,
                       "; install both from one release"));
    }
    absl::StatusOr<Peer> peer = shared().peers.Find(context().peer());
    if (!peer.ok()) return peer.status();
    // Unknown for TCP and across pid namespaces; then the client's own word.
    if (peer->pid == 0) peer->pid = hello.pid;
    const absl::StatusOr<SessionGrant> grant = shared().host.OpenSession(
        *std::move(peer), hello.program,
        std::static_pointer_cast<RuntimeCall>(shared_from_this()));
    if (!grant.ok()) return grant.status();
    Welcome(*grant);
    return absl::OkStatus();
  }

  void Welcome(const SessionGrant& grant) {
    auto reply = std::make_unique<pb::HelloReply>();
    reply->set_session(grant.id.value());
    reply->set_token(shared().sessions.Add(grant.id));
    reply->set_daemon_version(shared().identity.version);
    reply->set_daemon_id(shared().identity.daemon_id);
    reply->set_tick(grant.tick);
    EncodeMachine(shared().host.options().machine, reply.get());
    {
      core::MutexLock lock(mutex_);
      session_ = grant.id;
      open_ = !ended_;
      if (open_) Frame().AddHello(std::move(reply));
    }
    if (reply == nullptr) {
      ArmRead();
    } else {  // the host has ended it since it let it in
      shared().sessions.Remove(grant.id);
    }
  }

  void OnFrame(const HelloFrame&) {
    Violate(core::MakeError(core::Reason::kProtocolViolation,
                            "session says Hello twice"));
  }

  void OnFrame(std::vector<core::Command>& commands) {
    {
      core::MutexLock lock(mutex_);
      drained_ = false;
    }
    if (!shared().host.Post(session_, std::move(commands))) {
      // OnDrained may have been called before Post returned.
      core::MutexLock lock(mutex_);
      paused_ = !drained_;
      if (paused_) return;
    }
    ArmRead();
  }

  void OnFrame(DownloadDoneFrame& done) {
    shared().host.DownloadDone(session_, done.ticket, std::move(done.status));
    ArmRead();
  }

  void OnFrame(const GoodbyeFrame&) { FinishAfterWrites(absl::OkStatus()); }

  // --- Helpers --------------------------------------------------------------

  void Violate(const absl::Status& why) {
    if (End(why)) return;
    ++shared().violations_before_hello;
    FinishAfterWrites(why);
  }

  // Ends the session as one that broke the protocol; OnEnded follows. False:
  // none is open.
  bool End(const absl::Status& why) {
    {
      core::MutexLock lock(mutex_);
      if (!open_) return false;
    }
    shared().host.EndSession(session_, why);
    return true;
  }

  // The frame that takes the next event.
  EventFrame& Frame() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (pending_.empty() ||
        pending_.back().memory_bytes() >= kFrameBytesTarget) {
      pending_.emplace_back();
    }
    return pending_.back();
  }

  size_t PendingBytes() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    size_t bytes = 0;
    for (const EventFrame& frame : pending_) bytes += frame.memory_bytes();
    return bytes;
  }

  RuntimeMethods& service_;
  bool greeted_ = false;     // OnMessage only
  core::SessionId session_;  // set once, before anything uses it

  core::Mutex mutex_;
  bool open_ ABSL_GUARDED_BY(mutex_) = false;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;    // by the host
  bool paused_ ABSL_GUARDED_BY(mutex_) = false;   // waits for OnDrained
  bool drained_ ABSL_GUARDED_BY(mutex_) = false;  // since the last Post began
  bool wants_room_ ABSL_GUARDED_BY(mutex_) = false;  // HasRoom was false
  std::deque<EventFrame> pending_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

class RuntimeService::Impl {
 public:
  RuntimeMethods service;
};

RuntimeService::RuntimeService() : impl_(std::make_unique<Impl>()) {}
RuntimeService::~RuntimeService() = default;

grpc::Service* RuntimeService::service() { return &impl_->service; }

void RuntimeService::Serve(std::shared_ptr<RpcShared> shared) {
  std::make_shared<RuntimeCall>(impl_->service, std::move(shared))->Start();
}

}  // namespace ascend::server
