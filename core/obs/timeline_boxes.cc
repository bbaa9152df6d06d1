#include "core/obs/timeline_boxes.h"

#include <algorithm>

namespace ascend::core {
namespace {

// Merged tasks have a colour when so much of their time is of one label.
constexpr double kNearlyAll = 0.8;
// A box of merged tasks is not much wider than so many times `narrow`: how much
// of the time they fill, and with what, is seen to change.
constexpr double kMergedWidth = 6;

// Merges tasks that are narrower than `narrow` and less than that apart.
class Merger {
 public:
  Merger(double narrow, const TimelinePalette& palette,
         std::vector<TimelineBox>* out)
      : narrow_(narrow),
        palette_(palette),
        widths_(palette.size()),
        out_(out) {}

  void Add(const TraceSpan& span, double left, double right) {
    if (box_.count > 0 && (left - box_.right >= narrow_ ||
                           left - box_.left >= kMergedWidth * narrow_)) {
      Flush();
    }
    if (box_.count == 0) box_ = {.left = left, .span = &span, .count = 0};
    box_.right = right;
    ++box_.count;
    widths_[palette_.IndexOf(span.label)] += right - left;
  }

  void Flush() {
    if (box_.count == 0) return;
    double all = 0;
    for (const double width : widths_) all += width;
    const auto most = std::max_element(widths_.begin(), widths_.end());
    box_.colour = *most >= kNearlyAll * all
                      ? static_cast<size_t>(most - widths_.begin())
                      : TimelineBox::kMixed;
    const double width = box_.right - box_.left;
    box_.busy_share = width > 0 ? all / width : 1;
    out_->push_back(box_);
    box_ = {.count = 0};
    std::fill(widths_.begin(), widths_.end(), 0);
  }

 private:
  const double narrow_;
  const TimelinePalette& palette_;
  std::vector<double> widths_;  // by colour
  TimelineBox box_ = {.count = 0};
  std::vector<TimelineBox>* const out_;
};

LaneBoxes BoxesOf(const Trace& trace, const TraceLane& lane,
                  const TimelineScale& scale, const TimelinePalette& palette,
                  double narrow) {
  LaneBoxes boxes;
  Merger merger(narrow, palette, &boxes.tasks);
  for (const size_t i : lane.spans) {
    const TraceSpan& span = trace.spans[i];
    const double left = scale.At(span.start_tick);
    const double right = scale.At(span.end_tick);
    const double begin = scale.At(span.begin_tick());
    if (left - begin >= 2 * narrow) {
      boxes.waits.push_back({.left = begin, .right = left, .span = &span});
    }
    if (span.end_tick <= scale.from || span.start_tick >= scale.to) continue;
    if (right - left < narrow) {
      if (right > left) merger.Add(span, left, right);
      continue;
    }
    merger.Flush();
    boxes.tasks.push_back({.left = left,
                           .right = right,
                           .span = &span,
                           .colour = palette.IndexOf(span.label)});
  }
  merger.Flush();
  return boxes;
}

}  // namespace

std::vector<LaneBoxes> BoxesOfLanes(const Trace& trace,
                                    const std::vector<TraceLane>& lanes,
                                    const TimelineScale& scale,
                                    const TimelinePalette& palette,
                                    size_t boxes_max) {
  // Ends, as a lane has less than three boxes when `narrow` is its width.
  for (double narrow = 1;; narrow *= 2) {
    std::vector<LaneBoxes> all;
    size_t count = 0;
    for (const TraceLane& lane : lanes) {
      all.push_back(BoxesOf(trace, lane, scale, palette, narrow));
      count += all.back().tasks.size() + all.back().waits.size();
      if (count > boxes_max && narrow < scale.width) break;
    }
    if (count <= boxes_max || narrow >= scale.width) return all;
  }
}

}  // namespace ascend::core
