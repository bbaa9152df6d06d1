#include "client/grpc/reader_role.h"

namespace ascend::client {

using core::MutexLock;

bool ReaderRole::TryVisit() {
  MutexLock lock(mutex_);
  if (is_ended_) return false;
  if (reader_ == Reader::kNobody && !is_called_) {
    reader_ = Reader::kVisitor;
    ++visits_;
    return true;
  }
  is_wanted_ = true;
  return false;
}

void ReaderRole::Leave() {
  MutexLock lock(mutex_);
  reader_ = Reader::kNobody;
  // Under the mutex: whoever waits and has not tried to visit yet will find
  // nobody reading.
  if (is_awaited_()) is_called_ = true;
  if (sleeps_ || is_called_ || is_ended_) changed_.NotifyOne();
}

void ReaderRole::Call() {
  MutexLock lock(mutex_);
  if (reader_ != Reader::kNobody || is_called_) return;
  is_called_ = true;
  changed_.NotifyOne();
}

void ReaderRole::End() {
  MutexLock lock(mutex_);
  is_ended_ = true;
  changed_.NotifyOne();
}

bool ReaderRole::StandbyIsDue() const {
  return reader_ == Reader::kNobody && (is_called_ || is_ended_);
}

void ReaderRole::AwaitTurn() {
  MutexLock lock(mutex_);
  if (reader_ == Reader::kStandby) return;
  uint64_t seen_visits = visits_;
  while (!StandbyIsDue()) {
    if (reader_ == Reader::kVisitor) {
      sleeps_ = true;
      changed_.Wait(mutex_);
      sleeps_ = false;
      continue;
    }
    const bool was_told =
        changed_.WaitUntil(mutex_, core::CondVar::Clock::now() + kLinger);
    if (!was_told && reader_ == Reader::kNobody && visits_ == seen_visits) {
      break;
    }
    seen_visits = visits_;
  }
  reader_ = Reader::kStandby;
  is_called_ = false;
}

bool ReaderRole::GoesOn() {
  MutexLock lock(mutex_);
  if (!is_wanted_ || is_ended_ || is_awaited_()) return true;
  is_wanted_ = false;
  reader_ = Reader::kNobody;
  return false;
}

}  // namespace ascend::client
