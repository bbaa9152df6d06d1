#include "core/obs/trace_lanes.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/obs/trace_text.h"

namespace ascend::core {
namespace {

// Lanes without a stream come last.
using LaneKey = std::tuple<SessionId, bool, StreamHandle>;

LaneKey KeyOf(const TraceSpan& span) {
  return {span.session, span.stream.is_null(), span.stream};
}

bool IsIn(const TraceSpan& span, const TraceWindow& window) {
  return span.begin_tick() < window.to &&
         std::max(span.end_tick, span.start_tick + 1) > window.from;
}

// Puts tasks of one stream, in the order of time, into as few rows as it takes.
void FillRows(const Trace& trace, const std::vector<size_t>& spans,
              std::vector<TraceLane>* lanes) {
  const size_t first_row = lanes->size();
  std::vector<Tick> row_ends;
  for (const size_t i : spans) {
    const TraceSpan& span = trace.spans[i];
    const auto row =
        std::find_if(row_ends.begin(), row_ends.end(),
                     [&](Tick end) { return end <= span.begin_tick(); });
    const auto number = static_cast<size_t>(row - row_ends.begin());
    if (row == row_ends.end()) {
      row_ends.push_back(0);
      lanes->push_back({.stream = span.stream,
                        .row = static_cast<uint32_t>(number),
                        .device = span.device,
                        .spans = {}});
    }
    row_ends[number] = span.end_tick;
    (*lanes)[first_row + number].spans.push_back(i);
  }
}

}  // namespace

std::vector<SessionLanes> ArrangeLanes(const Trace& trace,
                                       const TraceWindow& window) {
  std::map<SessionId, uint64_t> ranks;
  std::map<LaneKey, std::vector<size_t>> streams;
  for (size_t i = 0; i < trace.spans.size(); ++i) {
    const TraceSpan& span = trace.spans[i];
    ranks[span.session] = span.rank;
    if (IsIn(span, window)) streams[KeyOf(span)].push_back(i);
  }
  std::vector<SessionLanes> sessions;
  for (auto& [key, spans] : streams) {
    std::sort(spans.begin(), spans.end(), [&](size_t a, size_t b) {
      const TraceSpan& x = trace.spans[a];
      const TraceSpan& y = trace.spans[b];
      return std::tuple(x.begin_tick(), x.start_tick, x.value, a) <
             std::tuple(y.begin_tick(), y.start_tick, y.value, b);
    });
    const SessionId id = std::get<SessionId>(key);
    if (sessions.empty() || sessions.back().session != id) {
      sessions.push_back(
          {.session = id, .name = "", .rank = ranks[id], .lanes = {}});
    }
    FillRows(trace, spans, &sessions.back().lanes);
  }
  std::map<SessionId, std::string> names;
  for (const TraceSession& session : trace.sessions) {
    names[session.id] = session.name;
  }
  for (SessionLanes& session : sessions) session.name = names[session.session];
  std::stable_sort(sessions.begin(), sessions.end(),
                   [](const SessionLanes& a, const SessionLanes& b) {
                     return a.rank < b.rank;
                   });
  return sessions;
}

std::string SessionTitle(const SessionLanes& session) {
  return session.rank == TraceSpan::kNoRank
             ? absl::StrCat("session ", session.session.value())
             : absl::StrCat("rank ", session.rank);
}

std::string LaneTitle(const TraceLane& lane) {
  const std::string name = StreamName(lane.stream);
  return lane.row == 0 ? name : absl::StrCat(name, " (", lane.row + 1, ")");
}

}  // namespace ascend::core
