// EventFrame: events of a session, gathered into one ServerFrame.
//
// Threading: one thread at a time. Ownership: owns the message.
#ifndef ASCEND_SERVER_SESSION_REPLY_ENCODER_H_
#define ASCEND_SERVER_SESSION_REPLY_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/base/handle.h"
#include "core/base/ids.h"
#include "core/command/reply.h"
#include "server/machine_host.h"

namespace ascend::rtd::v1 {
class Device;
class HelloReply;
class ServerFrame;
}  // namespace ascend::rtd::v1

namespace ascend::server {

class EventFrame {
 public:
  EventFrame();
  ~EventFrame();
  EventFrame(EventFrame&&) noexcept;
  EventFrame& operator=(EventFrame&&) noexcept;

  void AddHello(std::unique_ptr<rtd::v1::HelloReply> hello);
  void AddReply(core::Reply reply);
  void AddHostData(core::Ticket ticket, std::string bytes);
  void AddTransferDue(core::Ticket ticket);
  void AddHostFunctionDue(core::Ticket ticket, core::Tick tick);
  void AddTaskFailed(const core::TaskFailure& failure);
  // Counts are cumulative, so a later one of the same stream takes the place of
  // one that is the last event so far.
  void AddProgress(core::StreamHandle stream, uint64_t retired);
  void AddEnded(const absl::Status& why);

  bool empty() const;
  // About what the frame takes in memory; for bounds, not for the wire.
  size_t memory_bytes() const { return memory_bytes_; }
  const rtd::v1::ServerFrame& message() const { return *message_; }

 private:
  std::unique_ptr<rtd::v1::ServerFrame> message_;
  size_t memory_bytes_ = 0;
};

// The device as clients and operators are told of it.
void EncodeDevice(const core::DeviceSpec& spec, rtd::v1::Device* device);

// Everything in HelloReply that follows from the host's options: devices,
// limits and host costs.
void EncodeMachine(const core::MachineOptions& machine,
                   rtd::v1::HelloReply* hello);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_SESSION_REPLY_ENCODER_H_
