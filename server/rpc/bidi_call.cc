#include "server/rpc/bidi_call.h"

#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "proto/wire.h"

namespace ascend::server {
namespace {

// How long a finished call waits for a client that takes nothing.
constexpr std::chrono::seconds kLinger{5};

// Sessions are told one; operators get gRPC's codes alone.
bool HasReason(const absl::Status& status) {
  return !status.ok() && (core::ReasonOf(status) != core::Reason::kInternal ||
                          status.code() == absl::StatusCode::kInternal);
}

}  // namespace

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  // absl's codes are gRPC's.
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      std::string(status.message()));
}

BidiCall::BidiCall(std::shared_ptr<RpcShared> shared)
    : shared_(std::move(shared)) {}

void BidiCall::Start() {
  shared_->gate.Start([this] {
    context_.AsyncNotifyWhenDone(done_op_.Hold());
    RequestCall(&context_, &stream_, shared_->queue.get(), request_op_.Hold());
  });
}

void BidiCall::OnRequested(bool ok) {
  if (!ok) {  // the server shuts down, and the call never was
    done_op_.Drop();
    return;
  }
  MakeNext()->Start();
  {
    core::MutexLock lock(mutex_);
    started_ = true;
    read_armed_ = true;
  }
  Advance();
}

void BidiCall::AnnounceFirst(const char* key) {
  context_.AddInitialMetadata(key, "1");
  core::MutexLock lock(mutex_);
  metadata_due_ = true;
}

void BidiCall::ArmRead() {
  core::MutexLock lock(mutex_);
  read_armed_ = true;
}

void BidiCall::Kick() {
  if (kicked_.exchange(true)) return;
  shared_->pump.Schedule(shared_from_this());
}

void BidiCall::Pump() {
  kicked_.store(false);
  Advance();
}

void BidiCall::FinishAfterWrites(const absl::Status& status) {
  {
    core::MutexLock lock(mutex_);
    if (finish_status_.has_value()) return;
    finish_status_ = status;
    look_again_ = true;  // what was added before this call leaves first
  }
  Kick();
}

void BidiCall::Abort() {
  {
    core::MutexLock lock(mutex_);
    abort_ = true;
  }
  Kick();
}

void BidiCall::OnRead(bool ok) {
  {
    core::MutexLock lock(mutex_);
    reading_ = false;
    if (gone_) return;
  }
  if (ok) {
    grpc::ByteBuffer message;
    message.Swap(&incoming_);
    OnMessage(std::move(message));
  } else {
    // The client has no more to say, or is gone and OnDone will tell.
    FinishAfterWrites(OnNoMoreMessages());
  }
  Advance();
}

void BidiCall::OnWritten(bool ok) {
  OnMessageLeft();
  {
    core::MutexLock lock(mutex_);
    writing_ = false;
    broken_ |= !ok;
  }
  Advance();
}

void BidiCall::OnFinished(bool) {}

void BidiCall::OnDone(bool) {
  {
    core::MutexLock lock(mutex_);
    gone_ = true;
    linger_.Cancel();
  }
  OnGone();
}

void BidiCall::OnLingered(bool expired) {
  if (expired) context_.TryCancel();
}

void BidiCall::Advance() {
  StartCancel();
  StartLinger();
  StartRead();
  while (ClaimWriter()) {
    if (StartWrite() || !ReleaseWriter()) return;
  }
}

void BidiCall::StartCancel() {
  {
    core::MutexLock lock(mutex_);
    if (!started_ || gone_ || !std::exchange(abort_, false)) return;
    broken_ = true;
  }
  context_.TryCancel();
}

void BidiCall::StartLinger() {
  core::MutexLock lock(mutex_);
  if (!started_ || gone_ || lingering_ || !finish_status_.has_value()) return;
  lingering_ = true;
  shared_->gate.Start([this] {
    mutex_.AssertHeld();
    linger_.Set(shared_->queue.get(),
                std::chrono::system_clock::now() + kLinger, linger_op_.Hold());
  });
}

void BidiCall::StartRead() {
  {
    core::MutexLock lock(mutex_);
    if (!started_ || gone_ || reading_ || !read_armed_ ||
        finish_status_.has_value()) {
      return;
    }
    read_armed_ = false;
    reading_ = true;
  }
  shared_->gate.Start([this] { stream_.Read(&incoming_, read_op_.Hold()); });
}

bool BidiCall::ClaimWriter() {
  core::MutexLock lock(mutex_);
  if (!started_ || finishing_ || gone_) return false;
  if (writing_) {
    look_again_ = true;
    return false;
  }
  writing_ = true;
  look_again_ = false;
  return true;
}

bool BidiCall::StartWrite() {
  bool metadata = false;
  {
    core::MutexLock lock(mutex_);
    if (broken_) return false;
    metadata = std::exchange(metadata_due_, false);
  }
  if (metadata) {
    shared_->gate.Start(
        [this] { stream_.SendInitialMetadata(write_op_.Hold()); });
    return true;
  }
  grpc::ByteBuffer message;
  if (!TakeMessage(&message)) return false;
  shared_->gate.Start([&] { stream_.Write(message, write_op_.Hold()); });
  return true;
}

bool BidiCall::ReleaseWriter() {
  absl::Status status;
  {
    core::MutexLock lock(mutex_);
    writing_ = false;
    if (look_again_) return true;
    if (!finish_status_.has_value()) return false;
    finishing_ = true;
    status = *finish_status_;
  }
  shared_->gate.Start([&] {
    if (HasReason(status)) {
      context_.AddTrailingMetadata(
          wire::kReasonMetadataKey,
          absl::StrCat(static_cast<int>(core::ReasonOf(status))));
    }
    stream_.Finish(ToGrpcStatus(status), finish_op_.Hold());
  });
  return false;
}

}  // namespace ascend::server
