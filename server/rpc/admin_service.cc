#include "server/rpc/admin_service.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ascend/rtd/v1/admin.grpc.pb.h"
#include "ascend/rtd/v1/admin.pb.h"
#include "core/base/status_macros.h"
#include "server/rpc/rpc_shared.h"
#include "server/session/reply_encoder.h"
#include "server/trace_file.h"

namespace ascend::server {
namespace {

namespace pb = ::ascend::rtd::v1;

void Encode(const core::DeviceUsage& usage, pb::DeviceStatus* out) {
  out->set_hbm_used_bytes(usage.hbm_used_bytes);
  out->set_hbm_quarantined_bytes(usage.hbm_quarantined_bytes);
  out->set_cube_units_held(usage.units_held.cube);
  out->set_aiv_units_held(usage.units_held.aiv);
  out->set_dma_units_held(usage.units_held.dma);
  out->set_tasks_waiting(usage.tasks_waiting);
  out->set_cube_unit_ns(core::UsageNanoseconds(usage.cube_unit_ticks));
  out->set_aiv_unit_ns(core::UsageNanoseconds(usage.aiv_unit_ticks));
  out->set_dma_unit_ns(core::UsageNanoseconds(usage.dma_unit_ticks));
}

void Encode(const Peer& peer, pb::Peer* out) {
  out->set_transport(peer.transport);
  out->set_address(peer.address);
  out->set_pid(peer.pid);
  out->set_uid(peer.uid);
  out->set_gid(peer.gid);
}

void Encode(const SessionSnapshot& session, pb::Session* out) {
  const core::SessionUsage& usage = session.usage;
  out->set_id(session.id.value());
  Encode(session.peer, out->mutable_peer());
  out->set_program(session.program);
  out->set_age_ns(session.age.count());
  out->set_context_count(usage.context_count);
  out->set_stream_count(usage.stream_count);
  out->set_event_count(usage.event_count);
  out->set_hbm_used_bytes(usage.hbm_used_bytes);
  out->set_hbm_peak_bytes(usage.hbm_peak_bytes);
  out->set_kernel_count(usage.kernel_count);
  out->set_copy_count(usage.copy_count);
  out->set_copied_bytes(usage.copied_bytes);
  out->set_tasks_pending(usage.tasks_pending);
  out->set_kernel_ns(core::UsageNanoseconds(usage.kernel_ticks));
  out->set_copy_ns(core::UsageNanoseconds(usage.copy_ticks));
  out->set_cube_unit_ns(core::UsageNanoseconds(usage.cube_unit_ticks));
  out->set_aiv_unit_ns(core::UsageNanoseconds(usage.aiv_unit_ticks));
  out->set_dma_unit_ns(core::UsageNanoseconds(usage.dma_unit_ticks));
}

// Of a message with bytes of a trace.
constexpr size_t kTraceChunkBytes = 1024 * 1024;

// Nanoseconds of a request, which may be anything.
core::Tick TicksOf(int64_t ns) {
  return std::clamp<int64_t>(ns, 0,
                             core::kTickMax / core::kTicksPerNanosecond) *
         core::kTicksPerNanosecond;
}

// The names of all devices, or the one that all have.
template <typename NameOf>
std::string ByDevice(const core::MachineOptions& machine, NameOf name_of) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < machine.device_count; ++i) {
    names.push_back(name_of(i));
  }
  const auto differs =
      std::adjacent_find(names.begin(), names.end(), std::not_equal_to<>());
  return differs == names.end() ? names[0] : absl::StrJoin(names, ",");
}

using Replies = std::shared_ptr<OperatorReplies>;

