#include "server/session/command_decoder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ascend/rtd/v1/session.pb.h"
#include "core/base/handle.h"
#include "core/base/status_macros.h"
#include "google/protobuf/arena.h"
#include "google/protobuf/io/zero_copy_stream.h"
#include "proto/wire.h"
#include "server/session/status_codec.h"
#include "server/session/violation.h"

namespace ascend::server {
namespace {

namespace pb = ::ascend::rtd::v1;

// A handle that must name something: generation 0 never does.
template <typename H>
absl::Status ReadHandle(uint64_t bits, absl::string_view field, H* handle) {
  *handle = H::FromBits(bits);
  if (!handle->is_null()) return absl::OkStatus();
  return Violation(field, " is ", bits, ", which is no handle");
}

absl::Status CheckPriority(uint32_t priority) {
  constexpr uint32_t kPriorityMax = 7;
  if (priority <= kPriorityMax) return absl::OkStatus();
  return Violation("priority is ", priority, ", above ", kPriorityMax);
}

absl::Status CheckTimeout(core::Tick ticks) {
  if (ticks >= 0) return absl::OkStatus();
  return Violation("timeout_ticks is ", ticks, ", but time does not go back");
}

absl::StatusOr<core::Operation> Decode(const pb::CreateContext& in) {
  core::CreateContext out{.device = core::DeviceId(in.device())};
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.context(), "context", &out.context));
  ASCEND_RETURN_IF_ERROR(
      ReadHandle(in.default_stream(), "default_stream", &out.default_stream));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::DestroyContext& in) {
  core::DestroyContext out{.force = in.force()};
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.context(), "context", &out.context));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::CreateStream& in) {
  core::CreateStream out{.priority = in.priority(),
                         .fast_launch = in.fast_launch(),
                         .fast_sync = in.fast_sync()};
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.stream(), "stream", &out.stream));
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.context(), "context", &out.context));
  ASCEND_RETURN_IF_ERROR(CheckPriority(out.priority));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::DestroyStream& in) {
  core::DestroyStream out{.force = in.force()};
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.stream(), "stream", &out.stream));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::QueryStream& in) {
  core::QueryStream out;
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.stream(), "stream", &out.stream));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::CreateEvent& in) {
  core::CreateEvent out{.device = core::DeviceId(in.device())};
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.event(), "event", &out.event));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::DestroyEvent& in) {
  core::DestroyEvent out;
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.event(), "event", &out.event));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::RecordEvent& in) {
  core::RecordEvent out;
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.event(), "event", &out.event));
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.stream(), "stream", &out.stream));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::WaitEvent& in) {
  core::WaitEvent out{.timeout_ticks = in.timeout_ticks()};
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.stream(), "stream", &out.stream));
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.event(), "event", &out.event));
  ASCEND_RETURN_IF_ERROR(CheckTimeout(out.timeout_ticks));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::ResetEvent& in) {
  core::ResetEvent out;
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.event(), "event", &out.event));
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.stream(), "stream", &out.stream));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::QueryEvent& in) {
  core::QueryEvent out;
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.event(), "event", &out.event));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::Synchronize& in) {
  using Target = core::Synchronize::Target;
  core::Synchronize out{.device = core::DeviceId(in.device())};
  switch (in.target()) {
    case pb::Synchronize::TARGET_STREAM:
      out.target = Target::kStream;
      ASCEND_RETURN_IF_ERROR(ReadHandle(in.handle(), "stream", &out.stream));
      return out;
    case pb::Synchronize::TARGET_EVENT:
      out.target = Target::kEvent;
      ASCEND_RETURN_IF_ERROR(ReadHandle(in.handle(), "event", &out.event));
      return out;
    case pb::Synchronize::TARGET_CONTEXT:
      out.target = Target::kContext;
      ASCEND_RETURN_IF_ERROR(ReadHandle(in.handle(), "context", &out.context));
      return out;
    case pb::Synchronize::TARGET_DEVICE:
      out.target = Target::kDevice;
      return out;
    default:
      return Violation("target is ", static_cast<int>(in.target()),
                       ", which is none of stream, event, context, device");
  }
}

