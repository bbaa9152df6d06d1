// Attention in double precision by plain loops: what flash_attention is
// compared with, and deliberately wrong kinds of it, which must not pass.
//
// It needs nothing of the project, so examples use it as well.
//
// Threading: pure functions. Ownership: value types.
#ifndef ASCEND_TESTS_TESTING_ATTENTION_REFERENCE_H_
#define ASCEND_TESTS_TESTING_ATTENTION_REFERENCE_H_

#include <cstdint>
#include <vector>

namespace ascend::testing {

struct AttentionProblem {
  int64_t batch = 1;
  int64_t heads = 1;
  int64_t kv_heads = 1;  // divides heads
  int64_t q_length = 1;
  int64_t kv_length = 1;
  int64_t head_size = 1;
  bool causal = false;  // query i sees keys up to i + kv_length - q_length
  double scale = 0;     // 0: 1 / sqrt(head_size)

  int64_t q_count() const { return batch * heads * q_length * head_size; }
  int64_t kv_count() const { return batch * kv_heads * kv_length * head_size; }
};

// Mistakes that kernels have been seen to make.
enum class AttentionMistake {
  kNone,
  kDropsOneKey,     // the last visible key of each row
  kForgetsScale,    // logits are q k^T
  kStartsSumAtOne,  // l begins at 1 instead of 0
};

// o of [batch, heads, q_length, head_size]; layouts as in acl/ascend_rtd_ops.h.
// Rows that see no key are zeros.
std::vector<double> ReferenceAttention(
    const AttentionProblem& problem, const std::vector<float>& q,
    const std::vector<float>& k, const std::vector<float>& v,
    AttentionMistake mistake = AttentionMistake::kNone);

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_TESTING_ATTENTION_REFERENCE_H_
