// CommandBatch: commands of one session on their way into one ClientFrame.
//
// The mirror of server/session/command_decoder: what a command's field is
// called on the wire stands here and there, and nowhere else.
//
// Threading: one thread at a time. Ownership: owns message and arena.
#ifndef ASCEND_CLIENT_GRPC_COMMAND_ENCODER_H_
#define ASCEND_CLIENT_GRPC_COMMAND_ENCODER_H_

#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "core/command/command.h"

namespace ascend::rtd::v1 {
class ClientFrame;
class Error;
}  // namespace ascend::rtd::v1

namespace ascend::client {

class CommandBatch {
 public:
  CommandBatch();
  ~CommandBatch();
  CommandBatch(CommandBatch&&) noexcept;
  CommandBatch& operator=(CommandBatch&&) noexcept;

  void Append(core::Command command);
  void Clear();

  bool empty() const { return count_ == 0; }
  // No more may be appended (proto/wire.h).
  bool is_full() const;
  const rtd::v1::ClientFrame& frame() const { return *frame_; }

 private:
  struct Memory;

  std::unique_ptr<Memory> memory_;
  rtd::v1::ClientFrame* frame_ = nullptr;  // in memory_
  size_t count_ = 0;
  size_t bytes_ = 0;  // at least what the frame takes on the wire
};

// `status` is not ok.
void EncodeError(const absl::Status& status, rtd::v1::Error* error);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_GRPC_COMMAND_ENCODER_H_
