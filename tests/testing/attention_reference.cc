#include "tests/testing/attention_reference.h"

#include <algorithm>
#include <cmath>

namespace ascend::testing {
namespace {

double Dot(const float* a, const float* b, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

// One row of the output; k and v of its head, `visible` keys.
void AttendRow(const float* q, const float* k, const float* v, int64_t visible,
               int64_t head_size, double scale, double first_sum, double* o) {
  std::vector<double> logits(static_cast<size_t>(visible));
  for (int64_t j = 0; j < visible; ++j) {
    logits[static_cast<size_t>(j)] =
        scale * Dot(q, k + j * head_size, head_size);
  }
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = first_sum;
  for (int64_t j = 0; j < visible; ++j) {
    const double weight = std::exp(logits[static_cast<size_t>(j)] - largest);
    sum += weight;
    for (int64_t d = 0; d < head_size; ++d) {
      o[d] += weight * double{v[j * head_size + d]};
    }
  }
  for (int64_t d = 0; d < head_size; ++d) o[d] /= sum;
}

}  // namespace

std::vector<double> ReferenceAttention(const AttentionProblem& p,
                                       const std::vector<float>& q,
                                       const std::vector<float>& k,
                                       const std::vector<float>& v,
                                       AttentionMistake mistake) {
  double scale =
      p.scale != 0 ? p.scale : 1 / std::sqrt(static_cast<double>(p.head_size));
  if (mistake == AttentionMistake::kForgetsScale) scale = 1;
  const double first_sum = mistake == AttentionMistake::kStartsSumAtOne ? 1 : 0;
  std::vector<double> o(static_cast<size_t>(p.q_count()));
  for (int64_t head = 0; head < p.batch * p.heads; ++head) {
    const int64_t kv_head =
        head / p.heads * p.kv_heads + head % p.heads / (p.heads / p.kv_heads);
    const int64_t kv_begin = kv_head * p.kv_length * p.head_size;
    for (int64_t i = 0; i < p.q_length; ++i) {
      int64_t visible =
          p.causal ? i + 1 + p.kv_length - p.q_length : p.kv_length;
      if (mistake == AttentionMistake::kDropsOneKey) --visible;
      if (visible <= 0) continue;
      const int64_t row = (head * p.q_length + i) * p.head_size;
      AttendRow(q.data() + row, k.data() + kv_begin, v.data() + kv_begin,
                visible, p.head_size, scale, first_sum, o.data() + row);
    }
  }
  return o;
}

}  // namespace ascend::testing
