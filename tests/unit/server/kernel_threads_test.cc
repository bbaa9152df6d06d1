#include "server/kernel_threads.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "gtest/gtest.h"
#include "tests/unit/server/latch.h"
#include "tests/unit/server/recorded_job_events.h"

namespace ascend::server {
namespace {

using core::JobId;
using core::Reason;
using core::SessionId;

constexpr uint64_t kRegion = 0x120000000000;
constexpr uint64_t kBytes = uint64_t{2} << 20;
constexpr SessionId kA{1};
constexpr SessionId kB{2};

// A kernel whose chunks are calls of a function.
class FunctionJob final : public Job {
 public:
  using Run = std::function<absl::Status(size_t)>;
  FunctionJob(size_t chunk_count, Run run)
      : chunk_count_(chunk_count), run_(std::move(run)) {}
  size_t chunk_count() const override { return chunk_count_; }
  absl::Status RunChunk(size_t chunk) const override { return run_(chunk); }

 private:
  const size_t chunk_count_;
  const Run run_;
};

class KernelThreadsTest : public testing::Test {
 protected:
  KernelThreadsTest() {
    const core::SegmentWindow window{kRegion, kBytes, kRegion, kBytes};
    EXPECT_TRUE(store_.CreateSegment({kA, core::DeviceId(0), 1}, window).ok());
    kernel_.name = "probe";
    kernel_.core_kind = core::CoreKind::kVector;
  }

  // Runs kernels of `chunk_count` chunks that call `run`.
  PrepareKernel Chunks(size_t chunk_count, FunctionJob::Run run) {
    return [chunk_count, run](const core::KernelDescriptor&,
                              std::span<const std::byte>, PointerResolver&) {
      return std::make_unique<FunctionJob>(chunk_count, run);
    };
  }

  void Start(KernelThreads& threads, SessionId session, JobId id,
             std::string args = "") {
    core::KernelJob job;
    job.id = id;
    job.session = session;
    job.kernel = &kernel_;
    job.num_blocks = 1;
    job.args = std::move(args);
    threads.Start(std::move(job), cancelled_);
  }

  Reason ResultOf(JobId job) {
    const auto result = events_.WaitFor(job);
    EXPECT_TRUE(result.has_value());
    if (!result.has_value()) return Reason::kSessionHung;
    last_message_ = std::string(result->status.message());
    return core::ReasonOf(result->status);
  }

