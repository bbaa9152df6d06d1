// What a daemon says, turned into calls of the TransportSink.
//
// Threading: pure functions but for the sink. Ownership: none.
#ifndef ASCEND_CLIENT_GRPC_REPLY_DECODER_H_
#define ASCEND_CLIENT_GRPC_REPLY_DECODER_H_

#include "absl/status/status.h"
#include "client/runtime/transport.h"

namespace ascend::rtd::v1 {
class Error;
class HelloReply;
class ServerFrame;
}  // namespace ascend::rtd::v1

namespace google::protobuf::io {
class ZeroCopyInputStream;
}

namespace ascend::client {

// Never ok.
absl::Status DecodeError(const rtd::v1::Error& error);

ServerDescription DecodeHello(const rtd::v1::HelloReply& hello);

// Hands the events to the sink in order, taking the bytes out of `frame`. Not
// ok: the daemon has ended the session, and this is why.
absl::Status DeliverEvents(rtd::v1::ServerFrame& frame, TransportSink& sink);

// Hands one TransferFrame to the sink without copying its bytes. Not ok: the
// frame is none.
absl::Status DeliverTransferFrame(
    google::protobuf::io::ZeroCopyInputStream& input, TransportSink& sink);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_GRPC_REPLY_DECODER_H_
