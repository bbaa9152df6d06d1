// ClientRuntime: AscendCL's meaning, without its C spelling.
//
// Life of a posted call, say a launch. (1) The stream's gauge shows room, or
// the call waits for it, holding nothing. (2) Under the order mutex the handles
// are looked up and checked, the next ticket is taken, the lane's clock pays
// and becomes the stamp, and the command is posted: so tickets are in the order
// of the calls, and nothing is checked against a state that a later ticket
// changed. (3) The call returns; no reply comes. The daemon's progress reports
// raise the gauge; errors wait in the stream.
//
// Life of a request, say a synchronisation. (1) as above, but a PendingReply is
// registered under its ticket before it is posted. (2) The order mutex is
// released and the thread waits. (3) The completion thread delivers the reply;
// the thread's clock moves to the tick at which it was decided.
//
// Bulk bytes do not travel with commands. A copy to the device of more than
// kInlineBytesMax is announced; when the daemon says that it runs, its bytes
// are sent by the calling thread if that waits, else by the copy thread.
//
// The process has one runtime, which is never destroyed: threads of transports
// may outlive main, and a program may exit in the middle of anything. It
// connects at the first call that needs a device, and again after a finalize.
// A lost connection is an error that stays until then. A process forked from a
// connected one cannot use it: its calls fail, its parent's go on.
//
// Threading: all public methods on any thread. Lock order: connect mutex, order
// mutex, then the leaves (reply table, transfer table, gauges, host memory).
// The completion thread takes only leaves. Callbacks of the program are called
// with none of them held.
// Ownership: owns sessions, objects and memory tables.
#ifndef ASCEND_CLIENT_RUNTIME_CLIENT_RUNTIME_H_
#define ASCEND_CLIENT_RUNTIME_CLIENT_RUNTIME_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "acl/types/device.h"
#include "acl/types/stream.h"
#include "client/runtime/argument_lists.h"
#include "client/runtime/callback_thread.h"
#include "client/runtime/device_memory.h"
#include "client/runtime/handle_map.h"
#include "client/runtime/host_memory.h"
#include "client/runtime/leak_check.h"
#include "client/runtime/named_callbacks.h"
#include "client/runtime/objects.h"
#include "client/runtime/session.h"
#include "client/runtime/visible_devices.h"
#include "core/base/pitched_bytes.h"
#include "core/base/sync.h"

namespace ascend::client {

// How long a synchronisation may take; no value: for ever.
using Timeout = absl::optional<std::chrono::milliseconds>;

struct StreamOptions {
  uint32_t priority = 0;
  uint32_t flags = 0;  // ACL_STREAM_*
};

struct StreamInfo {
  uint32_t id = 0;  // small, and of no other stream of the process
  StreamOptions options;
};

struct EventOptions {
  uint32_t flags = 0;  // ACL_EVENT_*
  bool is_rerecordable = false;
};

enum class EventState { kNeverRecorded, kPending, kComplete };

struct EventInfo {
  EventState state = EventState::kNeverRecorded;
  core::Tick record_tick = 0;  // when complete
  uint32_t flags = 0;
  bool is_rerecordable = false;
  bool is_awaited = false;  // a stream still waits for it
};

// What the caller says of the two ends of an asynchronous copy.
enum class StatedKind {
  kHostToHost,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kInfer,
  kHostToBufferToDevice,
};

// The low `bytes` bytes of `value`, little endian.
struct FillValue {
  uint32_t value = 0;
  uint32_t bytes = 1;  // 1 or 4
};

struct CopyRequest {
  void* target = nullptr;
  const void* source = nullptr;
  uint64_t bytes = 0;         // of a row; > 0
  uint64_t rows = 1;          // > 0
  uint64_t target_pitch = 0;  // with rows > 1, at least `bytes`
  uint64_t source_pitch = 0;
  bool is_by_cpu = false;  // between host and device, not asynchronous

