#include "tests/bench/decode/rank.h"

#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "acl/acl.h"
#include "acl/ascend_rtd_ext.h"
#include "acl/ascend_rtd_ops.h"
#include "tests/bench/ladder/program.h"

namespace ascend::decode {
namespace {

using ladder::Require;

// Blocks: a kernel that can use the whole device, half of it, or two units.
constexpr uint32_t kAllBlocks = 32;
constexpr uint32_t kHalfBlocks = 16;
constexpr uint32_t kVectorBlocks = 8;

void* Allocate(int64_t elements) {
  void* memory = nullptr;
  Require(aclrtMalloc(&memory, static_cast<size_t>(elements * kElementBytes),
                      ACL_MEM_MALLOC_HUGE_FIRST),
          "aclrtMalloc");
  return memory;
}

struct Layer {
  void* qkv;
  void* output;
  void* gate_up;
  void* down;
};

struct Weights {
  explicit Weights(const Shape& s)
      : norm(Allocate(s.hidden)),
        head(Allocate(s.hidden * s.VocabularyColumns())) {
    for (int64_t i = 0; i < s.layers; ++i) {
      layers.push_back({Allocate(s.hidden * s.QkvColumns()),
                        Allocate(s.AttentionColumns() * s.hidden),
                        Allocate(s.hidden * 2 * s.FeedForwardColumns()),
                        Allocate(s.FeedForwardColumns() * s.hidden)});
    }
  }
  std::vector<Layer> layers;
  void* norm;
  void* head;
};

struct Kernels {
  Kernels() {
    aclrtBinHandle package = nullptr;
    Require(aclrtBinaryLoadFromFile("builtin:ops", nullptr, &package),
            "aclrtBinaryLoadFromFile");
    const auto find = [&](const char* name) {
      aclrtFuncHandle function = nullptr;
      Require(aclrtBinaryGetFunction(package, name, &function),
              "aclrtBinaryGetFunction");
      return function;
    };
    matmul = find(ASCRT_OP_MATMUL);
    attention = find(ASCRT_OP_FLASH_ATTENTION);
    norm = find(ASCRT_OP_RMS_NORM);
    rope = find(ASCRT_OP_ROPE);
    silu_mul = find(ASCRT_OP_SILU_MUL);
    all_reduce = find(ASCRT_OP_ALL_REDUCE);
  }
  aclrtFuncHandle matmul, attention, norm, rope, silu_mul, all_reduce;
};

// One sequence that is decoded.
class Sequence {
 public:
  Sequence(const Shape& shape, const Weights& weights, const Kernels& kernels)
      : s_(shape), weights_(weights), kernels_(kernels) {
    Require(aclrtCreateStreamWithConfig(
                &stream_, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC),
            "aclrtCreateStreamWithConfig");
    Require(aclrtCreateEventExWithFlag(&event_, ACL_EVENT_SYNC),
            "aclrtCreateEventExWithFlag");
    hidden_ = Allocate(s_.rows * s_.hidden);
    work_ = Allocate(s_.rows * s_.hidden);
    qkv_ = Allocate(s_.rows * s_.QkvColumns());
    attention_ = Allocate(s_.rows * s_.AttentionColumns());
    gate_up_ = Allocate(s_.rows * 2 * s_.FeedForwardColumns());
    gated_ = Allocate(s_.rows * s_.FeedForwardColumns());
    logits_ = Allocate(s_.rows * s_.VocabularyColumns());
    for (int64_t i = 0; i < s_.layers; ++i) {
      keys_.push_back(Allocate(s_.context * s_.RankKvHeads() * s_.head_size));
      values_.push_back(Allocate(s_.context * s_.RankKvHeads() * s_.head_size));
    }
  }

  // Launches a step and waits for its token.
  void Step() {
    for (int64_t i = 0; i < s_.layers; ++i) LaunchLayer(static_cast<size_t>(i));
    Product(hidden_, weights_.head, logits_, s_.VocabularyColumns(), s_.hidden);
    Require(aclrtRecordEvent(event_, stream_), "aclrtRecordEvent");
    Require(aclrtSynchronizeStream(stream_), "aclrtSynchronizeStream");
  }

 private:
  void LaunchLayer(size_t i) {
    const Layer& layer = weights_.layers[i];
    Norm(hidden_, work_);
    Product(work_, layer.qkv, qkv_, s_.QkvColumns(), s_.hidden);
    Rope();
    Attend(i);
    Product(attention_, layer.output, work_, s_.hidden, s_.AttentionColumns());
    AllReduce(work_);
    Norm(work_, hidden_);
    Product(hidden_, layer.gate_up, gate_up_, 2 * s_.FeedForwardColumns(),
            s_.hidden);
    Gate();
    Product(gated_, layer.down, work_, s_.hidden, s_.FeedForwardColumns());
    AllReduce(work_);
  }

  template <typename Args>
  void Launch(aclrtFuncHandle kernel, uint32_t blocks, Args& args) {
    args.size = sizeof(args);
    Require(aclrtLaunchKernelWithHostArgs(kernel, blocks, stream_, nullptr,
                                          &args, sizeof(args), nullptr, 0),
            "aclrtLaunchKernelWithHostArgs");
  }

