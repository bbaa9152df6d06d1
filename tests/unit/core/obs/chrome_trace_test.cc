#include "core/obs/chrome_trace.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/core/obs/trace_example.h"

namespace ascend::core {
namespace {

using nlohmann::json;

std::string Write(const Trace& trace, const TraceWindow& window = {}) {
  std::string out;
  EXPECT_TRUE(WriteChromeTrace(trace, window, [&](absl::string_view bytes) {
    out.append(bytes.data(), bytes.size());
    return true;
  }));
  return out;
}

std::vector<json> EventsOf(const std::string& text) {
  const json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  EXPECT_FALSE(document.is_discarded()) << text;
  return document["traceEvents"].get<std::vector<json>>();
}

std::vector<json> Select(const std::vector<json>& events,
                         const std::string& phase,
                         const std::string& name = "") {
  std::vector<json> out;
  for (const json& event : events) {
    if (event["ph"] == phase && (name.empty() || event["name"] == name)) {
      out.push_back(event);
    }
  }
  return out;
}

using Track = std::pair<int, int>;

Track TrackOf(const json& event) { return {event["pid"], event["tid"]}; }

int64_t TicksOf(const json& us) { return std::llround(us.get<double>() * 1e6); }

// Every slice, flow and counter stands on a track that has a name, slices of a
// track do not meet, and a flow begins and ends in a slice.
void ExpectSound(const std::vector<json>& events) {
  std::set<int> processes;
  std::set<Track> threads;
  for (const json& event : Select(events, "M", "process_name")) {
    processes.insert(event["pid"].get<int>());
  }
  for (const json& event : Select(events, "M", "thread_name")) {
    threads.insert(TrackOf(event));
  }
  std::map<Track, std::map<int64_t, int64_t>> slices;  // begin to end
  for (const json& event : Select(events, "X")) {
    EXPECT_TRUE(threads.count(TrackOf(event))) << event;
    EXPECT_TRUE(processes.count(event["pid"].get<int>())) << event;
    const int64_t begin = TicksOf(event["ts"]);
    if (TicksOf(event["dur"]) == 0) continue;
    EXPECT_TRUE(slices[TrackOf(event)]
                    .emplace(begin, begin + TicksOf(event["dur"]))
                    .second)
        << event;
  }
  for (const auto& [track, on_track] : slices) {
    int64_t last_end = 0;
    for (const auto& [begin, end] : on_track) {
      EXPECT_GE(begin, last_end);
      last_end = end;
    }
  }
  const auto in_slice = [&](const json& event) {
    const auto& on_track = slices[TrackOf(event)];
    const int64_t tick = TicksOf(event["ts"]);
    auto slice = on_track.upper_bound(tick);
    return slice != on_track.begin() && (--slice)->second > tick;
  };
  std::map<int, int> flows;
  for (const json& event : Select(events, "s")) {
    EXPECT_TRUE(in_slice(event)) << event;
    EXPECT_EQ(flows[event["id"]]++, 0);
  }
  for (const json& event : Select(events, "f")) {
    EXPECT_TRUE(in_slice(event)) << event;
    EXPECT_EQ(flows[event["id"]]--, 1);
    EXPECT_EQ(event["bp"], "e");
  }
  for (const auto& [id, open] : flows) EXPECT_EQ(open, 0) << id;
  for (const json& event : Select(events, "C")) {
    EXPECT_TRUE(processes.count(event["pid"].get<int>())) << event;
  }
}

TEST(ChromeTrace, AnExampleIsWrittenAsItIs) {
  EXPECT_EQ(Write(ExampleTrace()), ExampleFile("example.json"));
}

TEST(ChromeTrace, TracksAndFlowsAreSound) {
  const std::vector<json> events = EventsOf(Write(ExampleTrace()));
  ExpectSound(events);
  EXPECT_EQ(Select(events, "X", "matmul").size(), 2u);
  EXPECT_EQ(Select(events, "X", "queued").size(), 1u);
  EXPECT_EQ(Select(events, "s").size(), 3u);
  // Submitted at the same tick.
  ASSERT_EQ(Select(events, "X", "submit 2 tasks").size(), 1u);
}

TEST(ChromeTrace, TasksWithoutAStreamDoNotMeetEither) {
  TraceLog log = ExampleLog();
  for (Tick i = 1; i <= 50; ++i) {
    TraceSpan span = ExampleKernel(1, 0, 1000 * i, 1000 * i + 700 * (i % 7));
    span.stream = {};
    span.admit_tick = 10 * (i / 3);
    log.Add(span);
  }
  ExpectSound(EventsOf(Write(log.Snapshot())));
}

TEST(ChromeTrace, CountersChangeOnlyWhenTheirValueDoes) {
  const std::vector<json> events = EventsOf(Write(ExampleTrace()));
  std::vector<std::pair<int64_t, double>> cube;
  for (const json& event : Select(events, "C", "CUBE units held")) {
    cube.emplace_back(TicksOf(event["ts"]), event["args"]["value"]);
  }
  EXPECT_EQ(cube, (std::vector<std::pair<int64_t, double>>{
                      {5'000'000, 0}, {10'000'000, 8}, {30'250'001, 0}}));
}

TEST(ChromeTrace, CountersBeginWithTheWindow) {
  const std::vector<json> events = EventsOf(Write(
      ExampleTrace(), {.from = Microseconds(15), .to = Microseconds(18)}));
  ExpectSound(events);
  // The one that waits has only its queued slice in it, and is whole.
  EXPECT_EQ(Select(events, "X", "matmul").size(), 2u);
  EXPECT_EQ(Select(events, "X", "copy to device").size(), 0u);
  const std::vector<json> cube = Select(events, "C", "CUBE units held");
  ASSERT_EQ(cube.size(), 1u);
  EXPECT_EQ(TicksOf(cube[0]["ts"]), Microseconds(15));
  EXPECT_EQ(cube[0]["args"]["value"], 8);
}

TEST(ChromeTrace, WhatWasDroppedIsSaid) {
  TraceLog log(ExampleDevices(1), 2, 2);
  for (Tick i = 0; i < 5; ++i) log.Add(ExampleKernel(1, 1, i, i + 1));
  const std::string text = Write(log.Snapshot());
  EXPECT_EQ(json::parse(text)["otherData"]["dropped_tasks"], 3);
  const std::vector<json> notes = Select(EventsOf(text), "i");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0]["name"], "3 earlier tasks are not in this trace");
}

