// Text of traces: escapes, times, and how wide a text is.
//
// What is escaped may hold any bytes, as programs name themselves: what is no
// UTF-8 and what the target does not allow becomes '?'.
//
// Threading: pure functions.
#ifndef ASCEND_CORE_OBS_TRACE_TEXT_H_
#define ASCEND_CORE_OBS_TRACE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "core/obs/trace.h"

namespace ascend::core {

// As a string of JSON, with its quotes.
void AppendJsonString(absl::string_view text, std::string* out);
// As text or the value of an attribute in XML.
void AppendXmlText(absl::string_view text, std::string* out);

// In microseconds with all six decimals: "12.000250".
void AppendMicroseconds(Tick tick, std::string* out);
// For people, so many digits: "0 ns", "12.3 us", "4.57 ms", "3.2 s".
std::string FormatTicks(Tick ticks, int digits = 3);
// All digits down to a multiple of `step`, which is 1, 2 or 5 times a power of
// ten, in the largest unit that `scale` has: "12.35 ms".
std::string FormatTicksExactly(Tick ticks, Tick step, Tick scale);

// In units of the font's size, at least: wide enough for the common fonts
// without serifs.
double TextWidth(absl::string_view text, bool is_bold);
// `text`, shortened with an ellipsis to `width` at this size; "" when nothing
// fits.
std::string FitText(absl::string_view text, bool is_bold, double size,
                    double width);

// "stream 3", "stream 3.2" (the second one of that number) or, for work without
// a stream, "calls that wait".
std::string StreamName(StreamHandle stream);

}  // namespace ascend::core

#endif  // ASCEND_CORE_OBS_TRACE_TEXT_H_