  void Product(void* a, void* b, void* c, int64_t columns, int64_t depth) {
    ascrtMatmulArgs args{};
    args.a = a;
    args.b = b;
    args.c = c;
    args.m = s_.rows;
    args.n = columns;
    args.k = depth;
    args.data_type = ASCRT_DT_BF16;
    Launch(kernels_.matmul, kAllBlocks, args);
  }

  void Norm(void* x, void* y) {
    ascrtRmsNormArgs args{};
    args.x = x;
    args.weight = weights_.norm;
    args.y = y;
    args.rows = s_.rows;
    args.columns = s_.hidden;
    args.data_type = ASCRT_DT_BF16;
    Launch(kernels_.norm, kVectorBlocks, args);
  }

  void Rope() {
    ascrtRopeArgs args{};
    args.x = qkv_;
    args.y = qkv_;
    args.batch = 1;
    args.heads = s_.RankHeads() + s_.RankKvHeads();
    args.length = s_.rows;
    args.head_size = s_.head_size;
    args.data_type = ASCRT_DT_BF16;
    Launch(kernels_.rope, kVectorBlocks, args);
  }

  void Attend(size_t layer) {
    ascrtFlashAttentionArgs args{};
    args.q = qkv_;
    args.k = keys_[layer];
    args.v = values_[layer];
    args.o = attention_;
    args.batch = 1;
    args.heads = s_.RankHeads();
    args.q_length = s_.rows;
    args.head_size = s_.head_size;
    args.kv_heads = s_.RankKvHeads();
    args.kv_length = s_.context;
    args.data_type = ASCRT_DT_BF16;
    args.causal = s_.rows > 1 ? 1 : 0;
    Launch(kernels_.attention, s_.rows > 1 ? kAllBlocks : kHalfBlocks, args);
  }

  void Gate() {
    ascrtSiluMulArgs args{};
    const int64_t count = s_.rows * s_.FeedForwardColumns();
    args.gate = gate_up_;
    args.up = static_cast<char*>(gate_up_) + count * kElementBytes;
    args.y = gated_;
    args.count = count;
    args.data_type = ASCRT_DT_BF16;
    Launch(kernels_.silu_mul, kVectorBlocks, args);
  }

  void AllReduce(void* x) {
    if (s_.ranks < 2) return;
    ascrtAllReduceArgs args{};
    args.x = x;
    args.y = x;
    args.count = s_.rows * s_.hidden;
    args.data_type = ASCRT_DT_BF16;
    args.ranks = static_cast<uint32_t>(s_.ranks);
    Launch(kernels_.all_reduce, 1, args);
  }

  const Shape& s_;
  const Weights& weights_;
  const Kernels& kernels_;
  aclrtStream stream_ = nullptr;
  aclrtEvent event_ = nullptr;
  void* hidden_;
  void* work_;
  void* qkv_;
  void* attention_;
  void* gate_up_;
  void* gated_;
  void* logits_;
  std::vector<void*> keys_;
  std::vector<void*> values_;
};

uint64_t Clock() {
  uint64_t picoseconds = 0;
  Require(ascrtGetClock(&picoseconds), "ascrtGetClock");
  return picoseconds;
}

int64_t WallNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Sequences do not begin all at once: a token's worth of time lies between the
// first and the last (timing model, reference program).
void AwaitStart(uint64_t seed, int rank) {
  std::mt19937_64 random(seed * 1000 + static_cast<uint64_t>(rank));
  Require(ascrtHostAdvance(random() % 30'000'000), "ascrtHostAdvance");
}

StreamResult RunStream(const RankOptions& options, int rank,
                       Sequence& sequence) {
  Require(aclrtSetDevice(0), "aclrtSetDevice");
  Require(ascrtBegin(static_cast<uint32_t>(options.participants),
                     static_cast<uint32_t>(rank)),
          "ascrtBegin");
  const uint64_t begin = Clock();
  StreamResult result;
  result.wall_begin_ns = WallNanoseconds();
  AwaitStart(options.seed, rank);
  for (int token = 0; token < options.tokens; ++token) {
    sequence.Step();
    Require(
        ascrtHostAdvance(static_cast<uint64_t>(options.shape.host_us) * 1000),
        "ascrtHostAdvance");
    result.token_ends.push_back(Clock() - begin);
  }
  result.wall_end_ns = WallNanoseconds();
  Require(ascrtIdle(), "ascrtIdle");
  return result;
}

}  // namespace

std::vector<StreamResult> RunRank(const RankOptions& options) {
  Require(aclInit(nullptr), "aclInit");
  Require(aclrtSetDevice(0), "aclrtSetDevice");
  if (!options.is_executed) {
    Require(ascrtSetTimingOnly(1), "ascrtSetTimingOnly");
  }
  const Kernels kernels;
  const Weights weights(options.shape);
  std::vector<Sequence> sequences;
  for (int i = 0; i < options.streams; ++i) {
    sequences.emplace_back(options.shape, weights, kernels);
  }
  std::vector<StreamResult> results(sequences.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < sequences.size(); ++i) {
    threads.emplace_back([&, i] {
      results[i] = RunStream(options, options.first_rank + static_cast<int>(i),
                             sequences[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

}  // namespace ascend::decode
