// Command: what a session asks of the machine, as plain data.
//
// One definition serves both ends: the client library makes commands, a
// transport carries them (as protobuf over gRPC, as they are inside one
// process), the server decodes and checks them, and `core::Machine` carries
// them out. Two kinds: a *posted* command has no reply, its errors stay with
// its stream; a *request* is answered by exactly one Reply with its ticket.
//
// Every command says where it stands: `ticket`, the position of the call in
// its session's order of calls; `lane`, the client thread; `stamp`, the lane's
// simulated clock after it paid for the call. The machine takes a session's
// commands in ticket order, each at the later of its stamp and the device
// clock.
//
// Handles are chosen by the client. A command that names a handle which is not
// live, or creates one twice, is something no client of ours sends: it ends the
// session. Sizes and addresses are checked and answered with an error.
//
// Threading: value types.
#ifndef ASCEND_CORE_COMMAND_COMMAND_H_
#define ASCEND_CORE_COMMAND_COMMAND_H_

#include <cstdint>
#include <string>
#include <variant>

#include "absl/strings/string_view.h"
#include "core/base/handle.h"
#include "core/base/ids.h"
#include "core/sim/tick.h"

namespace ascend::core {

// Host bytes of at most this many travel inside the command or its reply;
// larger ones are streamed when the copy runs (see Copy).
inline constexpr uint64_t kInlineBytesMax = 64 * 1024;
// The largest argument block of a launch.
inline constexpr uint64_t kLaunchArgsBytesMax = 8 * 1024;

// --- Contexts and streams ---------------------------------------------------

// Request. Makes a context on `device`, with `default_stream`.
struct CreateContext {
  ContextHandle context;
  DeviceId device;
  StreamHandle default_stream;
};

// Request. Replies when the streams of the context have drained and are gone;
// `force` drops tasks that have not started.
struct DestroyContext {
  ContextHandle context;
  bool force = false;
};

// Request. Errors: kStreamsExhausted.
struct CreateStream {
  StreamHandle stream;
  ContextHandle context;
  uint32_t priority = 0;  // 0 (most urgent) to 7
  bool fast_launch = false;
  bool fast_sync = false;
};

// Request. Replies when the stream has drained; `force` drops tasks that have
// not started.
struct DestroyStream {
  StreamHandle stream;
  bool force = false;
};

// Request, answered at once: QueryReply.
struct QueryStream {
  StreamHandle stream;
};

// --- Events -----------------------------------------------------------------

// Posted.
struct CreateEvent {
  EventHandle event;
  DeviceId device;
};

// Posted. Tasks that wait for the event keep what they wait for.
struct DestroyEvent {
  EventHandle event;
};

// Posted. The event now stands for the end of the work that is in `stream`.
struct RecordEvent {
  EventHandle event;
  StreamHandle stream;
};

// Posted. Takes the latest record back: once this task is done, the event
// counts as never recorded, unless it was recorded anew behind this command.
struct ResetEvent {
  EventHandle event;
  StreamHandle stream;
};

// Posted. Later work in `stream` starts after the latest record of `event`, as
// of this command. An event that was never recorded, or was reset, does not
// block. The wait fails when it has lasted for `timeout_ticks`, of device time
// and of the host's.
struct WaitEvent {
  StreamHandle stream;
  EventHandle event;
  Tick timeout_ticks = 0;  // 0: for ever
};

// Request, answered at once: EventReply.
struct QueryEvent {
  EventHandle event;
};

// --- Waiting ----------------------------------------------------------------

// Request. Replies once all work submitted to the target before this command
// is done, with the first asynchronous error of it not yet reported.
struct Synchronize {
  enum class Target : uint8_t { kStream, kEvent, kContext, kDevice };
  Target target = Target::kStream;
  StreamHandle stream;
  EventHandle event;
  ContextHandle context;
  DeviceId device;
};

// Posted. The client gave up waiting for the request `ticket` (its time-out is
// wall time); no reply to it will follow unless it is already on its way.
struct CancelWait {
  Ticket ticket;
};

// --- Memory -----------------------------------------------------------------

// Page policy of an allocation; the numbers are aclrtMemMallocPolicy's.
using MallocPolicyNumber = uint32_t;

// Request: MallocReply. Errors: kOutOfDeviceMemory.
struct Malloc {
  DeviceId device;
  uint64_t bytes = 0;
  MallocPolicyNumber policy = 0;
};

// Posted. The client checked that `address` is the base of a live allocation
// of its own; anything else ends the session.
struct Free {
  uint64_t address = 0;
};

// Request: MemInfoReply.
struct MemInfo {
  DeviceId device;
};

enum class CopyKind : uint8_t { kHostToDevice, kDeviceToHost, kDeviceToDevice };

// Request when `wants_reply` (a synchronous copy), else posted.
// With a stream it is a task of it; without one it runs at once. `target` and
// `source` are device addresses; the host's side has no address here:
//   host to device: `inline_data` holds the bytes, or, when it is empty, the
//     transport is asked for them when the copy runs (TransferDue) and sends
//     them in chunks;
//   device to host: the bytes come back before the reply or the fence does, in
//     HostData of this ticket: at once when bytes <= kInlineBytesMax, else in
//     chunks that the client acknowledges.
struct Copy {
  StreamHandle stream;  // null: not in a stream
  CopyKind kind = CopyKind::kHostToDevice;
  uint64_t target = 0;
  uint64_t source = 0;
  uint64_t bytes = 0;
  std::string inline_data;
  bool wants_reply = false;
};

// Sets [address, address + bytes) to `value`. Request when `wants_reply`.
struct Fill {
  StreamHandle stream;  // null: not in a stream
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint8_t value = 0;
  bool wants_reply = false;
};

// --- Kernels ----------------------------------------------------------------

// Request: PackageReply. `name` is "builtin:ops"; others: kUnknownKernel.
struct LoadPackage {
  std::string name;
};

// Posted. The argument block is `args`, or, when `args_address` is not 0, the
// `args_bytes` bytes there in device memory as of the kernel's start.
struct Launch {
  StreamHandle stream;
  uint32_t kernel = 0;  // KernelId from PackageReply
  uint32_t num_blocks = 0;
  std::string args;
  uint64_t args_address = 0;
  uint64_t args_bytes = 0;
};

using Operation =
    std::variant<CreateContext, DestroyContext, CreateStream, DestroyStream,
                 QueryStream, CreateEvent, DestroyEvent, RecordEvent,
                 ResetEvent, WaitEvent, QueryEvent, Synchronize, CancelWait,
                 Malloc, Free, MemInfo, Copy, Fill, LoadPackage, Launch>;

struct Command {
  Ticket ticket;
  LaneId lane;
  Tick stamp = 0;
  Operation operation;
};

// Whether a Reply follows.
bool IsRequest(const Operation& operation);

// What the operation carries besides its fields: inline data, arguments, names.
uint64_t PayloadBytes(const Operation& operation);

// "Launch", for logs and messages.
absl::string_view OperationName(const Operation& operation);

}  // namespace ascend::core

#endif  // ASCEND_CORE_COMMAND_COMMAND_H_
