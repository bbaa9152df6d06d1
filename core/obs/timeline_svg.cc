#include "core/obs/timeline_svg.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/obs/timeline_boxes.h"
#include "core/obs/timeline_palette.h"
#include "core/obs/timeline_usage.h"
#include "core/obs/trace_lanes.h"
#include "core/obs/trace_text.h"

namespace ascend::core {
namespace {

// All in pixels. Names stand left of the plot, scales right of it.
constexpr double kWidth = 1600;
constexpr double kMargin = 16;
constexpr double kPlotLeft = 300;
constexpr double kPlotRight = 1510;
constexpr double kPlotWidth = kPlotRight - kPlotLeft;
constexpr double kSessionWidth = 150;  // of a session's name
constexpr double kStreamWidth = 110;   // of a stream's, to the left of the plot
constexpr double kGap = 10;

constexpr double kTitleSize = 20;
constexpr double kTextSize = 12;
constexpr double kSmallSize = 10.5;
constexpr double kLegendRow = 22;
constexpr double kSwatch = 12;
constexpr double kAxisHeight = 26;
constexpr double kTickLength = 5;
constexpr double kTickApart = 110;  // at least
constexpr double kStripHeight = 40;
constexpr size_t kLegendLabelsMax = 16;

// Many lanes are thin ones, whose boxes have no text.
constexpr size_t kTallLanesMax = 48;
struct LaneForm {
  double height;
  double box_height;
  double text_size;
  bool has_labels;
};
constexpr LaneForm kTallLane = {24, 18, kTextSize, true};
constexpr LaneForm kThinLane = {14, 11, 10, false};

constexpr absl::string_view kInk = "#1b1f24";
constexpr absl::string_view kPaleInk = "#5c6670";
constexpr absl::string_view kWarningInk = "#b3261e";
constexpr absl::string_view kCurve = "#37474f";

enum class Anchor : uint8_t { kStart, kMiddle, kEnd };

struct TextForm {
  double size = kTextSize;
  Anchor anchor = Anchor::kStart;
  bool is_bold = false;
  absl::string_view ink = kInk;
};

// Two decimals at most.
std::string Px(double value) {
  const auto hundredths = static_cast<int64_t>(std::llround(value * 100));
  const int64_t whole = std::abs(hundredths) / 100;
  const int64_t rest = std::abs(hundredths) % 100;
  std::string out = absl::StrCat(hundredths < 0 ? "-" : "", whole);
  if (rest == 0) return out;
  absl::StrAppend(&out, ".", rest / 10);
  if (rest % 10 != 0) absl::StrAppend(&out, rest % 10);
  return out;
}

std::string Percent(double share) {
  return absl::StrCat(std::llround(100 * share), " %");
}

// "1020 GB/s".
std::string BytesPerSecond(double rate) {
  constexpr double kGiga = 1e9;
  const double giga = rate / kGiga;
  if (giga >= 10 || giga == 0) return absl::StrCat(std::llround(giga), " GB/s");
  return absl::StrCat(std::round(giga * 100) / 100, " GB/s");
}

// "1 task", "2 tasks".
std::string Count(size_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

// The least of 1, 2, 5, 10, 20, ... ticks that is not below `least`.
Tick RoundStep(double least) {
  Tick power = 1;
  while (static_cast<double>(power) * 10 <= least) power *= 10;
  for (const Tick factor : {1, 2, 5}) {
    if (static_cast<double>(power * factor) >= least) return power * factor;
  }
  return power * 10;
}

// What there is of the window.
TraceWindow Resolve(const Trace& trace, const TraceWindow& window) {
  Tick first = kTickMax;
  Tick last = 0;
  for (size_t i = 0; i < trace.spans.size(); ++i) {
    first = std::min(first, trace.spans[i].begin_tick());
    last = std::max(last, trace.spans[i].end_tick);
  }
  // Far from where sums would not fit; no clock gets there.
  constexpr Tick kLatest = kTickMax / 4;
  TraceWindow out = {std::min(window.from, kLatest), window.to};
  if (out.from == 0 && first < out.to) out.from = first;
  if (out.to == kTickMax) out.to = std::max(last, out.from);
  out.to = std::min(out.to, kLatest);
  out.to = std::max(out.to, out.from + 1);
  return out;
}

class Drawing {
 public:
  Drawing(const Trace& trace, const TraceWindow& window)
      : trace_(trace),
        window_(Resolve(trace, window)),
        scale_{window_.from, window_.to, kPlotLeft, kPlotWidth},
        palette_(trace),
        sessions_(ArrangeLanes(trace, window_)) {
    for (const SessionLanes& session : sessions_) {
      for (const TraceLane& lane : session.lanes) {
        lane_count_ += 1;
        if (lanes_.size() < kTimelineLanesMax) lanes_.push_back(lane);
      }
    }
    boxes_ = BoxesOfLanes(trace_, lanes_, scale_, palette_, kTimelineBoxesMax);
  }

  std::string Draw() {
    DrawTitle();
    DrawLegend();
    y_ += kGap + kAxisHeight;
    const double top = y_;
    DrawAxis(top, /*is_top=*/true);
    DrawSessions();
    DrawDevices();
    DrawAxis(y_, /*is_top=*/false);
    DrawGrid(top, y_);
    y_ += kAxisHeight + kMargin;
    return Assemble();
  }

 private:
  void Text(double x, double y, absl::string_view text, const TextForm& form) {
    if (text.empty()) return;
    absl::StrAppend(&body_, "<text x=\"", Px(x), "\" y=\"", Px(y),
                    "\" font-size=\"", Px(form.size), "\" fill=\"", form.ink,
                    "\"");
    if (form.anchor != Anchor::kStart) {
      absl::StrAppend(&body_, " text-anchor=\"",
                      form.anchor == Anchor::kEnd ? "end" : "middle", "\"");
    }
    if (form.is_bold) absl::StrAppend(&body_, " font-weight=\"bold\"");
    absl::StrAppend(&body_, ">");
    AppendXmlText(text, &body_);
    absl::StrAppend(&body_, "</text>\n");
  }

  // A box with a text that shows when the pointer rests on it.
  static void Rect(double x, double y, double width, double height,
                   absl::string_view attributes, absl::string_view tip,
                   std::string* out) {
    absl::StrAppend(out, "<rect x=\"", Px(x), "\" y=\"", Px(y), "\" width=\"",
                    Px(width), "\" height=\"", Px(height), "\" ", attributes);
    if (tip.empty()) {
      absl::StrAppend(out, "/>\n");
      return;
    }
    absl::StrAppend(out, "><title>");
    AppendXmlText(tip, out);
    absl::StrAppend(out, "</title></rect>\n");
  }

  static void Line(double x1, double y1, double x2, double y2,
                   absl::string_view attributes, std::string* out) {
    absl::StrAppend(out, "<path d=\"M", Px(x1), " ", Px(y1), "L", Px(x2), " ",
                    Px(y2), "\" ", attributes, "/>\n");
  }

  // "k" for a task's box, "m" for one of merged tasks.
  static std::string ClassOf(char kind, size_t colour) {
    return colour == TimelineBox::kMixed
               ? absl::StrCat("class=\"", absl::string_view(&kind, 1), "\"")
               : absl::StrCat("class=\"", absl::string_view(&kind, 1), colour,
                              "\"");
  }

  void DrawTitle() {
    y_ = kMargin + kTitleSize;
    Text(kMargin, y_, "ascend-rtd: what ran when, in simulated time",
         {.size = kTitleSize, .is_bold = true});
    size_t task_count = 0;
    for (const SessionLanes& session : sessions_) {
      for (const TraceLane& lane : session.lanes) {
        task_count += lane.spans.size();
      }
    }
    y_ += 22;
    constexpr int kDigits = 6;
    Text(kMargin, y_,
         absl::StrCat(FormatTicks(window_.from, kDigits), " to ",
                      FormatTicks(window_.to, kDigits), " (",
                      FormatTicks(window_.to - window_.from, kDigits),
                      "): ", Count(task_count, "task"), " of ",
                      Count(sessions_.size(), "session")),
         {.ink = kPaleInk});
    if (trace_.dropped_span_count > 0) {
      y_ += 18;
      Text(kMargin, y_,
           absl::StrCat(trace_.dropped_span_count,
                        " earlier tasks were dropped and are not shown"),
           {.ink = kWarningInk});
    }
    y_ += 10;
  }

  // What the window holds of each colour.
  struct Use {
    size_t colour = 0;
    size_t count = 0;
    Tick ticks = 0;
  };

  std::vector<Use> UsesByTime() const {
    std::vector<Use> uses(palette_.size());
    for (size_t i = 0; i < uses.size(); ++i) uses[i].colour = i;
    for (const SessionLanes& session : sessions_) {
      for (const TraceLane& lane : session.lanes) {
        for (const size_t i : lane.spans) {
          const TraceSpan& span = trace_.spans[i];
          Use& use = uses[palette_.IndexOf(span.label)];
          ++use.count;
          use.ticks +=
              std::max<Tick>(0, std::min(span.end_tick, window_.to) -
                                    std::max(span.start_tick, window_.from));
        }
      }
    }
    std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
      return a.ticks > b.ticks;
    });
    uses.erase(std::find_if(uses.begin(), uses.end(),
                            [](const Use& use) { return use.count == 0; }),
               uses.end());
    return uses;
  }

