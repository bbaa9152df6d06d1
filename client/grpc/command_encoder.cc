#include "client/grpc/command_encoder.h"

#include <array>
#include <string>
#include <utility>
#include <variant>

#include "ascend/rtd/v1/session.pb.h"
#include "core/base/error.h"
#include "google/protobuf/arena.h"
#include "proto/wire.h"

namespace ascend::client {
namespace {

namespace pb = ::ascend::rtd::v1;
using google::protobuf::Arena;
using google::protobuf::ArenaOptions;

// What a command takes on the wire at most, without its bulk.
constexpr size_t kCommandBytesMax = 96;

pb::Copy::Kind KindOf(core::CopyKind kind) {
  switch (kind) {
    case core::CopyKind::kHostToDevice:
      return pb::Copy::KIND_HOST_TO_DEVICE;
    case core::CopyKind::kDeviceToHost:
      return pb::Copy::KIND_DEVICE_TO_HOST;
    case core::CopyKind::kDeviceToDevice:
      return pb::Copy::KIND_DEVICE_TO_DEVICE;
  }
  return pb::Copy::KIND_UNSPECIFIED;
}

pb::WaitWord::Condition ConditionOf(core::WordCondition condition) {
  switch (condition) {
    case core::WordCondition::kGreaterOrEqual:
      return pb::WaitWord::CONDITION_GREATER_OR_EQUAL;
    case core::WordCondition::kEqual:
      return pb::WaitWord::CONDITION_EQUAL;
    case core::WordCondition::kAnd:
      return pb::WaitWord::CONDITION_AND;
    case core::WordCondition::kNor:
      return pb::WaitWord::CONDITION_NOR;
  }
  return pb::WaitWord::CONDITION_UNSPECIFIED;
}

// Writes the operation into `out`; returns the bytes of its bulk.
struct OperationEncoder {
  pb::Command* out;

