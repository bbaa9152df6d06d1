// The decode workload: streams or processes that decode tokens on one device,
// and how many they get per second of simulated time.
//
// Threading: one thread. Ownership: none.
#ifndef ASCEND_TESTS_BENCH_DECODE_DECODE_H_
#define ASCEND_TESTS_BENCH_DECODE_DECODE_H_

#include <string>
#include <vector>

#include "tests/bench/decode/shape.h"

namespace ascend::decode {

struct DecodeOptions {
  Shape shape;
  // By process: its streams, which share its weights.
  std::vector<int> streams;
  int tokens = 20;  // of each stream
  bool is_executed = false;
  uint64_t seed = 1;
  int delay_ms_max = 0;  // processes start so much apart at most, at random
  std::vector<std::string> daemon_flags;
  std::string json;  // a file; empty: none
};

// Starts a daemon and the processes, prints the figures. The exit code.
int RunDecode(const DecodeOptions& options);

// A process that RunDecode starts, told by `role`, whose options are `text`.
int PlayDecodeRank(const std::string& text);
int PlayRunInfo();

}  // namespace ascend::decode

#endif  // ASCEND_TESTS_BENCH_DECODE_DECODE_H_
