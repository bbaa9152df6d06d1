// ArrangeLanes: which task is drawn where.
//
// A lane is a row in which tasks follow one another: a stream, or as many rows
// as it takes for tasks of a session that are in no stream.
//
// Threading: pure functions.
#ifndef ASCEND_CORE_OBS_TRACE_LANES_H_
#define ASCEND_CORE_OBS_TRACE_LANES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/obs/trace.h"

namespace ascend::core {

struct TraceLane {
  StreamHandle stream;  // null: tasks without one
  uint32_t row = 0;     // among the lanes of that stream
  DeviceId device;      // of its first task
  // Into Trace::spans. From its begin_tick to its end_tick no task meets
  // another; they come in the order of time.
  std::vector<size_t> spans;
};

struct SessionLanes {
  SessionId session;
  std::string name;
  uint64_t rank = TraceSpan::kNoRank;  // its last one
  // By stream, those without one at the end.
  std::vector<TraceLane> lanes;
};

// All tasks of which some part lies in the window; sessions by rank, those
// without one at the end.
std::vector<SessionLanes> ArrangeLanes(const Trace& trace,
                                       const TraceWindow& window);

// "rank 2" or "session 7".
std::string SessionTitle(const SessionLanes& session);
// "stream 3" or, for a further row, "stream 3 (2)".
std::string LaneTitle(const TraceLane& lane);

}  // namespace ascend::core

#endif  // ASCEND_CORE_OBS_TRACE_LANES_H_
