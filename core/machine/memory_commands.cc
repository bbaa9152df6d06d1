// Commands: device memory.

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/check.h"
#include "core/base/status_macros.h"
#include "core/machine/machine_impl.h"
#include "core/machine/violation.h"

namespace ascend::core {

AllocationResult Machine::Impl::TryMalloc(SessionState& session, LaneId lane,
                                          const Malloc& malloc) {
  if (session.allocation_count >= options_.limits.allocations_max) {
    return {.status = MakeError(
                Reason::kOutOfDeviceMemory,
                absl::StrCat("session has ", session.allocation_count,
                             " allocations, which is the limit; free some, "
                             "or allocate larger ones and divide them")),
            .may_succeed_after_retire = session.has_quarantine};
  }
  AllocationResult result = memory_.Allocate({.session = session.id,
                                              .device = malloc.device,
                                              .lane = lane,
                                              .bytes = malloc.bytes,
                                              .policy = malloc.policy,
                                              .is_padded = malloc.is_padded});
  if (result.status.ok()) ++session.allocation_count;
  return result;
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const Malloc& malloc) {
  const AllocationResult result = TryMalloc(session, command.lane, malloc);
  if (!result.status.ok() && result.may_succeed_after_retire &&
      session.parked_count == 0) {
    // What is in quarantine waits for tasks that were all submitted, and those
    // retire without a further call of the client.
    PendingRequest& pending = session.pending[command.ticket];
    pending.kind = PendingRequest::Kind::kMalloc;
    pending.lane = command.lane;
    pending.malloc = malloc;
    session.waiting_mallocs.push_back(command.ticket);
    return absl::OkStatus();
  }
  Answer(session, command, result.status, MallocReply{.address = result.va});
  return absl::OkStatus();
}

// A launch that another lane made before this call may have a later stamp: what
// it uses is live until it has been taken.
absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const Free& free) {
  if (!session.input.empty() && session.input.FirstTicket() < command.ticket) {
    session.early_frees.emplace(command.ticket, EarlyFree{command.lane, free});
    return absl::OkStatus();
  }
  return FreeNow(session, command.lane, free);
}

absl::Status Machine::Impl::DoEarlyFrees(SessionState& session) {
  while (!session.early_frees.empty()) {
    const auto first = session.early_frees.begin();
    if (!session.input.empty() && session.input.FirstTicket() < first->first) {
      break;
    }
    const EarlyFree early = first->second;
    session.early_frees.erase(first);
    ASCEND_RETURN_IF_ERROR(FreeNow(session, early.lane, early.free));
  }
  return absl::OkStatus();
}

absl::Status Machine::Impl::FreeNow(SessionState& session, LaneId lane,
                                    const Free& free) {
  const absl::Status status =
      memory_.Free(session.id, lane, free.address, session.tasks.submitted());
  if (!status.ok()) {
    return Violation(absl::StrCat("Free names 0x", absl::Hex(free.address),
                                  ": ", status.message()));
  }
  session.last_free_number = session.tasks.submitted();
  session.has_quarantine = true;
  RetireMemory(session);
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const MemInfo& info) {
  const absl::StatusOr<MemoryRoom> room =
      memory_.GetRoom(session.id, info.device);
  if (!room.ok()) {
    Answer(session, command, room.status());
    return absl::OkStatus();
  }
  Answer(session, command, absl::OkStatus(),
         MemInfoReply{.free_bytes = room->free_bytes,
                      .total_bytes = room->total_bytes});
  return absl::OkStatus();
}

void Machine::Impl::RetireMemory(SessionState& session) {
  if (!session.has_quarantine) return;
  const uint64_t watermark = session.tasks.watermark();
  session.has_quarantine = watermark < session.last_free_number;
  const RetireResult retired = memory_.RetireUpTo(session.id, watermark);
  session.allocation_count -= retired.allocation_count;
  if (retired.allocation_count == 0) return;
  // In the order of asking; one that still finds no room does not hold up the
  // others.
  std::deque<Ticket> waiting;
  waiting.swap(session.waiting_mallocs);
  for (const Ticket ticket : waiting) {
    const auto found = session.pending.find(ticket);
    ASCEND_CHECK(found != session.pending.end())
        << "malloc " << ticket.value() << " is not pending";
    const PendingRequest& pending = found->second;
    const AllocationResult result =
        TryMalloc(session, pending.lane, pending.malloc);
    if (!result.status.ok() && result.may_succeed_after_retire) {
      session.waiting_mallocs.push_back(ticket);
      continue;
    }
    AnswerPending(session, ticket, result.status,
                  MallocReply{.address = result.va});
  }
}

}  // namespace ascend::core