  size_t operator()(core::CreateContext& in) const {
    pb::CreateContext* to = out->mutable_create_context();
    to->set_context(in.context.ToBits());
    to->set_device(in.device.value());
    to->set_default_stream(in.default_stream.ToBits());
    return 0;
  }
  size_t operator()(core::DestroyContext& in) const {
    pb::DestroyContext* to = out->mutable_destroy_context();
    to->set_context(in.context.ToBits());
    to->set_force(in.force);
    return 0;
  }
  size_t operator()(core::CreateStream& in) const {
    pb::CreateStream* to = out->mutable_create_stream();
    to->set_stream(in.stream.ToBits());
    to->set_context(in.context.ToBits());
    to->set_priority(in.priority);
    to->set_fast_launch(in.fast_launch);
    to->set_fast_sync(in.fast_sync);
    return 0;
  }
  size_t operator()(core::DestroyStream& in) const {
    pb::DestroyStream* to = out->mutable_destroy_stream();
    to->set_stream(in.stream.ToBits());
    to->set_force(in.force);
    return 0;
  }
  size_t operator()(core::QueryStream& in) const {
    out->mutable_query_stream()->set_stream(in.stream.ToBits());
    return 0;
  }
  size_t operator()(core::CreateEvent& in) const {
    pb::CreateEvent* to = out->mutable_create_event();
    to->set_event(in.event.ToBits());
    to->set_device(in.device.value());
    return 0;
  }
  size_t operator()(core::DestroyEvent& in) const {
    out->mutable_destroy_event()->set_event(in.event.ToBits());
    return 0;
  }
  size_t operator()(core::RecordEvent& in) const {
    pb::RecordEvent* to = out->mutable_record_event();
    to->set_event(in.event.ToBits());
    to->set_stream(in.stream.ToBits());
    return 0;
  }
  size_t operator()(core::WaitEvent& in) const {
    pb::WaitEvent* to = out->mutable_wait_event();
    to->set_stream(in.stream.ToBits());
    to->set_event(in.event.ToBits());
    to->set_timeout_ticks(in.timeout_ticks);
    return 0;
  }
  size_t operator()(core::ResetEvent& in) const {
    pb::ResetEvent* to = out->mutable_reset_event();
    to->set_event(in.event.ToBits());
    to->set_stream(in.stream.ToBits());
    return 0;
  }
  size_t operator()(core::QueryEvent& in) const {
    out->mutable_query_event()->set_event(in.event.ToBits());
    return 0;
  }
  size_t operator()(core::Synchronize& in) const {
    using Target = core::Synchronize::Target;
    pb::Synchronize* to = out->mutable_synchronize();
    switch (in.target) {
      case Target::kStream:
        to->set_target(pb::Synchronize::TARGET_STREAM);
        to->set_handle(in.stream.ToBits());
        break;
      case Target::kEvent:
        to->set_target(pb::Synchronize::TARGET_EVENT);
        to->set_handle(in.event.ToBits());
        break;
      case Target::kContext:
        to->set_target(pb::Synchronize::TARGET_CONTEXT);
        to->set_handle(in.context.ToBits());
        break;
      case Target::kDevice:
        to->set_target(pb::Synchronize::TARGET_DEVICE);
        break;
    }
    to->set_device(in.device.value());
    return 0;
  }
  size_t operator()(core::CancelWait& in) const {
    out->mutable_cancel_wait()->set_ticket(in.ticket.value());
    return 0;
  }
  size_t operator()(core::Malloc& in) const {
    pb::Malloc* to = out->mutable_malloc();
    to->set_device(in.device.value());
    to->set_bytes(in.bytes);
    to->set_policy(in.policy);
    to->set_is_unpadded(!in.is_padded);
    return 0;
  }
  size_t operator()(core::Free& in) const {
    out->mutable_free()->set_address(in.address);
    return 0;
  }
  size_t operator()(core::MemInfo& in) const {
    out->mutable_mem_info()->set_device(in.device.value());
    return 0;
  }
  size_t operator()(core::Copy& in) const {
    pb::Copy* to = out->mutable_copy();
    const size_t bulk = in.inline_data.size();
    to->set_stream(in.stream.ToBits());
    to->set_kind(KindOf(in.kind));
    to->set_target(in.target);
    to->set_source(in.source);
    to->set_bytes(in.bytes);
    to->set_inline_data(std::move(in.inline_data));
    to->set_wants_reply(in.wants_reply);
    to->set_is_by_cpu(in.is_by_cpu);
    if (in.rows != 1) {
      to->set_rows(in.rows);
      to->set_target_pitch(in.target_pitch);
      to->set_source_pitch(in.source_pitch);
    }
    return bulk;
  }
  size_t operator()(core::Fill& in) const {
    pb::Fill* to = out->mutable_fill();
    to->set_stream(in.stream.ToBits());
    to->set_address(in.address);
    to->set_bytes(in.bytes);
    to->set_value(in.value);
    if (in.value_bytes != 1) to->set_value_bytes(in.value_bytes);
    to->set_wants_reply(in.wants_reply);
    to->set_timing_only(in.is_timing_only);
    return 0;
  }
  size_t operator()(core::LoadPackage& in) const {
    const size_t bulk = in.name.size();
    out->mutable_load_package()->set_name(std::move(in.name));
    return bulk;
  }
  size_t operator()(core::Launch& in) const {
    pb::Launch* to = out->mutable_launch();
    const size_t bulk = in.args.size();
    to->set_stream(in.stream.ToBits());
    to->set_kernel(in.kernel);
    to->set_num_blocks(in.num_blocks);
    to->set_args(std::move(in.args));
    to->set_args_address(in.args_address);
    // The size of `args` is its own.
    if (in.args_address != 0) to->set_args_bytes(in.args_bytes);
    to->set_timing_only(in.is_timing_only);
    return bulk;
  }
  size_t operator()(core::AbortStream& in) const {
    out->mutable_abort_stream()->set_stream(in.stream.ToBits());
    return 0;
  }
  size_t operator()(core::SetStreamPriority& in) const {
    pb::SetStreamPriority* to = out->mutable_set_stream_priority();
    to->set_stream(in.stream.ToBits());
    to->set_priority(in.priority);
    return 0;
  }
  size_t operator()(core::StopContextOnFailure& in) const {
    out->mutable_stop_context_on_failure()->set_stream(in.stream.ToBits());
    return 0;
  }
  size_t operator()(core::CreateNotify& in) const {
    pb::CreateNotify* to = out->mutable_create_notify();
    to->set_notify(in.notify.ToBits());
    to->set_device(in.device.value());
    return 0;
  }
  size_t operator()(core::DestroyNotify& in) const {
    out->mutable_destroy_notify()->set_notify(in.notify.ToBits());
    return 0;
  }
  size_t operator()(core::RecordNotify& in) const {
    pb::RecordNotify* to = out->mutable_record_notify();
    to->set_notify(in.notify.ToBits());
    to->set_stream(in.stream.ToBits());
    return 0;
  }
  size_t operator()(core::WaitNotify& in) const {
    pb::WaitNotify* to = out->mutable_wait_notify();
    to->set_stream(in.stream.ToBits());
    to->set_notify(in.notify.ToBits());
    to->set_timeout_ticks(in.timeout_ticks);
    return 0;
  }
  size_t operator()(core::WaitWord& in) const {
    pb::WaitWord* to = out->mutable_wait_word();
    to->set_stream(in.stream.ToBits());
    to->set_address(in.address);
    to->set_value(in.value);
    to->set_condition(ConditionOf(in.condition));
    return 0;
  }
  size_t operator()(core::HostFunction& in) const {
    pb::HostFunction* to = out->mutable_host_function();
    to->set_stream(in.stream.ToBits());
    to->set_is_awaited(in.is_awaited);
    return 0;
  }
  size_t operator()(core::HostFunctionDone& in) const {
    out->mutable_host_function_done()->set_ticket(in.ticket.value());
    return 0;
  }
  size_t operator()(core::QueryUtilization& in) const {
    out->mutable_query_utilization()->set_device(in.device.value());
    return 0;
  }
  size_t operator()(core::JoinClock& in) const {
    out->mutable_join_clock()->set_participants(in.participants);
    out->mutable_join_clock()->set_rank(in.rank);
    return 0;
  }
  size_t operator()(core::LeaveClock& in) const {
    out->mutable_leave_clock()->set_for_good(in.is_for_good);
    return 0;
  }
  size_t operator()(core::AwaitProgress& in) const {
    out->mutable_await_progress()->set_stream(in.stream.ToBits());
    out->mutable_await_progress()->set_retired(in.retired);
    return 0;
  }
  size_t operator()(core::QueryClock&) const {
    out->mutable_query_clock();
    return 0;
  }
};

}  // namespace

// The first block is part of the object, so small batches allocate nothing.
struct CommandBatch::Memory {
  std::array<char, 16 * 1024> block;
  Arena arena{[this] {
    ArenaOptions options;
    options.initial_block = block.data();
    options.initial_block_size = block.size();
    return options;
  }()};
};

CommandBatch::CommandBatch() : memory_(std::make_unique<Memory>()) { Clear(); }
CommandBatch::~CommandBatch() = default;
CommandBatch::CommandBatch(CommandBatch&&) noexcept = default;
CommandBatch& CommandBatch::operator=(CommandBatch&&) noexcept = default;

void CommandBatch::Append(core::Command command) {
  pb::Command* out = frame_->mutable_batch()->add_commands();
  out->set_ticket(command.ticket.value());
  out->set_lane(command.lane.value());
  out->set_stamp(command.stamp);
  bytes_ +=
      kCommandBytesMax + std::visit(OperationEncoder{out}, command.operation);
  ++count_;
}

void CommandBatch::Clear() {
  memory_->arena.Reset();
  frame_ = Arena::CreateMessage<pb::ClientFrame>(&memory_->arena);
  count_ = 0;
  bytes_ = 0;
}

bool CommandBatch::is_full() const {
  return count_ >= wire::kCommandsPerBatchMax ||
         bytes_ >= wire::kBatchBytesTarget;
}

void EncodeError(const absl::Status& status, pb::Error* error) {
  error->set_reason(static_cast<uint32_t>(core::ReasonOf(status)));
  error->set_message(std::string(status.message()));
}

}  // namespace ascend::client
