#include "server/kernels/registry.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "acl/ascend_rtd_ops.h"
#include "core/base/error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/tensor.h"
#include "tests/unit/server/kernels/kernel_harness.h"

namespace ascend::server {
namespace {

using ::ascend::testing::BytesOf;
using ::ascend::testing::IdentityResolver;
using ::ascend::testing::Tensor;
using ::testing::HasSubstr;

core::KernelId IdOf(absl::string_view name) {
  return core::Catalog::Builtin().Find(name)->id;
}

ascrtAddArgs AddArgs(Tensor& x, Tensor& y, Tensor& z, int64_t count) {
  return {.size = sizeof(ascrtAddArgs),
          .x = x.data(),
          .y = y.data(),
          .z = z.data(),
          .count = count,
          .data_type = x.data_type()};
}

TEST(Registry, KnowsNoKernelOfAnotherId) {
  IdentityResolver resolver;
  for (const uint32_t id : {0u, 1000u}) {
    EXPECT_EQ(
        core::ReasonOf(PrepareJob(core::KernelId(id), {}, resolver).status()),
        core::Reason::kUnknownKernel);
  }
}

TEST(Registry, HasABodyForEveryKernelAndChecksItsArguments) {
  IdentityResolver resolver;
  const std::vector<std::byte> zeros(256);
  for (const auto& kernel : core::Catalog::Builtin().descriptors()) {
    EXPECT_EQ(core::ReasonOf(PrepareJob(kernel.id, zeros, resolver).status()),
              core::Reason::kInvalidArgument)
        << kernel.name;
  }
}

class RefusingResolver final : public PointerResolver {
 public:
  absl::StatusOr<void*> Resolve(const core::DeviceRange& range) override {
    return core::MakeError(core::Reason::kInvalidArgument, range.argument);
  }
};

TEST(Registry, PassesTheResolversErrorOn) {
  Tensor x = Tensor::Normal(ASCRT_DT_FLOAT, 4, 1);
  RefusingResolver resolver;
  const ascrtAddArgs args = AddArgs(x, x, x, 4);
  const auto job = PrepareJob(IdOf(ASCRT_OP_ADD), BytesOf(args), resolver);
  EXPECT_THAT(job.status().message(), HasSubstr("x"));
}

// A device address need not be an address of the process.
class ShiftingResolver final : public PointerResolver {
 public:
  absl::StatusOr<void*> Resolve(const core::DeviceRange& range) override {
    return reinterpret_cast<void*>(range.address - kShift);
  }
  static constexpr uint64_t kShift = uint64_t{1} << 44;
};

TEST(Registry, TouchesOnlyResolvedAddresses) {
  Tensor y = Tensor::Unwritten(ASCRT_DT_FLOAT, 3);
  ascrtFillArgs args{};
  args.size = sizeof(args);
  args.y = reinterpret_cast<void*>(reinterpret_cast<uint64_t>(y.data()) +
                                   ShiftingResolver::kShift);
  args.count = 3;
  args.value = 2;
  ShiftingResolver resolver;
  SequentialFor parallel;
  ASSERT_EQ(RunBody(IdOf(ASCRT_OP_FILL), {BytesOf(args), resolver, parallel}),
            absl::OkStatus());
  EXPECT_EQ(y.Values(), std::vector<float>(3, 2.0f));
}

TEST(Blocks, TogetherRunEveryChunkOnce) {
  class CountingJob final : public Job {
   public:
    size_t chunk_count() const override { return 10; }
    absl::Status RunChunk(size_t chunk) const override {
      ++runs[chunk];
      return absl::OkStatus();
    }
    mutable std::vector<int> runs = std::vector<int>(10);
  };
  for (const uint32_t blocks : {1u, 3u, 10u, 25u}) {
    const CountingJob job;
    for (uint32_t block = 0; block < blocks; ++block) {
      ASSERT_EQ(RunBlock(job, block, blocks), absl::OkStatus());
    }
    EXPECT_EQ(job.runs, std::vector<int>(10, 1)) << blocks;
  }
}

// Chunks take turns on two threads.
class TwoThreads final : public ParallelFor {
 public:
  absl::Status Run(size_t count,
                   absl::FunctionRef<absl::Status(size_t)> run) override {
    std::atomic<size_t> next{0};
    std::mutex mutex;
    absl::Status first_error;
    const auto work = [&] {
      for (size_t i = next++; i < count; i = next++) {
        const absl::Status status = run(i);
        const std::lock_guard<std::mutex> lock(mutex);
        first_error.Update(status);
      }
    };
    std::thread other(work);
    work();
    other.join();
    return first_error;
  }
};

// The same bytes whoever runs the chunks; under ThreadSanitizer also the proof
// that chunks share nothing.
TEST(Chunks, GiveTheSameOnTwoThreads) {
  constexpr int64_t kCount = 2 * 300 * 32;
  for (const int32_t data_type : {ASCRT_DT_FLOAT, ASCRT_DT_BF16}) {
    Tensor q = Tensor::Normal(data_type, kCount, 1);
    Tensor k = Tensor::Normal(data_type, kCount, 2);
    Tensor v = Tensor::Normal(data_type, kCount, 3);
    Tensor alone = Tensor::Unwritten(data_type, kCount);
    Tensor shared = Tensor::Unwritten(data_type, kCount);
    ascrtFlashAttentionArgs args{};
    args.size = sizeof(args);
    args.q = q.data();
    args.k = k.data();
    args.v = v.data();
    args.batch = 1;
    args.heads = 2;
    args.q_length = 300;
    args.head_size = 32;
    args.data_type = data_type;
    IdentityResolver resolver;
    SequentialFor sequential;
    TwoThreads two_threads;
    args.o = alone.data();
    ASSERT_EQ(RunBody(IdOf(ASCRT_OP_FLASH_ATTENTION),
                      {BytesOf(args), resolver, sequential}),
              absl::OkStatus());
    args.o = shared.data();
    ASSERT_EQ(RunBody(IdOf(ASCRT_OP_FLASH_ATTENTION),
                      {BytesOf(args), resolver, two_threads}),
              absl::OkStatus());
    EXPECT_EQ(alone.bytes(), shared.bytes());
  }
}

}  // namespace
}  // namespace ascend::server
