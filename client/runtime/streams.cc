// Streams: handles, throttle, waiting.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "acl/types/stream.h"
#include "client/runtime/client_runtime.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

using core::MakeError;
using core::Reason;

}  // namespace

absl::StatusOr<Stream*> ClientRuntime::FindStream(void* handle) {
  if (handle == nullptr) {
    ASCEND_ASSIGN_OR_RETURN(const Context* const context, FindCurrentContext());
    handle = context->default_stream;
  }
  Stream* const stream = streams_.Find(handle);
  if (stream == nullptr) {
    return MakeError(
        Reason::kStaleHandle,
        absl::StrCat("stream handle 0x",
                     absl::Hex(reinterpret_cast<uintptr_t>(handle)),
                     " was destroyed or never given out"));
  }
  return stream;
}

absl::StatusOr<Stream*> ClientRuntime::FindOwnStream(void* handle) {
  ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
  ASCEND_ASSIGN_OR_RETURN(Stream* const stream, FindStream(handle));
  if (stream->context != ThreadContext()) {
    return MakeError(Reason::kForeignStream,
                     "the stream belongs to another context than the one that "
                     "is current in this thread");
  }
  return stream;
}

Stream& ClientRuntime::AddStream(Session& session, void* context,
                                 core::DeviceId device, void** handle) {
  auto owned = std::make_unique<Stream>();
  Stream& stream = *owned;
  stream.core = stream_minter_.Mint();
  stream.device = device;
  stream.context = context;
  stream.gauge = session.completion().AddStream(stream.core);
  *handle = streams_.Insert(std::move(owned));
  return stream;
}

void ClientRuntime::ReleaseStream(Session& session, core::StreamHandle stream) {
  session.completion().RemoveStream(stream);
  core::MutexLock lock(order_mutex_);
  if (session_.get() == &session) stream_minter_.Release(stream);
}

absl::StatusOr<void*> ClientRuntime::CreateStream(
    const StreamOptions& options) {
  ASCEND_RETURN_IF_ERROR(Enter());
  std::shared_ptr<Session> session;
  PendingReply pending;
  void* handle = nullptr;
  core::StreamHandle core_handle;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
    ASCEND_ASSIGN_OR_RETURN(Context* const context, FindCurrentContext());
    Stream& stream =
        AddStream(*session, ThreadContext(), context->device, &handle);
    stream.priority = options.priority;
    stream.flags = options.flags;
    core_handle = stream.core;
    session->Ask(
        pending,
        core::CreateStream{stream.core, context->core, options.priority,
                           (options.flags & ACL_STREAM_FAST_LAUNCH) != 0,
                           (options.flags & ACL_STREAM_FAST_SYNC) != 0},
        // Not the context's stamp: the context is there, and threads that make
        // streams in it do not wait for each other.
        session->description().poll_ticks, {&stream.stamp});
  }
  session->Await(pending, /*wake=*/0);
  if (pending.reply.status.ok()) {
    stream_callbacks_.Call(handle, ACL_RT_STREAM_STATE_CREATE_POST);
    return handle;
  }
  {
    core::MutexLock lock(order_mutex_);
    streams_.Erase(handle);
  }
  ReleaseStream(*session, core_handle);
  return pending.reply.status;
}

absl::StatusOr<Stream*> ClientRuntime::FindDestroyable(void* handle) {
  ASCEND_ASSIGN_OR_RETURN(Stream* const stream, FindOwnStream(handle));
  if (stream->is_default) {
    return MakeError(Reason::kInvalidArgument,
                     "the stream is the default stream of its context, which "
                     "ends with the context");
  }
  return stream;
}

absl::Status ClientRuntime::DestroyStream(void* handle, bool force) {
  ASCEND_RETURN_IF_ERROR(Enter());
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_RETURN_IF_ERROR(LiveSession().status());
    ASCEND_RETURN_IF_ERROR(FindDestroyable(handle).status());
  }
  stream_callbacks_.Call(handle, ACL_RT_STREAM_STATE_DESTROY_PRE);
  std::shared_ptr<Session> session;
  PendingReply pending;
  core::StreamHandle core_handle;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
    ASCEND_ASSIGN_OR_RETURN(Stream* const stream, FindDestroyable(handle));
    core_handle = stream->core;
    session->Ask(pending, core::DestroyStream{stream->core, force},
                 session->description().poll_ticks, {&stream->stamp});
    streams_.Erase(handle);
  }
  session->Await(pending, session->description().sync_wake_ticks);
  ReleaseStream(*session, core_handle);
  return pending.reply.status;
}

