#include "core/obs/timeline_svg.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "core/obs/timeline_usage.h"
#include "core/obs/trace_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/tiny_xml.h"
#include "tests/unit/core/obs/trace_example.h"

namespace ascend::core {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::ParseXml;
using testing::XmlElement;

constexpr size_t kBytesMax = 2'000'000;

struct Area {
  double left, right, top, bottom;
  std::string text;
};

double Number(const XmlElement& element, const std::string& key) {
  const auto found = element.attributes.find(key);
  return found == element.attributes.end()
             ? 0
             : std::strtod(found->second.c_str(), nullptr);
}

std::string Value(const XmlElement& element, const std::string& key) {
  const auto found = element.attributes.find(key);
  return found == element.attributes.end() ? "" : found->second;
}

Area AreaOf(const XmlElement& text) {
  const double size = Number(text, "font-size");
  const double width =
      size * TextWidth(text.text, Value(text, "font-weight") == "bold");
  const std::string anchor = Value(text, "text-anchor");
  const double left = Number(text, "x") - (anchor == "end"      ? width
                                           : anchor == "middle" ? width / 2
                                                                : 0);
  const double y = Number(text, "y");
  return {left, left + width, y - 0.76 * size, y + 0.24 * size, text.text};
}

std::vector<XmlElement> Named(const std::vector<XmlElement>& elements,
                              const std::string& name) {
  std::vector<XmlElement> out;
  for (const XmlElement& element : elements) {
    if (element.name == name) out.push_back(element);
  }
  return out;
}

// Well-formed, small, and no text on another or outside of the picture.
// Returns its elements.
std::vector<XmlElement> ExpectGood(const std::string& svg) {
  EXPECT_LT(svg.size(), kBytesMax);
  const auto elements = ParseXml(svg);
  if (!elements.has_value()) {
    ADD_FAILURE() << "not well-formed: " << svg.substr(0, 4000);
    return {};
  }
  const double width = Number(elements->front(), "width");
  const double height = Number(elements->front(), "height");
  std::vector<Area> areas;
  for (const XmlElement& text : Named(*elements, "text")) {
    areas.push_back(AreaOf(text));
    const Area& area = areas.back();
    EXPECT_GE(Number(text, "font-size"), 10) << area.text;
    EXPECT_TRUE(area.left >= 0 && area.right <= width && area.top >= 0 &&
                area.bottom <= height)
        << area.text;
  }
  std::sort(areas.begin(), areas.end(),
            [](const Area& a, const Area& b) { return a.left < b.left; });
  for (size_t i = 0; i < areas.size(); ++i) {
    for (size_t k = i + 1; k < areas.size() && areas[k].left < areas[i].right;
         ++k) {
      EXPECT_TRUE(areas[k].top >= areas[i].bottom ||
                  areas[k].bottom <= areas[i].top)
          << "'" << areas[i].text << "' lies on '" << areas[k].text << "'";
    }
  }
  return *elements;
}

std::vector<std::string> TextsOf(const std::vector<XmlElement>& elements) {
  std::vector<std::string> out;
  for (const XmlElement& text : Named(elements, "text")) {
    out.push_back(text.text);
  }
  return out;
}

// Boxes of tasks and of merged tasks in the plot.
size_t BoxCount(const std::vector<XmlElement>& elements) {
  size_t count = 0;
  for (const XmlElement& rect : Named(elements, "rect")) {
    const std::string kind = Value(rect, "class");
    count += !kind.empty() && (kind[0] == 'k' || kind[0] == 'm') &&
             Number(rect, "x") >= 300;
  }
  return count;
}

std::vector<XmlElement> Drawn(const Trace& trace,
                              const TraceWindow& window = {}) {
  return ExpectGood(DrawTimeline(trace, window));
}

TEST(TimelineSvg, AnExampleShowsWhatThereIs) {
  const std::vector<XmlElement> elements = Drawn(ExampleTrace());
  const std::vector<std::string> texts = TextsOf(elements);
  for (const char* text :
       {"rank 0: one", "session 2: two", "stream 1", "matmul", "copy to device",
        "matmul: 2 tasks, 20.3 us", "CUBE", "AIV", "DMA", "100 %", "0 %",
        "1020 GB/s", "10 us", "device 0: ascend910", "mean 80 % of 8 units",
        "mean 4 % of 4 units"}) {
    EXPECT_THAT(texts, Contains(text));
  }
  std::vector<std::string> tips;
  for (const XmlElement& title : Named(elements, "title")) {
    tips.push_back(title.text);
  }
  EXPECT_THAT(tips, Contains("matmul waits 9.25 us for units"));
  EXPECT_THAT(tips, Contains("matmul, 10.3 us, 8 CUBE"));
}

TEST(TimelineSvg, AnExampleIsDrawnAsItIs) {
  EXPECT_EQ(DrawTimeline(ExampleTrace(), {}), ExampleFile("example.svg"));
}

TEST(TimelineSvg, ABoxIsWhereItsTaskRan) {
  const std::vector<XmlElement> elements =
      Drawn(ExampleTrace(), {.from = 0, .to = Microseconds(121)});
  // The window begins with the first task, at 5 us: 116 us on 1210 pixels.
  const auto rects = Named(elements, "rect");
  const auto box =
      std::find_if(rects.begin(), rects.end(), [](const XmlElement& rect) {
        return Value(rect, "class") == "k0" && Number(rect, "x") >= 300;
      });
  ASSERT_NE(box, rects.end());
  EXPECT_NEAR(Number(*box, "x"), 300, 0.01);
  EXPECT_NEAR(Number(*box, "width"), 1210 * 4 / 116.0 - 0.5, 0.01);
}

TEST(TimelineSvg, LabelsLieInTheirBoxes) {
  TraceLog log = ExampleLog();
  Tick at = 0;
  for (Tick i = 1; i < 40; ++i) {
    log.Add(ExampleKernel(1, 1, at, at + i * 1000,
                          i % 2 == 0 ? "flash_attention" : "add"));
    at += i * 1000 + 500;
  }
  const std::vector<XmlElement> elements = Drawn(log.Snapshot());
  std::vector<Area> boxes;
  for (const XmlElement& rect : Named(elements, "rect")) {
    if (!Value(rect, "class").starts_with("k")) continue;
    const double x = Number(rect, "x");
    const double y = Number(rect, "y");
    boxes.push_back(
        {x, x + Number(rect, "width"), y, y + Number(rect, "height"), ""});
  }
  int count = 0;
  for (const XmlElement& text : Named(elements, "text")) {
    if (text.text != "flash_attention" && text.text != "add") continue;
    ++count;
    const Area area = AreaOf(text);
    EXPECT_TRUE(std::any_of(boxes.begin(), boxes.end(),
                            [&](const Area& box) {
                              return box.left <= area.left &&
                                     area.right <= box.right &&
                                     box.top <= area.top &&
                                     area.bottom <= box.bottom;
                            }))
        << area.text << " at " << area.left;
  }
  EXPECT_GT(count, 5);
  EXPECT_LT(count, 39);
}

// Lanes of short tasks of several kinds with and without gaps.
Trace BusyTrace(size_t sessions, size_t streams, size_t tasks,
                size_t devices = 1) {
  static constexpr absl::string_view kLabels[] = {
      "add", "flash_attention", "matmul", "rms_norm", "rope", "silu_mul"};
  TraceLog log = ExampleLog(devices);
  for (uint64_t session = 1; session <= sessions; ++session) {
    log.OpenSession(SessionId(session),
                    "a program whose name is rather long for its place");
  }
  uint64_t state = 1;
  const auto random = [&state](uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  std::vector<Tick> ends(sessions * streams, 0);
  for (size_t i = 0; i < tasks; ++i) {
    const size_t lane = random(ends.size());
    const Tick ready = ends[lane] + static_cast<Tick>(random(20'000));
    const Tick start = ready + static_cast<Tick>(random(9'000));
    const Tick end = start + 1000 * static_cast<Tick>(1 + random(60));
    TraceSpan span =
        ExampleKernel(1 + lane / streams, static_cast<uint32_t>(lane % streams),
                      start, end, kLabels[random(std::size(kLabels))]);
    span.ready_tick = ready;
    span.device = DeviceId(static_cast<uint32_t>(lane % devices));
    span.value = i;
    log.Add(span);
    ends[lane] = end;
  }
  const Tick end = *std::max_element(ends.begin(), ends.end());
  const size_t samples = tasks / 2;
  for (size_t i = 0; i < samples; ++i) {
    log.Add(TraceSample{
        .device = DeviceId(static_cast<uint32_t>(i % devices)),
        .tick = end / static_cast<Tick>(samples) * static_cast<Tick>(i),
        .held = {static_cast<uint32_t>(random(9)),
                 static_cast<uint32_t>(random(9)),
                 static_cast<uint32_t>(random(5))},
        .hbm_bytes_per_second = 1e9 * static_cast<double>(random(1021))});
  }
  return log.Snapshot();
}

TEST(TimelineSvg, ManyTasksAreFewBoxes) {
  for (const auto& [sessions, streams, devices] :
       std::vector<std::tuple<size_t, size_t, size_t>>{
           {4, 2, 1}, {30, 5, 8}, {64, 1, 64}}) {
    const Trace trace = BusyTrace(sessions, streams, 100'000, devices);
    const std::vector<XmlElement> elements = Drawn(trace);
    EXPECT_LE(BoxCount(elements), kTimelineBoxesMax);
    EXPECT_GT(BoxCount(elements), 100u);
    EXPECT_THAT(TextsOf(elements), Contains(HasSubstr("100000 tasks of ")));
  }
}

TEST(TimelineSvg, AWindowShowsSingleTasksAgain) {
  const Trace trace = BusyTrace(3, 2, 100'000);
  const std::vector<XmlElement> elements =
      Drawn(trace, {.from = Microseconds(100), .to = Nanoseconds(100400)});
  EXPECT_THAT(TextsOf(elements), Contains("flash_attention"));
  EXPECT_THAT(TextsOf(elements), Contains("100.05 us"));
  EXPECT_LT(BoxCount(elements), 700u);
}

TEST(TimelineSvg, WhatIsTooMuchIsCounted) {
  TraceLog log = ExampleLog(12);
  for (uint32_t i = 0; i < 200; ++i) {
    log.Add(ExampleKernel(1 + i / 50, i, 0, 10'000));
  }
  for (uint32_t i = 0; i < 12; ++i) {
    log.Add(TraceSample{.device = DeviceId(i), .held = {1, 0, 0}});
  }
  const std::vector<std::string> texts = TextsOf(Drawn(log.Snapshot()));
  EXPECT_THAT(texts, Contains("40 more streams are not shown"));
  EXPECT_THAT(texts, Contains("4 more devices are not shown"));
}

TEST(TimelineSvg, ManyLabelsStillHaveALegend) {
  static const auto* const kNames = [] {
    auto* const names = new std::vector<std::string>;
    for (int i = 0; i < 40; ++i) {
      names->push_back("a_kernel_with_a_long_name_" + std::to_string(i));
    }
    return names;
  }();
  TraceLog log = ExampleLog();
  for (size_t i = 0; i < kNames->size(); ++i) {
    const Tick at = 10'000 * static_cast<Tick>(i);
    log.Add(ExampleKernel(1, 1, at, at + 100 * static_cast<Tick>(i + 1),
                          (*kNames)[i]));
  }
  const std::vector<std::string> texts = TextsOf(Drawn(log.Snapshot()));
  EXPECT_THAT(texts, Contains("and 24 more"));
}

TEST(TimelineSvg, FarFromZeroTheAxisCountsFromANearTick) {
  TraceLog log = ExampleLog();
  const Tick at = 3600 * kTicksPerSecond + 12'345'678;
  log.Add(ExampleKernel(1, 1, at, at + Nanoseconds(900)));
  const std::vector<std::string> texts = TextsOf(Drawn(log.Snapshot()));
  EXPECT_THAT(texts, Contains(HasSubstr("simulated time after ")));
  EXPECT_THAT(texts, Contains(::testing::StartsWith("+")));
}

TEST(TimelineSvg, NothingIsAPictureToo) {
  EXPECT_THAT(TextsOf(Drawn(Trace())), Contains("No task ran in this window."));
  Drawn(ExampleLog(2).Snapshot());
  Drawn(ExampleTrace(), {.from = kTicksPerSecond, .to = 2 * kTicksPerSecond});
  Drawn(ExampleTrace(), {.from = 0, .to = 1});
  Drawn(ExampleTrace(), {.from = kTickMax - 1, .to = kTickMax});
}

TEST(TimelineSvg, AnyNameIsLegalXml) {
  TraceLog log = ExampleLog();
  log.OpenSession(SessionId(1), "<&\">\x1b\xff\n");
  log.Add(ExampleKernel(1, 1, 0, 1000));
  EXPECT_THAT(TextsOf(Drawn(log.Snapshot())), Contains("session 1: <&\">???"));
}

TEST(TimelineSvg, WhatWasDroppedIsSaid) {
  TraceLog log(ExampleDevices(1), 2, 2);
  for (Tick i = 0; i < 5; ++i) log.Add(ExampleKernel(1, 1, i, i + 1));
  EXPECT_THAT(TextsOf(Drawn(log.Snapshot())),
              Contains("3 earlier tasks were dropped and are not shown"));
}

TEST(TimelineUsage, AColumnIsTheMeanOverItsTime) {
  TraceLog log = ExampleLog(2);
  const auto sample = [&](uint32_t device, Tick tick, uint32_t cube) {
    log.Add(TraceSample{
        .device = DeviceId(device), .tick = tick, .held = {cube, 0, 0}});
  };
  sample(0, 50, 4);
  sample(1, 60, 8);
  sample(0, 125, 8);
  sample(0, 150, 0);
  sample(0, 190, 2);
  const UsageCurve cube =
      CurvesOf(log.Snapshot(), DeviceId(0), {.from = 100, .to = 200}, 4).cube;
  ASSERT_EQ(cube.columns.size(), 4u);
  EXPECT_DOUBLE_EQ(cube.columns[0], 4);
  EXPECT_DOUBLE_EQ(cube.columns[1], 8);
  EXPECT_DOUBLE_EQ(cube.columns[2], 0);
  EXPECT_DOUBLE_EQ(cube.columns[3], 0.8);
  EXPECT_DOUBLE_EQ(cube.mean, 3.2);
  EXPECT_DOUBLE_EQ(cube.peak, 8);
}

}  // namespace
}  // namespace ascend::core
