// BulkStream: the transfer stream (transfer.proto) from the client's end, on a
// connection of its own so that control never queues behind data.
//
// Uploads of several threads take turns chunk by chunk; their bytes go from the
// caller's memory to the socket without being copied on the way.
//
// All threads of a process that wait inside gRPC poll together, and one that
// finds what is another's wakes that one. So the stream's own thread waits
// there only while there is something to send or to come; what a connection
// that is lost meanwhile means is found out with the next transfer, or by the
// session.
//
// Threading: Upload and FailUpload are for any thread but those of gRPC, and
// ExpectDownload and EndDownload for any; the
// stream's own thread calls the sink's OnHostData and OnHostDataFailed, and
// `on_broken` at most once, unless the daemon ends the stream in peace: then it
// ends the session too, and says why on the session stream. Ownership: borrows
// the sink; owns socket, channel, queue and thread. Those who upload share the
// stream, which may be closed meanwhile.
#ifndef ASCEND_CLIENT_GRPC_BULK_STREAM_H_
#define ASCEND_CLIENT_GRPC_BULK_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/runtime/transport.h"

namespace ascend::client {

class BulkStream {
 public:
  // Returns once the daemon has taken the stream as the session's.
  static absl::StatusOr<std::shared_ptr<BulkStream>> Open(
      absl::string_view address, uint64_t session, const std::string& token,
      TransportSink& sink, std::function<void(absl::Status)> on_broken);
  virtual ~BulkStream() = default;  // after Close

  // Returns when `bytes` is no longer needed. Errors: kConnectionLost.
  virtual absl::Status Upload(core::Ticket ticket,
                              std::span<const std::byte> bytes) = 0;
  virtual void FailUpload(core::Ticket ticket, const absl::Status& why) = 0;

  // The bytes of one more download are to come, or of one fewer. One that was
  // expected and never ends costs the session's calls a switch between threads
  // each, and no more.
  virtual void ExpectDownload() = 0;
  virtual void EndDownload() = 0;

  // Ends the stream and its thread: uploads fail, no sink call follows. Once,
  // on a thread that the stream does not call from.
  virtual void Close() = 0;
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_GRPC_BULK_STREAM_H_
