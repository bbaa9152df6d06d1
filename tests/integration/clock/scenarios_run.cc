// Parts of a run whose simulated times are the same, however the host is
// delayed.
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "tests/integration/clock/clock_program.h"

namespace {

bool IsEventComplete(aclrtEvent event) {
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  CHECK_ACL(aclrtQueryEventStatus(event, &status));
  return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
}

bool IsStreamComplete(aclrtStream stream) {
  aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
  CHECK_ACL(aclrtStreamQuery(stream, &status));
  return status == ACL_STREAM_STATUS_COMPLETE;
}

aclrtContext CurrentContext() {
  aclrtContext context = nullptr;
  CHECK_ACL(aclrtGetCurrentContext(&context));
  return context;
}

// What a function of the host works with: it launches in a stream that nothing
// else uses.
struct Function {
  aclrtContext context = nullptr;
  Kernels* kernels = nullptr;
  aclrtStream stream = nullptr;
  HostDelays* delays = nullptr;
};

void LaunchElsewhere(void* argument) {
  const Function& function = *static_cast<Function*>(argument);
  CHECK_ACL(aclrtSetCurrentContext(function.context));
  function.delays->Always(3000);
  CHECK_ACL(ascrtHostAdvance(40'000));
  function.kernels->Matmul(function.stream, 256);
}

void WorkOfThread(const Part& part, uint32_t number) {
  HostDelays delays(part.seed + number);
  Kernels kernels;
  delays.Always(3000);
  const Run run(part, number);
  const aclrtStream stream = NewStream();
  kernels.Prepare((4 + number) * kMega);
  for (uint32_t round = 0; round < 8; ++round) {
    void* scratch = nullptr;
    CHECK_ACL(aclrtMalloc(&scratch, (round + 1) << (18 + number),
                          ACL_MEM_MALLOC_HUGE_FIRST));
    delays.Sometimes(2000);
    kernels.Add(stream, (1 + number + round % 3) * kMega);
    CHECK_ACL(aclrtMemsetAsync(scratch, round << 17, 0, round << 17, stream));
    kernels.Softmax(stream, 512 << number);
    delays.Sometimes(1000);
    CHECK_ACL(aclrtFree(scratch));
    if (round % (2 + number) == 0) CHECK_ACL(aclrtSynchronizeStream(stream));
  }
  CHECK_ACL(aclrtSynchronizeStream(stream));
  Say(number == 0 ? "clock" : "other clock", run.Picoseconds());
}

}  // namespace

int Streams(const Part& part) {
  HostDelays delays(part.seed);
  Kernels kernels;
  delays.Always(10'000);
  const Run run(part);
  const aclrtStream first = NewStream();
  const aclrtStream second = NewStream();
  const aclrtEvent event = NewEvent();
  kernels.Prepare(4 * kMega);
  std::vector<float> host(kMega);
  for (int round = 0; round < 6; ++round) {
    delays.Sometimes(3000);
    CHECK_ACL(aclrtMemcpyAsync(kernels.x(), host.size() * sizeof(float),
                               host.data(), host.size() * sizeof(float),
                               ACL_MEMCPY_HOST_TO_DEVICE, first));
    kernels.Add(first, kMega);
    CHECK_ACL(aclrtRecordEvent(event, first));
    delays.Sometimes(2000);
    CHECK_ACL(aclrtStreamWaitEvent(second, event));
    kernels.Matmul(second, 512 + 128 * round);
    kernels.Add(first, 2 * kMega);
    CHECK_ACL(ascrtHostAdvance(7000 * static_cast<uint64_t>(round)));
    if (round % 2 == 1) CHECK_ACL(aclrtSynchronizeStream(second));
    CHECK_ACL(aclrtMemcpy(host.data(), 4096, kernels.z(), 4096,
                          ACL_MEMCPY_DEVICE_TO_HOST));
  }
  // More than a stream holds, at about the pace at which it works.
  for (int i = 0; i < 2600; ++i) {
    if (i % 256 == 0) delays.Always(3000);
    kernels.Add(second, kMega / 4);
  }
  CHECK_ACL(aclrtSynchronizeDevice());
  Say("clock", run.Picoseconds());
  CHECK_ACL(ascrtIdle());
  return 0;
}

int Poll(const Part& part) {
  HostDelays delays(part.seed);
  Kernels kernels;
  delays.Always(10'000);
  const Run run(part);
  const aclrtStream stream = NewStream();
  const aclrtEvent event = NewEvent();
  kernels.Prepare(8 * kMega);
  uint64_t polls = 0;
  for (int round = 0; round < 5; ++round) {
    kernels.Softmax(stream, 1024 * (1 + round));
    CHECK_ACL(aclrtRecordEvent(event, stream));
    kernels.Add(stream, kMega);
    while (!IsEventComplete(event)) {
      if (++polls % 32 == 0) delays.Sometimes(2000);
    }
    while (!IsStreamComplete(stream)) ++polls;
  }
  Say("polls", polls);
  Say("clock", run.Picoseconds());
  return 0;
}

int HostFunctions(const Part& part) {
  HostDelays delays(part.seed);
  HostDelays delays_of_function(part.seed);
  Kernels kernels;
  delays.Always(10'000);
  const Run run(part);
  const aclrtStream stream = NewStream();
  const aclrtStream other = NewStream();
  Function function{CurrentContext(), &kernels, NewStream(),
                    &delays_of_function};
  kernels.Prepare(2 * kMega);
  for (int round = 0; round < 5; ++round) {
    kernels.Add(stream, kMega);
    CHECK_ACL(aclrtLaunchHostFunc(stream, LaunchElsewhere, &function));
    kernels.Add(stream, 2 * kMega);
    delays.Sometimes(2000);
    kernels.Matmul(other, 384);
    CHECK_ACL(aclrtLaunchHostFunc(other, LaunchElsewhere, &function));
    if (round != 2) CHECK_ACL(aclrtSynchronizeStream(stream));
  }
  CHECK_ACL(aclrtSynchronizeDevice());
  Say("clock", run.Picoseconds());
  CHECK_ACL(ascrtIdle());
  return 0;
}

int Callbacks(const Part& part) {
  HostDelays delays(part.seed);
  HostDelays delays_of_function(part.seed);
  Kernels kernels;
  delays.Always(10'000);
  std::atomic<bool> is_over = false;
  std::thread service([&is_over] {
    CHECK_ACL(aclrtSetDevice(0));
    while (!is_over) (void)aclrtProcessReport(5);
  });
  const Run run(part);
  const aclrtStream stream = NewStream();
  Function function{CurrentContext(), &kernels, NewStream(),
                    &delays_of_function};
  kernels.Prepare(2 * kMega);
  CHECK_ACL(aclrtSubscribeReport(service.native_handle(), stream));
  for (int round = 0; round < 4; ++round) {
    kernels.Add(stream, kMega);
    CHECK_ACL(aclrtLaunchCallback(LaunchElsewhere, &function,
                                  ACL_CALLBACK_BLOCK, stream));
    kernels.Add(stream, 2 * kMega);
    delays.Sometimes(9000);
    if (round % 2 == 1) CHECK_ACL(aclrtSynchronizeStream(stream));
  }
  CHECK_ACL(aclrtSynchronizeDevice());
  Say("clock", run.Picoseconds());
  is_over = true;
  service.join();
  return 0;
}

int Threads(const Part& part) {
  HostDelays delays(part.seed);
  delays.Always(10'000);
  std::thread other(WorkOfThread, part, 1);
  std::thread one(WorkOfThread, part, 0);
  one.join();
  other.join();
  return 0;
}

int Equal(const Part& part) {
  HostDelays delays(part.seed);
  Kernels kernels(/*is_timing_only=*/false);
  delays.Always(10'000);
  const Run run(part);
  const aclrtStream stream = NewStream();
  kernels.Prepare(kMega / 4);
  for (int round = 0; round < 10; ++round) {
    kernels.AddThere(stream, kMega / 4);
    CHECK_ACL(aclrtSynchronizeStream(stream));
    delays.Sometimes(2000);
  }
  Say("clock", run.Picoseconds());
  return 0;
}