  // Makes room for a swatch and `text` in the legend and writes the text.
  // Returns the place of the swatch's left end.
  double LegendEntry(const std::string& text, double swatch_width) {
    const double width =
        swatch_width + 6 + TextWidth(text, false) * kTextSize + 22;
    if (legend_x_ + width > kWidth - kMargin && legend_x_ > kMargin) {
      legend_x_ = kMargin;
      y_ += kLegendRow;
    }
    const double x = legend_x_;
    Text(x + swatch_width + 6, y_, text, {});
    legend_x_ += width;
    return x;
  }

  void DrawLegend() {
    y_ += kLegendRow;
    legend_x_ = kMargin;
    const std::vector<Use> uses = UsesByTime();
    for (size_t i = 0; i < std::min(uses.size(), kLegendLabelsMax); ++i) {
      const Use& use = uses[i];
      const double x = LegendEntry(
          absl::StrCat(palette_.LabelOf(use.colour), ": ",
                       Count(use.count, "task"), ", ", FormatTicks(use.ticks)),
          kSwatch);
      Rect(x, y_ - kSwatch + 2, kSwatch, kSwatch, ClassOf('k', use.colour), "",
           &body_);
    }
    if (uses.size() > kLegendLabelsMax) {
      LegendEntry(absl::StrCat("and ", uses.size() - kLegendLabelsMax, " more"),
                  0);
    }
    if (uses.empty()) {
      LegendEntry("No task ran in this window.", 0);
      return;
    }
    y_ += kLegendRow;
    legend_x_ = kMargin;
    double x = LegendEntry("a task, from its start to its end", 26);
    Rect(x, y_ - kSwatch + 2, 26, kSwatch, ClassOf('k', uses[0].colour), "",
         &body_);
    x = LegendEntry("its wait for units", 26);
    DrawWait(x, x + 26, y_ - 4, uses[0].colour, "");
    x = LegendEntry("many short tasks; paler: with gaps", 26);
    Rect(x, y_ - kSwatch + 2, 26, kSwatch, ClassOf('m', uses[0].colour), "",
         &body_);
    x = LegendEntry("short tasks of several kinds", 26);
    Rect(x, y_ - kSwatch + 2, 26, kSwatch, ClassOf('m', TimelineBox::kMixed),
         "", &body_);
  }