absl::StatusOr<core::Operation> Decode(const pb::CancelWait& in) {
  if (in.ticket() == 0) return Violation("ticket to cancel is 0");
  return core::CancelWait{.ticket = core::Ticket(in.ticket())};
}

absl::StatusOr<core::Operation> Decode(const pb::Malloc& in) {
  return core::Malloc{.device = core::DeviceId(in.device()),
                      .bytes = in.bytes(),
                      .policy = in.policy(),
                      .is_padded = !in.is_unpadded()};
}

absl::StatusOr<core::Operation> Decode(const pb::Free& in) {
  return core::Free{.address = in.address()};
}

absl::StatusOr<core::Operation> Decode(const pb::MemInfo& in) {
  return core::MemInfo{.device = core::DeviceId(in.device())};
}

absl::Status CheckRows(const core::Copy& copy) {
  if (core::HasLegalRows(copy)) return absl::OkStatus();
  return Violation("copy has ", copy.rows, " rows of ", copy.bytes,
                   " bytes with pitches of ", copy.target_pitch, " and ",
                   copy.source_pitch, "; at most ", core::kRowCountMax, " of ",
                   core::kRowBytesMax, " can be copied, and none may overlap");
}

absl::Status CheckInlineData(const core::Copy& copy) {
  if (copy.inline_data.empty()) return absl::OkStatus();
  if (copy.kind != core::CopyKind::kHostToDevice) {
    return Violation("copy carries inline data but is not host to device");
  }
  const uint64_t bytes = copy.bytes * copy.rows;  // CheckRows came before
  if (copy.inline_data.size() != bytes) {
    return Violation("copy of ", bytes, " bytes carries ",
                     copy.inline_data.size(), " inline");
  }
  if (bytes > core::kInlineBytesMax) {
    return Violation("copy carries ", bytes, " bytes inline, more than ",
                     core::kInlineBytesMax);
  }
  return absl::OkStatus();
}

absl::StatusOr<core::Operation> Decode(pb::Copy& in) {
  core::Copy out{.stream = core::StreamHandle::FromBits(in.stream()),
                 .target = in.target(),
                 .source = in.source(),
                 .bytes = in.bytes(),
                 .inline_data = std::move(*in.mutable_inline_data()),
                 .wants_reply = in.wants_reply(),
                 .rows = in.rows() == 0 ? 1 : in.rows(),
                 .target_pitch = in.target_pitch(),
                 .source_pitch = in.source_pitch(),
                 .is_by_cpu = in.is_by_cpu()};
  if (in.stream() != 0) {
    ASCEND_RETURN_IF_ERROR(ReadHandle(in.stream(), "stream", &out.stream));
  }
  ASCEND_RETURN_IF_ERROR(CheckRows(out));
  switch (in.kind()) {
    case pb::Copy::KIND_HOST_TO_DEVICE:
      out.kind = core::CopyKind::kHostToDevice;
      break;
    case pb::Copy::KIND_DEVICE_TO_HOST:
      out.kind = core::CopyKind::kDeviceToHost;
      break;
    case pb::Copy::KIND_DEVICE_TO_DEVICE:
      out.kind = core::CopyKind::kDeviceToDevice;
      break;
    default:
      return Violation("kind is ", static_cast<int>(in.kind()),
                       ", which is no kind of copy");
  }
  ASCEND_RETURN_IF_ERROR(CheckInlineData(out));
  if (out.is_by_cpu && out.kind == core::CopyKind::kDeviceToDevice) {
    return Violation("copy within the device is by the host's CPU");
  }
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::Fill& in) {
  core::Fill out{.stream = core::StreamHandle::FromBits(in.stream()),
                 .address = in.address(),
                 .bytes = in.bytes(),
                 .value = in.value(),
                 .value_bytes = in.value_bytes() == 0 ? 1 : in.value_bytes(),
                 .wants_reply = in.wants_reply(),
                 .is_timing_only = in.timing_only()};
  if (in.stream() != 0) {
    ASCEND_RETURN_IF_ERROR(ReadHandle(in.stream(), "stream", &out.stream));
  }
  if (out.value_bytes != 1 && out.value_bytes != 4) {
    return Violation("fill value has ", out.value_bytes, " bytes");
  }
  if (out.value_bytes == 1 && out.value > UINT8_MAX) {
    return Violation("fill value is ", out.value, ", which is no byte");
  }
  if (out.address % out.value_bytes != 0 || out.bytes % out.value_bytes != 0) {
    return Violation("fill of ", out.bytes, " bytes at ", out.address,
                     " cuts its values of ", out.value_bytes, " bytes");
  }
  return out;
}

