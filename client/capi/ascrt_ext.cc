// Our extensions: version, simulated time.
#include "acl/ascend_rtd_ext.h"
#include "client/capi/edge.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

using ascend::client::CheckNotNull;
using ascend::client::CheckRoom;
using ascend::client::ClientRuntime;
using ascend::client::CopyRequest;
using ascend::client::Report;
using ascend::client::ReportValue;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

absl::Status CopyByCpu(void* target, size_t target_bytes, const void* source,
                       size_t bytes) {
  ASCEND_RETURN_IF_ERROR(CheckNotNull({{target, "dst"}, {source, "src"}}));
  ASCEND_RETURN_IF_ERROR(CheckRoom("count", bytes, "destMax", target_bytes));
  if (bytes == 0) return MakeError(Reason::kInvalidArgument, "count is 0");
  CopyRequest request;
  request.target = target;
  request.source = source;
  request.bytes = bytes;
  request.is_by_cpu = true;
  return ClientRuntime::Get().Copy(request);
}

absl::StatusOr<ascrtRunInfo> DescribeRun() {
  ASCEND_ASSIGN_OR_RETURN(const ascend::core::ClockReply reply,
                          ClientRuntime::Get().DescribeRun());
  ascrtRunInfo info = {};
  info.participants = reply.participants;
  info.left = reply.left_count;
  info.traceHash = reply.trace_hash;
  info.tasks = reply.task_count;
  info.lateCalls = reply.late_count;
  info.demotedLanes = reply.demoted_count;
  info.evictedLanes = reply.evicted_count;
  return info;
}

}  // namespace

const char* ascrtGetVersion(void) { return ASCEND_RTD_VERSION; }

aclError ascrtBegin(uint32_t participants, uint32_t rank) {
  return Report(__func__, ClientRuntime::Get().JoinRun(participants, rank));
}

aclError ascrtIdle(void) {
  return Report(__func__, ClientRuntime::Get().LeaveClock(/*for_good=*/true));
}

aclError ascrtBlocked(void) {
  return Report(__func__, ClientRuntime::Get().LeaveClock(/*for_good=*/false));
}

aclError ascrtHostAdvance(uint64_t nanoseconds) {
  // Beyond what ticks can say it is beyond the limit too.
  constexpr uint64_t kNanosecondsMax = uint64_t{1} << 52;
  const uint64_t bounded =
      nanoseconds > kNanosecondsMax ? kNanosecondsMax : nanoseconds;
  return Report(__func__, ClientRuntime::Get().AdvanceClock(
                              static_cast<ascend::core::Tick>(bounded) *
                              ascend::core::kTicksPerNanosecond));
}

aclError ascrtGetClock(uint64_t* picoseconds) {
  const absl::Status status = CheckNotNull({{picoseconds, "picoseconds"}});
  if (!status.ok()) return Report(__func__, status);
  const auto clock = ClientRuntime::Get().Clock();
  if (clock.ok()) *picoseconds = static_cast<uint64_t>(*clock);
  return Report(__func__, clock.status());
}

aclError ascrtClockMerge(uint64_t picoseconds) {
  return Report(__func__, ClientRuntime::Get().MergeClock(
                              static_cast<ascend::core::Tick>(picoseconds)));
}

aclError ascrtGetRunInfo(ascrtRunInfo* info) {
  const absl::Status status = CheckNotNull({{info, "info"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, DescribeRun(), info);
}

aclError ascrtSetTimingOnly(int32_t isOn) {
  return Report(__func__, ClientRuntime::Get().SetTimingOnly(isOn != 0));
}

aclError ascrtMemcpyByCpu(void* dst, size_t destMax, const void* src,
                          size_t count) {
  return Report(__func__, CopyByCpu(dst, destMax, src, count));
}
