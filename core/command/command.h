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
// simulated clock after it paid for the call. The machine takes each command at
// the later of its stamp and the device clock, those of a lane in ticket order.
// Lanes overtake each other: whose stamp is smaller comes first, whatever the
// tickets. So a stamp must tell what a call depends on: it is later than the
// stamps of earlier calls that touched the same object, and for a call that
// concerns the whole session, later than all earlier stamps (client Lane).
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

// How far a command's stamp may be ahead of the clock when the command before
// it has been taken in. An hour is far beyond any cost that a call charges to
// its lane; a program that declares more host time than that between two calls
// has to declare it in pieces.
inline constexpr Tick kStampLeadMax = 3600 * kTicksPerSecond;

// --- Contexts and streams ---------------------------------------------------

// The least urgent priority of a stream; 0 is the most urgent.
inline constexpr uint32_t kPriorityLeast = 7;

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

// Request. Drops the tasks of the stream that have not started and replies when
// the one that runs has ended. Whoever synchronises with the stream then, or
// next, gets kStreamAborted, once; the stream goes on to be used.
struct AbortStream {
  StreamHandle stream;
};

// Posted. For tasks that have no units yet.
struct SetStreamPriority {
  StreamHandle stream;
  uint32_t priority = 0;  // 0 (most urgent) to 7
};

