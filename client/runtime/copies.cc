// Copies. What a pointer is follows from the tables of device allocations and
// of page-locked blocks; anything else is pageable host memory.
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/runtime/client_runtime.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

using core::MakeError;
using core::Reason;

// The kind is set.
void SetShape(const CopyRequest& request, core::Copy& copy) {
  copy.bytes = request.bytes;
  copy.rows = request.rows;
  if (request.rows == 1) return;
  // The host's side has no gaps on its way.
  copy.target_pitch = copy.kind == core::CopyKind::kDeviceToHost
                          ? request.bytes
                          : request.target_pitch;
  copy.source_pitch = copy.kind == core::CopyKind::kHostToDevice
                          ? request.bytes
                          : request.source_pitch;
}

// From host memory to host memory.
void MoveRows(const CopyRequest& request) {
  for (uint64_t row = 0; row < request.rows; ++row) {
    std::memmove(request.target_rows().data + row * request.target_pitch,
                 request.source_rows().data + row * request.source_pitch,
                 request.bytes);
  }
}

std::string BytesOf(const CopyRequest& request) {
  const core::PitchedBytes rows = request.source_rows();
  return rows.Read(0, rows.bytes());
}

}  // namespace

struct ClientRuntime::Endpoint {
  Allocation* allocation = nullptr;  // of device memory, else host memory
  std::shared_ptr<HostBlock> block;  // page-locked, else pageable

  bool is_device() const { return allocation != nullptr; }
  bool is_pageable() const { return !is_device() && block == nullptr; }
};

struct ClientRuntime::Endpoints {
  Endpoint target;
  Endpoint source;

  bool is_host_to_host() const {
    return !target.is_device() && !source.is_device();
  }
  // Unless host to host.
  core::CopyKind kind() const {
    if (!source.is_device()) return core::CopyKind::kHostToDevice;
    return target.is_device() ? core::CopyKind::kDeviceToDevice
                              : core::CopyKind::kDeviceToHost;
  }
  bool has_pageable() const {
    return target.is_pageable() || source.is_pageable();
  }
};

namespace {

// Whether pageable memory makes the real direction what the caller said.
bool Fits(StatedKind stated, core::CopyKind real) {
  switch (stated) {
    case StatedKind::kInfer:
      return true;
    case StatedKind::kHostToDevice:
    case StatedKind::kHostToBufferToDevice:
      return real == core::CopyKind::kHostToDevice;
    case StatedKind::kDeviceToHost:
      return real == core::CopyKind::kDeviceToHost;
    case StatedKind::kHostToHost:
    case StatedKind::kDeviceToDevice:
      return false;
  }
  return false;
}

absl::Status RefuseHostToHost(StatedKind stated, bool has_pageable) {
  const bool is_stated =
      stated == StatedKind::kInfer || stated == StatedKind::kHostToHost;
  if (has_pageable && !is_stated) {
    return MakeError(Reason::kInvalidArgument,
                     "both ends of the copy are host memory, but the stated "
                     "kind has a device at one end");
  }
  return MakeError(Reason::kUnsupportedCombination,
                   "both ends of the copy are host memory, which no stream "
                   "copies: use aclrtMemcpy");
}

}  // namespace

absl::StatusOr<ClientRuntime::Endpoint> ClientRuntime::Locate(
    const void* address, uint64_t bytes, absl::string_view role) {
  Endpoint endpoint;
  if (device_memory_.IsDeviceAddress(AddressOf(address))) {
    ASCEND_ASSIGN_OR_RETURN(
        endpoint.allocation,
        device_memory_.Resolve(AddressOf(address), bytes, role));
  } else {
    endpoint.block = host_memory_.Find(address, bytes);
  }
  return endpoint;
}

absl::StatusOr<ClientRuntime::Endpoints> ClientRuntime::Locate(
    const CopyRequest& request) {
  Endpoints endpoints;
  ASCEND_ASSIGN_OR_RETURN(
      endpoints.target,
      Locate(request.target, request.target_rows().footprint_bytes(),
             "target"));
  ASCEND_ASSIGN_OR_RETURN(
      endpoints.source,
      Locate(request.source, request.source_rows().footprint_bytes(),
             "source"));
  if (endpoints.target.is_device() && endpoints.source.is_device()) {
    const core::DeviceId from = endpoints.source.allocation->device;
    const core::DeviceId to = endpoints.target.allocation->device;
    if (from != to && !devices_[from].peers.contains(to)) {
      return MakeError(
          Reason::kInvalidArgument,
          absl::StrCat("the source is on device ", NumberOf(from),
                       " and the target on device ", NumberOf(to),
                       ": call aclrtDeviceEnablePeerAccess for the second "
                       "while the first is current"));
    }
  }
  return endpoints;
}

