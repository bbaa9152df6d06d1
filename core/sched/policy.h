// Policy: which of the waiting requests for units goes first.
//
// The Scheduler is the mechanism; a policy is one pure function and two
// numbers. Contract:
//   - the caller asks once per request, when it arrives, and the answer depends
//     on the request alone: no clock, no state, so runs replay;
//   - smaller urgency goes first, equal urgency in order of arrival;
//   - the caller grants all or nothing, and never takes a grant back.
//
// Starvation bound. A request that the policy puts first of all is granted
// within `reserve_after_ticks` plus the longest hold of units by anyone: later
// requests that fit may pass it (backfill) only until it has waited so long;
// then units are kept for it. Which requests become first of all in the end is
// told by `overtaken_by`.
//
// Threading: immutable.
#ifndef ASCEND_CORE_SCHED_POLICY_H_
#define ASCEND_CORE_SCHED_POLICY_H_

#include <cstdint>
#include <memory>
#include <span>

#include "absl/strings/string_view.h"
#include "core/kernels/descriptor.h"
#include "core/sched/stream.h"
#include "core/sim/tick.h"

namespace ascend::core {

// A task that needs units.
struct UnitRequest {
  TaskId task;
  Claim claim;
  uint32_t priority = 0;  // of its stream: 0 most urgent
  Tick ready_tick = 0;    // when it began to wait for units
};

class Policy {
 public:
  enum class Overtaking : uint8_t {
    kNobody,      // order of arrival: everyone comes first in the end
    kMoreUrgent,  // requests of smaller urgency, without bound
  };

  virtual ~Policy() = default;
  virtual absl::string_view name() const = 0;
  virtual uint32_t Urgency(const UnitRequest& request) const = 0;
  virtual Overtaking overtaken_by() const = 0;

  // How long a request that does not fit lets later ones pass. 1 ms is longer
  // than waits in the reference model's calibration, whose numbers backfill
  // without reservation gives (and so does this one, to the digit), and ends
  // the starvation of large claims under a flood of small ones.
  virtual Tick reserve_after_ticks() const { return Milliseconds(1); }
};

// Null when no policy has that name.
std::unique_ptr<Policy> MakePolicy(absl::string_view name);

// Of every policy, for messages and for the law suite.
std::span<const absl::string_view> PolicyNames();

}  // namespace ascend::core

#endif  // ASCEND_CORE_SCHED_POLICY_H_
