// WriteChromeTrace: a trace as trace events in JSON, which Perfetto
// (ui.perfetto.dev) and chrome://tracing show.
//
// What is where. Each session is a process with one thread per stream and one
// for what it submitted; each device is a process with counters: units held,
// tasks that wait for units, HBM traffic of kernels. A task is a slice from its
// start to its end; where it waited for units, a slice "queued" stands before
// it. A flow leads from its submission to its start. Times are simulated, in
// microseconds with all digits.
//
// Threading: pure function.
#ifndef ASCEND_CORE_OBS_CHROME_TRACE_H_
#define ASCEND_CORE_OBS_CHROME_TRACE_H_

#include "core/obs/trace.h"

namespace ascend::core {

// Tasks of which some part lies in the window are written whole. False: the
// sink wanted no more.
bool WriteChromeTrace(const Trace& trace, const TraceWindow& window,
                      TraceSink sink);

}  // namespace ascend::core

#endif  // ASCEND_CORE_OBS_CHROME_TRACE_H_