  core::PitchedBytes target_rows() const {
    return {static_cast<std::byte*>(target), bytes, rows, target_pitch};
  }
  // To be read only.
  core::PitchedBytes source_rows() const {
    return {static_cast<std::byte*>(const_cast<void*>(source)), bytes, rows,
            source_pitch};
  }
};

struct PointerInfo {
  enum class Place { kUnknown, kPageLockedHost, kDevice };
  Place place = Place::kUnknown;
  int32_t device = 0;
  uint32_t page_bytes = 0;  // 0: unknown
};

// target = target op source.
struct ReduceRequest {
  void* target = nullptr;
  const void* source = nullptr;
  uint64_t count = 0;  // > 0
  uint64_t element_bytes = 0;
  int32_t data_type = 0;   // ASCRT_DT_*
  uint32_t operation = 0;  // ASCRT_REDUCE_*
};

// Exactly one of `host_args` and `device_args` is there.
struct LaunchRequest {
  void* function = nullptr;
  uint32_t num_blocks = 0;
  void* stream = nullptr;
  std::string host_args;
  uint64_t device_args = 0;
  uint64_t device_args_bytes = 0;
  bool is_timing_only = false;
  std::vector<PlaceHolder> place_holders;  // in `host_args`
};

// A task that failed, for exception callbacks. What is not known is all ones.
struct TaskException {
  uint32_t task = ~uint32_t{0};  // in its stream, from 1
  uint32_t stream = ~uint32_t{0};
  uint32_t thread = ~uint32_t{0};  // of the system, that posted it
  uint32_t device = ~uint32_t{0};
  absl::Status status;
};
using ExceptionListener = void (*)(const TaskException& exception);

class ClientRuntime {
 public:
  static ClientRuntime& Get();

  explicit ClientRuntime(ConnectionMaker make_connection);
  // For runtimes of tests; says goodbye.
  ~ClientRuntime();
  ClientRuntime(const ClientRuntime&) = delete;
  ClientRuntime& operator=(const ClientRuntime&) = delete;

  // --- Process (process.cc) -------------------------------------------------

  enum class InitOutcome {
    kFirst,
    kRepeated,  // counted
    kUnreadable,
    kNotJson,
    kOtherFile,  // differs from the file of the first initialisation
  };
  // An empty path: no file.
  InitOutcome Init(const std::string& config_path);
  // The file's text, of the first initialisation.
  std::string ConfigText();
  // Tears down whatever the count is, after `before_end`, in which the runtime
  // still counts as initialised; users that come meanwhile end with the others.
  // False: the count is 0, or the end has begun.
  bool Finalize(absl::FunctionRef<void()> before_end = [] {});
  // Counts one user less and tears down at 0, as above.
  bool Release(
      uint64_t* remaining, absl::FunctionRef<void()> before_end = [] {});

  // In a child of fork: all further calls fail.
  void Poison();

  // Says what the program did not give back, if it asked (leak_check.h).
  void ReportLeaks();
  bool checks_leaks() const { return checks_leaks_; }

  // --- Devices and contexts (devices.cc) ------------------------------------
  // Numbers of devices are those of visible_devices.h.

  // Errors: kDeviceListRepeats.
  absl::StatusOr<uint32_t> DeviceCount();
  // The daemon's number of a visible device, and back. Errors: kUnknownDevice.
  absl::StatusOr<int32_t> DaemonDevice(int64_t device);
  absl::StatusOr<int32_t> VisibleDevice(int64_t daemon_device);
  absl::Status CheckDaemonDevice(int64_t daemon_device);
  // Errors: kUnknownDevice.
  absl::StatusOr<DeviceDescription> Describe(int64_t device);
  absl::Status SetDevice(int32_t device);
  // Errors: kUnknownDevice, kDeviceNotSet.
  absl::Status ResetDevice(int32_t device, bool ignore_count);
  absl::StatusOr<int32_t> CurrentDevice();
  absl::StatusOr<bool> HasPrimaryContext(int32_t device);

  absl::StatusOr<void*> CreateContext(int32_t device);
  absl::Status DestroyContext(void* context);
  absl::Status SetCurrentContext(void* context);
  absl::StatusOr<void*> CurrentContext();
  absl::StatusOr<void*> CurrentDefaultStream();
  absl::Status SynchronizeDevice(Timeout timeout);

  // Told of every device that is set or reset and every stream that comes or
  // goes by a call of the program; not of what ends with the session.
  NamedCallbacks<aclrtDeviceStateCallback>& device_callbacks() {
    return device_callbacks_;
  }
  NamedCallbacks<aclrtStreamStateCallback>& stream_callbacks() {
    return stream_callbacks_;
  }

