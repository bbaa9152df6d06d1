// Traces for tests.
#ifndef ASCEND_TESTS_UNIT_CORE_OBS_TRACE_EXAMPLE_H_
#define ASCEND_TESTS_UNIT_CORE_OBS_TRACE_EXAMPLE_H_

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/obs/trace_log.h"

namespace ascend::core {

inline std::vector<TraceDevice> ExampleDevices(size_t count) {
  return std::vector<TraceDevice>(count, {.name = "ascend910",
                                          .units = {8, 8, 4},
                                          .hbm_bytes_per_second = 1.02e12});
}

inline TraceLog ExampleLog(size_t devices = 1) {
  return TraceLog(ExampleDevices(devices), 1'000'000, 1'000'000);
}

inline StreamHandle ExampleStream(uint32_t index) { return {index, 1}; }

// A kernel on all CUBE units, submitted at zero.
inline TraceSpan ExampleKernel(uint64_t session, uint32_t stream, Tick start,
                               Tick end, absl::string_view label = "matmul") {
  return {.session = SessionId(session),
          .stream = ExampleStream(stream),
          .value = 1,
          .label = label,
          .kind = TraceKind::kKernel,
          .units = {8, 0, 0},
          .start_tick = start,
          .end_tick = end};
}

// A file of this directory: what the example below looks like.
inline std::string ExampleFile(const std::string& name) {
  std::ifstream file(std::string(ASCEND_TEST_EXAMPLES "/") + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Two sessions on one device: one waits for the other's units.
inline Trace ExampleTrace() {
  TraceLog log = ExampleLog();
  log.OpenSession(SessionId(1), "one");
  log.OpenSession(SessionId(2), "two");
  TraceSpan copy = ExampleKernel(1, 1, Microseconds(5), Microseconds(9));
  copy.rank = 0;
  copy.label = "copy to device";
  copy.kind = TraceKind::kCopy;
  copy.units = {0, 0, 1};
  copy.bytes = 4096;
  copy.admit_tick = Microseconds(3);
  log.Add(copy);
  TraceSpan first = ExampleKernel(1, 1, Microseconds(10), 20'250'001);
  first.rank = 0;
  first.value = 2;
  first.admit_tick = Microseconds(3);
  log.Add(first);
  TraceSpan second = ExampleKernel(2, 1, 20'250'001, 30'250'001);
  second.admit_tick = Microseconds(4);
  second.ready_tick = Microseconds(11);
  log.Add(second);
  log.Add(TraceSample{.tick = Microseconds(5), .held = {0, 0, 1}});
  log.Add(TraceSample{.tick = Microseconds(9)});
  log.Add(TraceSample{.waiting_count = 1,
                      .tick = Microseconds(10),
                      .held = {8, 0, 0},
                      .hbm_bytes_per_second = 5e11});
  log.Add(TraceSample{
      .tick = 20'250'001, .held = {8, 0, 0}, .hbm_bytes_per_second = 5e11});
  log.Add(TraceSample{.tick = 30'250'001});
  return log.Snapshot();
}

}  // namespace ascend::core

#endif  // ASCEND_TESTS_UNIT_CORE_OBS_TRACE_EXAMPLE_H_
