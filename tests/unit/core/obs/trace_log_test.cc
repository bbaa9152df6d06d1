#include "core/obs/trace_log.h"

#include <string>
#include <utility>
#include <vector>

#include "core/obs/trace_lanes.h"
#include "gtest/gtest.h"
#include "tests/unit/core/obs/trace_example.h"

namespace ascend::core {
namespace {

constexpr size_t kBlock = TraceRecords<TraceSpan>::kBlockRecords;

// The n-th span ends at tick n.
void AddSpans(TraceLog& log, uint64_t session, Tick first, Tick end) {
  for (Tick i = first; i < end; ++i) log.Add(ExampleKernel(session, 1, i, i));
}

TEST(TraceLog, KeepsAllUntilItIsFull) {
  TraceLog log(ExampleDevices(1), 3 * kBlock, 1);
  EXPECT_EQ(log.Snapshot().spans.size(), 0u);
  AddSpans(log, 1, 0, 3 * kBlock);
  const Trace trace = log.Snapshot();
  ASSERT_EQ(trace.spans.size(), 3 * kBlock);
  EXPECT_EQ(trace.dropped_span_count, 0u);
  for (size_t i = 0; i < trace.spans.size(); ++i) {
    ASSERT_EQ(trace.spans[i].end_tick, static_cast<Tick>(i));
  }
}

TEST(TraceLog, KeepsExactlyTheLastOnesAndCountsTheOthers) {
  for (const size_t max : {size_t{1}, size_t{10}, kBlock, 2 * kBlock + 7}) {
    TraceLog log(ExampleDevices(1), max, 1);
    const auto all = static_cast<Tick>(5 * kBlock + 3);
    AddSpans(log, 1, 0, all);
    const Trace trace = log.Snapshot();
    ASSERT_EQ(trace.spans.size(), max);
    EXPECT_EQ(trace.dropped_span_count, static_cast<size_t>(all) - max);
    EXPECT_EQ(trace.spans[0].end_tick, all - static_cast<Tick>(max));
    EXPECT_EQ(trace.spans[max - 1].end_tick, all - 1);
  }
}

TEST(TraceLog, SamplesHaveABoundOfTheirOwn) {
  TraceLog log(ExampleDevices(1), 10, 2);
  for (Tick i = 0; i < 5; ++i) log.Add(TraceSample{.tick = i});
  const Trace trace = log.Snapshot();
  ASSERT_EQ(trace.samples.size(), 2u);
  EXPECT_EQ(trace.samples[0].tick, 3);
  EXPECT_EQ(trace.dropped_sample_count, 3u);
  EXPECT_EQ(trace.dropped_span_count, 0u);
}

TEST(TraceLog, ASnapshotDoesNotChange) {
  TraceLog log(ExampleDevices(1), kBlock, 1);
  AddSpans(log, 1, 0, 10);
  const Trace trace = log.Snapshot();
  AddSpans(log, 1, 10, 10 * kBlock);
  ASSERT_EQ(trace.spans.size(), 10u);
  EXPECT_EQ(trace.spans[9].end_tick, 9);
}

TEST(TraceLog, NamesOfSessionsStayAsLongAsTheirSpans) {
  TraceLog log(ExampleDevices(1), kBlock, 1);
  log.OpenSession(SessionId(1), "one");
  log.OpenSession(SessionId(2), "two");
  AddSpans(log, 1, 0, 5);
  log.CloseSession(SessionId(1));
  AddSpans(log, 2, 5, kBlock);
  ASSERT_EQ(log.Snapshot().sessions.size(), 2u);
  EXPECT_EQ(log.Snapshot().sessions[0].name, "one");
  AddSpans(log, 2, kBlock, 3 * kBlock);
  ASSERT_EQ(log.Snapshot().sessions.size(), 1u);
  EXPECT_EQ(log.Snapshot().sessions[0].name, "two");
}

TEST(TraceLanes, TasksOfALaneFollowOneAnother) {
  TraceLog log = ExampleLog();
  TraceSpan waits = ExampleKernel(1, 1, 20, 30);
  waits.ready_tick = 10;
  log.Add(waits);
  log.Add(ExampleKernel(1, 1, 0, 10));
  log.Add(ExampleKernel(1, 2, 0, 10));
  // Not in a stream, so at the same time.
  TraceSpan loose = ExampleKernel(1, 0, 0, 10);
  loose.stream = {};
  log.Add(loose);
  loose.start_tick = 5;
  log.Add(loose);
  loose.start_tick = 10;
  loose.end_tick = 12;
  log.Add(loose);
  const auto sessions = ArrangeLanes(log.Snapshot(), {});
  ASSERT_EQ(sessions.size(), 1u);
  const std::vector<TraceLane>& lanes = sessions[0].lanes;
  ASSERT_EQ(lanes.size(), 4u);
  EXPECT_EQ(LaneTitle(lanes[0]), "stream 1");
  EXPECT_EQ(lanes[0].spans, (std::vector<size_t>{1, 0}));
  EXPECT_EQ(LaneTitle(lanes[1]), "stream 2");
  EXPECT_EQ(LaneTitle(lanes[2]), "calls that wait");
  EXPECT_EQ(lanes[2].spans, (std::vector<size_t>{3, 5}));
  EXPECT_EQ(LaneTitle(lanes[3]), "calls that wait (2)");
  EXPECT_EQ(lanes[3].spans, (std::vector<size_t>{4}));
}

TEST(TraceLanes, SessionsComeByRankAndThoseWithoutOneLast) {
  TraceLog log = ExampleLog();
  for (uint64_t i = 1; i <= 3; ++i) {
    log.OpenSession(SessionId(i), std::string("abc").substr(i - 1, 1));
    TraceSpan span = ExampleKernel(i, 1, 0, 1);
    if (i > 1) span.rank = 3 - i;
    log.Add(span);
  }
  const auto sessions = ArrangeLanes(log.Snapshot(), {});
  ASSERT_EQ(sessions.size(), 3u);
  EXPECT_EQ(SessionTitle(sessions[0]), "rank 0");
  EXPECT_EQ(sessions[0].name, "c");
  EXPECT_EQ(SessionTitle(sessions[1]), "rank 1");
  EXPECT_EQ(SessionTitle(sessions[2]), "session 1");
}

TEST(TraceLanes, TheWindowTakesWhatLiesInItByAPart) {
  TraceLog log = ExampleLog();
  for (const auto& [start, end] : std::vector<std::pair<Tick, Tick>>{
           {0, 100}, {100, 101}, {101, 200}, {200, 300}, {150, 150}}) {
    log.Add(ExampleKernel(1, 1, start, end));
  }
  const auto spans_in = [&](TraceWindow window) {
    const Trace trace = log.Snapshot();
    size_t count = 0;
    for (const auto& session : ArrangeLanes(trace, window)) {
      for (const auto& lane : session.lanes) count += lane.spans.size();
    }
    return count;
  };
  EXPECT_EQ(spans_in({}), 5u);
  EXPECT_EQ(spans_in({.from = 100, .to = 101}), 1u);
  EXPECT_EQ(spans_in({.from = 99, .to = 102}), 3u);
  EXPECT_EQ(spans_in({.from = 150, .to = 151}), 2u);
  EXPECT_EQ(spans_in({.from = 300, .to = 400}), 0u);
}

}  // namespace
}  // namespace ascend::core