  // --- Access of devices to each other's memory (peers.cc) ------------------

  // Errors: kUnknownDevice; kInvalidArgument when they are one.
  absl::Status CheckPeers(int32_t device, int32_t peer);
  absl::StatusOr<bool> IsPeerAccessEnabled(int32_t device, int32_t peer);
  // From the current device to `peer`. Errors: as above, and kInvalidArgument
  // when what is to be disabled is not enabled.
  absl::Status EnablePeerAccess(int32_t peer, bool is_enabled);

  // --- Streams (streams.cc); null: the current context's default stream -----

  absl::StatusOr<void*> CreateStream(const StreamOptions& options);
  absl::Status DestroyStream(void* stream, bool force);
  absl::Status SynchronizeStream(void* stream, Timeout timeout);
  absl::StatusOr<bool> IsStreamComplete(void* stream);
  // Drops what has not started and waits for the task that runs.
  absl::Status AbortStream(void* stream);
  // A task of the stream that fails stops its context. Errors:
  // kInvalidArgument the second time.
  absl::Status StopContextOnFailure(void* stream);
  absl::StatusOr<bool> StopsContextOnFailure(void* stream);
  // Of ACL_STREAM_ATTR_*, what is only kept for the program: 0 until set.
  absl::Status SetStreamNote(void* stream, int attribute, uint32_t value);
  absl::StatusOr<uint32_t> StreamNote(void* stream, int attribute);
  // Errors: kInvalidArgument for a default stream.
  absl::Status SetStreamPriority(void* stream, uint32_t priority);
  absl::StatusOr<StreamInfo> DescribeStream(void* stream);
  // How many more streams the process may have on the current device.
  absl::StatusOr<uint32_t> StreamsLeft();
  // The number, in its stream, of the task that this thread posted last; 0:
  // none in this session.
  absl::StatusOr<uint32_t> LastTaskOfThread();

  // --- Events (events.cc) ---------------------------------------------------

  absl::StatusOr<void*> CreateEvent(const EventOptions& options);
  absl::Status DestroyEvent(void* event);
  absl::Status RecordEvent(void* event, void* stream);
  // Takes the record of a classic event back. Errors: kUnsupportedCombination.
  absl::Status ResetEvent(void* event, void* stream);
  // Without `seconds`: for as long as SetWaitSeconds says. 0: for ever.
  absl::Status WaitEvent(void* stream, void* event,
                         absl::optional<uint32_t> seconds = absl::nullopt);
  void SetWaitSeconds(uint32_t seconds) { wait_seconds_.store(seconds); }
  absl::StatusOr<EventInfo> QueryEvent(void* event);
  absl::Status SynchronizeEvent(void* event, Timeout timeout);
  // Milliseconds in steps of the device's 20 ns counter. Errors:
  // kEventNotRecorded, kEventWithoutTimestamp, kUnsupportedCombination.
  absl::StatusOr<float> ElapsedMilliseconds(void* start, void* end);
  // Of its record, since the start of the daemon's clock. Errors: as above.
  absl::StatusOr<uint64_t> EventMicroseconds(void* event);
  // Small, and of no other recorded event. Errors: kEventNotRecorded.
  absl::StatusOr<uint32_t> EventId(void* event);
  // How many more events can be recorded on the current device.
  absl::StatusOr<uint32_t> EventsLeft();

  // --- Notifies and words (notifies.cc)
  // ---------------------------------------

  // On the current device. Errors: kNotifiesExhausted.
  absl::StatusOr<void*> CreateNotify();
  absl::Status DestroyNotify(void* notify);
  absl::Status RecordNotify(void* notify, void* stream);
  // 0 seconds: for ever.
  absl::Status WaitNotify(void* notify, void* stream, uint32_t seconds);
  // Small, and of no other notify of the process.
  absl::StatusOr<uint32_t> NotifyId(void* notify);
  // 64-bit words of device memory. Errors: kInvalidArgument.
  absl::Status WriteWord(void* address, uint64_t value, void* stream);
  absl::Status WaitWord(void* address, uint64_t value,
                        core::WordCondition condition, void* stream);

  // --- Callbacks (callbacks.cc)
  // -----------------------------------------------