  void DrawWait(double left, double right, double middle, size_t colour,
                absl::string_view tip) {
    Rect(left, middle - 1.5, right - left, 3,
         absl::StrCat(ClassOf('k', colour), " fill-opacity=\".45\""), tip,
         &body_);
  }

  // The step between two ticks of the axis.
  Tick Step() const {
    return RoundStep(static_cast<double>(window_.to - window_.from) *
                     kTickApart / kPlotWidth);
  }

  // Where the axis counts from: far from zero, labels would be long.
  Tick Base() const {
    constexpr Tick kStepsMax = 100'000;
    const Tick step = Step();
    if (window_.to / step < kStepsMax) return 0;
    return window_.from / (10 * step) * (10 * step);
  }

  Tick FirstTick() const {
    const Tick step = Step();
    return (window_.from + step - 1) / step * step;
  }

  void DrawAxis(double y, bool is_top) {
    const double end = is_top ? y - kTickLength : y + kTickLength;
    const double text_y = is_top ? y - 10 : y + 18;
    Line(kPlotLeft, y, kPlotRight, y, "class=\"axis\"", &body_);
    for (Tick tick = FirstTick(); tick <= window_.to; tick += Step()) {
      const double x = scale_.At(tick);
      Line(x, y, x, end, "class=\"axis\"", &body_);
      Text(x, text_y,
           absl::StrCat(
               Base() == 0 ? "" : "+",
               FormatTicksExactly(tick - Base(), Step(), window_.to - Base())),
           {.size = kSmallSize, .anchor = Anchor::kMiddle, .ink = kPaleInk});
    }
    Text(kMargin, text_y,
         Base() == 0
             ? "simulated time"
             : absl::StrCat("simulated time after ",
                            FormatTicksExactly(Base(), 10 * Step(), Base())),
         {.size = kSmallSize, .ink = kPaleInk});
  }