absl::Status ClientRuntime::Copy(const CopyRequest& request) {
  ASCEND_RETURN_IF_ERROR(Enter());
  if (request.target == request.source) return absl::OkStatus();
  std::shared_ptr<Session> session;
  PendingReply pending;
  Endpoints ends;
  core::Tick host_stamp = 0;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
    ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
    ASCEND_ASSIGN_OR_RETURN(ends, Locate(request));
    if (!ends.is_host_to_host()) {
      core::Copy copy;
      copy.kind = ends.kind();
      SetShape(request, copy);
      copy.wants_reply = true;
      copy.is_by_cpu =
          request.is_by_cpu && copy.kind != core::CopyKind::kDeviceToDevice;
      if (ends.target.is_device()) copy.target = AddressOf(request.target);
      if (ends.source.is_device()) copy.source = AddressOf(request.source);
      if (copy.kind == core::CopyKind::kHostToDevice &&
          request.source_rows().bytes() <= core::kInlineBytesMax) {
        copy.inline_data = BytesOf(request);
      }
      if (copy.kind == core::CopyKind::kDeviceToHost) {
        session->completion().transfers().AddDownload(session->next_ticket(),
                                                      request.target_rows(),
                                                      ends.target.block, {});
      }
      session->Ask(pending, std::move(copy),
                   session->description().launch_ticks,
                   {ends.target.is_device() ? &ends.target.allocation->stamp
                                            : &host_stamp,
                    ends.source.is_device() ? &ends.source.allocation->stamp
                                            : &host_stamp});
    }
  }
  if (ends.is_host_to_host()) {
    MoveRows(request);
    return absl::OkStatus();
  }
  session->Await(pending, session->description().sync_wake_ticks, {},
                 request.source_rows());
  session->completion().transfers().Remove(pending.ticket);
  return pending.reply.status;
}

absl::Status ClientRuntime::CopyAsync(const CopyRequest& request,
                                      StatedKind kind, void* stream_handle) {
  bool must_block = false;
  const bool copies_source = kind == StatedKind::kHostToBufferToDevice;
  ASCEND_RETURN_IF_ERROR(SubmitTask(
      stream_handle, [&](Session& session, Stream& stream) -> absl::Status {
        order_mutex_.AssertHeld();
        if (request.target == request.source) return absl::OkStatus();
        ASCEND_ASSIGN_OR_RETURN(const Endpoints ends, Locate(request));
        if (ends.is_host_to_host()) {
          return RefuseHostToHost(kind, ends.has_pageable());
        }
        if (ends.has_pageable() && !Fits(kind, ends.kind())) {
          return MakeError(
              Reason::kInvalidArgument,
              absl::StrCat("the copy goes from ",
                           ends.source.is_device() ? "device" : "host", " to ",
                           ends.target.is_device() ? "device" : "host",
                           " memory, which is not the stated kind"));
        }
        must_block = ends.has_pageable() && !copies_source;
        if (must_block) return absl::OkStatus();
        PostQueuedCopy(session, stream, request, ends, copies_source);
        return absl::OkStatus();
      }));
  if (!must_block) return absl::OkStatus();
  // Pageable memory may change or go as soon as the call returns: so the call
  // waits for its turn in the stream, and for the copy.
  ASCEND_RETURN_IF_ERROR(SynchronizeStream(stream_handle, {}));
  return Copy(request);
}

void ClientRuntime::PostQueuedCopy(Session& session, Stream& stream,
                                   const CopyRequest& request,
                                   const Endpoints& ends, bool copies_source) {
  core::Copy copy;
  copy.stream = stream.core;
  copy.kind = ends.kind();
  SetShape(request, copy);
  core::Tick host_stamp = 0;
  core::Tick* target_stamp = &host_stamp;
  core::Tick* source_stamp = &host_stamp;
  if (ends.target.is_device()) {
    copy.target = AddressOf(request.target);
    target_stamp = &ends.target.allocation->stamp;
  }
  if (ends.source.is_device()) {
    copy.source = AddressOf(request.source);
    source_stamp = &ends.source.allocation->stamp;
  }
  TransferTable& transfers = session.completion().transfers();
  const core::Ticket ticket = session.next_ticket();
  const TaskPosition position{stream.core, stream.posted_count + 1};
  if (copy.kind == core::CopyKind::kDeviceToHost) {
    transfers.AddDownload(ticket, request.target_rows(), ends.target.block,
                          position);
  } else if (copy.kind == core::CopyKind::kHostToDevice) {
    // A queued download or host function may still change the source, so it is
    // read early only if there is none.
    const bool may_read_now =
        copies_source || (!transfers.has_queued_downloads() &&
                          !session.completion().host_calls().has_unfinished());
    if (request.source_rows().bytes() <= core::kInlineBytesMax &&
        may_read_now) {
      copy.inline_data = BytesOf(request);
    } else if (copies_source) {
      transfers.AddUpload(ticket, BytesOf(request), position);
    } else {
      transfers.AddUpload(ticket, request.source_rows(), ends.source.block,
                          position);
    }
  }
  PostTaskTo(session, stream, std::move(copy),
             {&stream.stamp, target_stamp, source_stamp});
}

}  // namespace ascend::client
