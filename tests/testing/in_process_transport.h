// InProcessTransport: a client::Transport to a MachineHost of this process, for
// tests of the whole path without gRPC (under the thread sanitizer above all).
//
// It means what the gRPC transport means. Commands are posted as they are made;
// a session that the host asks to pause waits in Post. Events are handed to the
// sink on a completion thread of its own, whole turns at a time. The bytes of
// uploads leave in chunks, a bounded number under way, when the host says that
// the copy runs; downloads arrive in chunks and end with the client's
// acknowledgement.
//
// Threading: as Transport says. Ownership: borrows the host and the sink, which
// outlive it; the host shares its ear for as long as it may call it.
#ifndef ASCEND_TESTS_TESTING_IN_PROCESS_TRANSPORT_H_
#define ASCEND_TESTS_TESTING_IN_PROCESS_TRANSPORT_H_

#include <memory>
#include <span>

#include "client/runtime/connection.h"
#include "client/runtime/transport.h"
#include "server/machine_host.h"

namespace ascend::testing {

class InProcessTransport final : public client::Transport {
 public:
  InProcessTransport(server::MachineHost& host, client::TransportSink* sink);
  ~InProcessTransport() override;

  absl::StatusOr<client::ServerDescription> Open() override;
  void Post(core::Command command) override;
  void ReadWhile(absl::FunctionRef<bool()>, client::Deadline) override {}
  absl::Status SendUpload(core::Ticket ticket,
                          std::span<const std::byte> bytes) override;
  void FailUpload(core::Ticket ticket, absl::Status why) override;
  void FinishDownload(core::Ticket ticket, absl::Status status) override;
  void Close() override;

 private:
  class Ear;

  server::MachineHost& host_;
  const std::shared_ptr<Ear> ear_;
  core::SessionId session_;
  bool is_open_ = false;
};

// Makes such transports to `host`.
client::ConnectionMaker InProcessConnections(server::MachineHost& host);

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_TESTING_IN_PROCESS_TRANSPORT_H_
