// JobEvents: what the pools tell the machine.
//
// Threading: called on any thread; must not block.
#ifndef ASCEND_SERVER_JOB_EVENTS_H_
#define ASCEND_SERVER_JOB_EVENTS_H_

#include "absl/status/status.h"
#include "core/base/ids.h"
#include "core/machine/runners.h"

namespace ascend::server {

class JobEvents {
 public:
  virtual ~JobEvents() = default;

  // Exactly once per job that was started.
  virtual void OnJobEnded(core::JobId job, core::JobResult result) = 0;

  // The client sent what no client of ours sends: its session must end.
  virtual void OnViolation(core::SessionId session, absl::Status why) = 0;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_JOB_EVENTS_H_
