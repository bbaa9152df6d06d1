// SessionSink and BulkSink: how a session's transport hears from the daemon.
//
// A transport (server/rpc, or the in-process one of the tests) gives one
// SessionSink per session to MachineHost::OpenSession, and, when the client
// opens its bulk stream, one BulkSink.
//
// Threading: the events of a SessionSink come one at a time, in a turn of the
// host (machine_host.h) on any thread; Flush and OnDrained come on any thread
// outside a turn, also while the next turn's events come. BulkSink is called on
// threads of the copy pool. None may block. Ownership: shared with the host,
// which lets go of both soon after OnEnded.
#ifndef ASCEND_SERVER_SESSION_SINK_H_
#define ASCEND_SERVER_SESSION_SINK_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "core/base/ids.h"
#include "core/command/reply.h"
#include "server/bulk_bytes.h"

namespace ascend::server {

class SessionSink {
 public:
  virtual ~SessionSink() = default;

  // The events of proto/ascend/rtd/v1/session.proto, in order. They may be
  // kept back until Flush.
  virtual void OnReply(core::Reply reply) = 0;
  virtual void OnHostData(core::Ticket ticket, std::string bytes) = 0;
  virtual void OnTransferDue(core::Ticket ticket) = 0;
  virtual void OnStreamProgress(core::StreamHandle stream,
                                uint64_t retired) = 0;
  virtual void OnHostFunctionDue(core::Ticket ticket, core::Tick tick) = 0;
  virtual void OnTaskFailed(core::TaskFailure failure) = 0;

  // In a turn: whether the host may read `bytes` of device memory for
  // OnHostData. False: enough waits for the client to read it; once some of
  // that has left, the transport calls MachineHost::OnRoom.
  virtual bool HasRoom(uint64_t bytes) {
    (void)bytes;
    return true;
  }

  // After a turn in which at least one of the above was called.
  virtual void Flush() = 0;

  // The host has room for commands again; a transport that held back its
  // reading (MachineHost::Post) goes on. May be called for nothing.
  virtual void OnDrained() = 0;

  // The daemon ends the session (protocol violation, shutdown): `why` is for
  // the client. Not called when CloseSession ended it. Called in a
  // turn. Nothing follows, not even a Flush of what was kept back.
  virtual void OnEnded(absl::Status why) = 0;
};

class BulkSink {
 public:
  virtual ~BulkSink() = default;

  // Sends one chunk of the device-to-host copy `ticket`. `sent` is called once,
  // on any thread, when the chunk has left or can no longer leave; the host
  // keeps a bounded number of chunks in flight.
  virtual void SendChunk(core::Ticket ticket, uint64_t offset, BulkBytes bytes,
                         std::function<void()> sent) = 0;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_SESSION_SINK_H_