  void DrawGrid(double top, double bottom) {
    for (Tick tick = FirstTick(); tick <= window_.to; tick += Step()) {
      const double x = scale_.At(tick);
      Line(x, top, x, bottom, "class=\"grid\"", &grid_);
    }
  }

  void DrawSessions() {
    const LaneForm& form =
        lanes_.size() > kTallLanesMax ? kThinLane : kTallLane;
    size_t lane = 0;
    for (size_t i = 0; i < sessions_.size() && lane < lanes_.size(); ++i) {
      const SessionLanes& session = sessions_[i];
      const size_t shown = std::min(session.lanes.size(), lanes_.size() - lane);
      const double height = static_cast<double>(shown) * form.height + 4;
      if (i % 2 == 0) {
        Rect(0, y_, kWidth, height, "class=\"band\"", "", &bands_);
      }
      DrawSessionName(session, shown, form);
      y_ += 2;
      for (size_t k = 0; k < shown; ++k) {
        DrawLane(lanes_[lane], boxes_[lane], form);
        ++lane;
      }
      y_ += 2;
    }
    if (lanes_.size() < lane_count_) {
      y_ += kLegendRow;
      Text(kMargin, y_ - 6,
           absl::StrCat(lane_count_ - lanes_.size(),
                        " more streams are not shown"),
           {.ink = kWarningInk});
    }
  }

  void DrawSessionName(const SessionLanes& session, size_t lane_count,
                       const LaneForm& form) {
    const double y = y_ + 2 + Baseline(form);
    const std::string title = SessionTitle(session);
    const bool is_two_lines = lane_count > 1;
    const TextForm bold = {.size = form.text_size, .is_bold = true};
    const std::string first = is_two_lines || session.name.empty()
                                  ? title
                                  : absl::StrCat(title, ": ", session.name);
    Text(kMargin, y, FitText(first, true, bold.size, kSessionWidth), bold);
    if (!is_two_lines) return;
    const TextForm pale = {.size = std::min(kSmallSize, form.text_size),
                           .ink = kPaleInk};
    Text(kMargin, y + std::min(form.height, 16.0),
         FitText(session.name, false, pale.size, kSessionWidth), pale);
  }

  // From the top of a lane.
  static double Baseline(const LaneForm& form) {
    return form.height / 2 + form.text_size * 0.36;
  }

  void DrawLane(const TraceLane& lane, const LaneBoxes& boxes,
                const LaneForm& form) {
    std::string title = LaneTitle(lane);
    if (trace_.devices.size() > 1) {
      absl::StrAppend(&title, ", dev ", lane.device.value());
    }
    Text(kPlotLeft - kGap, y_ + Baseline(form),
         FitText(title, false, form.text_size, kStreamWidth),
         {.size = form.text_size, .anchor = Anchor::kEnd, .ink = kPaleInk});
    for (const TimelineBox& wait : boxes.waits) {
      DrawWait(wait.left, wait.right, y_ + form.height / 2,
               palette_.IndexOf(wait.span->label),
               absl::StrCat(
                   wait.span->label, " waits ",
                   FormatTicks(wait.span->start_tick - wait.span->begin_tick()),
                   " for units"));
    }
    for (const TimelineBox& box : boxes.tasks) DrawBox(box, form);
    y_ += form.height;
  }

