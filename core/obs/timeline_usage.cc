#include "core/obs/timeline_usage.h"

#include <algorithm>

namespace ascend::core {
namespace {

class Curve {
 public:
  Curve(const TraceWindow& window, size_t column_count)
      : window_(window), columns_(column_count, 0) {}

  // `value` holds in [from, to), which lies in the window.
  void Add(Tick from, Tick to, double value) {
    if (value == 0) return;
    const double first = At(from);
    const double last = At(to);
    const size_t end = columns_.size();
    for (auto i = static_cast<size_t>(first);
         i < end && static_cast<double>(i) < last; ++i) {
      const auto left = static_cast<double>(i);
      columns_[i] += value * (std::min(last, left + 1) - std::max(first, left));
    }
  }

  UsageCurve Take() {
    UsageCurve out;
    for (const double column : columns_) {
      out.mean += column / static_cast<double>(columns_.size());
      out.peak = std::max(out.peak, column);
    }
    out.columns = std::move(columns_);
    return out;
  }

 private:
  double At(Tick tick) const {
    return static_cast<double>(columns_.size()) *
           static_cast<double>(tick - window_.from) /
           static_cast<double>(window_.to - window_.from);
  }

  const TraceWindow window_;
  std::vector<double> columns_;
};

}  // namespace

DeviceCurves CurvesOf(const Trace& trace, DeviceId device,
                      const TraceWindow& window, size_t column_count) {
  Curve cube(window, column_count);
  Curve aiv(window, column_count);
  Curve dma(window, column_count);
  Curve hbm(window, column_count);
  TraceSample last;
  const auto end_last = [&](Tick to) {
    const Tick from = std::max(last.tick, window.from);
    to = std::min(to, window.to);
    if (from >= to) return;
    cube.Add(from, to, last.held.cube);
    aiv.Add(from, to, last.held.aiv);
    dma.Add(from, to, last.held.dma);
    hbm.Add(from, to, last.hbm_bytes_per_second);
  };
  for (size_t i = 0; i < trace.samples.size(); ++i) {
    const TraceSample& sample = trace.samples[i];
    if (sample.device != device) continue;
    if (sample.tick >= window.to) break;
    end_last(sample.tick);
    last = sample;
  }
  end_last(window.to);
  return {cube.Take(), aiv.Take(), dma.Take(), hbm.Take()};
}

}  // namespace ascend::core