  // `function` is called when its turn in the stream comes, which waits for it.
  // Errors: kMixedCallbackStyles.
  absl::Status CallHostFunction(void* stream, void (*function)(void*),
                                void* user_data);
  // The same on the service thread of the stream. Errors: kStreamNotSubscribed.
  absl::Status CallServiceThread(void* stream, void (*function)(void*),
                                 void* user_data, bool is_awaited);
  // `thread` as pthread_self says. Errors: those of HostCalls.
  absl::Status Subscribe(uint64_t thread, void* stream);
  absl::Status Unsubscribe(uint64_t thread, void* stream);
  // Waits for the next call of this service thread and makes it. Errors:
  // kReportTimeout, kThreadNotSubscribed.
  absl::Status ServeOneCall(uint64_t thread, Timeout timeout);

  // Hears of failed tasks (core::TaskFailure says of which), on a thread of the
  // library. Null: nobody.
  void SetExceptionListener(ExceptionListener listener) {
    exception_listener_.store(listener);
  }

  // --- Limits and options (limits.cc) ----------------------------------------

  // Cores that operators should use; a limit of 0 takes the limit away. Errors:
  // kUnknownDevice, kInvalidArgument beyond the device.
  absl::Status SetDeviceCoreLimit(int32_t device, CoreKind kind,
                                  uint32_t count);
  absl::StatusOr<uint32_t> DeviceCoreLimit(int32_t device, CoreKind kind);
  absl::Status SetStreamCoreLimit(void* stream, CoreKind kind, uint32_t count);
  absl::StatusOr<uint32_t> StreamCoreLimit(void* stream, CoreKind kind);
  // Copies the stream's limits to the thread, and takes them back.
  absl::Status UseStreamLimits(void* stream);
  absl::Status UnuseStreamLimits(void* stream);
  absl::StatusOr<uint32_t> ThreadCoreLimit(CoreKind kind);

  // ACL_OPT_* of the process, 0 until set, and of the current context, no value
  // until set.
  void SetOption(int option, int64_t value);
  int64_t Option(int option);
  absl::Status SetContextOption(int option, int64_t value);
  absl::StatusOr<absl::optional<int64_t>> ContextOption(int option);

  // --- Simulated time (simulated_time.cc) ------------------------------------

  // The calling thread takes part in a run of `participants` lanes as number
  // `rank`; waits until all have joined. Errors: kInvalidArgument.
  absl::Status JoinRun(uint32_t participants, uint32_t rank);
  // The thread submits nothing until its next call; `for_good`: its part in the
  // run is over.
  absl::Status LeaveClock(bool for_good);
  // The thread has computed for so long. Errors: kInvalidArgument beyond an
  // hour.
  absl::Status AdvanceClock(core::Tick ticks);
  // What another thread did at `tick` comes before what this one does next.
  absl::Status MergeClock(core::Tick tick);
  absl::StatusOr<core::Tick> Clock();
  absl::StatusOr<core::ClockReply> DescribeRun();
  // Of the current device: kernels and fills take their time and change
  // nothing.
  absl::Status SetTimingOnly(bool is_timing_only);

  // --- Overflow (overflow.cc) ------------------------------------------------

  // Remembered, of the current device and of a stream of the current context;
  // kernels compute with infinities whatever is set.
  absl::Status SetSaturating(bool is_saturating);
  absl::StatusOr<bool> IsSaturating();
  absl::Status SetOverflowSwitch(void* stream, bool is_on);
  absl::StatusOr<bool> OverflowSwitch(void* stream);
  // A task that writes 64 bytes of device memory: no overflow.
  absl::Status ReadOverflowStatus(void* target, void* stream);
  absl::Status ResetOverflowStatus(void* stream);

  // --- Memory (memory.cc, addresses.cc) and copies (copies.cc) --------------

  // Without `device`: on the current one. Not padded: without the 32 bytes
  // behind what is asked for that others have.
  absl::StatusOr<void*> Malloc(uint64_t bytes, uint32_t policy,
                               absl::optional<uint32_t> device = absl::nullopt,
                               bool is_padded = true);
  absl::Status Free(void* address);
  HostMemory& host_memory() { return host_memory_; }
  // These wait for the device first, and free even if that has an error to
  // report, which they answer with.
  absl::Status FreeAfterDevice(void* address);
  absl::Status FreeHostAfterDevice(void* address);

