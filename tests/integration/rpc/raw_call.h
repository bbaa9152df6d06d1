// RawCall: a call of any kind to any method, in bytes.
//
// For what no client of ours sends, and for services whose messages are not
// ours. A call that takes longer than half a minute ends with an error, so no
// test hangs.
//
// Threading: one thread at a time. Ownership: owns the call and its connection.
#ifndef ASCEND_TESTS_INTEGRATION_RPC_RAW_CALL_H_
#define ASCEND_TESTS_INTEGRATION_RPC_RAW_CALL_H_

#include <google/protobuf/message_lite.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/sync_stream.h>

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"

namespace ascend::testing {

class RawCall {
 public:
  // `method` is "/package.Service/Method".
  RawCall(const std::string& address, const std::string& method);

  // False: the call is over.
  bool Send(const std::string& bytes);
  bool Send(const google::protobuf::MessageLite& message);
  void SendNoMore();
  // None: nothing more comes.
  std::optional<std::string> Receive();

  // Reads to the end; how the daemon ended the call, with the Reason that it
  // gave, if any.
  absl::Status Finish();
  bool HasInitialMetadata(const std::string& key);

 private:
  std::shared_ptr<grpc::Channel> channel_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>>
      stream_;
};

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_INTEGRATION_RPC_RAW_CALL_H_
