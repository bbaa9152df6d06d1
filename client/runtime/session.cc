#include "client/runtime/session.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/runtime/log.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

uint64_t NextEpoch() {
  static std::atomic<uint64_t> epoch{0};
  return ++epoch;
}

}  // namespace

Session::Session() : epoch_(NextEpoch()) {}

absl::StatusOr<std::shared_ptr<Session>> Session::Open(
    const ConnectionMaker& make_connection) {
  std::shared_ptr<Session> session(new Session());
  ASCEND_ASSIGN_OR_RETURN(session->connection_,
                          make_connection(&session->completion_));
  Transport* const transport = session->connection_.transport.get();
  session->completion_.transfers().Bind(transport);
  ASCEND_ASSIGN_OR_RETURN(session->description_, transport->Open());
  Log(LogLevel::kInfo,
      absl::StrCat("session ", session->description_.session, " with ",
                   session->description_.devices.size(),
                   " devices, daemon version ",
                   session->description_.daemon_version));
  return session;
}

Session::~Session() {
  // Its threads call the completion side, so it goes first.
  completion_.transfers().Stop();
  connection_.transport.reset();
}

void Session::Post(core::Operation operation, core::Tick cost,
                   StampList touched) {
  Lane& lane = AttachedLane();
  core::Command command;
  command.ticket = next_ticket_;
  command.lane = lane.id();
  command.stamp = lane.Advance(cost, touched);
  latest_stamp_ = std::max(latest_stamp_, command.stamp);
  lane.set_blocked(false);
  command.operation = std::move(operation);
  next_ticket_ = core::Ticket(next_ticket_.value() + 1);
  connection_.transport->Post(std::move(command));
}

void Session::Ask(PendingReply& pending, core::Operation operation,
                  core::Tick cost, StampList touched) {
  pending.ticket = next_ticket_;
  completion_.replies().Expect(pending);
  Post(std::move(operation), cost, touched);
}

bool Session::Await(PendingReply& pending, core::Tick wake, Deadline deadline,
                    const core::PitchedBytes& upload) {
  const auto is_awaited = [&] {
    return completion_.replies().IsAwaited(pending);
  };
  for (;;) {
    connection_.transport->ReadWhile(is_awaited, deadline);
    switch (completion_.replies().Wait(pending, deadline)) {
      case ReplyTable::Outcome::kExpired:
        return false;
      case ReplyTable::Outcome::kTransferDue:
        // A failure means that the connection is lost: the reply says so.
        SendUpload(*connection_.transport, pending.ticket, upload)
            .IgnoreError();
        break;
      case ReplyTable::Outcome::kDone:
        CurrentLane().Resume(pending.reply.tick, wake);
        return true;
    }
  }
}

core::Tick* Session::latest_stamp_outside_run() {
  const Lane& lane = AttachedLane();
  if (!lane.is_in_run()) return &latest_stamp_;
  scratch_stamp_ = lane.clock();
  return &scratch_stamp_;
}

void Session::Resume(core::Tick tick) {
  AttachedLane().Resume(tick, /*wake=*/0);
}

Lane& Session::AttachedLane() const {
  Lane& lane = CurrentLane();
  lane.Attach(epoch_, description_.tick);
  return lane;
}

int Session::lifeline_fd() const {
  return connection_.daemon == nullptr ? -1 : connection_.daemon->lifeline_fd();
}

void Session::Close(const absl::Status& why) {
  connection_.transport->Close();
  completion_.Fail(why);
}

}  // namespace ascend::client
