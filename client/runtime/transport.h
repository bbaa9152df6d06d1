// Transport: how the client library reaches a daemon.
//
// The runtime makes core::Commands in ticket order and posts them; the
// transport carries them, batching by itself: a command leaves at once when
// nothing is being written, else with the next write. Replies and other events
// come back through TransportSink on the completion thread: a thread of the
// transport or, meanwhile, one of the program that waits for a reply. There is
// one at a time.
//
// The gRPC transport is a plug-in (client/grpc), a shared object of its own, so
// that libascendcl.so drags neither gRPC nor protobuf into a user's program. It
// is loaded with its symbols kept to itself and found by
// kTransportFactorySymbol. The interface is C++: library and plug-in are built
// and installed together, which kTransportAbi confirms at load.
//
// Threading: stated per method. Ownership: the runtime owns the transport and
// the sink, and destroys the transport first.
#ifndef ASCEND_CLIENT_RUNTIME_TRANSPORT_H_
#define ASCEND_CLIENT_RUNTIME_TRANSPORT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "core/base/ids.h"
#include "core/base/sync.h"
#include "core/command/command.h"
#include "core/command/reply.h"

namespace ascend::client {

// Grows with every change of this header that breaks a plug-in.
inline constexpr uint32_t kTransportAbi = 4;
inline constexpr char kTransportFactorySymbol[] = "ascend_rtd_create_transport";

// What the daemon says of one device (proto/ascend/rtd/v1/device.proto).
struct DeviceDescription {
  std::string soc_name;
  uint32_t arch = 0;
  uint32_t ai_cores = 0;
  uint32_t cube_cores = 0;
  uint32_t vector_cores = 0;
  uint32_t ai_cpus = 0;
  uint64_t hbm_bytes = 0;
  uint64_t l2_bytes = 0;
};

// What the daemon says at hello.
struct ServerDescription {
  uint64_t session = 0;
  std::string daemon_version;
  std::vector<DeviceDescription> devices;
  uint32_t streams_max = 0;   // per device
  uint32_t stream_depth = 0;  // tasks in flight per stream
  uint32_t events_max = 0;    // per device
  uint32_t notifies_max = 0;  // per device
  core::Tick tick = 0;        // the device clock
  core::Tick launch_ticks = 0;
  core::Tick launch_fast_ticks = 0;
  core::Tick alloc_ticks = 0;
  core::Tick poll_ticks = 0;
  core::Tick sync_wake_ticks = 0;
  core::Tick sync_wake_fast_ticks = 0;
};

struct TransportOptions {
  // "unix:PATH" or "HOST:PORT".
  std::string address;
  std::string client_version;
  std::string program;  // for display by operators
};

// Called on the completion thread, in the daemon's order; must not block and
// must not call Transport methods other than FinishDownload.
class TransportSink {
 public:
  virtual ~TransportSink() = default;
  // Whether a thread waits for a reply. Any thread.
  virtual bool IsAwaited() = 0;
  virtual void OnReply(core::Reply reply) = 0;
  // Bytes of the device-to-host copy `ticket`, from `offset` on. Chunks of one
  // ticket come in order; those of large copies may come on another thread than
  // the rest, but never two calls for one ticket at once.
  virtual void OnHostData(core::Ticket ticket, uint64_t offset,
                          std::span<const std::byte> bytes) = 0;
  // The daemon could not send the rest of the copy.
  virtual void OnHostDataFailed(core::Ticket ticket, absl::Status why) = 0;
  // The host-to-device copy `ticket` runs now: send its bytes by
  // Transport::SendUpload from another thread.
  virtual void OnTransferDue(core::Ticket ticket) = 0;
  virtual void OnStreamProgress(core::StreamHandle stream,
                                uint64_t retired) = 0;
  // The turn of the host function `ticket` has come: call it on another thread.
  virtual void OnHostFunctionDue(core::Ticket ticket, core::Tick tick) = 0;
  virtual void OnTaskFailed(core::TaskFailure failure) = 0;
  // The session is over; `why` is kConnectionLost or what the daemon said.
  // Called at most once, nothing follows, later posts are dropped.
  virtual void OnLost(absl::Status why) = 0;
};

// Until when to wait; no value: for ever.
using Deadline = absl::optional<core::CondVar::Clock::time_point>;

class Transport {
 public:
  virtual ~Transport() = default;

  // Connects and says hello; waits at most a few seconds. Errors:
  // kConnectionLost with one sentence that says what to do (nobody listens,
  // no permission, wrong version).
  virtual absl::StatusOr<ServerDescription> Open() = 0;

  // Posts one command. Never waits for a reply; may wait for room when the
  // daemon takes nothing in. Calls come one at a time (the runtime's order
  // mutex) and in ticket order.
  virtual void Post(core::Command command) = 0;

  // The caller waits for a reply. It may become the completion thread while
  // `goes_on`, and until `deadline`; or this returns at once, since another
  // thread is. Any thread but the completion thread.
  virtual void ReadWhile(absl::FunctionRef<bool()> goes_on,
                         Deadline deadline) = 0;

  // Sends the bytes of an upload that is due, in chunks. Any thread but the
  // completion thread; blocks until all has been handed to the system.
  virtual absl::Status SendUpload(core::Ticket ticket,
                                  std::span<const std::byte> bytes) = 0;
  // Tells the daemon that the upload's bytes cannot be had.
  virtual void FailUpload(core::Ticket ticket, absl::Status why) = 0;

  // Acknowledges a large device-to-host copy: all its bytes are in place, or
  // `status` says why not. Any thread.
  virtual void FinishDownload(core::Ticket ticket, absl::Status status) = 0;

  // Says goodbye and waits, for a bounded time, until everything posted has
  // left. Not on the completion thread. No sink call follows its return.
  virtual void Close() = 0;
};

// The type of kTransportFactorySymbol. Null when `abi` is not kTransportAbi.
using TransportFactory = Transport* (*)(uint32_t abi,
                                        const TransportOptions* options,
                                        TransportSink* sink);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_TRANSPORT_H_