  // What the device memory at `address` belongs to. Errors: kInvalidArgument.
  absl::StatusOr<Allocation> FindAllocation(const void* address);
  absl::StatusOr<PointerInfo> Classify(const void* address);
  // Whether memory is all on `device`, or without it on the host. `role` names
  // it. Errors: kUnknownDevice, kInvalidArgument.
  absl::Status CheckPlace(const void* address, uint64_t bytes,
                          absl::optional<uint32_t> device,
                          absl::string_view role);
  // Memory of the program that copies are to treat as page-locked. Errors:
  // kInvalidArgument, kHostRegistered.
  absl::Status RegisterHost(void* address, uint64_t bytes, bool is_mapped);
  absl::Status UnregisterHost(void* address);
  // The device's name of host memory. Errors: kInvalidArgument.
  absl::StatusOr<void*> DeviceAddressOfHost(void* address);
  absl::StatusOr<core::MemInfoReply> MemoryInfo();
  // Since the last call. Errors: kUnknownDevice.
  absl::StatusOr<core::UtilizationReply> Utilization(int32_t device);

  absl::Status Copy(const CopyRequest& request);
  absl::Status CopyAsync(const CopyRequest& request, StatedKind kind,
                         void* stream);
  // `bytes` is a multiple of the value's, and `target` is aligned to them.
  absl::Status Fill(void* target, uint64_t bytes, FillValue value);
  absl::Status FillAsync(void* target, uint64_t bytes, FillValue value,
                         void* stream);
  // cache_hints.cc. Errors: kInvalidArgument when the range is not allocated on
  // the stream's device.
  absl::Status HintCache(const void* address, uint64_t bytes, void* stream);
  // reductions.cc. A launch of a built-in kernel. Errors: as above.
  absl::Status ReduceAsync(const ReduceRequest& request, void* stream);

  // --- Kernels (kernels.cc) --------------------------------------------------

  absl::StatusOr<void*> LoadBinary(absl::string_view path);
  absl::Status UnloadBinary(void* binary);
  absl::StatusOr<void*> FindFunction(void* binary, absl::string_view name);
  // Kernels with entries come with binaries of the program's own: none has one
  // yet. Errors: kStaleHandle, kUnknownKernel.
  absl::StatusOr<void*> FindFunctionByEntry(void* binary, uint64_t entry);
  // Errors: kStaleHandle.
  absl::StatusOr<std::string> FunctionName(void* function);
  absl::Status Launch(LaunchRequest request);

  // Lists of arguments of `function`; CreateArgumentsAt names one by `list`.
  // Errors: kStaleHandle.
  absl::StatusOr<void*> CreateArguments(void* function);
  absl::Status CreateArgumentsAt(void* list, void* function, size_t bytes_max);
  // Calls `use` under the order mutex. Errors: kStaleHandle, or those of `use`.
  absl::Status UseArguments(void* list,
                            absl::FunctionRef<absl::Status(ArgumentList&)> use);

 private:
  struct DeviceState {
    uint32_t reference_count = 0;
    void* primary_context = nullptr;
    uint64_t recorded_event_count = 0;  // events known to the daemon
    CoreLimits core_limits{};
    bool is_saturating = false;
    bool is_timing_only = false;
    std::set<core::DeviceId> peers;  // whose memory it may copy to
  };

  // Not poisoned, and connected.
  absl::Status EnsureConnected();
  // What a call that needs a context begins with: connected, and the default
  // device of the configuration set if this thread has no context.
  absl::Status Enter();
  // The calling thread, which takes part in a run, ends.
  void OnLaneEnd();
  // After is_ending_ was set.
  void End(absl::FunctionRef<void()> before_end);
  void TearDown();

  // The session, if it is there and alive.
  absl::StatusOr<std::shared_ptr<Session>> LiveSession()
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);