absl::StatusOr<core::Operation> Decode(pb::LoadPackage& in) {
  if (in.name().size() > kPackageNameBytesMax) {
    return Violation("package name has ", in.name().size(),
                     " bytes, more than ", kPackageNameBytesMax);
  }
  return core::LoadPackage{.name = std::move(*in.mutable_name())};
}

absl::StatusOr<core::Operation> Decode(pb::Launch& in) {
  core::Launch out{.kernel = in.kernel(),
                   .num_blocks = in.num_blocks(),
                   .args = std::move(*in.mutable_args()),
                   .args_address = in.args_address(),
                   .args_bytes = in.args_bytes(),
                   .is_timing_only = in.timing_only()};
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.stream(), "stream", &out.stream));
  if (out.args_address == 0 && out.args_bytes != 0) {
    return Violation("args_bytes is ", out.args_bytes, " without args_address");
  }
  if (out.args_address != 0 && !out.args.empty()) {
    return Violation("launch carries arguments and args_address");
  }
  if (out.args_address != 0 && out.is_timing_only) {
    return Violation("launch is timing-only and has args_address");
  }
  const uint64_t args_bytes =
      std::max<uint64_t>(out.args.size(), out.args_bytes);
  if (args_bytes > core::kLaunchArgsBytesMax) {
    return Violation("arguments have ", args_bytes, " bytes, more than ",
                     core::kLaunchArgsBytesMax);
  }
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::AbortStream& in) {
  core::AbortStream out;
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.stream(), "stream", &out.stream));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::SetStreamPriority& in) {
  core::SetStreamPriority out{.priority = in.priority()};
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.stream(), "stream", &out.stream));
  ASCEND_RETURN_IF_ERROR(CheckPriority(out.priority));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::StopContextOnFailure& in) {
  core::StopContextOnFailure out;
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.stream(), "stream", &out.stream));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::CreateNotify& in) {
  core::CreateNotify out{.device = core::DeviceId(in.device())};
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.notify(), "notify", &out.notify));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::DestroyNotify& in) {
  core::DestroyNotify out;
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.notify(), "notify", &out.notify));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::RecordNotify& in) {
  core::RecordNotify out;
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.notify(), "notify", &out.notify));
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.stream(), "stream", &out.stream));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::WaitNotify& in) {
  core::WaitNotify out{.timeout_ticks = in.timeout_ticks()};
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.stream(), "stream", &out.stream));
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.notify(), "notify", &out.notify));
  ASCEND_RETURN_IF_ERROR(CheckTimeout(out.timeout_ticks));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::WaitWord& in) {
  core::WaitWord out{.address = in.address(), .value = in.value()};
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.stream(), "stream", &out.stream));
  if (out.address % sizeof(uint64_t) != 0) {
    return Violation("address of a word is ", out.address,
                     ", which is not aligned");
  }
  switch (in.condition()) {
    case pb::WaitWord::CONDITION_GREATER_OR_EQUAL:
      out.condition = core::WordCondition::kGreaterOrEqual;
      return out;
    case pb::WaitWord::CONDITION_EQUAL:
      out.condition = core::WordCondition::kEqual;
      return out;
    case pb::WaitWord::CONDITION_AND:
      out.condition = core::WordCondition::kAnd;
      return out;
    case pb::WaitWord::CONDITION_NOR:
      out.condition = core::WordCondition::kNor;
      return out;
    default:
      return Violation("condition is ", static_cast<int>(in.condition()),
                       ", which is none of a word");
  }
}

