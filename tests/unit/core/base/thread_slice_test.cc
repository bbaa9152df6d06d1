#include "core/base/thread_slice.h"

#include <chrono>
#include <thread>

#include "gtest/gtest.h"

namespace ascend::core {
namespace {

TEST(ThreadSliceTest, IsOfTheThreadThatAsksAndOfThoseItStarts) {
  const std::chrono::microseconds before = ThreadSlice();
  if (before.count() == 0) {
    GTEST_SKIP() << "this Linux takes no slices of ordinary threads";
  }
  std::thread([&] {
    EXPECT_TRUE(SetThreadSlice(kPromptSlice));
    EXPECT_EQ(ThreadSlice(), kPromptSlice);
    std::thread([] { EXPECT_EQ(ThreadSlice(), kPromptSlice); }).join();
    EXPECT_TRUE(SetThreadSlice(kComputingSlice));
    EXPECT_EQ(ThreadSlice(), kComputingSlice);
  }).join();
  EXPECT_EQ(ThreadSlice(), before);
}

}  // namespace
}  // namespace ascend::core