absl::Status ClientRuntime::SynchronizeStream(void* handle, Timeout timeout) {
  ASCEND_RETURN_IF_ERROR(Enter());
  ASCEND_RETURN_IF_ERROR(CheckMayWait());
  std::shared_ptr<Session> session;
  PendingReply pending;
  core::Tick wake = 0;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
    ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
    ASCEND_ASSIGN_OR_RETURN(Stream* const stream, FindStream(handle));
    wake = (stream->flags & ACL_STREAM_FAST_SYNC) != 0
               ? session->description().sync_wake_fast_ticks
               : session->description().sync_wake_ticks;
    core::Synchronize synchronize;
    synchronize.target = core::Synchronize::Target::kStream;
    synchronize.stream = stream->core;
    session->Ask(pending, synchronize, session->description().poll_ticks,
                 {&stream->stamp});
  }
  return AwaitSynchronize(
      *session, pending, wake, timeout,
      MakeError(Reason::kStreamSyncTimeout,
                "the stream still has work when the time-out ends"));
}

absl::Status ClientRuntime::AbortStream(void* handle) {
  ASCEND_RETURN_IF_ERROR(Enter());
  ASCEND_RETURN_IF_ERROR(CheckMayWait());
  std::shared_ptr<Session> session;
  PendingReply pending;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
    ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
    ASCEND_ASSIGN_OR_RETURN(Stream* const stream, FindStream(handle));
    session->Ask(pending, core::AbortStream{stream->core},
                 session->description().poll_ticks, {&stream->stamp});
  }
  session->Await(pending, session->description().sync_wake_ticks);
  return pending.reply.status;
}

absl::Status ClientRuntime::StopContextOnFailure(void* handle) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
  ASCEND_ASSIGN_OR_RETURN(Stream* const stream, FindStream(handle));
  if (stream->stops_context) {
    return MakeError(Reason::kInvalidArgument,
                     "the failure mode of the stream is to stop already, and "
                     "can be set only once");
  }
  stream->stops_context = true;
  session->Post(core::StopContextOnFailure{stream->core},
                session->description().poll_ticks, {&stream->stamp});
  return absl::OkStatus();
}

absl::StatusOr<bool> ClientRuntime::StopsContextOnFailure(void* handle) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
  ASCEND_ASSIGN_OR_RETURN(const Stream* const stream, FindStream(handle));
  return stream->stops_context;
}

absl::Status ClientRuntime::SetStreamNote(void* handle, int attribute,
                                          uint32_t value) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
  ASCEND_ASSIGN_OR_RETURN(Stream* const stream, FindStream(handle));
  stream->notes[attribute] = value;
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> ClientRuntime::StreamNote(void* handle,
                                                   int attribute) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
  ASCEND_ASSIGN_OR_RETURN(const Stream* const stream, FindStream(handle));
  const auto found = stream->notes.find(attribute);
  return found == stream->notes.end() ? 0 : found->second;
}

absl::Status ClientRuntime::SetStreamPriority(void* handle, uint32_t priority) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
  ASCEND_ASSIGN_OR_RETURN(Stream* const stream, FindStream(handle));
  if (stream->is_default) {
    return MakeError(Reason::kInvalidArgument,
                     "the stream is the default stream of its context, whose "
                     "priority cannot be changed");
  }
  stream->priority = priority;
  session->Post(core::SetStreamPriority{stream->core, priority},
                session->description().poll_ticks, {&stream->stamp});
  return absl::OkStatus();
}

