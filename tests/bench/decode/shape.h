// Shape: a decoder-only model as one rank of a tensor-parallel group sees it.
//
// The default is Llama-3-70B in bf16 on eight ranks (timing model, section 2).
// A shape file is a JSON object whose keys are the fields below; what it leaves
// out stays as it is.
//
// Threading: value type, pure functions. Ownership: none.
#ifndef ASCEND_TESTS_BENCH_DECODE_SHAPE_H_
#define ASCEND_TESTS_BENCH_DECODE_SHAPE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ascend::decode {

inline constexpr int64_t kElementBytes = 2;  // bf16

struct Shape {
  std::string name = "llama-3-70b";
  int64_t layers = 80;
  int64_t hidden = 8192;
  int64_t heads = 64;
  int64_t kv_heads = 8;
  int64_t head_size = 128;
  int64_t feed_forward = 28672;
  int64_t vocabulary = 128256;
  int64_t ranks = 8;       // that share the model
  int64_t context = 2048;  // tokens in the cache
  int64_t rows = 1;        // tokens that a step computes
  int64_t host_us = 2000;  // of the host, between two steps

  int64_t RankHeads() const { return heads / ranks; }
  int64_t RankKvHeads() const {
    return kv_heads < ranks ? 1 : kv_heads / ranks;
  }
  int64_t QkvColumns() const {
    return (RankHeads() + 2 * RankKvHeads()) * head_size;
  }
  int64_t AttentionColumns() const { return RankHeads() * head_size; }
  int64_t FeedForwardColumns() const { return feed_forward / ranks; }
  int64_t VocabularyColumns() const { return vocabulary / ranks; }
  // What one step reads at least: weights, and keys and values.
  int64_t WeightBytes() const;
  int64_t CacheBytes() const;
  int64_t KernelsPerStep() const { return 11 * layers + 1; }
};

// Errors: kInvalidArgument with field, value and what is allowed: a number that
// is not from 1 to 1000000, that ranks or heads cannot share evenly, or what
// takes more memory than any device has (1 TiB). So no product here overflows.
absl::Status CheckShape(const Shape& shape);

// Errors: kInvalidArgument with the file and what is wrong with it: it cannot
// be read, is cut short, no JSON object, has an unknown key, a value that is no
// whole number, or what CheckShape refuses.
absl::StatusOr<Shape> LoadShape(const std::string& path);

}  // namespace ascend::decode

#endif  // ASCEND_TESTS_BENCH_DECODE_SHAPE_H_
