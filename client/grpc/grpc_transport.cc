#include "client/grpc/grpc_transport.h"

#include <unistd.h>

#include <utility>
#include <variant>

#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

// Whether the bytes of the copy go through the bulk stream, and which way
// (command.h, Copy).
enum class Bulky : uint8_t { kNot, kUpload, kDownload };

Bulky BulkOf(const core::Operation& operation) {
  const auto* copy = std::get_if<core::Copy>(&operation);
  if (copy == nullptr) return Bulky::kNot;
  switch (copy->kind) {
    case core::CopyKind::kHostToDevice:
      return copy->inline_data.empty() ? Bulky::kUpload : Bulky::kNot;
    case core::CopyKind::kDeviceToHost:
      return copy->bytes * copy->rows > core::kInlineBytesMax ? Bulky::kDownload
                                                              : Bulky::kNot;
    case core::CopyKind::kDeviceToDevice:
      return Bulky::kNot;
  }
  return Bulky::kNot;
}

}  // namespace

GrpcTransport::GrpcTransport(const TransportOptions& options,
                             TransportSink& sink)
    : address_(options.address),
      sink_(sink),
      owner_pid_(::getpid()),
      control_(MakeControlStream(options, sink)) {}

GrpcTransport::~GrpcTransport() {
  if (::getpid() == owner_pid_) {
    Close();
    return;
  }
  (void)control_.release();
  core::MutexLock lock(bulk_mutex_);
  new std::shared_ptr<BulkStream>(std::move(bulk_));  // for ever
}

absl::StatusOr<ServerDescription> GrpcTransport::Open() {
  ASCEND_ASSIGN_OR_RETURN(SessionGreeting greeting, control_->Open());
  session_ = greeting.server.session;
  token_ = std::move(greeting.token);
  return std::move(greeting.server);
}

void GrpcTransport::Post(core::Command command) {
  // Before the command, so that the daemon never has bytes and nowhere to send
  // them.
  if (const Bulky way = BulkOf(command.operation); way != Bulky::kNot) {
    const absl::StatusOr<std::shared_ptr<BulkStream>> bulk = Bulk();
    if (!bulk.ok()) return;
    if (way == Bulky::kDownload) (*bulk)->ExpectDownload();
  }
  control_->Post(std::move(command));
}

void GrpcTransport::ReadWhile(absl::FunctionRef<bool()> goes_on,
                              Deadline deadline) {
  control_->ReadWhile(goes_on, deadline);
}

absl::StatusOr<std::shared_ptr<BulkStream>> GrpcTransport::Bulk() {
  core::MutexLock lock(bulk_mutex_);
  if (is_closed_) {
    return core::MakeError(core::Reason::kConnectionLost,
                           "the session was closed during this copy");
  }
  if (bulk_ != nullptr) return bulk_;
  absl::StatusOr<std::shared_ptr<BulkStream>> opened = BulkStream::Open(
      address_, session_, token_, sink_,
      [this](absl::Status why) { control_->Fail(std::move(why)); });
  if (!opened.ok()) {
    control_->Fail(opened.status());
    return opened.status();
  }
  bulk_ = *std::move(opened);
  return bulk_;
}

absl::Status GrpcTransport::SendUpload(core::Ticket ticket,
                                       std::span<const std::byte> bytes) {
  ASCEND_ASSIGN_OR_RETURN(const std::shared_ptr<BulkStream> bulk, Bulk());
  return bulk->Upload(ticket, bytes);
}

void GrpcTransport::FailUpload(core::Ticket ticket, absl::Status why) {
  const absl::StatusOr<std::shared_ptr<BulkStream>> bulk = Bulk();
  if (bulk.ok()) (*bulk)->FailUpload(ticket, why);
}

void GrpcTransport::FinishDownload(core::Ticket ticket, absl::Status status) {
  {
    core::MutexLock lock(bulk_mutex_);
    if (bulk_ != nullptr) bulk_->EndDownload();
  }
  control_->FinishDownload(ticket, std::move(status));
}

void GrpcTransport::Close() {
  control_->Close();
  std::shared_ptr<BulkStream> bulk;
  {
    core::MutexLock lock(bulk_mutex_);
    is_closed_ = true;
    bulk = std::move(bulk_);
  }
  if (bulk != nullptr) bulk->Close();
}

}  // namespace ascend::client
