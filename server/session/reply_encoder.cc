#include "server/session/reply_encoder.h"

#include <utility>
#include <variant>

#include "ascend/rtd/v1/session.pb.h"
#include "core/command/command.h"
#include "proto/wire.h"
#include "server/session/status_codec.h"

namespace ascend::server {
namespace {

namespace pb = ::ascend::rtd::v1;

// A ServerEvent with a message in it, as it lies in memory.
constexpr size_t kEventMemoryBytes = 160;

struct PayloadEncoder {
  pb::Reply* out;

  void operator()(const std::monostate&) const {}
  void operator()(const core::MallocReply& in) const {
    out->mutable_malloc()->set_address(in.address);
  }
  void operator()(const core::MemInfoReply& in) const {
    out->mutable_mem_info()->set_free_bytes(in.free_bytes);
    out->mutable_mem_info()->set_total_bytes(in.total_bytes);
  }
  void operator()(const core::QueryReply& in) const {
    out->mutable_query()->set_complete(in.complete);
  }
  void operator()(const core::EventReply& in) const {
    out->mutable_event()->set_recorded(in.recorded);
    out->mutable_event()->set_complete(in.complete);
    out->mutable_event()->set_record_tick(in.record_tick);
    out->mutable_event()->set_is_awaited(in.is_awaited);
  }
  void operator()(const core::UtilizationReply& in) const {
    out->mutable_utilization()->set_cube_percent(in.cube_percent);
    out->mutable_utilization()->set_aiv_percent(in.aiv_percent);
  }
  void operator()(const core::ClockReply& in) const {
    pb::ClockReply* const to = out->mutable_clock();
    to->set_participants(in.participants);
    to->set_left_count(in.left_count);
    to->set_begin_tick(in.begin_tick);
    to->set_trace_hash(in.trace_hash);
    to->set_task_count(in.task_count);
    to->set_late_count(in.late_count);
    to->set_demoted_count(in.demoted_count);
    to->set_evicted_count(in.evicted_count);
  }
  void operator()(const core::PackageReply& in) const {
    for (const core::KernelInfo& kernel : in.kernels) {
      pb::KernelInfo* info = out->mutable_package()->add_kernels();
      info->set_id(kernel.id);
      info->set_name(kernel.name);
      info->set_args_bytes(kernel.args_bytes);
    }
  }
};

}  // namespace

EventFrame::EventFrame() : message_(std::make_unique<pb::ServerFrame>()) {}
EventFrame::~EventFrame() = default;
EventFrame::EventFrame(EventFrame&&) noexcept = default;
EventFrame& EventFrame::operator=(EventFrame&&) noexcept = default;

bool EventFrame::empty() const { return message_->events_size() == 0; }

void EventFrame::AddHello(std::unique_ptr<pb::HelloReply> hello) {
  memory_bytes_ += kEventMemoryBytes + hello->SpaceUsedLong();
  message_->add_events()->set_allocated_hello(hello.release());
}

void EventFrame::AddReply(core::Reply reply) {
  memory_bytes_ += kEventMemoryBytes;
  pb::Reply* out = message_->add_events()->mutable_reply();
  out->set_ticket(reply.ticket.value());
  out->set_lane(reply.lane.value());
  out->set_tick(reply.tick);
  if (reply.status.ok()) {
    std::visit(PayloadEncoder{out}, reply.payload);
    for (const pb::KernelInfo& kernel : out->package().kernels()) {
      memory_bytes_ += kEventMemoryBytes + kernel.name().size();
    }
  } else {
    EncodeError(reply.status, out->mutable_error());
    memory_bytes_ += reply.status.message().size();
  }
}

void EventFrame::AddHostData(core::Ticket ticket, std::string bytes) {
  memory_bytes_ += kEventMemoryBytes + bytes.size();
  pb::HostData* out = message_->add_events()->mutable_host_data();
  out->set_ticket(ticket.value());
  out->set_data(std::move(bytes));
}

void EventFrame::AddTransferDue(core::Ticket ticket) {
  memory_bytes_ += kEventMemoryBytes;
  message_->add_events()->mutable_transfer_due()->set_ticket(ticket.value());
}

void EventFrame::AddHostFunctionDue(core::Ticket ticket, core::Tick tick) {
  memory_bytes_ += kEventMemoryBytes;
  pb::HostFunctionDue* const due =
      message_->add_events()->mutable_host_function_due();
  due->set_ticket(ticket.value());
  due->set_tick(tick);
}

void EventFrame::AddTaskFailed(const core::TaskFailure& failure) {
  memory_bytes_ += kEventMemoryBytes + failure.status.message().size();
  pb::TaskFailed* out = message_->add_events()->mutable_task_failed();
  out->set_stream(failure.stream.ToBits());
  out->set_lane(failure.lane.value());
  out->set_task(failure.task);
  EncodeError(failure.status, out->mutable_error());
  out->set_stops_context(failure.stops_context);
}

void EventFrame::AddProgress(core::StreamHandle stream, uint64_t retired) {
  pb::ServerEvent* last =
      empty() ? nullptr : message_->mutable_events(message_->events_size() - 1);
  if (last == nullptr || !last->has_progress() ||
      last->progress().stream() != stream.ToBits()) {
    memory_bytes_ += kEventMemoryBytes;
    last = message_->add_events();
    last->mutable_progress()->set_stream(stream.ToBits());
  }
  last->mutable_progress()->set_retired(retired);
}

void EventFrame::AddEnded(const absl::Status& why) {
  memory_bytes_ += kEventMemoryBytes + why.message().size();
  EncodeError(why, message_->add_events()->mutable_ended()->mutable_error());
}

void EncodeDevice(const core::DeviceSpec& spec, pb::Device* device) {
  device->set_soc_name(spec.soc_name);
  device->set_profile(spec.profile);
  device->set_arch(spec.arch);
  device->set_ai_cores(spec.ai_cores);
  device->set_cube_cores(spec.cube_cores);
  device->set_vector_cores(spec.vector_cores);
  device->set_ai_cpus(spec.ai_cpus);
  device->set_hbm_bytes(spec.hbm_bytes);
  device->set_l2_bytes(spec.l2_bytes);
  device->set_cube_units(spec.cube_units);
  device->set_aiv_units(spec.aiv_units);
  device->set_dma_units(spec.dma_units);
}

void EncodeMachine(const core::MachineOptions& machine, pb::HelloReply* hello) {
  const core::DeviceSpec& spec = machine.spec;
  for (uint32_t i = 0; i < machine.device_count; ++i) {
    EncodeDevice(spec, hello->add_devices());
  }
  pb::Limits* limits = hello->mutable_limits();
  limits->set_streams_max(spec.streams_max);
  limits->set_stream_depth(spec.stream_depth);
  limits->set_events_max(spec.events_max);
  limits->set_notifies_max(spec.notifies_max);
  limits->set_contexts_max(spec.streams_max);  // each has a stream of its own
  limits->set_launch_args_bytes_max(core::kLaunchArgsBytesMax);
  limits->set_inline_bytes_max(core::kInlineBytesMax);
  limits->set_chunk_bytes_max(wire::kChunkBytesMax);
  pb::HostCosts* costs = hello->mutable_host_costs();
  costs->set_launch_ticks(spec.host_launch_ticks);
  costs->set_launch_fast_ticks(spec.host_launch_fast_ticks);
  costs->set_alloc_ticks(spec.host_alloc_ticks);
  costs->set_poll_ticks(spec.host_poll_ticks);
  costs->set_sync_wake_ticks(spec.host_sync_wake_ticks);
  costs->set_sync_wake_fast_ticks(spec.host_sync_wake_fast_ticks);
}

}  // namespace ascend::server
