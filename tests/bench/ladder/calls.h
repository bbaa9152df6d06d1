// Rungs of one program: launches, synchronisation and copies.
//
// Threading: one thread; ASCEND_RTD_ADDRESS is set.
#ifndef ASCEND_TESTS_BENCH_LADDER_CALLS_H_
#define ASCEND_TESTS_BENCH_LADDER_CALLS_H_

#include "tests/bench/ladder/report.h"

namespace ascend::ladder {

// What the bare transport gave, in the same run.
struct FloorValues {
  double ping_pong_us = 0;
  double upload_1m_gbs = 0;  // 10^9 bytes per second
  double upload_64m_gbs = 0;
  double download_1m_gbs = 0;
  double download_64m_gbs = 0;
};

void MeasureCalls(const FloorValues& floors, Report* report);

}  // namespace ascend::ladder

#endif  // ASCEND_TESTS_BENCH_LADDER_CALLS_H_
