// Simulated time, as far as a program has a say in it.
#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "client/runtime/client_runtime.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

using core::MakeError;
using core::Reason;

// In one step; further, a command would be too far ahead of the device clock.
constexpr core::Tick kAdvanceMax = core::kStampLeadMax;

}  // namespace

void ClientRuntime::OnLaneEnd() {
  // Another thread of the parent may have held any mutex.
  if (is_poisoned_.load()) return;
  core::MutexLock lock(order_mutex_);
  // A session that is over needs no word, and another one expects nothing.
  if (session_ == nullptr || !session_->status().ok() ||
      !session_->AttachedLane().is_expected()) {
    return;
  }
  session_->Post(core::LeaveClock{.is_for_good = true},
                 session_->description().poll_ticks, {});
}

absl::Status ClientRuntime::JoinRun(uint32_t participants, uint32_t rank) {
  if (participants == 0 || participants > core::kParticipantsMax ||
      rank >= participants) {
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("rank is ", rank, " of ", participants,
                     " participants; ranks begin at 0, and at most ",
                     core::kParticipantsMax, " can take part"));
  }
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  std::shared_ptr<Session> session;
  PendingReply pending;
  bool was_in_run = false;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
    was_in_run = session->AttachedLane().is_in_run();
    session->Ask(pending,
                 core::JoinClock{.participants = participants, .rank = rank},
                 session->description().poll_ticks, {session->latest_stamp()});
    session->AttachedLane().set_in_run(true);
  }
  session->Await(pending, /*wake=*/0);
  if (!pending.reply.status.ok()) {
    session->AttachedLane().set_in_run(was_in_run);
  }
  return pending.reply.status;
}

absl::Status ClientRuntime::LeaveClock(bool for_good) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  Lane& lane = session->AttachedLane();
  // Said already. A thread that asks for callbacks again and again, in wall
  // time, must not move its clock by that.
  if (!for_good && lane.is_blocked()) return absl::OkStatus();
  session->Post(core::LeaveClock{.is_for_good = for_good},
                session->description().poll_ticks, {});
  if (for_good) lane.set_in_run(false);
  lane.set_blocked(!for_good);
  return absl::OkStatus();
}

absl::Status ClientRuntime::AdvanceClock(core::Tick ticks) {
  if (ticks < 0 || ticks > kAdvanceMax) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("the clock cannot advance by ", ticks,
                                  " ps at once, but by 0 to ", kAdvanceMax));
  }
  return SkipTime(ticks);
}

absl::Status ClientRuntime::MergeClock(core::Tick tick) {
  ASCEND_ASSIGN_OR_RETURN(const core::Tick now, Clock());
  if (tick < 0 || tick > core::SaturatingAdd(now, kAdvanceMax)) {
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("clock is ", tick, " ps, but this thread's is ", now,
                     " and can advance by ", kAdvanceMax, " at once"));
  }
  return SkipTime(std::max(tick - now, core::Tick{0}));
}

absl::Status ClientRuntime::SkipTime(core::Tick ticks) {
  // The daemon hears of it in between: no command may be further ahead than
  // kAdvanceMax, and the calls that follow cost something too.
  constexpr core::Tick kUnheardMax = kAdvanceMax / 2;
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  for (;;) {
    std::shared_ptr<Session> session;
    PendingReply pending;
    {
      core::MutexLock lock(order_mutex_);
      ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
      Lane& lane = session->AttachedLane();
      const core::Tick piece =
          std::min(ticks, kUnheardMax - lane.skipped_ticks());
      lane.Skip(piece);
      ticks -= piece;
      if (ticks == 0) return absl::OkStatus();
      session->Ask(pending, core::QueryClock{}, /*cost=*/0, {});
    }
    session->Await(pending, /*wake=*/0);
    ASCEND_RETURN_IF_ERROR(pending.reply.status);
  }
}

absl::StatusOr<core::Tick> ClientRuntime::Clock() {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const auto session, LiveSession());
  return session->AttachedLane().clock();
}

absl::StatusOr<core::ClockReply> ClientRuntime::DescribeRun() {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  std::shared_ptr<Session> session;
  PendingReply pending;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
    session->Ask(pending, core::QueryClock{}, session->description().poll_ticks,
                 {session->latest_stamp()});
  }
  session->Await(pending, /*wake=*/0);
  ASCEND_RETURN_IF_ERROR(pending.reply.status);
  const auto* const reply =
      std::get_if<core::ClockReply>(&pending.reply.payload);
  if (reply == nullptr) {
    return MakeError(Reason::kInternal,
                     "the daemon's reply about the clock says nothing");
  }
  return *reply;
}

absl::Status ClientRuntime::SetTimingOnly(bool is_timing_only) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_ASSIGN_OR_RETURN(const Context* const context, FindCurrentContext());
  devices_[context->device].is_timing_only = is_timing_only;
  return absl::OkStatus();
}

}  // namespace ascend::client
