// Load: threads that launch kernels of stated lengths, and how long they wait.
//
// A program plays each stream of `Load::streams` in a thread, with timing-only
// kernels, and says when each job was there. Experiments on policies are made
// of it (experiments.h).
//
// Threading: one object a process. Ownership: value types.
#ifndef ASCEND_TESTS_BENCH_LOAD_LOAD_H_
#define ASCEND_TESTS_BENCH_LOAD_LOAD_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ascend::load {

// What a job launches.
enum class JobKind : int {
  kMatrix,        // one product that takes `us` on `units` CUBE units
  kLayerHead,     // norm, qkv, rope, attention, projection of a decode layer
  kPrefillLayer,  // a layer of 2048 tokens
};

struct StreamLoad {
  int rank = 0;
  uint32_t priority = 0;
  JobKind kind = JobKind::kMatrix;
  uint32_t units = 1;
  double us = 100;
  double start_us = 0;
  double until_us = 0;  // no job begins later
  int jobs_max = 1 << 30;
  double rate = 0;       // jobs per second at random; 0: one behind the other
  int jobs_at_once = 1;  // launched before it waits; with rate: 1

  NLOHMANN_DEFINE_TYPE_INTRUSIVE(StreamLoad, rank, priority, kind, units, us,
                                 start_us, until_us, jobs_max, rate,
                                 jobs_at_once)
};

struct Load {
  int participants = 1;
  std::vector<StreamLoad> streams;
  uint64_t seed = 1;

  NLOHMANN_DEFINE_TYPE_INTRUSIVE(Load, participants, streams, seed)
};

struct StreamOutcome {
  // Of each job, in microseconds: from when it came to its end.
  std::vector<double> latencies_us;
  int jobs = 0;
  double end_us = 0;  // of the last

  NLOHMANN_DEFINE_TYPE_INTRUSIVE(StreamOutcome, latencies_us, jobs, end_us)
};

struct Outcome {
  std::vector<StreamOutcome> streams;
  int cube_percent = 0;  // held while the load ran
  NLOHMANN_DEFINE_TYPE_INTRUSIVE(Outcome, streams, cube_percent)
};

// A process of its own: prints an Outcome as a line of JSON.
int PlayLoad(const std::string& text);

// Prints how long an attention and a projection of one decode step take, by
// batch size.
int PlaySweep();

// Prints what a launch and a wait cost the host's simulated time, on streams
// with and without the fast flags.
int PlayCosts();

// A process of its own: prints the rate of DMA copies among four tensors of 4
// MiB, in GB/s of simulated time, that were allocated by `policy`.
int PlayLayout(const std::string& policy);

}  // namespace ascend::load

#endif  // ASCEND_TESTS_BENCH_LOAD_LOAD_H_
