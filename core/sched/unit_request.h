// UnitRequest: a task that needs units of a device, and what a policy judges of
// it.
//
// A request is *whole*, and gets all units of its claim at once, or *sliced*:
// then it wants its claim again and again, once for each slice of its work, and
// at most so many at a time. What comes between two slices is a *block edge*,
// where the units may go to another request.
//
// Threading: value types.
#ifndef ASCEND_CORE_SCHED_UNIT_REQUEST_H_
#define ASCEND_CORE_SCHED_UNIT_REQUEST_H_

#include <cstdint>

#include "core/kernels/descriptor.h"
#include "core/sched/stream.h"
#include "core/sim/tick.h"

namespace ascend::core {

// Who pays for units: sessions of one tenant share an account.
using TenantId = TypedInt<struct TenantIdTag, uint64_t>;

struct UnitRequest {
  TaskId task;
  Claim claim;  // all or nothing; of a sliced request: what one slice holds
  TenantId tenant;
  uint32_t priority = 0;  // of its stream, or of one that waits for it
  Tick ready_tick = 0;    // when it began to wait for units
  // How long the claim is likely to be held; of a sliced request: by one slice.
  Tick expected_ticks = 0;
  uint32_t slice_count = 0;     // 0: whole
  uint32_t slices_at_once = 0;  // of a sliced request: at most, not 0
};

// A request, and how far it is.
struct Candidate {
  UnitRequest request;
  uint32_t slices_left = 0;     // not granted
  uint32_t slices_running = 0;  // granted, not ended

  bool is_sliced() const { return request.slice_count > 0; }
  bool has_started() const { return slices_left < request.slice_count; }

  // How long what is not granted holds units, if it has them all.
  Tick RemainingTicks() const {
    if (!is_sliced()) return request.expected_ticks;
    const Tick waves = (Tick{slices_left} + request.slices_at_once - 1) /
                       request.slices_at_once;
    return waves * request.expected_ticks;
  }
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_SCHED_UNIT_REQUEST_H_