  // The device of a public number. Errors: kUnknownDevice, kDeviceListRepeats.
  absl::StatusOr<core::DeviceId> FindDevice(int64_t device)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  absl::StatusOr<core::DeviceId> ConnectTo(int64_t device);
  // Of a device that is visible, since it could be set.
  int32_t NumberOf(core::DeviceId device)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);

  // Handles to objects. Errors: kStaleHandle, kNoContext.
  absl::StatusOr<Context*> FindCurrentContext()
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  // Of any context; null: the default stream of the current one.
  absl::StatusOr<Stream*> FindStream(void* stream)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  // Of the current context only: else kForeignStream.
  absl::StatusOr<Stream*> FindOwnStream(void* stream)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  absl::StatusOr<Event*> FindEvent(void* event)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  absl::StatusOr<Notify*> FindNotify(void* notify)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  absl::StatusOr<Allocation*> FindWord(void* address)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);

  // A new session: what comes back from it is for this runtime.
  void ListenTo(const std::shared_ptr<Session>& session);
  void RunHostCall(const std::shared_ptr<Session>& session, const DueCall& due)
      ABSL_LOCKS_EXCLUDED(order_mutex_);
  void TellOfException(const std::shared_ptr<Session>& session,
                       const core::TaskFailure& failure)
      ABSL_LOCKS_EXCLUDED(order_mutex_);
  // Contexts that failures have stopped take no more tasks.
  void NoteStoppedContexts(Session& session)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  // Not in a function that a stream waits for.
  absl::Status CheckMayWait() const;

  // Moves the thread's clock, and lets the daemon know if that is far.
  absl::Status SkipTime(core::Tick ticks);

  // Makes a call that puts one task into a stream of the current context: waits
  // for room, then calls `post` under the order mutex, which may refuse. `post`
  // posts one task, or none.
  using PostTask =
      absl::FunctionRef<absl::Status(Session& session, Stream& stream)>;
  absl::Status SubmitTask(void* stream, PostTask post);
  // Posts a task of `stream`, which pays for a launch.
  void PostTaskTo(Session& session, Stream& stream, core::Operation operation,
                  StampList touched)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  core::Tick LaunchCost(const Session& session, const Stream& stream) const;

  absl::Status SynchronizeDevice(core::DeviceId device, Timeout timeout);

  // Waits for a reply within `timeout`, else takes the wait back and answers
  // with `expired`.
  absl::Status AwaitSynchronize(Session& session, PendingReply& pending,
                                core::Tick wake, Timeout timeout,
                                const absl::Status& expired);

  // Makes the primary context of the device current, and it if it is not there.
  absl::Status UsePrimaryContext(core::DeviceId device);
  // Errors: kUnknownDevice, kDeviceNotSet.
  absl::StatusOr<DeviceState*> FindSetDevice(int32_t device)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  // A context that the program may destroy. Errors: kContextNotOwned.
  absl::Status CheckDestroyable(void* context)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  // Tells the callbacks of all streams of a context.
  void Announce(void* context, aclrtStreamState state);

  // A context with its default stream, which the daemon has made.
  absl::StatusOr<void*> AddContext(core::DeviceId device, bool is_primary);
  // Notes for the leak check what is in the context now.
  void NoteLeaks(const void* context, const char* end)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  // Makes a context and all that is in it stale, and asks the daemon to end it.
  struct EndingContext;
  void BeginEndContext(void* context, EndingContext& ending)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  absl::Status FinishEndContext(EndingContext& ending);

  // Names a new stream of the context; the caller tells the daemon.
  Stream& AddStream(Session& session, void* context, core::DeviceId device,
                    void** handle) ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  // One that the program may destroy.
  absl::StatusOr<Stream*> FindDestroyable(void* stream)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  // What the daemon was asked to end may still drain, so its core handle is
  // chosen again only when the daemon has said that it is gone.
  void ReleaseStream(Session& session, core::StreamHandle stream)
      ABSL_LOCKS_EXCLUDED(order_mutex_);
  // Makes an event's handle stale, telling the daemon if it knows it.
  void EndEvent(Session& session, void* event)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);

  // What the two ends of a copy are. Errors: kInvalidArgument.
  struct Endpoint;
  struct Endpoints;
  absl::StatusOr<Endpoint> Locate(const void* address, uint64_t bytes,
                                  absl::string_view role)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  absl::StatusOr<Endpoints> Locate(const CopyRequest& request)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);
  void PostQueuedCopy(Session& session, Stream& stream,
                      const CopyRequest& request, const Endpoints& endpoints,
                      bool copies_source)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);

  // addresses.cc. Errors: kInvalidArgument when the range is not allocated on
  // the stream's device; `role` names it.
  absl::Status CheckOnDeviceOf(const Stream& stream, const void* address,
                               uint64_t bytes, absl::string_view role)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);

  absl::Status LaunchWithPlaceHolders(LaunchRequest request);
  // A built-in kernel for calls that are launches. Their package is loaded once
  // a session.
  absl::StatusOr<void*> FindBuiltin(absl::string_view name);

  // The cores of a device, and how many of them the process should use.
  uint32_t CoreCount(const Session& session, core::DeviceId device,
                     CoreKind kind) const;
  uint32_t CoresFor(const Session& session, core::DeviceId device,
                    CoreKind kind, const CoreLimits& stream_limits)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_mutex_);

  const ConnectionMaker make_connection_;
  std::atomic<bool> is_poisoned_{false};
  // From the start of connecting to the end of tearing down.
  std::atomic<bool> is_in_use_{false};
  std::atomic<bool> is_connected_{false};
  std::atomic<int> lifeline_fd_{-1};

  // Serialises connecting and the making of primary contexts.
  core::Mutex connect_mutex_ ABSL_ACQUIRED_BEFORE(order_mutex_);

  core::Mutex init_mutex_;
  uint64_t init_count_ ABSL_GUARDED_BY(init_mutex_) = 0;
  bool is_ending_ ABSL_GUARDED_BY(init_mutex_) = false;
  absl::optional<std::string> first_config_ ABSL_GUARDED_BY(init_mutex_);
  // -1: none.
  std::atomic<int32_t> default_device_{-1};
  std::atomic<uint32_t> wait_seconds_{0};

  // The order mutex: see above.
  core::Mutex order_mutex_;
  std::shared_ptr<Session> session_ ABSL_GUARDED_BY(order_mutex_);
  absl::StatusOr<VisibleDevices> visible_devices_ ABSL_GUARDED_BY(order_mutex_);
  std::map<core::DeviceId, DeviceState> devices_ ABSL_GUARDED_BY(order_mutex_);
  HandleMap<Context, HandleKind::kContext> contexts_
      ABSL_GUARDED_BY(order_mutex_);
  HandleMap<Stream, HandleKind::kStream> streams_ ABSL_GUARDED_BY(order_mutex_);
  HandleMap<Event, HandleKind::kEvent> events_ ABSL_GUARDED_BY(order_mutex_);
  HandleMap<Notify, HandleKind::kNotify> notifies_
      ABSL_GUARDED_BY(order_mutex_);
  HandleMap<Binary, HandleKind::kBinary> binaries_
      ABSL_GUARDED_BY(order_mutex_);
  HandleMap<Function, HandleKind::kFunction> functions_
      ABSL_GUARDED_BY(order_mutex_);
  // The runtime's own, stale or null until FindBuiltin was called in a session.
  void* builtin_binary_ ABSL_GUARDED_BY(order_mutex_) = nullptr;
  ArgumentLists argument_lists_ ABSL_GUARDED_BY(order_mutex_);
  HandleMinter<core::ContextHandle> context_minter_
      ABSL_GUARDED_BY(order_mutex_);
  HandleMinter<core::StreamHandle> stream_minter_ ABSL_GUARDED_BY(order_mutex_);
  HandleMinter<core::EventHandle> event_minter_ ABSL_GUARDED_BY(order_mutex_);
  HandleMinter<core::NotifyHandle> notify_minter_ ABSL_GUARDED_BY(order_mutex_);
  std::map<int, int64_t> options_ ABSL_GUARDED_BY(order_mutex_);
  DeviceMemory device_memory_ ABSL_GUARDED_BY(order_mutex_);
  LeakCheck leak_check_ ABSL_GUARDED_BY(order_mutex_);
  const bool checks_leaks_;
  HostMemory host_memory_;
  NamedCallbacks<aclrtDeviceStateCallback> device_callbacks_;
  NamedCallbacks<aclrtStreamStateCallback> stream_callbacks_;

  std::atomic<ExceptionListener> exception_listener_{nullptr};
  // Ends first, since what it runs uses the rest.
  CallbackThread callback_thread_;
};

// The context of the calling thread, by public handle; null: none. It may have
// been destroyed meanwhile.
void*& ThreadContext();

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_CLIENT_RUNTIME_H_