  void DrawBox(const TimelineBox& box, const LaneForm& form) {
    const double top = y_ + (form.height - form.box_height) / 2;
    const double drawn = std::max(box.right - box.left, 0.6);
    if (box.count > 1) {
      const auto quarter = static_cast<int>(std::ceil(4 * box.busy_share));
      static constexpr absl::string_view kOpacities[] = {".3", ".45", ".6",
                                                         ".8", "1"};
      Rect(
          box.left, top, drawn, form.box_height,
          absl::StrCat(ClassOf('m', box.colour), " fill-opacity=\"",
                       kOpacities[std::clamp(quarter, 0, 4)], "\""),
          absl::StrCat(Count(box.count, "task"), ", ",
                       Percent(std::min(box.busy_share, 1.0)), " of this time"),
          &body_);
      return;
    }
    const TraceSpan& span = *box.span;
    // A hairline of space tells neighbours apart.
    const double width = drawn > 3 ? drawn - 0.5 : drawn;
    Rect(box.left, top, width, form.box_height, ClassOf('k', box.colour),
         TipOf(span), &body_);
    if (!form.has_labels) return;
    const TextForm text = {.size = kSmallSize,
                           .anchor = Anchor::kMiddle,
                           .ink = palette_.InkOf(box.colour)};
    if (TextWidth(span.label, false) * text.size + 6 > width) return;
    Text(box.left + width / 2, y_ + form.height / 2 + text.size * 0.36,
         span.label, text);
  }

  static std::string TipOf(const TraceSpan& span) {
    std::string tip = absl::StrCat(
        span.label, ", ", FormatTicks(span.end_tick - span.start_tick));
    const auto add = [&](uint32_t units, absl::string_view name) {
      if (units > 0) absl::StrAppend(&tip, ", ", units, " ", name);
    };
    add(span.units.cube, "CUBE");
    add(span.units.aiv, "AIV");
    add(span.units.dma, "DMA");
    return tip;
  }

  // Those that did something in the window; the first one if none did.
  std::vector<DeviceId> BusyDevices() const {
    std::vector<bool> is_busy(trace_.devices.size(), false);
    for (size_t i = 0; i < trace_.samples.size(); ++i) {
      const TraceSample& sample = trace_.samples[i];
      if (sample.tick < window_.to && sample.held != TraceUnits{}) {
        is_busy[sample.device.value()] = true;
      }
    }
    std::vector<DeviceId> out;
    for (size_t i = 0; i < is_busy.size(); ++i) {
      if (is_busy[i]) out.push_back(DeviceId(static_cast<uint32_t>(i)));
    }
    if (out.empty() && !is_busy.empty()) out.push_back(DeviceId(0));
    return out;
  }

  void DrawDevices() {
    const std::vector<DeviceId> devices = BusyDevices();
    const size_t shown = std::min(devices.size(), kTimelineDevicesMax);
    for (size_t i = 0; i < shown; ++i) DrawDevice(devices[i]);
    if (shown < devices.size()) {
      y_ += kLegendRow;
      Text(kMargin, y_ - 6,
           absl::StrCat(devices.size() - shown, " more devices are not shown"),
           {.ink = kWarningInk});
    }
    y_ += kGap;
  }

  void DrawDevice(DeviceId id) {
    const TraceDevice& device = trace_.devices[id.value()];
    const DeviceCurves curves =
        CurvesOf(trace_, id, window_, static_cast<size_t>(kPlotWidth));
    y_ += 24;
    Text(kMargin, y_,
         FitText(absl::StrCat("device ", id.value(), ": ", device.name), true,
                 kTextSize, kPlotLeft - kMargin - kGap),
         {.is_bold = true});
    y_ += 8;
    DrawUnits("CUBE", device.units.cube, curves.cube);
    DrawUnits("AIV", device.units.aiv, curves.aiv);
    DrawUnits("DMA", device.units.dma, curves.dma);
    const double peak = std::max(device.hbm_bytes_per_second, curves.hbm.peak);
    DrawStrip("HBM (kernels)",
              absl::StrCat("mean ", BytesPerSecond(curves.hbm.mean)),
              BytesPerSecond(peak), "0", curves.hbm, peak);
  }

  void DrawUnits(absl::string_view name, uint32_t units,
                 const UsageCurve& curve) {
    const double all = std::max(units, 1u);
    DrawStrip(name,
              absl::StrCat("mean ", Percent(curve.mean / all), " of ",
                           Count(units, "unit")),
              "100 %", "0 %", curve, all);
  }

