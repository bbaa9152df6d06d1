// Events. The daemon hears of one at its first record, so that creating events
// costs nothing of the device's.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "acl/types/event.h"
#include "client/runtime/client_runtime.h"
#include "client/runtime/seconds.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

using core::MakeError;
using core::Reason;

// The device's counter runs at 50 MHz.
constexpr core::Tick kCounterTicks = core::Nanoseconds(20);
constexpr double kCountsPerMillisecond = 50000;

absl::Status CheckSameDevice(const Event& event, const Stream& stream) {
  if (event.device == stream.device) return absl::OkStatus();
  return MakeError(
      Reason::kInvalidArgument,
      absl::StrCat("the event is of device ", event.device.value(),
                   " and the stream of device ", stream.device.value()));
}

absl::Status CheckTimed(const EventInfo& info, absl::string_view role) {
  if ((info.flags & (ACL_EVENT_EXTERNAL | ACL_EVENT_IPC)) != 0) {
    return MakeError(Reason::kUnsupportedCombination,
                     absl::StrCat("the ", role,
                                  " event is external or shared, which has no "
                                  "elapsed time"));
  }
  if (info.state != EventState::kComplete) {
    return MakeError(Reason::kEventNotRecorded,
                     absl::StrCat("the record of the ", role, " event is ",
                                  info.state == EventState::kPending
                                      ? "not complete: synchronise first"
                                      : "missing: record it first"));
  }
  if ((info.flags & ACL_EVENT_TIME_LINE) == 0) {
    return MakeError(Reason::kEventWithoutTimestamp,
                     absl::StrCat("the ", role,
                                  " event was created without "
                                  "ACL_EVENT_TIME_LINE and has no time stamp"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Event*> ClientRuntime::FindEvent(void* handle) {
  Event* const event = events_.Find(handle);
  if (event == nullptr) {
    return MakeError(
        Reason::kStaleHandle,
        absl::StrCat("event handle 0x",
                     absl::Hex(reinterpret_cast<uintptr_t>(handle)),
                     " was destroyed or never given out"));
  }
  return event;
}

absl::StatusOr<void*> ClientRuntime::CreateEvent(const EventOptions& options) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_ASSIGN_OR_RETURN(const Context* const context, FindCurrentContext());
  auto event = std::make_unique<Event>();
  event->device = context->device;
  event->context = ThreadContext();
  event->flags = options.flags;
  event->is_rerecordable = options.is_rerecordable;
  void* const handle = events_.Insert(std::move(event));
  if (handle == nullptr) {
    return MakeError(Reason::kEventsExhausted,
                     absl::StrCat("this process has ", events_.size(),
                                  " events, as many as there can be"));
  }
  return handle;
}

void ClientRuntime::EndEvent(Session& session, void* handle) {
  const std::unique_ptr<Event> event = events_.Erase(handle);
  if (event->core.is_null()) return;
  --devices_[event->device].recorded_event_count;
  session.Post(core::DestroyEvent{event->core},
               session.description().poll_ticks, {&event->stamp});
  event_minter_.Release(event->core, event->stamp);
}

absl::Status ClientRuntime::DestroyEvent(void* handle) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
  ASCEND_RETURN_IF_ERROR(FindEvent(handle).status());
  EndEvent(*session, handle);
  return absl::OkStatus();
}

absl::Status ClientRuntime::RecordEvent(void* handle, void* stream_handle) {
  return SubmitTask(
      stream_handle, [&](Session& session, Stream& stream) -> absl::Status {
        order_mutex_.AssertHeld();
        ASCEND_ASSIGN_OR_RETURN(Event* const event, FindEvent(handle));
        ASCEND_RETURN_IF_ERROR(CheckSameDevice(*event, stream));
        if (event->is_recorded && !event->is_rerecordable) {
          return MakeError(Reason::kUnsupportedCombination,
                           "the event is recorded already: call "
                           "aclrtResetEvent first, or create it by "
                           "aclrtCreateEventExWithFlag");
        }
        if (event->core.is_null()) {
          uint64_t& count = devices_[event->device].recorded_event_count;
          if (count >= session.description().events_max) {
            return MakeError(
                Reason::kEventsExhausted,
                absl::StrCat("device ", event->device.value(), " has ", count,
                             " recorded events, as many as it can "
                             "hold: destroy some"));
          }
          ++count;
          event->core = event_minter_.Mint();
          event->stamp =
              std::max(event->stamp, event_minter_.StampOf(event->core));
          session.Post(core::CreateEvent{event->core, event->device},
                       session.description().poll_ticks, {&event->stamp});
        }
        event->is_recorded = true;
        PostTaskTo(session, stream, core::RecordEvent{event->core, stream.core},
                   {&stream.stamp, &event->stamp});
        return absl::OkStatus();
      });
}

absl::Status ClientRuntime::ResetEvent(void* handle, void* stream_handle) {
  return SubmitTask(
      stream_handle, [&](Session& session, Stream& stream) -> absl::Status {
        order_mutex_.AssertHeld();
        ASCEND_ASSIGN_OR_RETURN(Event* const event, FindEvent(handle));
        if (event->is_rerecordable) {
          return MakeError(Reason::kUnsupportedCombination,
                           "the event was created by "
                           "aclrtCreateEventExWithFlag and needs no reset: "
                           "record it again");
        }
        ASCEND_RETURN_IF_ERROR(CheckSameDevice(*event, stream));
        // Nothing was recorded: there is nothing to take back.
        if (event->core.is_null()) return absl::OkStatus();
        event->is_recorded = false;
        PostTaskTo(session, stream, core::ResetEvent{event->core, stream.core},
                   {&stream.stamp, &event->stamp});
        return absl::OkStatus();
      });
}

absl::Status ClientRuntime::WaitEvent(void* stream_handle, void* handle,
                                      absl::optional<uint32_t> seconds) {
  const core::Tick timeout =
      TicksOfSeconds(seconds.has_value() ? *seconds : wait_seconds_.load());
  return SubmitTask(
      stream_handle, [&](Session& session, Stream& stream) -> absl::Status {
        order_mutex_.AssertHeld();
        ASCEND_ASSIGN_OR_RETURN(Event* const event, FindEvent(handle));
        if ((event->flags & ACL_EVENT_SYNC) == 0) {
          return MakeError(Reason::kUnsupportedCombination,
                           "the event was created without ACL_EVENT_SYNC, so "
                           "no stream can wait for it");
        }
        // Nothing was recorded: there is nothing to wait for.
        if (event->core.is_null()) return absl::OkStatus();
        PostTaskTo(session, stream,
                   core::WaitEvent{stream.core, event->core, timeout},
                   {&stream.stamp, &event->stamp});
        return absl::OkStatus();
      });
}

absl::StatusOr<EventInfo> ClientRuntime::QueryEvent(void* handle) {
  ASCEND_RETURN_IF_ERROR(Enter());
  EventInfo info;
  std::shared_ptr<Session> session;
  PendingReply pending;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
    ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
    ASCEND_ASSIGN_OR_RETURN(Event* const event, FindEvent(handle));
    info.flags = event->flags;
    info.is_rerecordable = event->is_rerecordable;
    if (event->core.is_null()) return info;
    session->Ask(pending, core::QueryEvent{event->core},
                 session->description().poll_ticks, {&event->stamp});
  }
  session->Await(pending, /*wake=*/0);
  ASCEND_RETURN_IF_ERROR(pending.reply.status);
  if (const auto* const reply =
          std::get_if<core::EventReply>(&pending.reply.payload)) {
    if (reply->recorded) {
      info.state =
          reply->complete ? EventState::kComplete : EventState::kPending;
    }
    info.record_tick = reply->record_tick;
    info.is_awaited = reply->is_awaited;
  }
  return info;
}

absl::Status ClientRuntime::SynchronizeEvent(void* handle, Timeout timeout) {
  ASCEND_RETURN_IF_ERROR(Enter());
  ASCEND_RETURN_IF_ERROR(CheckMayWait());
  std::shared_ptr<Session> session;
  PendingReply pending;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
    ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
    ASCEND_ASSIGN_OR_RETURN(Event* const event, FindEvent(handle));
    if ((event->flags & ACL_EVENT_EXTERNAL) != 0) {
      return MakeError(Reason::kUnsupportedCombination,
                       "the event is external, so the host cannot wait for it");
    }
    if (event->core.is_null()) return absl::OkStatus();
    core::Synchronize synchronize;
    synchronize.target = core::Synchronize::Target::kEvent;
    synchronize.event = event->core;
    session->Ask(pending, synchronize, session->description().poll_ticks,
                 {&event->stamp});
  }
  return AwaitSynchronize(
      *session, pending, session->description().sync_wake_ticks, timeout,
      MakeError(Reason::kEventSyncTimeout,
                "the event's record is not complete when the time-out ends"));
}

