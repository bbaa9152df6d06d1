#include "server/copy_pool.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/server/latch.h"

namespace ascend::server {
namespace {

using core::SessionId;

constexpr SessionId kA{1};
constexpr SessionId kB{2};
constexpr uint64_t kSlice = CopyPool::kSliceBytes;

std::vector<std::byte> Pattern(uint64_t bytes) {
  std::vector<std::byte> pattern(bytes);
  uint32_t state = 12345;
  for (std::byte& b : pattern) {
    state = state * 1664525 + 1013904223;
    b = static_cast<std::byte>(state >> 24);
  }
  return pattern;
}

// As the pool does it, on this thread; the number of slices.
template <typename Sliced>
int RunAll(Sliced sliced) {
  int slices = 1;
  while (sliced.RunSlice()) ++slices;
  return slices;
}

TEST(SlicedMoveTest, MovesAllBytesInSlices) {
  const std::vector<std::byte> source = Pattern(2 * kSlice + 5);
  std::vector<std::byte> target(source.size());
  EXPECT_EQ(RunAll(SlicedMove(target.data(), source.data(), source.size())), 3);
  EXPECT_EQ(target, source);
}

TEST(SlicedMoveTest, ZeroBytesAreOneEmptySlice) {
  EXPECT_EQ(RunAll(SlicedMove(nullptr, nullptr, 0)), 1);
}

TEST(SlicedMoveTest, OverlappingRangesMoveAsMemmoveDoes) {
  const uint64_t bytes = 3 * kSlice + 77;
  for (const uint64_t distance : {uint64_t{1}, kSlice - 3, 2 * kSlice}) {
    std::vector<std::byte> memory = Pattern(bytes + distance);
    const std::vector<std::byte> before = memory;
    RunAll(SlicedMove(memory.data() + distance, memory.data(), bytes));
    EXPECT_EQ(std::memcmp(memory.data() + distance, before.data(), bytes), 0)
        << "up by " << distance;

    memory = before;
    RunAll(SlicedMove(memory.data(), memory.data() + distance, bytes));
    EXPECT_EQ(std::memcmp(memory.data(), before.data() + distance, bytes), 0)
        << "down by " << distance;
  }
}

TEST(SlicedFillTest, FillsAllBytesInSlices) {
  std::vector<std::byte> target(kSlice + 3);
  EXPECT_EQ(RunAll(SlicedFill(target.data(), target.size(), 0xa5, 1)), 2);
  for (const std::byte b : target) ASSERT_EQ(b, std::byte{0xa5});
}

TEST(SlicedFillTest, FillsWithWords) {
  std::vector<uint32_t> target(kSlice / sizeof(uint32_t) + 3);
  EXPECT_EQ(RunAll(SlicedFill(reinterpret_cast<std::byte*>(target.data()),
                              target.size() * sizeof(uint32_t), 0x01020304, 4)),
            2);
  for (const uint32_t word : target) ASSERT_EQ(word, 0x01020304u);
}

TEST(CopyPoolTest, AShortJobOvertakesALongOneOfAnotherSession) {
  CopyPool pool(1);
  Latch is_short_posted;
  Latch is_short_done;
  int long_slices = 0;
  int long_slices_before_short = -1;
  pool.Submit(kA, [&] {
    if (long_slices == 0) is_short_posted.Wait();
    return ++long_slices < 1000;
  });
  pool.Submit(kB, [&] {
    long_slices_before_short = long_slices;
    is_short_done.Open();
    return false;
  });
  is_short_posted.Open();
  ASSERT_TRUE(is_short_done.Wait());
  EXPECT_LE(long_slices_before_short, 2);
  pool.Stop();
  EXPECT_EQ(long_slices, 1000);
}

TEST(CopyPoolTest, ThreadsWorkAtTheSameTime) {
  CopyPool pool(2);
  Latch first;
  Latch second;
  std::atomic<int> met{0};
  pool.Submit(kA, [&] {
    first.Open();
    if (second.Wait()) ++met;
    return false;
  });
  pool.Submit(kA, [&] {
    second.Open();
    if (first.Wait()) ++met;
    return false;
  });
  pool.Stop();
  EXPECT_EQ(met, 2);
}

TEST(CopyPoolTest, StopFinishesEverythingAlsoWhatJobsSubmit) {
  std::atomic<int> done{0};
  CopyPool pool(2);
  for (int i = 0; i < 100; ++i) {
    pool.Submit(SessionId(static_cast<uint64_t>(i % 7)), [&, i] {
      if (i % 2 == 0) {
        pool.Submit(kB, [&] {
          ++done;
          return false;
        });
      }
      ++done;
      return false;
    });
  }
  pool.Stop();
  EXPECT_EQ(done, 150);
  pool.Stop();
}

TEST(CopyPoolTest, LetsGoOfAJobOnceItIsDone) {
  CopyPool pool(1);
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  Latch is_gone;
  pool.Submit(kA, [held = std::move(held)] { return false; });
  pool.Submit(kA, [&] {
    if (watch.expired()) is_gone.Open();
    return false;
  });
  EXPECT_TRUE(is_gone.Wait());
}

}  // namespace
}  // namespace ascend::server
