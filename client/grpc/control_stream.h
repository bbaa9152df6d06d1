// ControlStream: the session stream (session.proto) from the client's end.
//
// Commands gather in a batch. When nothing is being written the poster itself
// writes, so a lone command leaves at once; else the batch leaves when the
// write under way completes, on the completion thread. A full batch makes the
// poster wait, which is how a daemon that takes nothing in is felt.
//
// Threading: Open and Close belong to the owner; Post calls come one at a time;
// ReadWhile, FinishDownload and Fail are for any thread. Whoever has the
// ReaderRole polls gRPC and is the only caller of the sink. Ownership: borrows
// the sink; owns socket, channel, queue and thread.
#ifndef ASCEND_CLIENT_GRPC_CONTROL_STREAM_H_
#define ASCEND_CLIENT_GRPC_CONTROL_STREAM_H_

#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/runtime/transport.h"

namespace ascend::client {

// What the daemon says at hello, and what opens the bulk stream.
struct SessionGreeting {
  ServerDescription server;
  std::string token;
};

class ControlStream {
 public:
  virtual ~ControlStream() = default;

  // Connects and says hello. A stream that failed to open needs no Close.
  virtual absl::StatusOr<SessionGreeting> Open() = 0;

  virtual void Post(core::Command command) = 0;
  // Transport::ReadWhile.
  virtual void ReadWhile(absl::FunctionRef<bool()> goes_on,
                         Deadline deadline) = 0;
  virtual void FinishDownload(core::Ticket ticket, absl::Status status) = 0;

  // The session cannot go on, for the reason `why`; OnLost follows on the
  // completion thread.
  virtual void Fail(absl::Status why) = 0;

  // Transport::Close.
  virtual void Close() = 0;
};

std::unique_ptr<ControlStream> MakeControlStream(TransportOptions options,
                                                 TransportSink& sink);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_GRPC_CONTROL_STREAM_H_
