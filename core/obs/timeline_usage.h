// How busy a device was over a window, column by column of a picture.
//
// Threading: pure function.
#ifndef ASCEND_CORE_OBS_TIMELINE_USAGE_H_
#define ASCEND_CORE_OBS_TIMELINE_USAGE_H_

#include <cstddef>
#include <vector>

#include "core/obs/trace.h"

namespace ascend::core {

struct UsageCurve {
  std::vector<double> columns;  // the mean over time in each
  double mean = 0;              // over the window
  double peak = 0;              // of a column
};

struct DeviceCurves {
  UsageCurve cube;  // units held
  UsageCurve aiv;
  UsageCurve dma;
  UsageCurve hbm;  // bytes per second
};

// Before the first sample nothing is used. The window has an end.
DeviceCurves CurvesOf(const Trace& trace, DeviceId device,
                      const TraceWindow& window, size_t column_count);

}  // namespace ascend::core

#endif  // ASCEND_CORE_OBS_TIMELINE_USAGE_H_