absl::StatusOr<core::Operation> Decode(const pb::HostFunction& in) {
  core::HostFunction out{.is_awaited = in.is_awaited()};
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.stream(), "stream", &out.stream));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::HostFunctionDone& in) {
  if (in.ticket() == 0) return Violation("ticket of a host function is 0");
  return core::HostFunctionDone{.ticket = core::Ticket(in.ticket())};
}

absl::StatusOr<core::Operation> Decode(const pb::QueryUtilization& in) {
  return core::QueryUtilization{.device = core::DeviceId(in.device())};
}

absl::StatusOr<core::Operation> Decode(const pb::AwaitProgress& in) {
  core::AwaitProgress out{.retired = in.retired()};
  ASCEND_RETURN_IF_ERROR(ReadHandle(in.stream(), "stream", &out.stream));
  return out;
}

absl::StatusOr<core::Operation> Decode(const pb::JoinClock& in) {
  if (in.participants() == 0 || in.participants() > core::kParticipantsMax ||
      in.rank() >= in.participants()) {
    return Violation("rank is ", in.rank(), " of ", in.participants(),
                     " participants, of whom at most ", core::kParticipantsMax,
                     " can be");
  }
  return core::JoinClock{.participants = in.participants(), .rank = in.rank()};
}

absl::StatusOr<core::Operation> DecodeOperation(pb::Command& in) {
  switch (in.operation_case()) {
    case pb::Command::kCreateContext:
      return Decode(in.create_context());
    case pb::Command::kDestroyContext:
      return Decode(in.destroy_context());
    case pb::Command::kCreateStream:
      return Decode(in.create_stream());
    case pb::Command::kDestroyStream:
      return Decode(in.destroy_stream());
    case pb::Command::kQueryStream:
      return Decode(in.query_stream());
    case pb::Command::kCreateEvent:
      return Decode(in.create_event());
    case pb::Command::kDestroyEvent:
      return Decode(in.destroy_event());
    case pb::Command::kRecordEvent:
      return Decode(in.record_event());
    case pb::Command::kWaitEvent:
      return Decode(in.wait_event());
    case pb::Command::kResetEvent:
      return Decode(in.reset_event());
    case pb::Command::kQueryEvent:
      return Decode(in.query_event());
    case pb::Command::kSynchronize:
      return Decode(in.synchronize());
    case pb::Command::kCancelWait:
      return Decode(in.cancel_wait());
    case pb::Command::kMalloc:
      return Decode(in.malloc());
    case pb::Command::kFree:
      return Decode(in.free());
    case pb::Command::kMemInfo:
      return Decode(in.mem_info());
    case pb::Command::kCopy:
      return Decode(*in.mutable_copy());
    case pb::Command::kFill:
      return Decode(in.fill());
    case pb::Command::kLoadPackage:
      return Decode(*in.mutable_load_package());
    case pb::Command::kLaunch:
      return Decode(*in.mutable_launch());
    case pb::Command::kAbortStream:
      return Decode(in.abort_stream());
    case pb::Command::kSetStreamPriority:
      return Decode(in.set_stream_priority());
    case pb::Command::kStopContextOnFailure:
      return Decode(in.stop_context_on_failure());
    case pb::Command::kCreateNotify:
      return Decode(in.create_notify());
    case pb::Command::kDestroyNotify:
      return Decode(in.destroy_notify());
    case pb::Command::kRecordNotify:
      return Decode(in.record_notify());
    case pb::Command::kWaitNotify:
      return Decode(in.wait_notify());
    case pb::Command::kWaitWord:
      return Decode(in.wait_word());
    case pb::Command::kHostFunction:
      return Decode(in.host_function());
    case pb::Command::kHostFunctionDone:
      return Decode(in.host_function_done());
    case pb::Command::kAwaitProgress:
      return Decode(in.await_progress());
    case pb::Command::kJoinClock:
      return Decode(in.join_clock());
    case pb::Command::kLeaveClock:
      return core::LeaveClock{.is_for_good = in.leave_clock().for_good()};
    case pb::Command::kQueryClock:
      return core::QueryClock{};
    case pb::Command::kQueryUtilization:
      return Decode(in.query_utilization());
    case pb::Command::OPERATION_NOT_SET:
      break;
  }
  return Violation("command has no operation that this daemon knows");
}

