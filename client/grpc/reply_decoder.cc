#include "client/grpc/reply_decoder.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ascend/rtd/v1/session.pb.h"
#include "ascend/rtd/v1/transfer.pb.h"
#include "core/base/error.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream.h"
#include "google/protobuf/wire_format_lite.h"

namespace ascend::client {
namespace {

namespace pb = ::ascend::rtd::v1;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

core::ReplyPayload DecodePayload(pb::Reply& in) {
  switch (in.payload_case()) {
    case pb::Reply::kMalloc:
      return core::MallocReply{.address = in.malloc().address()};
    case pb::Reply::kMemInfo:
      return core::MemInfoReply{.free_bytes = in.mem_info().free_bytes(),
                                .total_bytes = in.mem_info().total_bytes()};
    case pb::Reply::kQuery:
      return core::QueryReply{.complete = in.query().complete()};
    case pb::Reply::kEvent:
      return core::EventReply{.recorded = in.event().recorded(),
                              .complete = in.event().complete(),
                              .record_tick = in.event().record_tick(),
                              .is_awaited = in.event().is_awaited()};
    case pb::Reply::kPackage: {
      core::PackageReply package;
      for (pb::KernelInfo& kernel : *in.mutable_package()->mutable_kernels()) {
        package.kernels.push_back(
            core::KernelInfo{.id = kernel.id(),
                             .name = std::move(*kernel.mutable_name()),
                             .args_bytes = kernel.args_bytes()});
      }
      return package;
    }
    case pb::Reply::kUtilization:
      return core::UtilizationReply{
          .cube_percent = in.utilization().cube_percent(),
          .aiv_percent = in.utilization().aiv_percent()};
    case pb::Reply::kClock:
      return core::ClockReply{.participants = in.clock().participants(),
                              .left_count = in.clock().left_count(),
                              .begin_tick = in.clock().begin_tick(),
                              .trace_hash = in.clock().trace_hash(),
                              .task_count = in.clock().task_count(),
                              .late_count = in.clock().late_count(),
                              .demoted_count = in.clock().demoted_count(),
                              .evicted_count = in.clock().evicted_count()};
    case pb::Reply::PAYLOAD_NOT_SET:
      break;
  }
  return std::monostate{};
}

core::Reply DecodeReply(pb::Reply& in) {
  return core::Reply{
      .ticket = core::Ticket(in.ticket()),
      .lane = core::LaneId(in.lane()),
      .status = in.has_error() ? DecodeError(in.error()) : absl::OkStatus(),
      .tick = in.tick(),
      .payload = DecodePayload(in)};
}

core::TaskFailure DecodeFailure(const pb::TaskFailed& in) {
  return core::TaskFailure{.stream = core::StreamHandle::FromBits(in.stream()),
                           .lane = core::LaneId(in.lane()),
                           .task = in.task(),
                           .status = DecodeError(in.error()),
                           .stops_context = in.stops_context()};
}

std::span<const std::byte> BytesOf(const void* data, size_t size) {
  return {static_cast<const std::byte*>(data), size};
}

constexpr uint32_t LengthTag(int field) {
  return WireFormatLite::MakeTag(field,
                                 WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

constexpr uint32_t VarintTag(int field) {
  return WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_VARINT);
}

absl::Status NoFrame() {
  return core::MakeError(core::Reason::kConnectionLost,
                         "daemon sends bytes that are no TransferFrame");
}

// Not ExpectTag, which gives up where a buffer ends within or near the tag.
bool TakeTag(CodedInputStream& in, uint32_t tag) {
  return in.ReadTagNoLastTag() == tag;
}

// A chunk in the order of fields in which wire::TransferChunkHeader writes it;
// the tag of the chunk has been read.
absl::Status DeliverChunk(CodedInputStream& in, TransportSink& sink) {
  uint32_t length = 0;
  uint64_t ticket = 0;
  uint64_t offset = 0;
  if (!in.ReadVarint32(&length) || !TakeTag(in, VarintTag(1)) ||
      !in.ReadVarint64(&ticket) || !TakeTag(in, VarintTag(2)) ||
      !in.ReadVarint64(&offset) || !TakeTag(in, LengthTag(3)) ||
      !in.ReadVarint32(&length)) {
    return NoFrame();
  }
  while (length > 0) {
    const void* data = nullptr;
    int size = 0;
    if (!in.GetDirectBufferPointer(&data, &size) ||
        static_cast<uint32_t>(size) > length) {
      return NoFrame();
    }
    sink.OnHostData(core::Ticket(ticket), offset,
                    BytesOf(data, static_cast<size_t>(size)));
    offset += static_cast<uint64_t>(size);
    length -= static_cast<uint32_t>(size);
    if (!in.Skip(size)) return NoFrame();
  }
  return absl::OkStatus();
}

absl::Status DeliverFailed(CodedInputStream& in, TransportSink& sink) {
  uint32_t length = 0;
  pb::TransferFailed failed;
  if (!in.ReadVarint32(&length)) return NoFrame();
  const CodedInputStream::Limit limit = in.PushLimit(static_cast<int>(length));
  if (!failed.ParseFromCodedStream(&in)) return NoFrame();
  in.PopLimit(limit);
  sink.OnHostDataFailed(core::Ticket(failed.ticket()),
                        DecodeError(failed.error()));
  return absl::OkStatus();
}

}  // namespace

absl::Status DecodeError(const pb::Error& error) {
  auto reason = static_cast<core::Reason>(error.reason());
  // A newer daemon may know reasons that we do not.
  if (error.reason() == 0 || error.reason() > UINT16_MAX ||
      core::ReasonName(reason) == "unknown") {
    reason = core::Reason::kInternal;
  }
  return core::MakeError(reason, error.message());
}

ServerDescription DecodeHello(const pb::HelloReply& hello) {
  ServerDescription out;
  out.session = hello.session();
  out.daemon_version = hello.daemon_version();
  for (const pb::Device& device : hello.devices()) {
    out.devices.push_back(
        DeviceDescription{.soc_name = device.soc_name(),
                          .arch = device.arch(),
                          .ai_cores = device.ai_cores(),
                          .cube_cores = device.cube_cores(),
                          .vector_cores = device.vector_cores(),
                          .ai_cpus = device.ai_cpus(),
                          .hbm_bytes = device.hbm_bytes(),
                          .l2_bytes = device.l2_bytes()});
  }
  out.streams_max = hello.limits().streams_max();
  out.stream_depth = hello.limits().stream_depth();
  out.events_max = hello.limits().events_max();
  out.notifies_max = hello.limits().notifies_max();
  out.tick = hello.tick();
  const pb::HostCosts& costs = hello.host_costs();
  out.launch_ticks = costs.launch_ticks();
  out.launch_fast_ticks = costs.launch_fast_ticks();
  out.alloc_ticks = costs.alloc_ticks();
  out.poll_ticks = costs.poll_ticks();
  out.sync_wake_ticks = costs.sync_wake_ticks();
  out.sync_wake_fast_ticks = costs.sync_wake_fast_ticks();
  return out;
}

absl::Status DeliverEvents(pb::ServerFrame& frame, TransportSink& sink) {
  for (pb::ServerEvent& event : *frame.mutable_events()) {
    switch (event.event_case()) {
      case pb::ServerEvent::kReply:
        sink.OnReply(DecodeReply(*event.mutable_reply()));
        break;
      case pb::ServerEvent::kHostData: {
        const std::string& data = event.host_data().data();
        sink.OnHostData(core::Ticket(event.host_data().ticket()), /*offset=*/0,
                        BytesOf(data.data(), data.size()));
        break;
      }
      case pb::ServerEvent::kTransferDue:
        sink.OnTransferDue(core::Ticket(event.transfer_due().ticket()));
        break;
      case pb::ServerEvent::kProgress:
        sink.OnStreamProgress(
            core::StreamHandle::FromBits(event.progress().stream()),
            event.progress().retired());
        break;
      case pb::ServerEvent::kHostFunctionDue:
        sink.OnHostFunctionDue(core::Ticket(event.host_function_due().ticket()),
                               event.host_function_due().tick());
        break;
      case pb::ServerEvent::kTaskFailed:
        sink.OnTaskFailed(DecodeFailure(event.task_failed()));
        break;
      case pb::ServerEvent::kEnded:
        return DecodeError(event.ended().error());
      case pb::ServerEvent::kHello:         // only the first, seen by Open
      case pb::ServerEvent::EVENT_NOT_SET:  // of a newer daemon
        break;
    }
  }
  return absl::OkStatus();
}

absl::Status DeliverTransferFrame(
    google::protobuf::io::ZeroCopyInputStream& input, TransportSink& sink) {
  CodedInputStream in(&input);
  switch (in.ReadTag()) {
    case LengthTag(pb::TransferFrame::kChunkFieldNumber):
      return DeliverChunk(in, sink);
    case LengthTag(pb::TransferFrame::kFailedFieldNumber):
      return DeliverFailed(in, sink);
    default:
      return NoFrame();
  }
}

}  // namespace ascend::client
