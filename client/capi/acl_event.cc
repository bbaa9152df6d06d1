// Events.
#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "core/base/error.h"

using ascend::client::CheckNotNull;
using ascend::client::CheckTimeout;
using ascend::client::ClientRuntime;
using ascend::client::EventOptions;
using ascend::client::EventState;
using ascend::client::Report;
using ascend::client::ReportValue;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

constexpr uint32_t kCombinableFlags =
    ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE |
    ACL_EVENT_DEVICE_USE_ONLY;

// EXTERNAL and IPC stand alone, and IPC only with re-recordable events.
absl::Status CheckEventFlags(const EventOptions& options) {
  const bool is_legal =
      (options.flags != 0 && (options.flags & ~kCombinableFlags) == 0) ||
      options.flags == ACL_EVENT_EXTERNAL ||
      (options.flags == ACL_EVENT_IPC && options.is_rerecordable);
  if (is_legal) return absl::OkStatus();
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat("flag is 0x", absl::Hex(options.flags),
                                ", which is no legal combination of event "
                                "flags"));
}

aclError CreateEvent(absl::string_view function, aclrtEvent* event,
                     const EventOptions& options) {
  absl::Status status = CheckNotNull({{event, "event"}});
  if (status.ok()) status = CheckEventFlags(options);
  if (!status.ok()) return Report(function, status);
  return ReportValue(function, ClientRuntime::Get().CreateEvent(options),
                     event);
}

absl::Status RefuseRerecordable() {
  return MakeError(Reason::kUnsupportedCombination,
                   "the event was created by aclrtCreateEventExWithFlag: use "
                   "aclrtQueryEventStatus");
}

// Graphs are not there yet, and only they know external records and waits.
absl::Status CheckStyle(uint32_t flag, uint32_t external) {
  if (flag == 0) return absl::OkStatus();
  return MakeError(
      Reason::kInvalidArgument,
      absl::StrCat("flag is ", flag,
                   flag == external ? ", which is legal in a capture only"
                                    : ", which is neither 0 nor 1"));
}

}  // namespace

aclError aclrtCreateEvent(aclrtEvent* event) {
  return CreateEvent(__func__, event,
                     {ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE, false});
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
  return CreateEvent(__func__, event, {flag, /*is_rerecordable=*/false});
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
  return CreateEvent(__func__, event, {flag, /*is_rerecordable=*/true});
}

aclError aclrtDestroyEvent(aclrtEvent event) {
  const absl::Status status = CheckNotNull({{event, "event"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, ClientRuntime::Get().DestroyEvent(event));
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  const absl::Status status = CheckNotNull({{event, "event"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, ClientRuntime::Get().RecordEvent(event, stream));
}

aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream,
                                  uint32_t flag) {
  absl::Status status = CheckNotNull({{event, "event"}});
  if (status.ok()) status = CheckStyle(flag, ACL_EVENT_RECORD_EXTERNAL);
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, ClientRuntime::Get().RecordEvent(event, stream));
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  const absl::Status status = CheckNotNull({{event, "event"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, ClientRuntime::Get().ResetEvent(event, stream));
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  const absl::Status status = CheckNotNull({{event, "event"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, ClientRuntime::Get().WaitEvent(stream, event));
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event,
                                         int32_t timeout) {
  const absl::Status status = CheckNotNull({{event, "event"}});
  if (!status.ok()) return Report(__func__, status);
  if (timeout < 0) {
    return Report(__func__, MakeError(Reason::kInvalidArgument,
                                      absl::StrCat("timeout is ", timeout,
                                                   " s, below 0")));
  }
  return Report(__func__, ClientRuntime::Get().WaitEvent(
                              stream, event, static_cast<uint32_t>(timeout)));
}

aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event,
                                      uint32_t timeout, uint32_t flag) {
  absl::Status status = CheckNotNull({{event, "event"}});
  if (status.ok()) status = CheckStyle(flag, ACL_EVENT_WAIT_EXTERNAL);
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__,
                ClientRuntime::Get().WaitEvent(stream, event, timeout));
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout) {
  ClientRuntime::Get().SetWaitSeconds(timeout);
  return ACL_SUCCESS;
}

aclError aclrtQueryEventStatus(aclrtEvent event,
                               aclrtEventRecordedStatus* status) {
  const absl::Status checked =
      CheckNotNull({{event, "event"}, {status, "status"}});
  if (!checked.ok()) return Report(__func__, checked);
  const auto info = ClientRuntime::Get().QueryEvent(event);
  if (!info.ok()) return Report(__func__, info.status());
  const bool is_complete =
      info->state == EventState::kComplete ||
      (info->state == EventState::kNeverRecorded && info->is_rerecordable);
  *status = is_complete ? ACL_EVENT_RECORDED_STATUS_COMPLETE
                        : ACL_EVENT_RECORDED_STATUS_NOT_READY;
  return ACL_SUCCESS;
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  const absl::Status checked =
      CheckNotNull({{event, "event"}, {status, "status"}});
  if (!checked.ok()) return Report(__func__, checked);
  const auto info = ClientRuntime::Get().QueryEvent(event);
  if (!info.ok()) return Report(__func__, info.status());
  if (info->is_rerecordable) return Report(__func__, RefuseRerecordable());
  *status = info->state == EventState::kPending ? ACL_EVENT_STATUS_NOT_READY
                                                : ACL_EVENT_STATUS_COMPLETE;
  return ACL_SUCCESS;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event,
                                   aclrtEventWaitStatus* status) {
  const absl::Status checked =
      CheckNotNull({{event, "event"}, {status, "status"}});
  if (!checked.ok()) return Report(__func__, checked);
  const auto info = ClientRuntime::Get().QueryEvent(event);
  if (!info.ok()) return Report(__func__, info.status());
  if (info->is_rerecordable) return Report(__func__, RefuseRerecordable());
  *status = info->is_awaited ? ACL_EVENT_WAIT_STATUS_NOT_READY
                             : ACL_EVENT_WAIT_STATUS_COMPLETE;
  return ACL_SUCCESS;
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  const absl::Status status = CheckNotNull({{event, "event"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, ClientRuntime::Get().SynchronizeEvent(event, {}));
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  const absl::Status status = CheckNotNull({{event, "event"}});
  if (!status.ok()) return Report(__func__, status);
  const auto checked = CheckTimeout(timeout);
  if (!checked.ok()) return Report(__func__, checked.status());
  return Report(__func__,
                ClientRuntime::Get().SynchronizeEvent(event, *checked));
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent,
                               aclrtEvent endEvent) {
  const absl::Status status = CheckNotNull(
      {{ms, "ms"}, {startEvent, "startEvent"}, {endEvent, "endEvent"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(
      __func__, ClientRuntime::Get().ElapsedMilliseconds(startEvent, endEvent),
      ms);
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
  const absl::Status status =
      CheckNotNull({{event, "event"}, {timestamp, "timestamp"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().EventMicroseconds(event),
                     timestamp);
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId) {
  const absl::Status status =
      CheckNotNull({{event, "event"}, {eventId, "eventId"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().EventId(event), eventId);
}

aclError aclrtGetEventAvailNum(uint32_t* eventCount) {
  const absl::Status status = CheckNotNull({{eventCount, "eventCount"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().EventsLeft(), eventCount);
}
