// SessionLog: one line on standard error for each session that has ended.
//
// Threading: any thread; Write never blocks: the line is handed to spdlog's own
// thread, which drops the oldest when it cannot keep up. At most
// kLinesPerSecond lines are written; how many were left out is said later.
// Ownership: owns the logger.
#ifndef ASCEND_SERVER_SESSION_LOG_H_
#define ASCEND_SERVER_SESSION_LOG_H_

#include <chrono>
#include <cstdint>

#include "absl/status/status.h"
#include "core/base/sync.h"
#include "server/machine_host.h"

namespace ascend::server {

class SessionLog {
 public:
  static constexpr int kLinesPerSecond = 20;

  void Write(const SessionSnapshot& session, const absl::Status& why);

 private:
  using Clock = std::chrono::steady_clock;
  // True when a line may be written now; then `*left_out` were not before.
  bool Admit(Clock::time_point now, uint64_t* left_out);

  core::Mutex mutex_;
  Clock::time_point window_start_ ABSL_GUARDED_BY(mutex_);
  int lines_in_window_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t left_out_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_SESSION_LOG_H_
