// DrawTimeline: a trace as one picture, for people: which task ran when, where
// it waited, and how busy the devices were.
//
// The picture needs nothing beside itself. Its size is bounded whatever the
// trace holds: tasks too narrow to be seen are drawn as one hatched box, and
// lanes or devices that are too many are counted instead. The same trace gives
// the same bytes.
//
// Threading: pure function.
#ifndef ASCEND_CORE_OBS_TIMELINE_SVG_H_
#define ASCEND_CORE_OBS_TIMELINE_SVG_H_

#include <cstddef>
#include <string>

#include "core/obs/trace.h"

namespace ascend::core {

inline constexpr size_t kTimelineBoxesMax = 6000;
inline constexpr size_t kTimelineLanesMax = 160;
inline constexpr size_t kTimelineDevicesMax = 8;

// An SVG document of less than 2 MB.
std::string DrawTimeline(const Trace& trace, const TraceWindow& window);

}  // namespace ascend::core

#endif  // ASCEND_CORE_OBS_TIMELINE_SVG_H_
