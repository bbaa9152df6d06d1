// How close flash_attention comes to the matrix products alone.
//
// The floor is oneDNN computing Q K^T and P V for the same shape, each as one
// batched product on the same number of threads: bf16 where the processor has
// the instructions, floats elsewhere. The body may take 1 / 0.6 of that. Value
// and floor alternate, so that a noisy machine disturbs both.
//
//   attention_bench [--threads N] [--rounds N] [--check]
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dnnl.hpp>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "acl/ascend_rtd_ops.h"
#include "core/kernels/catalog.h"
#include "server/kernels/registry.h"
#include "server/kernels/tile_product.h"
#include "tests/testing/tensor.h"

extern "C" void omp_set_num_threads(int);

namespace ascend {
namespace {

constexpr int64_t kHeads = 8;  // batch x heads
constexpr int64_t kLength = 2048;
constexpr int64_t kHeadSize = 128;
constexpr double kTargetRatio = 1 / 0.6;

double MillisecondsOf(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - begin)
      .count();
}

class Threads final : public server::ParallelFor {
 public:
  explicit Threads(int count) : count_(count) {}

  absl::Status Run(size_t chunks,
                   absl::FunctionRef<absl::Status(size_t)> run) override {
    std::atomic<size_t> next{0};
    std::mutex mutex;
    absl::Status first_error;
    const auto work = [&] {
      for (size_t i = next++; i < chunks; i = next++) {
        const absl::Status status = run(i);
        const std::lock_guard<std::mutex> lock(mutex);
        first_error.Update(status);
      }
    };
    std::vector<std::thread> others;
    for (int i = 1; i < count_; ++i) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();
    return first_error;
  }

 private:
  const int count_;
};

class IdentityResolver final : public server::PointerResolver {
 public:
  absl::StatusOr<void*> Resolve(const core::DeviceRange& range) override {
    return reinterpret_cast<void*>(range.address);
  }
};

class Attention {
 public:
  Attention(int32_t data_type, int threads)
      : threads_(threads),
        q_(testing::Tensor::Normal(data_type, kCount, 1)),
        k_(testing::Tensor::Normal(data_type, kCount, 2)),
        v_(testing::Tensor::Normal(data_type, kCount, 3)),
        o_(testing::Tensor::Unwritten(data_type, kCount)) {}

  void Run() {
    ascrtFlashAttentionArgs args{};
    args.size = sizeof(args);
    args.q = q_.data();
    args.k = k_.data();
    args.v = v_.data();
    args.o = o_.data();
    args.batch = 1;
    args.heads = kHeads;
    args.q_length = kLength;
    args.head_size = kHeadSize;
    args.data_type = q_.data_type();
    IdentityResolver resolver;
    const absl::Status status = server::RunBody(
        core::Catalog::Builtin().Find(ASCRT_OP_FLASH_ATTENTION)->id,
        {std::as_bytes(std::span(&args, 1)), resolver, threads_});
    if (!status.ok()) {
      std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
      std::exit(1);
    }
  }

 private:
  static constexpr int64_t kCount = kHeads * kLength * kHeadSize;

  Threads threads_;
  testing::Tensor q_, k_, v_, o_;
};

// One batched product, [kHeads, m, k] by [kHeads, k, n].
class BatchedProduct {
 public:
  using Type = dnnl::memory::data_type;
  using Layout = dnnl::memory::format_tag;

  BatchedProduct(int64_t m, int64_t n, int64_t k, bool transpose_b, Type type)
      : engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_),
        a_({{kHeads, m, k}, type, Layout::abc}, engine_),
        b_({{kHeads, k, n}, type, transpose_b ? Layout::acb : Layout::abc},
           engine_),
        c_({{kHeads, m, n}, Type::f32, Layout::abc}, engine_),
        product_(dnnl::matmul::primitive_desc(
            {a_.get_desc(), b_.get_desc(), c_.get_desc()}, engine_)) {
    for (const dnnl::memory& memory : {a_, b_, c_}) {
      std::memset(memory.get_data_handle(), 0, memory.get_desc().get_size());
    }
  }

  void Run() {
    product_.execute(
        stream_,
        {{DNNL_ARG_SRC, a_}, {DNNL_ARG_WEIGHTS, b_}, {DNNL_ARG_DST, c_}});
    stream_.wait();
  }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::memory a_, b_, c_;
  dnnl::matmul product_;
};

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Prints one row; returns whether the target is met.
bool Compare(const char* name, int32_t data_type, int threads, int rounds,
             BatchedProduct& scores, BatchedProduct& sums) {
  Attention attention(data_type, threads);
  attention.Run();
  std::vector<double> value_ms;
  std::vector<double> floor_ms;
  for (int round = 0; round < rounds; ++round) {
    value_ms.push_back(MillisecondsOf([&] { attention.Run(); }));
    floor_ms.push_back(MillisecondsOf([&] {
      scores.Run();
      sums.Run();
    }));
  }
  const double value = MedianOf(value_ms);
  const double floor = MedianOf(floor_ms);
  std::printf("%-24s %10.1f %10.1f %8.2f %8.2f\n", name, value, floor,
              value / floor, kTargetRatio);
  return value / floor <= kTargetRatio;
}

int Main(int argc, char** argv) {
  int threads = int(std::max(1u, std::thread::hardware_concurrency()));
  int rounds = 5;
  bool check = false;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--check") {
      check = true;
    } else if (option == "--threads" && i + 1 < argc) {
      threads = std::max(1, std::atoi(argv[++i]));
    } else if (option == "--rounds" && i + 1 < argc) {
      rounds = std::max(1, std::atoi(argv[++i]));
    } else {
      std::fprintf(stderr,
                   "usage: attention_bench [--threads N] [--rounds N] "
                   "[--check]\n");
      return 2;
    }
  }
  omp_set_num_threads(threads);
  const bool bf16 = server::NativeBf16Product() != nullptr;
  const auto type =
      bf16 ? BatchedProduct::Type::bf16 : BatchedProduct::Type::f32;
  BatchedProduct scores(kLength, kLength, kHeadSize, true, type);
  BatchedProduct sums(kLength, kHeadSize, kLength, false, type);
  std::printf(
      "batch x heads %d, length %d, head size %d; %d threads; floor: "
      "%s products\n",
      int(kHeads), int(kLength), int(kHeadSize), threads,
      bf16 ? "bf16" : "float");
  std::printf("%-24s %10s %10s %8s %8s\n", "flash_attention", "value ms",
              "floor ms", "ratio", "target");
  const bool met =
      Compare("bf16", ASCRT_DT_BF16, threads, rounds, scores, sums);
  if (!bf16) {
    Compare("float16", ASCRT_DT_FLOAT16, threads, rounds, scores, sums);
    Compare("float", ASCRT_DT_FLOAT, threads, rounds, scores, sums);
  }
  return check && !met ? 1 : 0;
}

}  // namespace
}  // namespace ascend

int main(int argc, char** argv) { return ascend::Main(argc, argv); }
