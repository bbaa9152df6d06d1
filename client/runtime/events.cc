// Events. The daemon hears of one at its first record, so that creating events
// costs nothing of the device's.
#include <utility>

#include "absl/strings/str_cat.h"
#include "acl/types/event.h"
#include "client/runtime/client_runtime.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

using core::MakeError;
using core::Reason;

// The device's counter runs at 50 MHz.
constexpr core::Tick kCounterTicks = core::Nanoseconds(20);
constexpr double kCountsPerMillisecond = 50000;

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
  event_minter_.Release(event->core);
  --devices_[event->device].recorded_event_count;
  session.Post(core::DestroyEvent{event->core},
               session.description().poll_ticks, {&event->stamp});
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
        if (event->device != stream.device) {
          return MakeError(
              Reason::kInvalidArgument,
              absl::StrCat("the event is of device ", event->device.value(),
                           " and the stream of device ",
                           stream.device.value()));
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
          session.Post(core::CreateEvent{event->core, event->device},
                       session.description().poll_ticks, {&event->stamp});
        }
        PostTaskTo(session, stream, core::RecordEvent{event->core, stream.core},
                   {&stream.stamp, &event->stamp});
        return absl::OkStatus();
      });
}

absl::Status ClientRuntime::WaitEvent(void* stream_handle, void* handle) {
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
        PostTaskTo(session, stream, core::WaitEvent{stream.core, event->core},
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
    info.state = reply->complete ? EventState::kComplete : EventState::kPending;
    info.record_tick = reply->record_tick;
  }
  return info;
}

absl::Status ClientRuntime::SynchronizeEvent(void* handle, Timeout timeout) {
  ASCEND_RETURN_IF_ERROR(Enter());
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

}  // namespace ascend::client
