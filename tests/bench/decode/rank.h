// Rank: a process that decodes tokens on one device, through AscendCL.
//
// Each stream of it is a thread: it launches the kernels of a step, records an
// event, synchronises its stream, lets the host's time pass, and begins again.
// The threads share the weights; each has a cache and a stream of its own.
//
// Threading: one object a process. Ownership: owns device memory and streams.
#ifndef ASCEND_TESTS_BENCH_DECODE_RANK_H_
#define ASCEND_TESTS_BENCH_DECODE_RANK_H_

#include <cstdint>
#include <vector>

#include "tests/bench/decode/shape.h"

namespace ascend::decode {

struct RankOptions {
  Shape shape;
  int tokens = 20;           // of each stream
  int streams = 1;           // of this process
  int first_rank = 0;        // of its streams among all
  int participants = 1;      // streams of all processes
  bool is_executed = false;  // kernels really compute
  uint64_t seed = 1;         // of when streams begin
};

struct StreamResult {
  // When each token was there, in picoseconds since all streams began.
  std::vector<uint64_t> token_ends;
  // On the host's steady clock, in nanoseconds: its run, from begin to end.
  int64_t wall_begin_ns = 0;
  int64_t wall_end_ns = 0;
};

// Ends the process when a call fails.
std::vector<StreamResult> RunRank(const RankOptions& options);

}  // namespace ascend::decode

#endif  // ASCEND_TESTS_BENCH_DECODE_RANK_H_