// Posted. From now on a task of the stream that fails stops its context: what
// has not started in the context's streams is dropped, and all that comes later
// fails with the same error.
struct StopContextOnFailure {
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

// --- Notifies ---------------------------------------------------------------

// A notify is a flag on a device: a record sets it, a wait goes on when it is
// set and clears it. Several waits are served in the order in which they came
// to the head of their streams, one per record.

// Posted.
struct CreateNotify {
  NotifyHandle notify;
  DeviceId device;
};

// Posted. Records and waits that are in streams keep the notify for themselves.
struct DestroyNotify {
  NotifyHandle notify;
};

// Posted. Sets the notify when the work that is in `stream` is done.
struct RecordNotify {
  NotifyHandle notify;
  StreamHandle stream;
};

// Posted. Later work in `stream` starts when the notify is set; clears it.
// Fails as WaitEvent does.
struct WaitNotify {
  StreamHandle stream;
  NotifyHandle notify;
  Tick timeout_ticks = 0;  // 0: for ever
};

// --- Words of device memory -------------------------------------------------

// How the word in memory must stand to the value of a wait.
enum class WordCondition : uint8_t {
  kGreaterOrEqual,  // int64(word - value) >= 0
  kEqual,           // word == value
  kAnd,             // (word & value) != 0
  kNor,             // ~(word | value) != 0
};

// Posted. Later work in `stream` starts once the 64-bit word at `address`
// (8-byte aligned device memory, little endian) meets the condition. Looked at
// when the wait is at the head of its stream, and whenever work of the session
// that may have written there has ended.
struct WaitWord {
  StreamHandle stream;
  uint64_t address = 0;
  uint64_t value = 0;
  WordCondition condition = WordCondition::kGreaterOrEqual;
};

// --- Functions of the host --------------------------------------------------

// Posted. When its turn in the stream comes, the client is told that the
// function of this ticket is due. With `is_awaited`, later work in the stream
// starts after its HostFunctionDone.
struct HostFunction {
  StreamHandle stream;
  bool is_awaited = true;
};

// Posted. The awaited function of `ticket`, which is due, has returned.
struct HostFunctionDone {
  Ticket ticket;
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

// Request. Replies when `retired` tasks of the stream have retired since it was
// made: a lane that found the stream full waits so, and the clock knows.
struct AwaitProgress {
  StreamHandle stream;
  uint64_t retired = 0;
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
  bool is_padded = true;  // false: reserves no 32 bytes behind it
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

// Request: UtilizationReply. How busy the device was since this session asked
// last, or opened.
struct QueryUtilization {
  DeviceId device;
};

// The largest copy of rows (aclrtMemcpy2d).
inline constexpr uint64_t kRowBytesMax = 5'000'000;
inline constexpr uint64_t kRowCountMax = 5 * 1024 * 1024;
// The largest pitch of rows: so no product of these leaves 64 bits.
inline constexpr uint64_t kPitchBytesMax = uint64_t{1} << 40;

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
// With rows > 1 it copies so many rows of `bytes` each, that begin a pitch
// apart; host bytes travel without the gaps between them.
struct Copy {
  StreamHandle stream;  // null: not in a stream
  CopyKind kind = CopyKind::kHostToDevice;
  uint64_t target = 0;
  uint64_t source = 0;
  uint64_t bytes = 0;  // of a row
  std::string inline_data;
  bool wants_reply = false;
  uint64_t rows = 1;
  uint64_t target_pitch = 0;  // with rows > 1; of the device's side or sides
  uint64_t source_pitch = 0;
  // The host's CPU stores or loads the bytes, instead of a DMA unit: takes the
  // time of that. Not within the device.
  bool is_by_cpu = false;
};

// Sets [address, address + bytes) to copies of the low `value_bytes` bytes of
// `value`, little endian. Request when `wants_reply`.
struct Fill {
  StreamHandle stream;  // null: not in a stream
  uint64_t address = 0;
  uint64_t bytes = 0;  // a multiple of value_bytes
  uint32_t value = 0;
  uint32_t value_bytes = 1;  // 1 or 4; address is aligned to it
  bool wants_reply = false;
  bool is_timing_only = false;  // takes its time and changes nothing
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
  // Takes its time and computes nothing. Not with args_address: what the kernel
  // costs would be in memory that nothing has computed.
  bool is_timing_only = false;
};

// --- Simulated time ---------------------------------------------------------

// The largest group of lanes that run an experiment together.
inline constexpr uint32_t kParticipantsMax = 4096;

// Request. The lane takes part in a run of `participants` lanes, of any
// sessions, as number `rank`, 0 to participants - 1. Answered to all of them at
// one tick when all have joined. What earlier work has left behind is forgotten
// then (which kernel a unit worked for, what tenants have had, when a stream
// last worked), so that, if the devices are idle, nothing but the participants'
// commands and ranks decides what happens when. Errors: kInvalidArgument, when
// the rank is taken, another number of participants is expected or a run is
// under way.
struct JoinClock {
  uint32_t participants = 1;
  uint32_t rank = 0;
};

// Posted. The lane submits nothing before its next command: the clock goes on
// without it. `is_for_good`: its part in the run is over.
struct LeaveClock {
  bool is_for_good = false;
};

// Request: ClockReply.
struct QueryClock {};

using Operation =
    std::variant<CreateContext, DestroyContext, CreateStream, DestroyStream,
                 QueryStream, CreateEvent, DestroyEvent, RecordEvent,
                 ResetEvent, WaitEvent, QueryEvent, Synchronize, CancelWait,
                 Malloc, Free, MemInfo, Copy, Fill, LoadPackage, Launch,
                 AbortStream, SetStreamPriority, StopContextOnFailure,
                 CreateNotify, DestroyNotify, RecordNotify, WaitNotify,
                 WaitWord, HostFunction, HostFunctionDone, QueryUtilization,
                 JoinClock, LeaveClock, QueryClock, AwaitProgress>;

struct Command {
  Ticket ticket;
  LaneId lane;
  Tick stamp = 0;
  Operation operation;
};

// Whether rows, bytes and pitches are within their bounds and no row overlaps
// the next one.
bool HasLegalRows(const Copy& copy);

// Whether a Reply follows.
bool IsRequest(const Operation& operation);

// What the operation carries besides its fields: inline data, arguments, names.
uint64_t PayloadBytes(const Operation& operation);

// "Launch", for logs and messages.
absl::string_view OperationName(const Operation& operation);

}  // namespace ascend::core

#endif  // ASCEND_CORE_COMMAND_COMMAND_H_
