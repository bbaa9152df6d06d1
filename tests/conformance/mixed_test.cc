// Sixteen threads on two devices that mix the calls. Short by default;
// ASCEND_MIXED_SECONDS makes it as long as one likes. What each thread does
// follows from its seed.
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using MixedTest = AclTest;

constexpr int kMixedThreads = 16;
constexpr uint64_t kSeed = 20261130;

std::chrono::duration<double> RunTime() {
  const char* const seconds = std::getenv("ASCEND_MIXED_SECONDS");
  return std::chrono::duration<double>(seconds == nullptr ? 1.0
                                                          : std::atof(seconds));
}

void Count(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

// An event that all threads of a device record and wait for.
struct Shared {
  std::mutex mutex;
  aclrtEvent event = nullptr;
};

// One thread's life. Every action leaves nothing behind.
class Mixer {
 public:
  Mixer(uint64_t seed, int32_t device, Shared& shared)
      : random_(seed), device_(device), shared_(shared) {}

  void Run(std::chrono::steady_clock::time_point end) {
    ASSERT_ACL_OK(aclrtSetDevice(device_));
    const Ops ops;
    ops_ = &ops;
    while (std::chrono::steady_clock::now() < end) {
      const int action = static_cast<int>(random_() % kActions.size());
      SCOPED_TRACE(action);
      (this->*kActions[action])();
      if (::testing::Test::HasFailure()) return;
      ++done_;
    }
  }
  int done() const { return done_; }

 private:
  size_t Below(size_t bound) { return random_() % bound; }
  std::vector<float> Numbers(size_t count) {
    std::vector<float> numbers(count);
    for (float& number : numbers) number = static_cast<float>(Below(1000));
    return numbers;
  }

  // An error of a stream is reported once: to the thread that caused it, or to
  // one that synchronises the whole device.
  static void MayReport(aclError expected, aclError code) {
    if (code == ACL_SUCCESS) return;
    EXPECT_EQ(code, expected);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), expected);
    EXPECT_NE(aclGetRecentErrMsg(), nullptr);
  }

  void AddInAStream() {
    const size_t count = 1 + Below(5000);
    const std::vector<float> values = Numbers(count);
    const DeviceArray<float> x(values);
    const DeviceArray<float> y(count);
    const OwnStream stream(static_cast<uint32_t>(Below(8)));
    ASSERT_ACL_OK(ops_->Add(x.data(), x.data(), y.data(), count, stream));
    ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
    const std::vector<float> sums = y.Download();
    for (size_t i = 0; i < count; ++i) ASSERT_EQ(sums[i], 2 * values[i]);
  }

  void CopyLarge() {
    const size_t count = (size_t{1} << 16) + Below(1 << 18);
    const DeviceArray<float> device(count);
    PinnedArray<float> there(count);
    PinnedArray<float> back(count);
    const auto first = static_cast<float>(Below(1000));
    for (size_t i = 0; i < count; ++i) there[i] = first + i % 97;
    const OwnStream stream;
    ASSERT_ACL_OK(aclrtMemcpyAsync(device.data(), device.bytes(), there.data(),
                                   there.bytes(), ACL_MEMCPY_HOST_TO_DEVICE,
                                   stream));
    ASSERT_ACL_OK(aclrtMemcpyAsync(back.data(), back.bytes(), device.data(),
                                   device.bytes(), ACL_MEMCPY_DEVICE_TO_HOST,
                                   stream));
    ASSERT_ACL_OK(aclrtSynchronizeStreamWithTimeout(stream, -1));
    ASSERT_TRUE(there.values() == back.values());
  }

  void CopyRowsAndFill() {
    const size_t width = 4 * (1 + Below(64));
    const size_t height = 1 + Below(20);
    const size_t pitch = width + 4 * Below(10);
    const std::vector<uint8_t> rows(width * height,
                                    static_cast<uint8_t>(Below(256)));
    std::vector<uint8_t> back(rows.size());
    const DeviceArray<uint8_t> device(pitch * height);
    ASSERT_ACL_OK(
        aclrtMemsetD32(device.data(), device.bytes(), 7, device.bytes() / 4));
    ASSERT_ACL_OK(aclrtMemcpy2d(device.data(), pitch, rows.data(), width, width,
                                height, ACL_MEMCPY_HOST_TO_DEVICE));
    ASSERT_ACL_OK(aclrtMemcpy2d(back.data(), width, device.data(), pitch, width,
                                height, ACL_MEMCPY_DEVICE_TO_HOST));
    ASSERT_TRUE(back == rows);
    ASSERT_ACL_OK(aclrtMemset(device.data(), device.bytes(), 0, width));
  }

  void OrderByEvent() {
    const OwnStream first;
    const OwnStream second;
    const DeviceArray<float> x(Numbers(64));
    const DeviceArray<float> y(64);
    const DeviceArray<float> z(64);
    aclrtEvent event = nullptr;
    ASSERT_ACL_OK(aclrtCreateEventExWithFlag(
        &event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    ASSERT_ACL_OK(ops_->Add(x.data(), x.data(), y.data(), 64, first));
    ASSERT_ACL_OK(aclrtRecordEvent(event, first));
    ASSERT_ACL_OK(aclrtStreamWaitEvent(second, event));
    ASSERT_ACL_OK(ops_->Add(y.data(), y.data(), z.data(), 64, second));
    ASSERT_ACL_OK(aclrtSynchronizeStream(second));
    ASSERT_ACL_OK(aclrtSynchronizeEvent(event));
    uint64_t microseconds = 0;
    ASSERT_ACL_OK(aclrtEventGetTimestamp(event, &microseconds));
    ASSERT_EQ(z.Download()[5], 4 * x.Download()[5]);
    ASSERT_ACL_OK(aclrtDestroyEvent(event));
  }

  void UseTheSharedEvent() {
    const OwnStream stream;
    const std::lock_guard lock(shared_.mutex);
    ASSERT_ACL_OK(aclrtStreamWaitEvent(stream, shared_.event));
    ASSERT_ACL_OK(aclrtRecordEvent(shared_.event, stream));
    auto status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    ASSERT_ACL_OK(aclrtQueryEventStatus(shared_.event, &status));
  }

  void NotifyAndWord() {
    const OwnStream first;
    const OwnStream second;
    const DeviceArray<uint64_t> word(std::vector<uint64_t>{0});
    aclrtNotify notify = nullptr;
    ASSERT_ACL_OK(aclrtCreateNotify(&notify, 0));
    ASSERT_ACL_OK(aclrtWaitAndResetNotify(notify, second, 0));
    ASSERT_ACL_OK(
        aclrtValueWait(word.data(), 3, ACL_STREAM_WAIT_VALUE_GEQ, second));
    ASSERT_ACL_OK(aclrtRecordNotify(notify, first));
    ASSERT_ACL_OK(aclrtValueWrite(word.data(), 3 + Below(9), 0, first));
    ASSERT_ACL_OK(aclrtSynchronizeStream(second));
    ASSERT_ACL_OK(aclrtDestroyNotify(notify));
  }

  void CallTheHost() {
    const OwnStream stream;
    std::atomic<int> calls = 0;
    const int wanted = 1 + static_cast<int>(Below(5));
    for (int i = 0; i < wanted; ++i) {
      ASSERT_ACL_OK(aclrtLaunchHostFunc(stream, &Count, &calls));
    }
    ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
    ASSERT_EQ(calls, wanted);
    const auto self = static_cast<uint64_t>(pthread_self());
    ASSERT_ACL_OK(aclrtSubscribeReport(self, stream));
    ASSERT_ACL_OK(
        aclrtLaunchCallback(&Count, &calls, ACL_CALLBACK_BLOCK, stream));
    ASSERT_ACL_OK(aclrtProcessReport(-1));
    ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
    ASSERT_EQ(calls, wanted + 1);
    ASSERT_ACL_OK(aclrtUnSubscribeReport(self, stream));
  }

  void FailAndAbort() {
    const OwnStream stream;
    const DeviceArray<float> x(16);
    ASSERT_ACL_OK(ops_->Add(x.data(), x.data(), x.data(), 1 << 20, stream));
    MayReport(507035, aclrtSynchronizeStream(stream));
    aclrtNotify notify = nullptr;
    ASSERT_ACL_OK(aclrtCreateNotify(&notify, 0));
    ASSERT_ACL_OK(aclrtWaitAndResetNotify(notify, stream, 0));
    ASSERT_ACL_OK(ops_->Add(x.data(), x.data(), x.data(), 16, stream));
    ASSERT_ACL_OK(aclrtStreamAbort(stream));
    MayReport(107023, aclrtSynchronizeStream(stream));
    ASSERT_ACL_OK(aclrtDestroyNotify(notify));
  }

  void LiveInAContext() {
    aclrtContext before = nullptr;
    ASSERT_ACL_OK(aclrtGetCurrentContext(&before));
    aclrtContext context = nullptr;
    ASSERT_ACL_OK(aclrtCreateContext(&context, device_));
    aclrtStream stream = nullptr;
    ASSERT_ACL_OK(
        aclrtCreateStreamWithConfig(&stream, 3, ACL_STREAM_FAST_SYNC));
    const DeviceArray<float> x(Numbers(100));
    ASSERT_ACL_OK(ops_->Add(x.data(), x.data(), x.data(), 100, stream));
    if (Below(2) == 0) {
      ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
    }
    ASSERT_ACL_OK(aclrtDestroyContext(context));
    ASSERT_ACL_OK(aclrtSetCurrentContext(before));
  }

  void Ask() {
    const OwnStream stream;
    auto status = ACL_STREAM_STATUS_NOT_READY;
    ASSERT_ACL_OK(aclrtStreamQuery(stream, &status));
    aclrtUtilizationInfo utilization = {};
    ASSERT_ACL_OK(aclrtGetDeviceUtilizationRate(device_, &utilization));
    size_t free = 0;
    size_t total = 0;
    ASSERT_ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    ASSERT_LE(free, total);
    aclrtStreamAttrValue value = {};
    value.streamPriority = static_cast<uint32_t>(Below(8));
    ASSERT_ACL_OK(
        aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &value));
    EXPECT_ACL_ERROR(107017, aclrtSynchronizeStream(Garbage()));
    EXPECT_ACL_ERROR(107000, aclrtFree(Garbage()));
  }

  void SynchronizeAll() {
    const aclError code = aclrtSynchronizeDeviceWithTimeout(60'000);
    MayReport(code == 107023 ? 107023 : 507035, code);
  }

  using Action = void (Mixer::*)();
  static inline const std::vector<Action> kActions = {
      &Mixer::AddInAStream, &Mixer::CopyLarge,         &Mixer::CopyRowsAndFill,
      &Mixer::OrderByEvent, &Mixer::UseTheSharedEvent, &Mixer::NotifyAndWord,
      &Mixer::CallTheHost,  &Mixer::FailAndAbort,      &Mixer::LiveInAContext,
      &Mixer::Ask,          &Mixer::SynchronizeAll};

  std::mt19937_64 random_;
  const int32_t device_;
  Shared& shared_;
  const Ops* ops_ = nullptr;
  int done_ = 0;
};

TEST_F(MixedTest, ManyThreadsMixTheCalls) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  ASSERT_ACL_OK(aclrtSetDevice(1));
  Shared shared[2];
  for (int32_t device = 0; device < 2; ++device) {
    ASSERT_ACL_OK(aclrtSetDevice(device));
    ASSERT_ACL_OK(aclrtCreateEventExWithFlag(
        &shared[device].event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
  }
  const auto end =
      std::chrono::steady_clock::now() +
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(
          RunTime());
  std::vector<std::unique_ptr<Mixer>> mixers;
  std::vector<std::thread> threads;
  for (int i = 0; i < kMixedThreads; ++i) {
    const int32_t device = i % 2;
    mixers.push_back(
        std::make_unique<Mixer>(kSeed + i, device, shared[device]));
    threads.emplace_back([&mixer = *mixers.back(), end] { mixer.Run(end); });
  }
  for (std::thread& thread : threads) thread.join();
  int done = 0;
  for (const auto& mixer : mixers) {
    EXPECT_GT(mixer->done(), 0);
    done += mixer->done();
  }
  RecordProperty("actions", done);
  for (Shared& one : shared) ASSERT_ACL_OK(aclrtDestroyEvent(one.event));
}

}  // namespace
}  // namespace ascend::conformance
