// Programs that know nothing of the clock: two threads that wait for each other
// in ways that the library does not see, and the same work by one; many round
// trips, and a kernel that seems never to end.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/integration/clock/clock_program.h"

namespace {

constexpr int kTurns = 200;
constexpr int64_t kCount = 4096;
constexpr size_t kBytes = kCount * sizeof(float);

// x and y are ones; every turn adds y to x, by way of z, so that a turn that is
// lost, or comes before the one before it is done, shows.
class Counting {
 public:
  Counting() : kernels_(/*is_timing_only=*/false) {
    kernels_.Prepare(kCount);
    const std::vector<float> ones(2 * kCount, 1);
    CHECK_ACL(aclrtMemcpy(kernels_.x(), 2 * kBytes, ones.data(), 2 * kBytes,
                          ACL_MEMCPY_HOST_TO_DEVICE));
  }

  void Turn(aclrtStream stream) const {
    Add(stream);
    Keep(stream);
  }

  // The two halves of a turn.
  void Add(aclrtStream stream) const { kernels_.Add(stream, kCount); }
  void Keep(aclrtStream stream) const {
    CHECK_ACL(aclrtMemcpyAsync(kernels_.x(), kBytes, kernels_.z(), kBytes,
                               ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
  }

  int Judge(int turns = kTurns) const {
    std::vector<float> host(kCount);
    CHECK_ACL(aclrtMemcpy(host.data(), kBytes, kernels_.x(), kBytes,
                          ACL_MEMCPY_DEVICE_TO_HOST));
    for (const float value : host) {
      if (value == static_cast<float>(1 + turns)) continue;
      Say("wrong");
      return 1;
    }
    Say("right");
    return 0;
  }

 private:
  Kernels kernels_;
};

class Stopwatch {
 public:
  uint64_t Nanoseconds() const {
    const std::chrono::nanoseconds time =
        std::chrono::steady_clock::now() - begin_;
    return static_cast<uint64_t>(time.count());
  }
  void SayTime() const { Say("us", Nanoseconds() / 1000); }

 private:
  const std::chrono::steady_clock::time_point begin_ =
      std::chrono::steady_clock::now();
};

void PollUntilComplete(aclrtEvent event) {
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  while (status != ACL_EVENT_RECORDED_STATUS_COMPLETE) {
    CHECK_ACL(aclrtQueryEventStatus(event, &status));
  }
}

// An event stands for its latest record, which the other thread says in
// `recorded`.
void SpinUntil(aclrtEvent event, const int& recorded, int turn,
               std::mutex& mutex) {
  for (;;) {
    const std::scoped_lock lock(mutex);
    if (recorded >= turn) break;
  }
  PollUntilComplete(event);
}

// Turns in [0, kTurns) alternate between two threads, each with its stream.
template <typename Await, typename Pass>
int Alternate(Await await, Pass pass) {
  const Counting counting;
  const Stopwatch stopwatch;
  const auto alternate = [&](int first) {
    CHECK_ACL(aclrtSetDevice(0));
    const aclrtStream stream = NewStream();
    for (int turn = first; turn < kTurns; turn += 2) {
      await(turn);
      counting.Turn(stream);
      pass(turn, stream);
    }
    CHECK_ACL(aclrtSynchronizeStream(stream));
  };
  std::thread even(alternate, 0);
  std::thread odd(alternate, 1);
  even.join();
  odd.join();
  stopwatch.SayTime();
  return counting.Judge();
}

// All turns by one thread, which waits for each as `await` does.
template <typename Await>
int AllByOne(Await await) {
  const Counting counting;
  const Stopwatch stopwatch;
  const aclrtStream stream = NewStream();
  for (int turn = 0; turn < kTurns; ++turn) {
    counting.Turn(stream);
    await(stream);
  }
  stopwatch.SayTime();
  return counting.Judge();
}

// Two thousand million million operations, which hosts compute in minutes to
// hours. Its tensors are 12 GiB, of which the host has what is touched.
int RunLongKernel(bool is_timing_only) {
  constexpr int64_t kHeads = 64;
  constexpr int64_t kLength = 262144;
  Kernels kernels(is_timing_only);
  kernels.Prepare(kHeads * kLength * Kernels::kHeadSize / 2);
  const aclrtStream stream = NewStream();
  kernels.Attention(stream, kHeads, kLength);
  Say("launched");
  const aclError error = aclrtSynchronizeStream(stream);
  const char* const message = aclGetRecentErrMsg();
  std::printf("ended %d %s\n", error, message == nullptr ? "" : message);
  std::fflush(stdout);
  AwaitLine();
  return 0;
}

}  // namespace

int SpinOnEvents(const Part&) {
  CHECK_ACL(aclrtSetDevice(0));
  std::mutex mutex;
  int recorded[2] = {-1, -1};
  const aclrtEvent events[2] = {NewEvent(), NewEvent()};
  return Alternate(
      [&](int turn) {
        if (turn == 0) return;
        const int other = (turn - 1) % 2;
        SpinUntil(events[other], recorded[other], turn - 1, mutex);
      },
      [&](int turn, aclrtStream stream) {
        CHECK_ACL(aclrtRecordEvent(events[turn % 2], stream));
        const std::scoped_lock lock(mutex);
        recorded[turn % 2] = turn;
      });
}

int PassBaton(const Part&) {
  std::mutex mutex;
  std::condition_variable changed;
  int next = 0;
  return Alternate(
      [&](int turn) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return next == turn; });
      },
      [&](int turn, aclrtStream stream) {
        CHECK_ACL(aclrtSynchronizeStream(stream));
        const std::scoped_lock lock(mutex);
        next = turn + 1;
        changed.notify_all();
      });
}