absl::StatusOr<float> ClientRuntime::ElapsedMilliseconds(void* start,
                                                         void* end) {
  ASCEND_ASSIGN_OR_RETURN(const EventInfo first, QueryEvent(start));
  ASCEND_RETURN_IF_ERROR(CheckTimed(first, "start"));
  ASCEND_ASSIGN_OR_RETURN(const EventInfo second, QueryEvent(end));
  ASCEND_RETURN_IF_ERROR(CheckTimed(second, "end"));
  const core::Tick count =
      second.record_tick / kCounterTicks - first.record_tick / kCounterTicks;
  return static_cast<float>(static_cast<double>(count) / kCountsPerMillisecond);
}

absl::StatusOr<uint64_t> ClientRuntime::EventMicroseconds(void* handle) {
  ASCEND_ASSIGN_OR_RETURN(const EventInfo info, QueryEvent(handle));
  ASCEND_RETURN_IF_ERROR(CheckTimed(info, "given"));
  return static_cast<uint64_t>(info.record_tick / core::Microseconds(1));
}

absl::StatusOr<uint32_t> ClientRuntime::EventId(void* handle) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
  ASCEND_ASSIGN_OR_RETURN(const Event* const event, FindEvent(handle));
  if (event->core.is_null()) {
    return MakeError(Reason::kEventNotRecorded,
                     "the event gets its id when it is first recorded, and it "
                     "was not yet");
  }
  return event->core.index;
}

absl::StatusOr<uint32_t> ClientRuntime::EventsLeft() {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  ASCEND_ASSIGN_OR_RETURN(const Context* const context, FindCurrentContext());
  return static_cast<uint32_t>(session->description().events_max -
                               devices_[context->device].recorded_event_count);
}

}  // namespace ascend::client