TEST(ChromeTrace, AnyNameIsLegalJson) {
  TraceLog log = ExampleLog();
  log.OpenSession(SessionId(1), "\x1b[31m\"\\\xff\n");
  log.Add(ExampleKernel(1, 1, 0, 1));
  ExpectSound(EventsOf(Write(log.Snapshot())));
}

TEST(ChromeTrace, AnEmptyTraceIsLegal) {
  ExpectSound(EventsOf(Write(Trace())));
  ExpectSound(EventsOf(Write(ExampleLog(2).Snapshot())));
}

TEST(ChromeTrace, ComesInPiecesAndStopsWhenTheSinkHasEnough) {
  TraceLog log = ExampleLog();
  for (Tick i = 0; i < 20'000; ++i) log.Add(ExampleKernel(1, 1, i, i + 1));
  const Trace trace = log.Snapshot();
  std::string all;
  size_t largest = 0;
  WriteChromeTrace(trace, {}, [&](absl::string_view bytes) {
    largest = std::max(largest, bytes.size());
    all.append(bytes.data(), bytes.size());
    return true;
  });
  EXPECT_EQ(all, Write(trace));
  EXPECT_LT(largest, all.size() / 4);
  int calls = 0;
  EXPECT_FALSE(WriteChromeTrace(
      trace, {}, [&](absl::string_view) { return ++calls < 2; }));
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace ascend::core
