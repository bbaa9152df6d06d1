// RecordedJobEvents: keeps what the pools report, for tests.
//
// Threading: any thread. Ownership: owns the record.
#ifndef ASCEND_TESTS_UNIT_SERVER_RECORDED_JOB_EVENTS_H_
#define ASCEND_TESTS_UNIT_SERVER_RECORDED_JOB_EVENTS_H_

#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "core/base/sync.h"
#include "server/host_clock.h"
#include "server/job_events.h"

namespace ascend::server {

class RecordedJobEvents final : public JobEvents {
 public:
  using Violation = std::pair<core::SessionId, absl::Status>;

  void OnJobEnded(core::JobId job, core::JobResult result) override {
    core::MutexLock lock(mutex_);
    order_.push_back(job);
    results_[job].push_back(std::move(result));
    changed_.NotifyAll();
  }

  void OnViolation(core::SessionId session, absl::Status why) override {
    core::MutexLock lock(mutex_);
    violations_.emplace_back(session, std::move(why));
  }

  // The result of the job, or none when it does not end in half a minute.
  absl::optional<core::JobResult> WaitFor(core::JobId job) {
    const auto deadline = HostClock::Now() + std::chrono::seconds(30);
    core::MutexLock lock(mutex_);
    while (results_.count(job) == 0) {
      if (!changed_.WaitUntil(mutex_, deadline)) return absl::nullopt;
    }
    return results_[job].front();
  }

  size_t EndCount(core::JobId job) {
    core::MutexLock lock(mutex_);
    return results_.count(job) == 0 ? 0 : results_[job].size();
  }

  std::vector<core::JobId> order() {
    core::MutexLock lock(mutex_);
    return order_;
  }

  std::vector<Violation> violations() {
    core::MutexLock lock(mutex_);
    return violations_;
  }

 private:
  core::Mutex mutex_;
  core::CondVar changed_;
  std::vector<core::JobId> order_ ABSL_GUARDED_BY(mutex_);
  std::map<core::JobId, std::vector<core::JobResult>> results_
      ABSL_GUARDED_BY(mutex_);
  std::vector<Violation> violations_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ascend::server

#endif  // ASCEND_TESTS_UNIT_SERVER_RECORDED_JOB_EVENTS_H_
