// A program whose result depends on the order of calls of two threads.
//
// Thread A posts launches that build on each other, and an event record, and
// hands over to thread B, which lets its own stream wait for the event, copies
// the results back and hands over again. A program like any other: public
// headers and -lascendcl.
//
//   thread_order RUNS COUNT    COUNT elements in each of two tensors
//
// Exit code: 0 every run is right, 1 some results are wrong, 2 a call fails.
#include <acl/acl.h>
#include <acl/ascend_rtd_ops.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

// Each step adds one to x, then x to y: 100 launches of which no two may change
// places unseen.
constexpr int kSteps = 50;
constexpr float kX = kSteps;
constexpr float kY = kSteps * (kSteps + 1) / 2;

void Check(aclError error, const char* call) {
  if (error == ACL_SUCCESS) return;
  const char* const message = aclGetRecentErrMsg();
  std::fprintf(stderr, "thread_order: %s returns %d: %s\n", call, error,
               message == nullptr ? "" : message);
  std::_Exit(2);
}

#define CHECK_ACL(call) Check(call, #call)

// Whose turn it is: what the two threads have in common, besides the device.
class Baton {
 public:
  void WaitFor(int turn) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == turn; });
  }
  void PassTo(int turn) {
    {
      const std::scoped_lock lock(mutex_);
      turn_ = turn;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int turn_ = 0;
};

struct Work {
  int64_t count = 0;
  float* x = nullptr;  // followed by y
  float* one = nullptr;
  aclrtFuncHandle add = nullptr;
  aclrtStream stream_a = nullptr;
  aclrtStream stream_b = nullptr;
  aclrtEvent event = nullptr;

  size_t tensor_bytes() const {
    return static_cast<size_t>(count) * sizeof(float);
  }
};

Work Prepare(int64_t count) {
  Work work{.count = count};
  CHECK_ACL(aclrtSetDevice(0));
  void* memory = nullptr;
  CHECK_ACL(
      aclrtMalloc(&memory, 3 * work.tensor_bytes(), ACL_MEM_MALLOC_HUGE_FIRST));
  work.x = static_cast<float*>(memory);
  work.one = work.x + 2 * count;
  const std::vector<float> ones(static_cast<size_t>(count), 1.0F);
  CHECK_ACL(aclrtMemcpy(work.one, work.tensor_bytes(), ones.data(),
                        work.tensor_bytes(), ACL_MEMCPY_HOST_TO_DEVICE));
  aclrtBinHandle ops = nullptr;
  CHECK_ACL(aclrtBinaryLoadFromFile("builtin:ops", nullptr, &ops));
  CHECK_ACL(aclrtBinaryGetFunction(ops, ASCRT_OP_ADD, &work.add));
  // B's work is the more urgent: nothing but the event holds it back.
  CHECK_ACL(aclrtCreateStreamWithConfig(&work.stream_a, 7, 0));
  CHECK_ACL(aclrtCreateStreamWithConfig(&work.stream_b, 0, 0));
  // One event for all runs: a wait that comes too early finds the record of the
  // run before, and goes on.
  CHECK_ACL(aclrtCreateEventExWithFlag(&work.event, ACL_EVENT_SYNC));
  return work;
}

void Add(const Work& work, float* target, float* summand) {
  ascrtAddArgs args = {sizeof args, target,         summand, target,
                       work.count,  ASCRT_DT_FLOAT, 0};
  CHECK_ACL(aclrtLaunchKernelWithHostArgs(work.add, 1, work.stream_a, nullptr,
                                          &args, sizeof args, nullptr, 0));
}

void PostWork(const Work& work) {
  CHECK_ACL(aclrtMemsetAsync(work.x, 2 * work.tensor_bytes(), 0,
                             2 * work.tensor_bytes(), work.stream_a));
  for (int step = 0; step < kSteps; ++step) {
    Add(work, work.x, work.one);
    Add(work, work.x + work.count, work.x);
  }
  CHECK_ACL(aclrtRecordEvent(work.event, work.stream_a));
}

bool ResultsAreRight(const Work& work, std::vector<float>& results) {
  std::fill(results.begin(), results.end(), -1.0F);
  CHECK_ACL(aclrtStreamWaitEvent(work.stream_b, work.event));
  CHECK_ACL(aclrtMemcpyAsync(results.data(), 2 * work.tensor_bytes(), work.x,
                             2 * work.tensor_bytes(), ACL_MEMCPY_DEVICE_TO_HOST,
                             work.stream_b));
  CHECK_ACL(aclrtSynchronizeStream(work.stream_b));
  for (size_t i = 0; i < results.size(); ++i) {
    const float expected = i < results.size() / 2 ? kX : kY;
    if (results[i] != expected) return false;
  }
  return true;
}

int CountWrongRuns(const Work& work, int runs) {
  Baton baton;
  int wrong_count = 0;
  std::thread a([&] {
    CHECK_ACL(aclrtSetDevice(0));
    for (int run = 0; run < runs; ++run) {
      baton.WaitFor(0);
      PostWork(work);
      baton.PassTo(1);
    }
  });
  std::thread b([&] {
    CHECK_ACL(aclrtSetDevice(0));
    std::vector<float> results(2 * static_cast<size_t>(work.count));
    for (int run = 0; run < runs; ++run) {
      baton.WaitFor(1);
      wrong_count += ResultsAreRight(work, results) ? 0 : 1;
      baton.PassTo(0);
    }
  });
  a.join();
  b.join();
  return wrong_count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: thread_order RUNS COUNT\n");
    return 2;
  }
  const int runs = std::atoi(argv[1]);
  const Work work = Prepare(std::atoi(argv[2]));
  const int wrong_count = CountWrongRuns(work, runs);
  std::printf("%d of %d runs are wrong\n", wrong_count, runs);
  CHECK_ACL(aclrtResetDeviceForce(0));
  return wrong_count == 0 ? 0 : 1;
}
