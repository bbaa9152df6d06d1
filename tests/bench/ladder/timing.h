// Medians and durations of the ladder.
//
// Threading: pure functions.
#ifndef ASCEND_TESTS_BENCH_LADDER_TIMING_H_
#define ASCEND_TESTS_BENCH_LADDER_TIMING_H_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace ascend::ladder {

template <class Run>
double MicrosecondsOf(Run run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now() - begin)
      .count();
}

// The value below which `share` of the values lie; there is at least one.
inline double QuantileOf(std::vector<double> values, double share) {
  const size_t index =
      std::min(values.size() - 1,
               static_cast<size_t>(share * static_cast<double>(values.size())));
  std::nth_element(values.begin(),
                   values.begin() + static_cast<ptrdiff_t>(index),
                   values.end());
  return values[index];
}

inline double MedianOf(std::vector<double> values) {
  return QuantileOf(std::move(values), 0.5);
}

}  // namespace ascend::ladder

#endif  // ASCEND_TESTS_BENCH_LADDER_TIMING_H_
