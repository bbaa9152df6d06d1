// acl/ascend_rtd_ext.h: what a program has a say in of simulated time.
//
// In clock mode free only what one thread does step by step has times that do
// not depend on the host: so these tests wait for each piece of work before the
// next, and compare nothing between streams that are independent. They run in
// mode lockstep once more, where more can be said (Backend::IsLockstep).
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "acl/ascend_rtd_ext.h"
#include "gmock/gmock.h"
#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::Lt;

constexpr uint64_t kMicrosecond = 1'000'000;  // in picoseconds
constexpr uint64_t kMillisecond = 1000 * kMicrosecond;
constexpr uint64_t kHour = 3'600'000 * kMillisecond;
constexpr uint64_t kHourInNanoseconds = kHour / 1000;

uint64_t Clock() {
  uint64_t clock = 0;
  EXPECT_ACL_OK(ascrtGetClock(&clock));
  return clock;
}

// What the call, which has waited for its end, takes of the thread's time.
uint64_t TimeOf(const std::function<aclError()>& call) {
  const uint64_t before = Clock();
  EXPECT_ACL_OK(call());
  return Clock() - before;
}

ascrtRunInfo RunInfo() {
  ascrtRunInfo info;
  std::memset(&info, 0xFF, sizeof(info));
  EXPECT_ACL_OK(ascrtGetRunInfo(&info));
  return info;
}

uint64_t SlowHostCounts(const ascrtRunInfo& info) {
  return info.lateCalls + info.demotedLanes + info.evictedLanes;
}

// When an event that is recorded now happens, in microseconds.
uint64_t TimestampOfNow(aclrtStream stream) {
  aclrtEvent event = nullptr;
  EXPECT_ACL_OK(aclrtCreateEvent(&event));
  EXPECT_ACL_OK(aclrtRecordEvent(event, stream));
  EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
  uint64_t microseconds = 0;
  EXPECT_ACL_OK(aclrtEventGetTimestamp(event, &microseconds));
  EXPECT_ACL_OK(aclrtDestroyEvent(event));
  return microseconds;
}

