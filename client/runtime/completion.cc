#include "client/runtime/completion.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/runtime/log.h"
#include "core/base/error.h"

namespace ascend::client {

std::shared_ptr<StreamGauge> Completion::AddStream(core::StreamHandle stream) {
  auto gauge = std::make_shared<StreamGauge>();
  core::MutexLock lock(mutex_);
  gauges_[stream] = gauge;
  return gauge;
}

void Completion::RemoveStream(core::StreamHandle stream) {
  transfers_.OnRetired(stream, std::numeric_limits<uint64_t>::max());
  host_calls_.Forget(stream);
  core::MutexLock lock(mutex_);
  gauges_.erase(stream);
}

absl::Status Completion::status() const {
  if (!is_failed_.load()) return absl::OkStatus();
  core::MutexLock lock(mutex_);
  return core::OwnCopy(failure_);
}

void Completion::Fail(const absl::Status& why) {
  {
    core::MutexLock lock(mutex_);
    if (!failure_.ok()) return;
    failure_ = core::OwnCopy(why);
    is_failed_.store(true);
  }
  host_calls_.Close();
  replies_.Fail(why);
}

void Completion::OnReply(core::Reply reply) {
  replies_.Deliver(std::move(reply));
}

void Completion::OnHostData(core::Ticket ticket, uint64_t offset,
                            std::span<const std::byte> bytes) {
  transfers_.OnHostData(ticket, offset, bytes);
}

void Completion::OnHostDataFailed(core::Ticket ticket, absl::Status why) {
  transfers_.OnHostDataFailed(ticket, why);
}

void Completion::OnTransferDue(core::Ticket ticket) {
  // The thread that waits for a copy sends its bytes itself.
  if (!replies_.MarkTransferDue(ticket)) transfers_.OnTransferDue(ticket);
}

void Completion::OnStreamProgress(core::StreamHandle stream, uint64_t retired) {
  transfers_.OnRetired(stream, retired);
  core::MutexLock lock(mutex_);
  const auto found = gauges_.find(stream);
  if (found != gauges_.end()) found->second->Raise(retired);
}

void Completion::OnHostFunctionDue(core::Ticket ticket, core::Tick tick) {
  host_calls_.OnDue(ticket, tick);
}

void Completion::OnTaskFailed(core::TaskFailure failure) {
  if (listener_) listener_(failure);
  if (!failure.stops_context) return;
  core::MutexLock lock(mutex_);
  stops_.push_back(std::move(failure));
  has_stops_.store(true);
}

std::vector<core::TaskFailure> Completion::TakeStops() {
  if (!has_stops_.load()) return {};
  core::MutexLock lock(mutex_);
  has_stops_.store(false);
  return std::exchange(stops_, {});
}

void Completion::OnLost(absl::Status why) {
  Log(LogLevel::kError, absl::StrCat("session lost: ", why.ToString()));
  Fail(why);
}

}  // namespace ascend::client