absl::Status GetInfo(RpcShared& shared, const std::string&,
                     const Replies& replies) {
  const HostSnapshot snapshot = shared.host.Snapshot();
  const MachineHostOptions& options = shared.host.options();
  const core::MachineOptions& machine = options.machine;
  pb::GetInfoReply reply;
  reply.set_version(shared.identity.version);
  reply.set_daemon_id(shared.identity.daemon_id);
  reply.set_pid(::getpid());
  reply.set_clock_mode(shared.identity.clock_mode);
  reply.set_policy(ByDevice(machine, [&](uint32_t device) {
    return machine.SchedulingOf(device).policy;
  }));
  reply.set_hold(ByDevice(machine, [&](uint32_t device) {
    return std::string(core::NameOf(machine.HoldOf(device)));
  }));
  reply.set_late_calls(snapshot.late_calls);
  reply.set_demoted_lanes(snapshot.demoted_lanes);
  reply.set_evicted_lanes(snapshot.evicted_lanes);
  for (const std::string& address : shared.listeners) {
    reply.add_listeners(address);
  }
  reply.set_uptime_ns(snapshot.uptime.count());
  reply.set_device_clock_ns(snapshot.tick / core::kTicksPerNanosecond);
  reply.set_hbm_quota_per_session_bytes(options.hbm_quota_per_session_bytes);
  reply.set_session_count(static_cast<uint32_t>(snapshot.sessions.size()));
  reply.set_sessions_opened(snapshot.sessions_opened);
  reply.set_protocol_violations(snapshot.protocol_violations +
                                shared.violations_before_hello);
  for (const core::DeviceUsage& usage : snapshot.devices) {
    pb::DeviceStatus* device = reply.add_devices();
    EncodeDevice(machine.spec, device->mutable_device());
    Encode(usage, device);
  }
  replies->Send(reply);
  return absl::OkStatus();
}

absl::Status ListSessions(RpcShared& shared, const std::string&,
                          const Replies& replies) {
  const HostSnapshot snapshot = shared.host.Snapshot();
  pb::ListSessionsReply reply;
  for (const SessionSnapshot& session : snapshot.sessions) {
    Encode(session, reply.add_sessions());
  }
  replies->Send(reply);
  return absl::OkStatus();
}

absl::Status GetTrace(RpcShared& shared, const std::string& bytes,
                      const Replies& replies) {
  pb::GetTraceRequest request;
  ASCEND_RETURN_IF_ERROR(ParseRequest(bytes, &request));
  core::TraceWindow window;
  window.from = TicksOf(request.from_ns());
  if (request.to_ns() != 0) window.to = TicksOf(request.to_ns());
  if (window.to <= window.from) {
    return absl::InvalidArgumentError(
        "the window of the trace ends before it begins");
  }
  const std::optional<core::Trace> trace = shared.host.GetTrace();
  if (!trace.has_value()) {
    return absl::FailedPreconditionError(
        "the daemon keeps no trace; start it with --trace FILE");
  }
  const auto send = [&replies](absl::string_view part) {
    while (!part.empty()) {
      pb::GetTraceReply reply;
      reply.set_data(std::string(part.substr(0, kTraceChunkBytes)));
      if (!replies->Send(reply)) return false;
      part.remove_prefix(std::min(part.size(), kTraceChunkBytes));
    }
    return true;
  };
  const TraceFormat format = request.format() == pb::GetTraceRequest::FORMAT_SVG
                                 ? TraceFormat::kSvg
                                 : TraceFormat::kJson;
  return WriteTrace(*trace, format, window, send)
             ? absl::OkStatus()
             : absl::CancelledError("the client is gone");
}

}  // namespace

std::vector<OperatorMethod> AdminMethods(RpcShared& shared) {
  const auto method = [&shared](absl::string_view name, auto answer) {
    return OperatorMethod{
        .path = absl::StrCat("/", pb::Admin::service_full_name(), "/", name),
        .answer = [&shared, answer](const std::string& request,
                                    const Replies& replies) {
          return answer(shared, request, replies);
        }};
  };
  return {method("GetInfo", GetInfo), method("ListSessions", ListSessions),
          method("GetTrace", GetTrace)};
}

}  // namespace ascend::server
