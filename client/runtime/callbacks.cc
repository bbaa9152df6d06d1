// Functions of the program that the device's work calls: host functions of
// streams, service threads, exception callbacks.
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/runtime/client_runtime.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

using core::MakeError;
using core::Reason;

}  // namespace

void ClientRuntime::ListenTo(const std::shared_ptr<Session>& session) {
  // The session's threads call these, so they must not keep it alive.
  const std::weak_ptr<Session> weak = session;
  session->completion().host_calls().SetRunner([this, weak](DueCall due) {
    callback_thread_.Run([this, weak, due] {
      if (const auto live = weak.lock()) RunHostCall(live, due);
    });
  });
  session->completion().SetFailureListener(
      [this, weak](const core::TaskFailure& failure) {
        if (exception_listener_.load() == nullptr) return;
        callback_thread_.Run([this, weak, failure] {
          if (const auto live = weak.lock()) TellOfException(live, failure);
        });
      });
}

void ClientRuntime::RunHostCall(const std::shared_ptr<Session>& session,
                                const DueCall& due) {
  session->Resume(due.tick);
  IsInHostFunction() = due.call.is_awaited;
  due.call.function(due.call.user_data);
  IsInHostFunction() = false;
  session->completion().host_calls().OnReturned();
  if (!due.call.is_awaited) return;
  core::MutexLock lock(order_mutex_);
  if (session_ != session || !session->status().ok()) return;
  session->Post(core::HostFunctionDone{due.ticket},
                session->description().poll_ticks, {});
}

absl::Status ClientRuntime::CheckMayWait() const {
  if (!IsInHostFunction()) return absl::OkStatus();
  return MakeError(Reason::kUnsupportedCombination,
                   "this thread is in a function that a stream waits for, "
                   "which must not wait for streams");
}

absl::Status ClientRuntime::CallHostFunction(void* stream_handle,
                                             void (*function)(void*),
                                             void* user_data) {
  return SubmitTask(
      stream_handle, [&](Session& session, Stream& stream) -> absl::Status {
        order_mutex_.AssertHeld();
        HostCalls& calls = session.completion().host_calls();
        if (calls.ServiceThreadOf(stream.core) != 0) {
          return MakeError(Reason::kMixedCallbackStyles,
                           "the stream is subscribed to a service thread: use "
                           "aclrtLaunchCallback, or unsubscribe it first");
        }
        calls.Add(session.next_ticket(), {function, user_data});
        PostTaskTo(session, stream, core::HostFunction{stream.core},
                   {&stream.stamp});
        return absl::OkStatus();
      });
}

absl::Status ClientRuntime::CallServiceThread(void* stream_handle,
                                              void (*function)(void*),
                                              void* user_data,
                                              bool is_awaited) {
  return SubmitTask(
      stream_handle, [&](Session& session, Stream& stream) -> absl::Status {
        order_mutex_.AssertHeld();
        HostCalls& calls = session.completion().host_calls();
        const uint64_t thread = calls.ServiceThreadOf(stream.core);
        if (thread == 0) {
          return MakeError(Reason::kStreamNotSubscribed,
                           "the stream is subscribed to no service thread: "
                           "call aclrtSubscribeReport first");
        }
        calls.Add(session.next_ticket(),
                  {function, user_data, is_awaited, thread});
        PostTaskTo(session, stream, core::HostFunction{stream.core, is_awaited},
                   {&stream.stamp});
        return absl::OkStatus();
      });
}

absl::Status ClientRuntime::Subscribe(uint64_t thread, void* stream_handle) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  ASCEND_ASSIGN_OR_RETURN(const Stream* const stream,
                          FindOwnStream(stream_handle));
  return session->completion().host_calls().Subscribe(thread, stream->core);
}

absl::Status ClientRuntime::Unsubscribe(uint64_t thread, void* stream_handle) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  ASCEND_ASSIGN_OR_RETURN(const Stream* const stream,
                          FindOwnStream(stream_handle));
  return session->completion().host_calls().Unsubscribe(thread, stream->core);
}

absl::Status ClientRuntime::ServeOneCall(uint64_t thread, Timeout timeout) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  std::shared_ptr<Session> session;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
  }
  // Nothing that the device does ends this wait by itself.
  ASCEND_RETURN_IF_ERROR(LeaveClock(/*for_good=*/false));
  Deadline deadline;
  if (timeout.has_value()) {
    deadline = core::CondVar::Clock::now() + *timeout;
  }
  ASCEND_ASSIGN_OR_RETURN(
      const absl::optional<DueCall> due,
      session->completion().host_calls().Take(thread, deadline));
  if (!due.has_value()) {
    return MakeError(Reason::kReportTimeout,
                     "no callback became due before the time-out");
  }
  RunHostCall(session, *due);
  return absl::OkStatus();
}

void ClientRuntime::TellOfException(const std::shared_ptr<Session>& session,
                                    const core::TaskFailure& failure) {
  TaskException exception;
  exception.task = static_cast<uint32_t>(failure.task);
  exception.stream = failure.stream.index;
  exception.thread = ThreadOfLane(failure.lane);
  exception.status = failure.status;
  {
    core::MutexLock lock(order_mutex_);
    if (session_ != session) return;
    for (void* handle : streams_.Select(
             [&](const Stream& s) { return s.core == failure.stream; })) {
      exception.device =
          static_cast<uint32_t>(NumberOf(streams_.Find(handle)->device));
    }
  }
  const ExceptionListener listener = exception_listener_.load();
  if (listener != nullptr) listener(exception);
}

void ClientRuntime::NoteStoppedContexts(Session& session) {
  for (const core::TaskFailure& stop : session.completion().TakeStops()) {
    for (void* handle : streams_.Select(
             [&](const Stream& s) { return s.core == stop.stream; })) {
      Context* const context = contexts_.Find(streams_.Find(handle)->context);
      if (context != nullptr) context->failure = stop.status;
    }
  }
}

}  // namespace ascend::client