int SpinOnFlag(const Part&) {
  std::atomic<int> next = 0;
  return Alternate(
      [&](int turn) {
        while (next.load(std::memory_order_acquire) != turn) {
        }
      },
      [&](int turn, aclrtStream stream) {
        CHECK_ACL(aclrtSynchronizeStream(stream));
        next.store(turn + 1, std::memory_order_release);
      });
}

int OneThread(const Part&) {
  return AllByOne(
      [](aclrtStream stream) { CHECK_ACL(aclrtSynchronizeStream(stream)); });
}

int OneThreadPolls(const Part&) {
  CHECK_ACL(aclrtSetDevice(0));
  const aclrtEvent event = NewEvent();
  return AllByOne([event](aclrtStream stream) {
    CHECK_ACL(aclrtRecordEvent(event, stream));
    PollUntilComplete(event);
  });
}

int Measure(const Part& part) {
  Kernels kernels;
  kernels.Prepare(1 << 20);
  const aclrtStream stream = NewStream();
  CHECK_ACL(aclrtSynchronizeStream(stream));
  Say("begun");
  AwaitLine();
  const Run run(part);
  for (int i = 0; i < 2000; ++i) kernels.Add(stream, 1 << 20);
  CHECK_ACL(aclrtSynchronizeStream(stream));
  Say("simulated", run.Picoseconds() / 1000);
  return 0;
}

int RoundTrips(const Part&) {
  constexpr int kRoundTrips = 300;
  const Counting counting;
  const aclrtStream stream = NewStream();
  CHECK_ACL(aclrtSynchronizeStream(stream));
  Say("begun");
  AwaitLine();
  std::vector<uint64_t> times;
  for (int turn = 0; turn < kRoundTrips; ++turn) {
    const Stopwatch stopwatch;
    counting.Add(stream);
    CHECK_ACL(aclrtSynchronizeStream(stream));
    times.push_back(stopwatch.Nanoseconds());
    counting.Keep(stream);
    CHECK_ACL(aclrtSynchronizeStream(stream));
  }
  const auto middle = times.begin() + kRoundTrips / 2;
  std::nth_element(times.begin(), middle, times.end());
  Say("p50", *middle);
  return counting.Judge(kRoundTrips);
}

int LongKernel(const Part&) { return RunLongKernel(/*is_timing_only=*/false); }

int LongTimingOnly(const Part&) {
  return RunLongKernel(/*is_timing_only=*/true);
}
