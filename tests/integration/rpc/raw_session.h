// RawSession: a session that says what a test wants it to say.
//
// Numbers commands unless the test does; waits for replies. After Start it has
// a context (index 0, generation 1) with its default stream (the same) on
// device 0.
//
// Threading: one thread at a time. Ownership: owns its calls.
#ifndef ASCEND_TESTS_INTEGRATION_RPC_RAW_SESSION_H_
#define ASCEND_TESTS_INTEGRATION_RPC_RAW_SESSION_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "ascend/rtd/v1/session.pb.h"
#include "ascend/rtd/v1/transfer.pb.h"
#include "tests/integration/rpc/raw_call.h"

namespace ascend::testing {

// Bits of the handle with this index and generation 1.
constexpr uint64_t HandleBits(uint32_t index) {
  return uint64_t{1} << 32 | index;
}

class RawSession {
 public:
  explicit RawSession(const std::string& address);

  // Says hello and makes the context; checks that both succeed.
  void Start(const std::string& program = "raw");

  RawCall& call() { return call_; }
  const rtd::v1::HelloReply& hello() const { return hello_; }

  // The frame of one command with the next ticket, not sent yet; the caller
  // sets its operation.
  rtd::v1::Command* Next();
  uint64_t last_ticket() const { return last_ticket_; }
  // Sends what Next gave since the last time.
  bool Send();
  // Send, then waits for the reply to the last command.
  rtd::v1::Reply Ask();
  // The last event that `is_it` accepts; dies when the session ends first.
  rtd::v1::ServerEvent Await(
      const std::function<bool(const rtd::v1::ServerEvent&)>& is_it);

  uint64_t Malloc(uint64_t bytes);
  // Whether requests are still answered.
  bool IsAlive();

  // Reads to the end: the error that the daemon gave in SessionEnded, or none.
  std::optional<absl::Status> AwaitEnded();

  // Opens the bulk stream of this session; the call has been accepted.
  std::unique_ptr<RawCall> OpenTransfer();
  // Announces an upload of `bytes` to `address`; its ticket, once it is due.
  uint64_t BeginUpload(uint64_t address, uint64_t bytes);

 private:
  // The next event; none at the end of the stream.
  std::optional<rtd::v1::ServerEvent> NextEvent();

  const std::string address_;
  RawCall call_;
  rtd::v1::HelloReply hello_;
  rtd::v1::ClientFrame frame_;
  rtd::v1::ServerFrame incoming_;
  int next_event_ = 0;
  uint64_t last_ticket_ = 0;
};

// The first frame of a session.
rtd::v1::ClientFrame HelloFrame(const std::string& program);

extern const char kSessionMethod[];
extern const char kTransferMethod[];

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_INTEGRATION_RPC_RAW_SESSION_H_
