#include "server/session_log.h"

#include <spdlog/spdlog.h>

#include <string>
#include <utility>

#include "absl/strings/escaping.h"

namespace ascend::server {

bool SessionLog::Admit(Clock::time_point now, uint64_t* left_out) {
  core::MutexLock lock(mutex_);
  if (now - window_start_ >= std::chrono::seconds(1)) {
    window_start_ = now;
    lines_in_window_ = 0;
  }
  if (lines_in_window_ >= kLinesPerSecond) {
    ++left_out_;
    return false;
  }
  ++lines_in_window_;
  *left_out = std::exchange(left_out_, 0);
  return true;
}

void SessionLog::Write(const SessionSnapshot& session,
                       const absl::Status& why) {
  uint64_t left_out = 0;
  if (!Admit(Clock::now(), &left_out)) return;
  if (left_out > 0) spdlog::info("{} ended sessions were not logged", left_out);
  const std::chrono::duration<double, std::milli> age = session.age;
  const Peer& peer = session.peer;
  const std::string line = fmt::format(
      "session {} of {} ({} {}pid {}, uid {}) ended after {:.1f} ms: {} "
      "kernels, {} copies of {} bytes, {} bytes of HBM at peak",
      session.id.value(), absl::CHexEscape(session.program), peer.transport,
      peer.address.empty() ? "" : absl::CHexEscape(peer.address) + ", ",
      peer.pid, peer.uid, age.count(), session.usage.kernel_count,
      session.usage.copy_count, session.usage.copied_bytes,
      session.usage.hbm_peak_bytes);
  if (why.ok()) {
    spdlog::info(line);
  } else {
    spdlog::warn("{}; the daemon ended it: {}", line,
                 absl::CHexEscape(why.message()));
  }
}

}  // namespace ascend::server
