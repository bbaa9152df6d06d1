#include "core/machine/hbm_timing.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/machine/durations.h"

namespace ascend::core {
namespace {

// Ends are rounded up to ticks, and in a tick a flow moves about a byte. What
// is left below this is the error of the sums.
constexpr double kBytesDone = 1e-3;

}  // namespace

void HbmTiming::StartFlow(FlowId flow, double bytes,
                          double cap_bytes_per_second, Tick now) {
  ASCEND_CHECK(bytes > 0 && cap_bytes_per_second > 0)
      << bytes << " bytes at " << cap_bytes_per_second << " bytes per second";
  Advance(now);
  const auto index = static_cast<uint32_t>(flows_.size());
  const auto place = std::upper_bound(
      by_cap_.begin(), by_cap_.end(), cap_bytes_per_second,
      [this](double cap, uint32_t i) { return cap < flows_[i].cap; });
  by_cap_.insert(place, index);
  flows_.push_back({flow, bytes, cap_bytes_per_second, 0});
  ShareRates(now);
}

void HbmTiming::TakeEnded(Tick now, std::vector<FlowId>* ended) {
  Advance(now);
  const size_t ended_before = ended->size();
  std::erase_if(flows_, [ended](const Flow& flow) {
    if (flow.bytes_left > kBytesDone) return false;
    ended->push_back(flow.id);
    return true;
  });
  // At least the end of what is left moves: rounding, or the bound of TicksOf,
  // may have brought the owner here before a flow was done.
  if (ended->size() == ended_before) return ShareRates(now);
  by_cap_.resize(flows_.size());
  for (uint32_t i = 0; i < by_cap_.size(); ++i) by_cap_[i] = i;
  std::stable_sort(
      by_cap_.begin(), by_cap_.end(),
      [this](uint32_t a, uint32_t b) { return flows_[a].cap < flows_[b].cap; });
  ShareRates(now);
}

void HbmTiming::Advance(Tick now) {
  ASCEND_CHECK(now >= last_)
      << "time goes back from " << last_ << " to " << now;
  const double seconds = SecondsOf(now - last_);
  for (Flow& flow : flows_) flow.bytes_left -= flow.rate * seconds;
  last_ = now;
}

void HbmTiming::ShareRates(Tick now) {
  double rate_left = bytes_per_second_;
  size_t count_left = by_cap_.size();
  next_end_ = kTickMax;
  for (const uint32_t index : by_cap_) {
    Flow& flow = flows_[index];
    flow.rate = std::min(flow.cap, rate_left / static_cast<double>(count_left));
    rate_left -= flow.rate;
    --count_left;
    const double bytes_left = std::max(flow.bytes_left, 0.0);
    next_end_ = std::min(next_end_,
                         SaturatingAdd(now, TicksOf(bytes_left / flow.rate)));
  }
  rate_ = bytes_per_second_ - rate_left;
}

}  // namespace ascend::core