// A gate that opens once.
class Gate {
 public:
  void Open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  void Await() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

// A thread that can work on device 0.
class Thread {
 public:
  explicit Thread(const std::function<void()>& body)
      : thread_([body] {
          EXPECT_ACL_OK(aclrtSetDevice(0));
          body();
        }) {}
  ~Thread() { Join(); }
  void Join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

// ---- the thread's clock

using SimulatedTimeTest = AclTest;

TEST_F(SimulatedTimeTest, AThreadsClockAdvancesByWhatItComputes) {
  const uint64_t before = Clock();
  EXPECT_EQ(Clock(), before);
  EXPECT_ACL_OK(ascrtHostAdvance(0));
  EXPECT_EQ(Clock(), before);
  EXPECT_ACL_OK(ascrtHostAdvance(1));
  EXPECT_EQ(Clock(), before + 1000);
  EXPECT_ACL_OK(ascrtHostAdvance(2'500'000));
  EXPECT_EQ(Clock(), before + 1000 + 2500 * kMicrosecond);
}

TEST_F(SimulatedTimeTest, WhatIsSubmittedAfterAnAdvanceBeginsLater) {
  const OwnStream stream;
  const uint64_t first = TimestampOfNow(stream);
  ASSERT_ACL_OK(ascrtHostAdvance(5'000'000));
  const uint64_t second = TimestampOfNow(stream);
  // And the few calls between.
  EXPECT_GE(second - first, 5000u);
  EXPECT_LT(second - first, 5100u);
}

TEST_F(SimulatedTimeTest, AnHourAtOnceIsFine) {
  const OwnStream stream;
  const uint64_t first = TimestampOfNow(stream);
  ASSERT_ACL_OK(ascrtHostAdvance(kHourInNanoseconds));
  ASSERT_ACL_OK(ascrtHostAdvance(kHourInNanoseconds));
  EXPECT_GE(TimestampOfNow(stream), first + 2 * kHour / kMicrosecond);
  const uint64_t other = Clock() + kHour;
  ASSERT_ACL_OK(ascrtClockMerge(other));
  EXPECT_GE(TimestampOfNow(stream), other / kMicrosecond);
}

TEST_F(SimulatedTimeTest, AdvancesBeyondAnHourAreRefused) {
  const uint64_t before = Clock();
  for (const uint64_t nanoseconds :
       {kHourInNanoseconds + 1, uint64_t{1} << 52, uint64_t{1} << 63,
        std::numeric_limits<uint64_t>::max()}) {
    EXPECT_ACL_ERROR(107000, ascrtHostAdvance(nanoseconds));
  }
  EXPECT_EQ(Clock(), before);
}

TEST_F(SimulatedTimeTest, ThreadsHaveClocksOfTheirOwn) {
  ASSERT_ACL_OK(ascrtHostAdvance(1'000'000'000));
  const uint64_t own = Clock();
  InThread([&] { EXPECT_LT(Clock(), own); });
}

TEST_F(SimulatedTimeTest, AMergeMovesTheClockForwardOnly) {
  const OwnStream stream;
  const uint64_t first = TimestampOfNow(stream);
  const uint64_t other = Clock() + 7 * kMillisecond + 1;
  EXPECT_ACL_OK(ascrtClockMerge(other));
  EXPECT_EQ(Clock(), other);
  EXPECT_ACL_OK(ascrtClockMerge(other - kMillisecond));
  EXPECT_ACL_OK(ascrtClockMerge(0));
  EXPECT_EQ(Clock(), other);
  EXPECT_GE(TimestampOfNow(stream), first + 7000);
}

TEST_F(SimulatedTimeTest, MergesFarAheadAreRefused) {
  const uint64_t before = Clock();
  for (const uint64_t clock : {before + kHour + 1, uint64_t{1} << 63,
                               std::numeric_limits<uint64_t>::max()}) {
    EXPECT_ACL_ERROR(107000, ascrtClockMerge(clock));
  }
  EXPECT_EQ(Clock(), before);
}

TEST_F(SimulatedTimeTest, AClockNeedsAPlaceToGoTo) {
  EXPECT_ACL_ERROR(100000, ascrtGetClock(nullptr));
  EXPECT_ACL_ERROR(100000, ascrtGetRunInfo(nullptr));
}

// ---- what calls cost

TEST_F(SimulatedTimeTest, LaunchesOnAFastStreamCostHalf) {
  const DeviceArray<char> memory(4096);
  const OwnStream plain;
  const OwnStream fast(0, ACL_STREAM_FAST_LAUNCH);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(TimeOf([&] {
                return aclrtMemsetAsync(memory.data(), 4096, 0, 4096, plain);
              }),
              6 * kMicrosecond);
    EXPECT_ACL_OK(aclrtSynchronizeStream(plain));
    EXPECT_EQ(TimeOf([&] {
                return aclrtMemsetAsync(memory.data(), 4096, 0, 4096, fast);
              }),
              3 * kMicrosecond);
    EXPECT_ACL_OK(aclrtSynchronizeStream(fast));
  }
}

TEST_F(SimulatedTimeTest, AThreadWakesAWhileAfterWhatItWaitsFor) {
  const DeviceArray<char> memory(64 << 20);
  const auto wake_time = [&](uint32_t flags) {
    const OwnStream stream(0, flags);
    aclrtEvent event = nullptr;
    EXPECT_ACL_OK(aclrtCreateEvent(&event));
    EXPECT_ACL_OK(aclrtMemsetAsync(memory.data(), memory.bytes(), 0,
                                   memory.bytes(), stream));
    EXPECT_ACL_OK(aclrtRecordEvent(event, stream));
    EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
    const uint64_t awake = Clock();
    uint64_t microseconds = 0;
    EXPECT_ACL_OK(aclrtEventGetTimestamp(event, &microseconds));
    EXPECT_ACL_OK(aclrtDestroyEvent(event));
    return awake - microseconds * kMicrosecond;
  };
  // A time stamp is cut to whole microseconds.
  EXPECT_THAT(wake_time(0),
              AllOf(Ge(30 * kMicrosecond), Lt(31 * kMicrosecond)));
  EXPECT_THAT(wake_time(ACL_STREAM_FAST_SYNC),
              AllOf(Ge(5 * kMicrosecond), Lt(6 * kMicrosecond)));
}

// ---- runs

class SimulatedRunTest : public AclTest {
 protected:
  void TearDown() override {
    // A run that a failed test leaves behind must not spoil the next.
    EXPECT_ACL_OK(ascrtIdle());
    AclTest::TearDown();
  }

  // Fills of so many bytes, one by one.
  static void Work(const DeviceArray<char>& memory,
                   const std::vector<size_t>& bytes) {
    for (const size_t each : bytes) {
      ASSERT_ACL_OK(aclrtMemset(memory.data(), each, 0, each));
    }
  }
};

TEST_F(SimulatedRunTest, TellsWhatAnOnlyParticipantDoes) {
  const DeviceArray<char> memory(1 << 20);
  Work(memory, {4096});
  ASSERT_ACL_OK(ascrtBegin(1, 0));
  ascrtRunInfo info = RunInfo();
  EXPECT_EQ(info.participants, 1u);
  EXPECT_EQ(info.left, 0u);
  EXPECT_EQ(info.tasks, 0u);
  EXPECT_EQ(info.traceHash, 0u);
  Work(memory, {4096, 8192, 1 << 20});
  info = RunInfo();
  EXPECT_EQ(info.tasks, 3u);
  EXPECT_NE(info.traceHash, 0u);
  EXPECT_EQ(SlowHostCounts(info), 0u);
  EXPECT_THAT(info.reserved, Each(0u));
  ASSERT_ACL_OK(ascrtIdle());
  EXPECT_EQ(RunInfo().left, 1u);
  // What comes after is no part of it.
  Work(memory, {4096});
  EXPECT_EQ(RunInfo().tasks, 3u);
  EXPECT_EQ(RunInfo().traceHash, info.traceHash);
}

TEST_F(SimulatedRunTest, EqualWorkHasEqualHashes) {
  const DeviceArray<char> memory(1 << 20);
  const auto hash_of = [&](const std::vector<size_t>& bytes,
                           uint64_t computes_ns) {
    EXPECT_ACL_OK(ascrtBegin(1, 0));
    Work(memory, bytes);
    EXPECT_ACL_OK(ascrtHostAdvance(computes_ns));
    Work(memory, bytes);
    const ascrtRunInfo info = RunInfo();
    EXPECT_EQ(SlowHostCounts(info), 0u);
    EXPECT_EQ(info.tasks, 2 * bytes.size());
    EXPECT_ACL_OK(ascrtIdle());
    return info.traceHash;
  };
  const uint64_t hash = hash_of({4096, 65536, 1 << 20}, 1000);
  // Not when it began, nor what was between.
  EXPECT_ACL_OK(ascrtHostAdvance(12'345));
  Work(memory, {4096});
  EXPECT_EQ(hash_of({4096, 65536, 1 << 20}, 1000), hash);
  EXPECT_NE(hash_of({4096, 65536, 1 << 19}, 1000), hash);
  EXPECT_NE(hash_of({4096, 1 << 20, 65536}, 1000), hash);
  EXPECT_NE(hash_of({4096, 65536, 1 << 20}, 1001), hash);
  EXPECT_NE(hash_of({4096, 65536}, 1000), hash);
}

TEST_F(SimulatedRunTest, RanksAndNumbersAreChecked) {
  const uint64_t before = Clock();
  EXPECT_ACL_ERROR(107000, ascrtBegin(0, 0));
  EXPECT_ACL_ERROR(107000, ascrtBegin(1, 1));
  EXPECT_ACL_ERROR(107000, ascrtBegin(2, 5));
  EXPECT_ACL_ERROR(107000, ascrtBegin(4097, 0));
  EXPECT_ACL_ERROR(107000, ascrtBegin(UINT32_MAX, UINT32_MAX));
  EXPECT_EQ(Clock(), before);
  // Nobody has joined anything.
  EXPECT_ACL_OK(ascrtBegin(1, 0));
}

TEST_F(SimulatedRunTest, OneRunIsUnderWayAtATime) {
  ASSERT_ACL_OK(ascrtBegin(1, 0));
  EXPECT_ACL_ERROR(107000, ascrtBegin(1, 0));
  EXPECT_ACL_ERROR(107000, ascrtBegin(2, 1));
  ASSERT_ACL_OK(ascrtBlocked());
  InThread([] { EXPECT_ACL_ERROR(107000, ascrtBegin(1, 0)); });
  EXPECT_EQ(RunInfo().participants, 1u);
  EXPECT_EQ(RunInfo().left, 0u);
  ASSERT_ACL_OK(ascrtIdle());
  ASSERT_ACL_OK(ascrtBegin(1, 0));
  EXPECT_EQ(RunInfo().left, 0u);
}

TEST_F(SimulatedRunTest, ThreadsOfAProcessBeginTogether) {
  ASSERT_ACL_OK(ascrtHostAdvance(3'000'000));
  const uint64_t before = Clock();
  uint64_t begins[2] = {};
  Thread other([&] {
    EXPECT_ACL_OK(ascrtBegin(2, 1));
    begins[1] = Clock();
    EXPECT_ACL_OK(ascrtIdle());
  });
  EXPECT_ACL_OK(ascrtBegin(2, 0));
  begins[0] = Clock();
  other.Join();
  EXPECT_GT(begins[0], before);
  EXPECT_EQ(begins[0], begins[1]);
  const ascrtRunInfo info = RunInfo();
  EXPECT_EQ(info.participants, 2u);
  EXPECT_EQ(info.left, 1u);
}

TEST_F(SimulatedRunTest, ARankIsTakenOnce) {
  // Whoever comes second is refused, and may take what is left.
  const auto begin = [] {
    const aclError code = ascrtBegin(2, 0);
    if (code == ACL_SUCCESS) return;
    EXPECT_ACL_ERROR(107000, code);
    EXPECT_ACL_ERROR(107000, ascrtBegin(3, 1));
    EXPECT_ACL_OK(ascrtBegin(2, 1));
  };
  Thread other([&] {
    begin();
    EXPECT_ACL_OK(ascrtIdle());
  });
  begin();
  other.Join();
  EXPECT_EQ(RunInfo().participants, 2u);
  EXPECT_EQ(RunInfo().left, 1u);
}

TEST_F(SimulatedRunTest, AThreadThatEndsLeaves) {
  InThread([] { ASSERT_ACL_OK(ascrtBegin(1, 0)); });
  EXPECT_EQ(RunInfo().left, 1u);
  // Also one that was refused meanwhile.
  InThread([] {
    ASSERT_ACL_OK(ascrtBegin(1, 0));
    EXPECT_ACL_ERROR(107000, ascrtBegin(1, 0));
  });
  EXPECT_EQ(RunInfo().left, 1u);
  ASSERT_ACL_OK(ascrtBegin(1, 0));
}

TEST_F(SimulatedRunTest, LeavingWithoutARunIsNothing) {
  ASSERT_ACL_OK(ascrtBegin(1, 0));
  InThread([] {
    EXPECT_ACL_OK(ascrtIdle());
    EXPECT_ACL_OK(ascrtBlocked());
  });
  EXPECT_EQ(RunInfo().left, 0u);
  ASSERT_ACL_OK(ascrtIdle());
  ASSERT_ACL_OK(ascrtIdle());
  EXPECT_EQ(RunInfo().left, 1u);
}

// The main thread waits for the other one, of which the library knows nothing.
// `act` is what it does then.
void WaitForAnotherThread(const DeviceArray<char>& memory,
                          const std::function<void(uint64_t clock)>& act) {
  Gate is_blocked;
  Gate has_worked;
  uint64_t clock = 0;
  Thread other([&] {
    EXPECT_ACL_OK(ascrtBegin(2, 1));
    is_blocked.Await();
    EXPECT_ACL_OK(
        aclrtMemset(memory.data(), memory.bytes(), 0, memory.bytes()));
    clock = Clock();
    EXPECT_ACL_OK(ascrtIdle());
    has_worked.Open();
  });
  EXPECT_ACL_OK(ascrtBegin(2, 0));
  EXPECT_ACL_OK(ascrtBlocked());
  is_blocked.Open();
  has_worked.Await();
  EXPECT_LT(Clock(), clock);
  act(clock);
  EXPECT_ACL_OK(aclrtMemset(memory.data(), 4096, 0, 4096));
  other.Join();
}

TEST_F(SimulatedRunTest, AThreadThatSaysSoMayWaitForAnother) {
  const DeviceArray<char> memory(1 << 20);
  WaitForAnotherThread(memory, [](uint64_t clock) {
    EXPECT_ACL_OK(ascrtClockMerge(clock));
    EXPECT_EQ(Clock(), clock);
  });
  const ascrtRunInfo info = RunInfo();
  EXPECT_EQ(info.tasks, 2u);
  EXPECT_EQ(info.left, 1u);
  if (Backend::Get().IsLockstep()) {
    EXPECT_EQ(SlowHostCounts(info), 0u);
  }
}

TEST_F(SimulatedRunTest, CallsFromThePastAreCounted) {
  const DeviceArray<char> memory(1 << 20);
  WaitForAnotherThread(memory, [](uint64_t) {});
  const ascrtRunInfo info = RunInfo();
  EXPECT_GE(info.lateCalls, 1u);
  if (Backend::Get().IsLockstep()) {
    EXPECT_EQ(SlowHostCounts(info), 1u);
  }
}

// More threads than there are DMA units; thread `slow` gives the others time.
uint64_t HashOfThreads(const DeviceArray<char>& memory, int slow,
                       size_t more_bytes) {
  constexpr int kThreads = 6;
  EXPECT_ACL_OK(ascrtBlocked());
  {
    std::vector<std::unique_ptr<Thread>> threads;
    for (int rank = 0; rank < kThreads; ++rank) {
      threads.push_back(std::make_unique<Thread>([&, rank] {
        EXPECT_ACL_OK(ascrtBegin(kThreads, static_cast<uint32_t>(rank)));
        const size_t bytes = (rank == 2 ? more_bytes : 0) + (1 << 18);
        for (int i = 0; i < 20; ++i) {
          for (int k = 0; rank == slow && k < 5; ++k) {
            std::this_thread::yield();
          }
          EXPECT_ACL_OK(aclrtMemset(memory.data(), bytes, rank, bytes));
        }
      }));
    }
  }
  const ascrtRunInfo info = RunInfo();
  EXPECT_EQ(info.participants, static_cast<uint32_t>(kThreads));
  EXPECT_EQ(info.left, info.participants);
  EXPECT_EQ(info.tasks, 20u * kThreads);
  EXPECT_EQ(SlowHostCounts(info), 0u);
  return info.traceHash;
}

TEST_F(SimulatedRunTest, ThreadsOfUnequalSpeedRepeat) {
  if (!Backend::Get().IsLockstep()) {
    GTEST_SKIP() << "in mode free the host decides which thread is earlier";
  }
  const DeviceArray<char> memory(1 << 20);
  const uint64_t hash = HashOfThreads(memory, /*slow=*/-1, 0);
  for (int slow = 0; slow < 6; ++slow) {
    EXPECT_EQ(HashOfThreads(memory, slow, 0), hash) << slow;
  }
  EXPECT_NE(HashOfThreads(memory, /*slow=*/-1, 4096), hash);
}

// ---- what takes time and does nothing

class TimingOnlyTest : public AclTest {
 protected:
  static constexpr size_t kCount = Ops::kBusyElements;

  void TearDown() override {
    for (int device = 0; device < 2; ++device) {
      EXPECT_ACL_OK(aclrtSetDevice(device));
      EXPECT_ACL_OK(ascrtSetTimingOnly(0));
    }
    AclTest::TearDown();
  }

  static aclError Fill(const DeviceArray<float>& memory) {
    return aclrtMemset(memory.data(), memory.bytes(), 0, memory.bytes());
  }
  static std::vector<float> All(float value) {
    return std::vector<float>(kCount, value);
  }

  // z = x + x, launched with the attribute.
  static aclError AddWith(const Ops& ops, int32_t is_timing_only,
                          const DeviceArray<float>& x,
                          const DeviceArray<float>& z, size_t attributes = 1) {
    ascrtAddArgs args = AddArgs(x, z);
    aclrtLaunchKernelAttr attribute{};
    attribute.id = static_cast<aclrtLaunchKernelAttrId>(
        ASCRT_LAUNCH_KERNEL_ATTR_TIMING_ONLY);
    attribute.value.rsv[0] = is_timing_only;
    std::vector<aclrtLaunchKernelAttr> list(attributes, attribute);
    aclrtLaunchKernelCfg cfg = {list.data(), list.size()};
    return aclrtLaunchKernelWithHostArgs(ops.Find(ASCRT_OP_ADD), 8, nullptr,
                                         &cfg, &args, sizeof(args), nullptr, 0);
  }
  static ascrtAddArgs AddArgs(const DeviceArray<float>& x,
                              const DeviceArray<float>& z) {
    ascrtAddArgs args{};
    args.size = sizeof(args);
    args.x = x.data();
    args.y = x.data();
    args.z = z.data();
    args.count = static_cast<int64_t>(z.count());
    args.data_type = ASCRT_DT_FLOAT;
    return args;
  }
};

TEST_F(TimingOnlyTest, FillsTakeTheirTimeAndChangeNothing) {
  const DeviceArray<float> memory(All(3));
  ASSERT_ACL_OK(ascrtSetTimingOnly(1));
  const uint64_t time = TimeOf([&] { return Fill(memory); });
  // 4 MiB, and what the call and waking up cost.
  EXPECT_GT(time, 40 * kMicrosecond);
  EXPECT_EQ(memory.Download(), All(3));
  EXPECT_ACL_OK(aclrtMemsetAsync(memory.data(), memory.bytes(), 0,
                                 memory.bytes(), nullptr));
  EXPECT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(memory.Download(), All(3));
  ASSERT_ACL_OK(ascrtSetTimingOnly(0));
  EXPECT_EQ(TimeOf([&] { return Fill(memory); }), time);
  EXPECT_EQ(memory.Download(), All(0));
}

TEST_F(TimingOnlyTest, KernelsTakeTheirTimeAndChangeNothing) {
  const Ops ops;
  const DeviceArray<float> x(All(1));
  const DeviceArray<float> z(All(5));
  const OwnStream stream;
  const auto time_of_kernel = [&] {
    return TimeOf([&] {
      EXPECT_ACL_OK(ops.KeepBusy(x.data(), z.data(), stream));
      return aclrtSynchronizeStream(stream);
    });
  };
  ASSERT_ACL_OK(ascrtSetTimingOnly(1));
  const uint64_t time = time_of_kernel();
  EXPECT_GT(time, 100 * kMicrosecond);
  EXPECT_EQ(z.Download(), All(5));
  ASSERT_ACL_OK(ascrtSetTimingOnly(0));
  // But for the jitter of the gap before it.
  EXPECT_NEAR(static_cast<double>(time_of_kernel()), static_cast<double>(time),
              10 * kMicrosecond);
  EXPECT_EQ(z.Download(), All(Ops::kBusySide));
}

TEST_F(TimingOnlyTest, CopiesDoTheirWork) {
  ASSERT_ACL_OK(ascrtSetTimingOnly(1));
  const DeviceArray<float> memory(All(3));
  EXPECT_EQ(memory.Download(), All(3));
}

TEST_F(TimingOnlyTest, EachDeviceIsForItself) {
  ASSERT_ACL_OK(ascrtSetTimingOnly(1));
  const DeviceArray<float> first(All(3));
  ASSERT_ACL_OK(aclrtSetDevice(1));
  {
    const DeviceArray<float> second(All(3));
    EXPECT_ACL_OK(Fill(second));
    EXPECT_EQ(second.Download(), All(0));
    // Where the memory is decides, not which device is current.
    EXPECT_ACL_OK(Fill(first));
  }
  ASSERT_ACL_OK(aclrtSetDevice(0));
  EXPECT_EQ(first.Download(), All(3));
  InThread([] { EXPECT_ACL_ERROR(107002, ascrtSetTimingOnly(1)); });
}

TEST_F(TimingOnlyTest, OneLaunchMayBe) {
  const Ops ops;
  const DeviceArray<float> x(All(1));
  const DeviceArray<float> z(All(5));
  ASSERT_ACL_OK(AddWith(ops, 1, x, z));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(z.Download(), All(5));
  ASSERT_ACL_OK(AddWith(ops, 0, x, z));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(z.Download(), All(2));
  const ExpectNothingChanges unchanged;
  EXPECT_ACL_ERROR(107000, AddWith(ops, 1, x, z, /*attributes=*/2));
}

// Nobody would have computed them.
TEST_F(TimingOnlyTest, ArgumentsMayNotLieOnTheDevice) {
  const Ops ops;
  const DeviceArray<float> x(All(1));
  const DeviceArray<float> z(All(5));
  const DeviceArray<ascrtAddArgs> args(
      std::vector<ascrtAddArgs>{AddArgs(x, z)});
  aclrtLaunchKernelAttr attribute{};
  attribute.id = static_cast<aclrtLaunchKernelAttrId>(
      ASCRT_LAUNCH_KERNEL_ATTR_TIMING_ONLY);
  attribute.value.rsv[0] = 1;
  aclrtLaunchKernelCfg cfg = {&attribute, 1};
  const aclrtFuncHandle add = ops.Find(ASCRT_OP_ADD);
  const auto launch = [&] {
    return aclrtLaunchKernelV2(add, 8, args.data(), args.bytes(), &cfg,
                               nullptr);
  };
  {
    const ExpectNothingChanges unchanged;
    EXPECT_ACL_ERROR(207000, launch());
    attribute.value.rsv[0] = 0;
    ASSERT_ACL_OK(ascrtSetTimingOnly(1));
    EXPECT_ACL_ERROR(207000, launch());
    EXPECT_ACL_ERROR(
        207000, aclrtLaunchKernel(add, 8, args.data(), args.bytes(), nullptr));
  }
  ASSERT_ACL_OK(ascrtSetTimingOnly(0));
  ASSERT_ACL_OK(launch());
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(z.Download(), All(2));
}

// ---- copies by the host's CPU

class CpuCopyTest : public AclTest {
 protected:
  static std::vector<uint32_t> Numbers(size_t count) {
    std::vector<uint32_t> numbers(count);
    for (size_t i = 0; i < count; ++i) {
      numbers[i] = static_cast<uint32_t>(i * 2654435761u);
    }
    return numbers;
  }
};

TEST_F(CpuCopyTest, EveryByteArrivesBothWays) {
  // With the command, and on its own.
  for (const size_t count : {size_t{1}, size_t{1000}, size_t{1} << 20}) {
    const std::vector<uint32_t> numbers = Numbers(count);
    const DeviceArray<uint32_t> memory(count);
    const size_t bytes = memory.bytes();
    ASSERT_ACL_OK(
        ascrtMemcpyByCpu(memory.data(), bytes, numbers.data(), bytes));
    EXPECT_TRUE(memory.Download() == numbers) << count;
    std::vector<uint32_t> loaded(count);
    ASSERT_ACL_OK(ascrtMemcpyByCpu(loaded.data(), bytes, memory.data(), bytes));
    EXPECT_TRUE(loaded == numbers) << count;
  }
}

TEST_F(CpuCopyTest, TakesMuchLongerThanAnEngine) {
  const std::vector<uint32_t> numbers = Numbers((16 << 20) / sizeof(uint32_t));
  const DeviceArray<uint32_t> memory(numbers);
  const size_t bytes = memory.bytes();
  std::vector<uint32_t> loaded(numbers.size());
  const auto ratio = [&](void* target, const void* source,
                         aclrtMemcpyKind kind) {
    const uint64_t by_cpu =
        TimeOf([&] { return ascrtMemcpyByCpu(target, bytes, source, bytes); });
    const uint64_t by_engine =
        TimeOf([&] { return aclrtMemcpy(target, bytes, source, bytes, kind); });
    return static_cast<double>(by_cpu) / static_cast<double>(by_engine);
  };
  EXPECT_NEAR(ratio(memory.data(), numbers.data(), ACL_MEMCPY_HOST_TO_DEVICE),
              10, 1);
  EXPECT_NEAR(ratio(loaded.data(), memory.data(), ACL_MEMCPY_DEVICE_TO_HOST),
              10, 1);
}

TEST_F(CpuCopyTest, ArgumentsAreChecked) {
  const DeviceArray<char> memory(4096);
  char host[64] = {};
  const ExpectNothingChanges unchanged;
  EXPECT_ACL_ERROR(100000, ascrtMemcpyByCpu(nullptr, 64, host, 64));
  EXPECT_ACL_ERROR(100000, ascrtMemcpyByCpu(memory.data(), 64, nullptr, 64));
  EXPECT_ACL_ERROR(107000, ascrtMemcpyByCpu(memory.data(), 64, host, 0));
  EXPECT_ACL_ERROR(107000, ascrtMemcpyByCpu(memory.data(), 63, host, 64));
  EXPECT_ACL_ERROR(107000,
                   ascrtMemcpyByCpu(memory.data() + 4090, 64, host, 64));
  EXPECT_ACL_ERROR(107000,
                   ascrtMemcpyByCpu(host, 64, memory.data() + 4090, 64));
  InThread([&] {
    EXPECT_ACL_ERROR(107002, ascrtMemcpyByCpu(memory.data(), 64, host, 64));
  });
}

}  // namespace
}  // namespace ascend::conformance
