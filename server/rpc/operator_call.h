// OperatorCall: a call of somebody who is no session: ascend-rtctl, a health
// check, a tool that reads the services' descriptions.
//
// gRPC's ready-made services wait on threads of their own. But all threads of a
// process that wait inside gRPC poll together, and whichever of them finds that
// a session's socket has something must wake the thread whose queue it is for:
// every frame of every session would be handed on once more. So these services
// are answered on the daemon's one completion queue as well, as raw calls that
// no registered service takes, and each answer is made on an OperatorThreads.
//
// Life of a call. Its method is looked up by name when its first message is
// there; none: UNIMPLEMENTED. The answer is a function that gets the message
// and sends what it likes; then the call ends, reads the next message, or stays
// open, as the method says.
//
// Threading: Send on the thread that answers, or any other for a call that
// stays open; it waits while the client is behind. Ownership: calls keep
// themselves alive; a method's functions may keep a call that stays open.
#ifndef ASCEND_SERVER_RPC_OPERATOR_CALL_H_
#define ASCEND_SERVER_RPC_OPERATOR_CALL_H_

#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace grpc {
class ServerBuilder;
}

namespace ascend::server {

struct RpcShared;

class OperatorReplies {
 public:
  virtual ~OperatorReplies() = default;
  // False: the client is gone, and wants no more.
  virtual bool Send(const google::protobuf::MessageLite& message) = 0;
};

struct OperatorMethod {
  enum class Shape : uint8_t {
    kOneRequest,   // ends when it is answered
    kEachRequest,  // ends when the client has no more to ask
    kStaysOpen,    // after one request, until the client goes
  };
  // An error ends the call.
  using Answer = std::function<absl::Status(
      const std::string& request,
      const std::shared_ptr<OperatorReplies>& replies)>;

  std::string path;  // "/package.Service/Method"
  Shape shape = Shape::kOneRequest;
  Answer answer;
};

// Parses a request; kInvalidArgument when it is none.
absl::Status ParseRequest(const std::string& bytes,
                          google::protobuf::MessageLite* request);

class OperatorCalls {
 public:
  explicit OperatorCalls(std::vector<OperatorMethod> methods);
  ~OperatorCalls();

  // Before the server starts.
  void Register(grpc::ServerBuilder* builder);
  // Waits for clients. After the server has started, once.
  void Serve(std::shared_ptr<RpcShared> shared);
  // Ends the threads. Once all calls are over.
  void Stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_RPC_OPERATOR_CALL_H_