absl::StatusOr<core::Command> DecodeCommand(pb::Command& in) {
  if (in.ticket() == 0) return Violation("ticket is 0");
  if (in.lane() >= kLanesMax) {
    return Violation("lane is ", in.lane(), ", not below ", kLanesMax);
  }
  if (in.stamp() < 0) {
    return Violation("stamp is ", in.stamp(), ", but time begins at 0");
  }
  ASCEND_ASSIGN_OR_RETURN(core::Operation operation, DecodeOperation(in));
  return core::Command{.ticket = core::Ticket(in.ticket()),
                       .lane = core::LaneId(in.lane()),
                       .stamp = in.stamp(),
                       .operation = std::move(operation)};
}

absl::StatusOr<ClientFrame> DecodeBatch(pb::CommandBatch& batch) {
  const auto count = static_cast<size_t>(batch.commands_size());
  if (count > wire::kCommandsPerBatchMax) {
    return Violation("batch has ", count, " commands, more than ",
                     wire::kCommandsPerBatchMax);
  }
  std::vector<core::Command> commands;
  commands.reserve(count);
  for (pb::Command& in : *batch.mutable_commands()) {
    absl::StatusOr<core::Command> command = DecodeCommand(in);
    if (!command.ok()) {
      return core::Annotate(command.status(),
                            absl::StrCat("command of ticket ", in.ticket()));
    }
    commands.push_back(*std::move(command));
  }
  return ClientFrame(std::move(commands));
}

// What operators will see in a terminal.
std::string Printable(const std::string& text) {
  std::string out = text.substr(0, kProgramBytesMax);
  for (char& c : out) {
    if (c < ' ' || c > '~') c = '?';
  }
  return out;
}

}  // namespace

absl::StatusOr<ClientFrame> DecodeClientFrame(
    google::protobuf::io::ZeroCopyInputStream& input, size_t frame_bytes) {
  // Before parsing, since a message takes more memory than its bytes.
  if (frame_bytes > wire::kClientFrameBytesMax) {
    return Violation("frame has ", frame_bytes, " bytes, more than ",
                     wire::kClientFrameBytesMax);
  }
  google::protobuf::Arena arena;
  auto* frame = google::protobuf::Arena::CreateMessage<pb::ClientFrame>(&arena);
  if (!frame->ParseFromZeroCopyStream(&input)) {
    return Violation("frame of ", frame_bytes, " bytes is no ClientFrame");
  }
  switch (frame->frame_case()) {
    case pb::ClientFrame::kHello:
      return ClientFrame(HelloFrame{
          .protocol_version = frame->hello().protocol_version(),
          .client_version = Printable(frame->hello().client_version()),
          .pid = frame->hello().pid(),
          .program = Printable(frame->hello().program())});
    case pb::ClientFrame::kBatch:
      return DecodeBatch(*frame->mutable_batch());
    case pb::ClientFrame::kDownloadDone: {
      const pb::DownloadDone& done = frame->download_done();
      if (done.ticket() == 0) return Violation("ticket of DownloadDone is 0");
      return ClientFrame(DownloadDoneFrame{
          .ticket = core::Ticket(done.ticket()),
          .status =
              done.has_error() ? DecodeError(done.error()) : absl::OkStatus()});
    }
    case pb::ClientFrame::kGoodbye:
      return ClientFrame(GoodbyeFrame{});
    case pb::ClientFrame::FRAME_NOT_SET:
      break;
  }
  return Violation("frame is empty");
}

}  // namespace ascend::server
