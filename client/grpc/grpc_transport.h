// GrpcTransport: the Transport over gRPC: a control stream, and a bulk stream
// once a copy needs one.
//
// Fork: the child shares the sockets but none of the threads. In a child the
// destructor leaves everything in place, so that its exit does not harm the
// parent's session.
//
// Threading: as Transport says. Ownership: owns the streams, borrows the sink.
#ifndef ASCEND_CLIENT_GRPC_GRPC_TRANSPORT_H_
#define ASCEND_CLIENT_GRPC_GRPC_TRANSPORT_H_

#include <sys/types.h>

#include <memory>
#include <span>
#include <string>

#include "client/grpc/bulk_stream.h"
#include "client/grpc/control_stream.h"
#include "client/runtime/transport.h"
#include "core/base/sync.h"

namespace ascend::client {

class GrpcTransport final : public Transport {
 public:
  GrpcTransport(const TransportOptions& options, TransportSink& sink);
  ~GrpcTransport() override;

  absl::StatusOr<ServerDescription> Open() override;
  void Post(core::Command command) override;
  void ReadWhile(absl::FunctionRef<bool()> goes_on, Deadline deadline) override;
  absl::Status SendUpload(core::Ticket ticket,
                          std::span<const std::byte> bytes) override;
  void FailUpload(core::Ticket ticket, absl::Status why) override;
  void FinishDownload(core::Ticket ticket, absl::Status status) override;
  void Close() override;

 private:
  // Opens the bulk stream if it is not open; a failure ends the session. After
  // Close: an error.
  absl::StatusOr<std::shared_ptr<BulkStream>> Bulk()
      ABSL_LOCKS_EXCLUDED(bulk_mutex_);

  const std::string address_;
  TransportSink& sink_;
  const pid_t owner_pid_;
  std::unique_ptr<ControlStream> control_;
  uint64_t session_ = 0;  // set by Open
  std::string token_;

  core::Mutex bulk_mutex_;
  bool is_closed_ ABSL_GUARDED_BY(bulk_mutex_) = false;
  std::shared_ptr<BulkStream> bulk_ ABSL_GUARDED_BY(bulk_mutex_);
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_GRPC_GRPC_TRANSPORT_H_