  core::KernelDescriptor kernel_;
  std::shared_ptr<CancelFlag> cancelled_ = std::make_shared<CancelFlag>(false);
  std::string last_message_;
  RecordedJobEvents events_;
  CopyPool pool_{1};
  SegmentStore store_{pool_};
};

TEST_F(KernelThreadsTest, EachChunkRunsOnceAndTheJobEndsOnce) {
  std::vector<std::atomic<int>> runs(100);
  KernelThreads threads({3, 3},
                        Chunks(runs.size(),
                               [&](size_t chunk) {
                                 ++runs[chunk];
                                 return absl::OkStatus();
                               }),
                        store_, events_);
  Start(threads, kA, JobId(1));
  EXPECT_EQ(ResultOf(JobId(1)), Reason::kNone);
  threads.Stop();
  for (const std::atomic<int>& count : runs) EXPECT_EQ(count, 1);
  EXPECT_EQ(events_.EndCount(JobId(1)), 1u);
}

TEST_F(KernelThreadsTest, AKernelWithoutChunksEnds) {
  KernelThreads threads({1, 1},
                        Chunks(0, [](size_t) { return absl::OkStatus(); }),
                        store_, events_);
  Start(threads, kA, JobId(1));
  EXPECT_EQ(ResultOf(JobId(1)), Reason::kNone);
}

TEST_F(KernelThreadsTest, ChunksOfOneKernelRunAtTheSameTime) {
  Latch doors[2];
  KernelThreads threads({2, 2},
                        Chunks(2,
                               [&](size_t chunk) {
                                 doors[chunk].Open();
                                 return doors[1 - chunk].Wait()
                                            ? absl::OkStatus()
                                            : absl::AbortedError("alone");
                               }),
                        store_, events_);
  Start(threads, kA, JobId(1));
  EXPECT_EQ(ResultOf(JobId(1)), Reason::kNone);
}

TEST_F(KernelThreadsTest, AShortKernelOfAnotherSessionPassesALongOne) {
  // One thread; the long kernel has 1000 chunks, the first waits for the short
  // one to be there.
  Latch is_short_started;
  std::atomic<int> long_chunks{0};
  int long_chunks_before_short = -1;
  const PrepareKernel prepare =
      [&](const core::KernelDescriptor&, std::span<const std::byte> args,
          PointerResolver&) -> absl::StatusOr<std::unique_ptr<Job>> {
    if (!args.empty()) {
      return std::make_unique<FunctionJob>(1, [&](size_t) {
        long_chunks_before_short = long_chunks;
        return absl::OkStatus();
      });
    }
    return std::make_unique<FunctionJob>(1000, [&](size_t chunk) {
      if (chunk == 0) is_short_started.Wait();
      ++long_chunks;
      return absl::OkStatus();
    });
  };
  KernelThreads threads({1, 1}, prepare, store_, events_);
  Start(threads, kA, JobId(1));
  Start(threads, kB, JobId(2), "short");
  is_short_started.Open();
  EXPECT_EQ(ResultOf(JobId(1)), Reason::kNone);
  EXPECT_EQ(ResultOf(JobId(2)), Reason::kNone);
  EXPECT_EQ(events_.order().front(), JobId(2));
  EXPECT_LE(long_chunks_before_short, 2);
}

TEST_F(KernelThreadsTest, AnotherSessionNeedNotWaitForTheEndOfAChunk) {
  Latch is_short_done;
  std::atomic<int> at_work{0};
  std::atomic<int> at_work_max{0};
  const PrepareKernel prepare =
      [&](const core::KernelDescriptor&, std::span<const std::byte> args,
          PointerResolver&) -> absl::StatusOr<std::unique_ptr<Job>> {
    if (!args.empty()) {
      return std::make_unique<FunctionJob>(1, [&](size_t) {
        is_short_done.Open();
        return absl::OkStatus();
      });
    }
    return std::make_unique<FunctionJob>(100, [&](size_t chunk) {
      const int now = ++at_work;
      if (now > at_work_max) at_work_max = now;
      const bool is_fine = chunk != 0 || is_short_done.Wait();
      --at_work;
      return is_fine ? absl::OkStatus() : absl::AbortedError("waits for ever");
    });
  };
  KernelThreads threads({.threads = 3, .per_session = 1}, prepare, store_,
                        events_);
  Start(threads, kA, JobId(1));
  Start(threads, kB, JobId(2), "short");
  EXPECT_EQ(ResultOf(JobId(2)), Reason::kNone);
  EXPECT_EQ(ResultOf(JobId(1)), Reason::kNone);
  EXPECT_EQ(at_work_max, 1);
}

TEST_F(KernelThreadsTest, AFailureIsAFaultOfTheKernelsCoresWithItsName) {
  std::atomic<int> chunks{0};
  KernelThreads threads({1, 1},
                        Chunks(1000,
                               [&](size_t chunk) {
                                 ++chunks;
                                 return chunk == 3 ? absl::InternalError("boom")
                                                   : absl::OkStatus();
                               }),
                        store_, events_);
  Start(threads, kA, JobId(1));
  EXPECT_EQ(ResultOf(JobId(1)), Reason::kVectorFault);
  EXPECT_NE(last_message_.find("probe"), std::string::npos) << last_message_;
  EXPECT_NE(last_message_.find("boom"), std::string::npos) << last_message_;
  EXPECT_EQ(chunks, 4);
  for (const core::CoreKind kind :
       {core::CoreKind::kCube, core::CoreKind::kMix}) {
    kernel_.core_kind = kind;
    const JobId job(2 + static_cast<uint64_t>(kind));
    Start(threads, kA, job);
    EXPECT_EQ(ResultOf(job), Reason::kCubeFault);
  }
}

TEST_F(KernelThreadsTest, AFailureOnSeveralThreadsIsReportedOnce) {
  KernelThreads threads(
      {4, 4}, Chunks(50, [](size_t) { return absl::InternalError("boom"); }),
      store_, events_);
  for (uint64_t i = 1; i <= 200; ++i) Start(threads, kA, JobId(i));
  threads.Stop();
  for (uint64_t i = 1; i <= 200; ++i) EXPECT_EQ(events_.EndCount(JobId(i)), 1u);
}

TEST_F(KernelThreadsTest, AFailedPreparationIsAFault) {
  KernelThreads threads(
      {1, 1},
      [](const core::KernelDescriptor&, std::span<const std::byte>,
         PointerResolver&) -> absl::StatusOr<std::unique_ptr<Job>> {
        return absl::InternalError("no code");
      },
      store_, events_);
  Start(threads, kA, JobId(1));
  EXPECT_EQ(ResultOf(JobId(1)), Reason::kVectorFault);
}

TEST_F(KernelThreadsTest, ACancelledKernelStopsBetweenChunks) {
  Latch is_running;
  Latch is_cancelled;
  std::atomic<int> chunks{0};
  KernelThreads threads({1, 1},
                        Chunks(1000,
                               [&](size_t) {
                                 ++chunks;
                                 is_running.Open();
                                 is_cancelled.Wait();
                                 return absl::OkStatus();
                               }),
                        store_, events_);
  Start(threads, kA, JobId(1));
  ASSERT_TRUE(is_running.Wait());
  cancelled_->store(true);
  is_cancelled.Open();
  EXPECT_EQ(ResultOf(JobId(1)), Reason::kConnectionLost);
  EXPECT_EQ(chunks, 1);
}

// A chunk that takes longer than this.
constexpr std::chrono::milliseconds kLimit{2};
absl::Status ComputeBeyondLimit() {
  const HostClock::TimePoint begin = HostClock::Now();
  while (HostClock::Now() - begin < kLimit) {
  }
  return absl::OkStatus();
}

TEST_F(KernelThreadsTest, AKernelThatRunsTooLongEndsAtItsNextChunk) {
  std::atomic<int> chunks{0};
  KernelThreads threads({.threads = 1, .per_session = 1, .time_limit = kLimit},
                        Chunks(1000,
                               [&](size_t) {
                                 ++chunks;
                                 return ComputeBeyondLimit();
                               }),
                        store_, events_);
  Start(threads, kA, JobId(1));
  EXPECT_EQ(ResultOf(JobId(1)), Reason::kVectorTimeout);
  EXPECT_NE(last_message_.find("probe has run for 0.002 s"), std::string::npos)
      << last_message_;
  EXPECT_NE(last_message_.find("--kernel-timeout-s"), std::string::npos)
      << last_message_;
  EXPECT_EQ(chunks, 1);
  for (const core::CoreKind kind :
       {core::CoreKind::kCube, core::CoreKind::kMix}) {
    kernel_.core_kind = kind;
    const JobId job(2 + static_cast<uint64_t>(kind));
    Start(threads, kA, job);
    EXPECT_EQ(ResultOf(job), Reason::kCubeTimeout);
  }
}

TEST_F(KernelThreadsTest, AKernelThatIsDoneHasNotRunTooLong) {
  KernelThreads threads({.threads = 1, .per_session = 1, .time_limit = kLimit},
                        Chunks(1, [](size_t) { return ComputeBeyondLimit(); }),
                        store_, events_);
  Start(threads, kA, JobId(1));
  EXPECT_EQ(ResultOf(JobId(1)), Reason::kNone);
}

TEST_F(KernelThreadsTest, PointersAreResolvedInTheLaunchsOwnSession) {
  std::byte* resolved = nullptr;
  const PrepareKernel prepare =
      [&](const core::KernelDescriptor&, std::span<const std::byte>,
          PointerResolver& resolver) -> absl::StatusOr<std::unique_ptr<Job>> {
    const auto pointer =
        resolver.Resolve({kRegion + 16, 64, core::Access::kReadWrite, "x"});
    if (!pointer.ok()) return pointer.status();
    resolved = static_cast<std::byte*>(*pointer);
    return std::make_unique<FunctionJob>(1, [&](size_t) {
      *resolved = std::byte{42};
      return absl::OkStatus();
    });
  };
  KernelThreads threads({1, 1}, prepare, store_, events_);
  Start(threads, kA, JobId(1));
  EXPECT_EQ(ResultOf(JobId(1)), Reason::kNone);
  EXPECT_EQ(*store_.Map(kA, kRegion + 16, 1)->data(), std::byte{42});
  Start(threads, kB, JobId(2));
  EXPECT_EQ(ResultOf(JobId(2)), Reason::kVectorFault);
}

}  // namespace
}  // namespace ascend::server