  void DrawStrip(absl::string_view name, absl::string_view note,
                 absl::string_view top_text, absl::string_view bottom_text,
                 const UsageCurve& curve, double full) {
    const double top = y_;
    const double bottom = y_ + kStripHeight;
    const TextForm pale = {.size = kSmallSize, .ink = kPaleInk};
    Text(kMargin, top + kStripHeight / 2 + 4, name, {});
    TextForm right = pale;
    right.anchor = Anchor::kEnd;
    Text(kPlotLeft - kGap, top + kStripHeight / 2 + 4, note, right);
    Text(kPlotRight + 8, top + 9, top_text, pale);
    Text(kPlotRight + 8, bottom, bottom_text, pale);
    Line(kPlotLeft, top, kPlotRight, top, "class=\"full\"", &body_);
    Line(kPlotLeft, bottom, kPlotRight, bottom, "class=\"axis\"", &body_);
    DrawCurve(curve, bottom, full);
    y_ = bottom + kGap;
  }

  void DrawCurve(const UsageCurve& curve, double bottom, double full) {
    if (curve.peak == 0 || full <= 0) return;
    const double scale = kStripHeight / full;
    std::string d = absl::StrCat("M", Px(kPlotLeft), " ", Px(bottom));
    std::string last = Px(bottom);
    for (size_t i = 0; i < curve.columns.size(); ++i) {
      // A tenth of a pixel is enough.
      std::string y =
          Px(std::round((bottom - curve.columns[i] * scale) * 10) / 10);
      if (y == last) continue;
      absl::StrAppend(&d, "H", Px(kPlotLeft + static_cast<double>(i)), "V", y);
      last = std::move(y);
    }
    absl::StrAppend(&d, "H", Px(kPlotRight), "V", Px(bottom), "Z");
    absl::StrAppend(&body_, "<path class=\"curve\" d=\"", d, "\"/>\n");
  }

  void AppendHatch(absl::string_view id, absl::string_view fill,
                   std::string* out) const {
    absl::StrAppend(
        out, "<pattern id=\"", id,
        "\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect width=\"4\" height=\"4\" "
        "fill=\"",
        fill,
        "\"/><rect width=\"1.3\" height=\"4\" fill=\"#fff\" "
        "fill-opacity=\".55\"/></pattern>\n");
  }

  std::string Assemble() const {
    std::string out = absl::StrCat(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"",
        Px(kWidth), "\" height=\"", Px(y_), "\" viewBox=\"0 0 ", Px(kWidth),
        " ", Px(y_),
        "\" font-family=\"'DejaVu Sans', Verdana, Arial, sans-serif\">\n"
        "<style>.band{fill:#f3f5f7}.grid{stroke:#dde2e7;fill:none}"
        ".axis{stroke:#8a949e;fill:none}"
        ".full{stroke:#c3cad1;fill:none;stroke-dasharray:3 3}"
        ".curve{fill:",
        kCurve, ";fill-opacity:.22;stroke:", kCurve,
        ";stroke-width:1;stroke-linejoin:miter}.m{fill:url(#m)}");
    for (size_t i = 0; i < palette_.size(); ++i) {
      absl::StrAppend(&out, ".k", i, "{fill:", palette_.FillOf(i), "}.m", i,
                      "{fill:url(#m", i, ")}");
    }
    absl::StrAppend(&out, "</style>\n<defs>\n");
    AppendHatch("m", "#8d969f", &out);
    for (size_t i = 0; i < palette_.size(); ++i) {
      AppendHatch(absl::StrCat("m", i), palette_.FillOf(i), &out);
    }
    absl::StrAppend(&out, "</defs>\n",
                    "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
                    bands_, grid_, body_, "</svg>\n");
    return out;
  }

  const Trace& trace_;
  const TraceWindow window_;
  const TimelineScale scale_;
  const TimelinePalette palette_;
  const std::vector<SessionLanes> sessions_;
  size_t lane_count_ = 0;
  std::vector<TraceLane> lanes_;  // those that are shown
  std::vector<LaneBoxes> boxes_;  // of each
  double y_ = 0;                  // what is above is drawn
  double legend_x_ = 0;
  // In the order in which they cover one another.
  std::string bands_;
  std::string grid_;
  std::string body_;
};

}  // namespace

std::string DrawTimeline(const Trace& trace, const TraceWindow& window) {
  return Drawing(trace, window).Draw();
}

}  // namespace ascend::core
