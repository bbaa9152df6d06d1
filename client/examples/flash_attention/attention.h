// What both spellings of the example share: the problem, its data, and the
// answer by which the device's is judged.
//
// The reference is attention in double precision on the host, computed the
// textbook way: all logits of a query, their maximum, the exponentials, the
// weighted sum. It shares no code and no order of operations with the kernel.
//
// Threading: any thread. Ownership: value types.
#ifndef FLASH_ATTENTION_ATTENTION_H_
#define FLASH_ATTENTION_ATTENTION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

enum class ElementType { kFloat32, kFloat16, kBFloat16 };

struct Problem {
  int64_t batch = 2;
  int64_t heads = 8;
  int64_t kv_heads = 8;  // divides heads
  int64_t length = 1024;
  int64_t head_size = 128;
  bool causal = false;
  ElementType type = ElementType::kBFloat16;
  // Queries are drawn with this standard deviation, keys and values with 1. At
  // 1 the weights are spread; at 16 nearly all weight lies on a few keys.
  double query_deviation = 1.0;
  uint64_t seed = 1;

  size_t QueryCount() const;  // elements of q and of o
  size_t KeyCount() const;    // elements of k and of v
};

size_t ElementBytes(ElementType type);

// Tensors as the device holds them, [batch, heads, length, head size].
struct Inputs {
  std::vector<std::byte> q, k, v;
};

// Normal deviates from `problem.seed`, rounded to the element type.
Inputs MakeInputs(const Problem& problem);

// The elements of a tensor as doubles.
std::vector<double> Widen(ElementType type,
                          const std::vector<std::byte>& bytes);

// softmax(q k^T / sqrt(head size)) v in double precision, from the rounded
// inputs.
std::vector<double> ReferenceAttention(const Problem& problem,
                                       const Inputs& inputs);

struct Comparison {
  double max_error = 0;          // largest |result - reference|
  double relative_l2_error = 0;  // |result - reference| / |reference|
  bool within_bounds = false;
};

// Half-width types: |error| <= 2e-3 + 2^-7 |reference| everywhere and relative
// L2 error <= 5e-3. Single precision: 1e-5 for both, absolute plus relative.
Comparison Compare(ElementType type, const std::vector<double>& result,
                   const std::vector<double>& reference);

// What one run measured.
struct RunResult {
  std::vector<std::byte> o;
  double wall_ms = 0;    // from aclInit to aclFinalize
  double copy_us = 0;    // simulated: the three uploads and the download
  double kernel_us = 0;  // simulated, waiting for units included
};

// Runs the problem on device 0 in a stream of `priority`. Nonzero: an AscendCL
// call failed; what and why went to stderr.
int RunWithAscendCl(const Problem& problem, const Inputs& inputs,
                    uint32_t priority, RunResult* result);

// The same in the short C++ spelling (acl/acl_rt_simple.hpp), which knows bf16
// with as many key/value heads as heads, not causal. Measures wall time only.
int RunWithShortSpelling(const Problem& problem, const Inputs& inputs,
                         RunResult* result);

#endif  // FLASH_ATTENTION_ATTENTION_H_
