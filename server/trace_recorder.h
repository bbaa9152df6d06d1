// TraceRecorder: what the machine reports of tasks and devices, as records of a
// trace (core/obs).
//
// In a turn, a report is turned into one record and appended; nothing is
// looked up and no text is made.
//
// Threading: belongs to the holder of the turn; snapshots are for any thread.
// Ownership: owns its log; labels are of kernels in the catalog, which lives
// for ever, or of this file.
#ifndef ASCEND_SERVER_TRACE_RECORDER_H_
#define ASCEND_SERVER_TRACE_RECORDER_H_

#include <cstddef>
#include <string>
#include <utility>

#include "core/base/ids.h"
#include "core/machine/machine.h"
#include "core/machine/observer.h"
#include "core/obs/trace.h"
#include "core/obs/trace_log.h"

namespace ascend::server {

class TraceRecorder {
 public:
  // Keeps the last `spans_max` tasks.
  TraceRecorder(const core::MachineOptions& machine, size_t spans_max);

  void OpenSession(core::SessionId session, std::string program) {
    log_.OpenSession(session, std::move(program));
  }
  void CloseSession(core::SessionId session) { log_.CloseSession(session); }
  void Add(const core::TaskSpan& span);
  void Add(const core::DeviceSample& sample);

  core::Trace Snapshot() const { return log_.Snapshot(); }

 private:
  core::TraceLog log_;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_TRACE_RECORDER_H_