absl::StatusOr<bool> ClientRuntime::IsStreamComplete(void* handle) {
  ASCEND_RETURN_IF_ERROR(Enter());
  std::shared_ptr<Session> session;
  PendingReply pending;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
    ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
    ASCEND_ASSIGN_OR_RETURN(Stream* const stream, FindStream(handle));
    session->Ask(pending, core::QueryStream{stream->core},
                 session->description().poll_ticks, {&stream->stamp});
  }
  session->Await(pending, /*wake=*/0);
  ASCEND_RETURN_IF_ERROR(pending.reply.status);
  const auto* const reply =
      std::get_if<core::QueryReply>(&pending.reply.payload);
  return reply != nullptr && reply->complete;
}

absl::StatusOr<StreamInfo> ClientRuntime::DescribeStream(void* handle) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
  ASCEND_ASSIGN_OR_RETURN(const Stream* const stream, FindStream(handle));
  return StreamInfo{stream->core.index, {stream->priority, stream->flags}};
}

absl::StatusOr<uint32_t> ClientRuntime::StreamsLeft() {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  ASCEND_ASSIGN_OR_RETURN(const Context* const context, FindCurrentContext());
  const size_t used =
      streams_
          .Select([&](const Stream& s) { return s.device == context->device; })
          .size();
  const size_t most = session->description().streams_max;
  return static_cast<uint32_t>(most - std::min(used, most));
}

absl::StatusOr<uint32_t> ClientRuntime::LastTaskOfThread() {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
  return static_cast<uint32_t>(CurrentLane().last_task());
}

absl::Status ClientRuntime::AwaitSynchronize(Session& session,
                                             PendingReply& pending,
                                             core::Tick wake, Timeout timeout,
                                             const absl::Status& expired) {
  Deadline deadline;
  if (timeout.has_value()) {
    deadline = core::CondVar::Clock::now() + *timeout;
  }
  if (session.Await(pending, wake, deadline)) return pending.reply.status;
  core::MutexLock lock(order_mutex_);
  // After a finalize nobody is left to be told.
  if (session_.get() == &session && session.status().ok()) {
    session.Post(core::CancelWait{pending.ticket},
                 session.description().poll_ticks, {});
  }
  return expired;
}

absl::Status ClientRuntime::SubmitTask(void* handle, PostTask post) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::StreamHandle awaited;
  uint64_t awaited_count = 0;
  for (;;) {
    std::shared_ptr<Session> session;
    PendingReply pending;
    {
      core::MutexLock lock(order_mutex_);
      ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
      ASCEND_ASSIGN_OR_RETURN(Stream* const stream, FindOwnStream(handle));
      NoteStoppedContexts(*session);
      ASCEND_RETURN_IF_ERROR(contexts_.Find(stream->context)->failure);
      const uint64_t depth = session->description().stream_depth;
      if (stream->posted_count - stream->known_retired_count >= depth) {
        // What was awaited is known before the next report of progress. How
        // soon a report is here is for the host to say, so in a run a thread
        // does not look at them.
        const bool is_in_run = session->AttachedLane().is_in_run();
        stream->known_retired_count =
            std::max({stream->known_retired_count,
                      is_in_run ? 0 : stream->gauge->retired(),
                      stream->core == awaited ? awaited_count : 0});
      }
      if (stream->posted_count - stream->known_retired_count < depth) {
        return post(*session, *stream);
      }
      // Full. A request, so that the clock does not wait for this lane; for
      // many at once, so that not every call has to wait.
      awaited = stream->core;
      awaited_count =
          stream->posted_count - depth + std::max<uint64_t>(1, depth / 8);
      session->Ask(pending, core::AwaitProgress{awaited, awaited_count},
                   session->description().poll_ticks, {&stream->stamp});
    }
    session->Await(pending, /*wake=*/0);
    ASCEND_RETURN_IF_ERROR(pending.reply.status);
    // Everything may have changed meanwhile, so start again.
  }
}

void ClientRuntime::PostTaskTo(Session& session, Stream& stream,
                               core::Operation operation, StampList touched) {
  session.Post(std::move(operation), LaunchCost(session, stream), touched);
  ++stream.posted_count;
  CurrentLane().set_last_task(stream.posted_count);
}

core::Tick ClientRuntime::LaunchCost(const Session& session,
                                     const Stream& stream) const {
  return (stream.flags & ACL_STREAM_FAST_LAUNCH) != 0
             ? session.description().launch_fast_ticks
             : session.description().launch_ticks;
}

}  // namespace ascend::client
