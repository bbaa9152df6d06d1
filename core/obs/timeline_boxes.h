// What is drawn in the lanes of a timeline: tasks, and what stands for those
// too narrow to be seen.
//
// Threading: pure functions. Ownership: boxes borrow spans from the trace.
#ifndef ASCEND_CORE_OBS_TIMELINE_BOXES_H_
#define ASCEND_CORE_OBS_TIMELINE_BOXES_H_

#include <cstddef>
#include <vector>

#include "core/obs/timeline_palette.h"
#include "core/obs/trace.h"
#include "core/obs/trace_lanes.h"

namespace ascend::core {

// From ticks to the place in the picture, which begins at `left`.
struct TimelineScale {
  Tick from = 0;
  Tick to = 1;
  double left = 0;
  double width = 1;

  // Ticks outside of the window are at its ends.
  double At(Tick tick) const {
    const Tick inside = tick < from ? from : tick > to ? to : tick;
    return left + width * static_cast<double>(inside - from) /
                      static_cast<double>(to - from);
  }
};

struct TimelineBox {
  double left = 0;
  double right = 0;
  const TraceSpan* span = nullptr;  // the first one
  size_t count = 1;                 // of tasks; more than one: they are merged
  // Of merged tasks: the colour of nearly all of them, or kMixed, and the share
  // of the box that they fill.
  size_t colour = 0;
  double busy_share = 1;

  static constexpr size_t kMixed = ~size_t{0};
};

struct LaneBoxes {
  std::vector<TimelineBox> tasks;
  std::vector<TimelineBox> waits;  // for units, before a task of `tasks`
};

// The boxes of all lanes, at most `boxes_max` of them.
std::vector<LaneBoxes> BoxesOfLanes(const Trace& trace,
                                    const std::vector<TraceLane>& lanes,
                                    const TimelineScale& scale,
                                    const TimelinePalette& palette,
                                    size_t boxes_max);

}  // namespace ascend::core

#endif  // ASCEND_CORE_OBS_TIMELINE_BOXES_H_
