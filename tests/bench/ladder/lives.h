// Rungs that need other programs: attaching, idling, dying, a loud neighbour.
//
// Threading: one thread; ASCEND_RTD_ADDRESS is set. The other programs are this
// one in another role.
#ifndef ASCEND_TESTS_BENCH_LADDER_LIVES_H_
#define ASCEND_TESTS_BENCH_LADDER_LIVES_H_

#include <sys/types.h>

#include <string>

#include "tests/bench/ladder/report.h"

namespace ascend::ladder {

// What many clients that do nothing cost a fresh daemon, whose process is
// `daemon`.
void MeasureIdle(pid_t daemon, Report* report);

void MeasureLives(Report* report);

// What this program does in the role of another one.
int PlayRole(const std::string& role);

}  // namespace ascend::ladder

#endif  // ASCEND_TESTS_BENCH_LADDER_LIVES_H_
