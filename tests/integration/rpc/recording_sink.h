// RecordingSink: a TransportSink that a test can ask and wait for.
//
// Threading: any thread. Ownership: owns what it was given.
#ifndef ASCEND_TESTS_INTEGRATION_RPC_RECORDING_SINK_H_
#define ASCEND_TESTS_INTEGRATION_RPC_RECORDING_SINK_H_

#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "client/runtime/transport.h"
#include "core/base/sync.h"

namespace ascend::testing {

class RecordingSink final : public client::TransportSink {
 public:
  bool IsAwaited() override { return true; }
  void OnReply(core::Reply reply) override {
    core::MutexLock lock(mutex_);
    const uint64_t ticket = reply.ticket.value();
    replies_[ticket] = std::move(reply);
    changed_.NotifyAll();
  }
  void OnHostData(core::Ticket ticket, uint64_t offset,
                  std::span<const std::byte> bytes) override {
    core::MutexLock lock(mutex_);
    std::string& data = data_[ticket.value()];
    if (offset != data.size()) out_of_order_ = true;
    data.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    changed_.NotifyAll();
  }
  void OnHostDataFailed(core::Ticket, absl::Status) override {}
  void OnTransferDue(core::Ticket ticket) override {
    core::MutexLock lock(mutex_);
    due_.insert(ticket.value());
    changed_.NotifyAll();
  }
  void OnStreamProgress(core::StreamHandle, uint64_t retired) override {
    core::MutexLock lock(mutex_);
    retired_ = retired;
    changed_.NotifyAll();
  }
  void OnHostFunctionDue(core::Ticket, core::Tick) override {}
  void OnTaskFailed(core::TaskFailure) override {}
  void OnLost(absl::Status why) override {
    core::MutexLock lock(mutex_);
    ++lost_count_;
    lost_ = std::move(why);
    changed_.NotifyAll();
  }

  // Each waits for at most 20 s; nothing came: empty.
  std::optional<core::Reply> AwaitReply(uint64_t ticket) {
    core::MutexLock lock(mutex_);
    const bool came = Await([&] {
      mutex_.AssertHeld();
      return replies_.count(ticket) > 0;
    });
    return came ? std::optional(replies_[ticket]) : std::nullopt;
  }
  std::string AwaitData(uint64_t ticket, size_t bytes) {
    core::MutexLock lock(mutex_);
    Await([&] {
      mutex_.AssertHeld();
      return data_[ticket].size() >= bytes;
    });
    return data_[ticket];
  }
  bool AwaitDue(uint64_t ticket) {
    core::MutexLock lock(mutex_);
    return Await([&] {
      mutex_.AssertHeld();
      return due_.count(ticket) > 0;
    });
  }
  bool AwaitRetired(uint64_t count) {
    core::MutexLock lock(mutex_);
    return Await([&] {
      mutex_.AssertHeld();
      return retired_ >= count;
    });
  }
  std::optional<absl::Status> AwaitLost() {
    core::MutexLock lock(mutex_);
    Await([&] {
      mutex_.AssertHeld();
      return lost_.has_value();
    });
    return lost_;
  }

  int lost_count() const {
    core::MutexLock lock(mutex_);
    return lost_count_;
  }
  bool out_of_order() const {
    core::MutexLock lock(mutex_);
    return out_of_order_;
  }

 private:
  template <typename Condition>
  bool Await(Condition condition) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (!changed_.WaitUntil(mutex_, deadline)) return condition();
    }
    return true;
  }

  mutable core::Mutex mutex_;
  core::CondVar changed_;
  std::map<uint64_t, core::Reply> replies_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, std::string> data_ ABSL_GUARDED_BY(mutex_);
  std::set<uint64_t> due_ ABSL_GUARDED_BY(mutex_);
  uint64_t retired_ ABSL_GUARDED_BY(mutex_) = 0;
  bool out_of_order_ ABSL_GUARDED_BY(mutex_) = false;
  int lost_count_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<absl::Status> lost_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_INTEGRATION_RPC_RECORDING_SINK_H_
