// Parts that hold the clock: properly, for too long, or without saying why.
#include <atomic>
#include <thread>

#include "tests/integration/clock/clock_program.h"

namespace {

constexpr int kRounds = 200;

void DoRounds(const Kernels& kernels, aclrtStream stream, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    kernels.Add(stream, kMega);
    CHECK_ACL(aclrtSynchronizeStream(stream));
  }
}

int Hear(const Part& part, bool says_so) {
  Kernels kernels;
  const Run run(part);
  const aclrtStream stream = NewStream();
  kernels.Prepare(kMega);
  kernels.Add(stream, kMega);
  Say("begun");
  if (says_so) CHECK_ACL(ascrtBlocked());
  AwaitLine();
  DoRounds(kernels, stream, 1);
  CHECK_ACL(ascrtIdle());
  Say("done");
  return 0;
}

}  // namespace

int Info(const Part&) {
  CHECK_ACL(aclrtSetDevice(0));
  ascrtRunInfo info = {};
  CHECK_ACL(ascrtGetRunInfo(&info));
  Say("participants", info.participants);
  Say("left", info.left);
  Say("hash", info.traceHash);
  Say("tasks", info.tasks);
  Say("late", info.lateCalls);
  Say("demoted", info.demotedLanes);
  Say("evicted", info.evictedLanes);
  return 0;
}

int Work(const Part& part) {
  HostDelays delays(part.seed);
  Kernels kernels;
  const Run run(part);
  const aclrtStream stream = NewStream();
  kernels.Prepare(kMega);
  Say("begun");
  DoRounds(kernels, stream, kRounds);
  CHECK_ACL(ascrtIdle());
  Say("done");
  AwaitLine();
  return 0;
}

int EndThreads(const Part&) {
  Kernels kernels;
  const aclrtStream stream = NewStream();
  kernels.Prepare(kMega);
  for (int i = 0; i < 20; ++i) {
    CHECK_ACL(ascrtBlocked());
    std::thread([&] {
      CHECK_ACL(aclrtSetDevice(0));
      DoRounds(kernels, NewStream(), 1);
    }).join();
    DoRounds(kernels, stream, 1);
  }
  Say("done");
  return 0;
}

int Endless(const Part& part) {
  Kernels kernels;
  const Run run(part);
  const aclrtStream stream = NewStream();
  kernels.Prepare(kMega);
  DoRounds(kernels, stream, 1);
  Say("begun");
  for (;;) DoRounds(kernels, stream, 1);
}

int Submit(const Part& part) {
  Kernels kernels;
  const Run run(part);
  const aclrtStream stream = NewStream();
  // Slower than it is launched, so that the stream fills.
  kernels.Prepare(16 * kMega);
  for (uint64_t count = 0;; ++count) {
    kernels.Add(stream, 16 * kMega);
    // More than a stream holds.
    if (count == 4000) Say("begun");
  }
}

int StandStill(const Part& part) {
  Kernels kernels;
  const Run run(part);
  const aclrtStream stream = NewStream();
  kernels.Prepare(kMega);
  kernels.Add(stream, kMega);
  Say("begun");
  AwaitLine();
  DoRounds(kernels, stream, kRounds);
  CHECK_ACL(ascrtIdle());
  Say("done");
  return 0;
}

int TellLater(const Part& part) {
  Kernels kernels;
  const Run run(part);
  const aclrtStream stream = NewStream();
  kernels.Prepare(kMega);
  DoRounds(kernels, stream, kRounds);
  Say("byte");
  DoRounds(kernels, stream, kRounds);
  CHECK_ACL(ascrtIdle());
  Say("done");
  return 0;
}

int HearUnsaid(const Part& part) { return Hear(part, /*says_so=*/false); }
int HearSaid(const Part& part) { return Hear(part, /*says_so=*/true); }

int Attach(const Part&) {
  Kernels kernels;
  kernels.Prepare(kMega);
  const aclrtStream stream = NewStream();
  Say("attached");
  AwaitLine();
  DoRounds(kernels, stream, 10);
  Say("done");
  AwaitLine();
  return 0;
}

int Flood(const Part& part) {
  // More than the daemon takes of a process that is ahead of the clock.
  constexpr int kStreams = 12;
  constexpr int kLaunches = 2000;
  Kernels kernels;
  kernels.Prepare(kMega);
  // All that is answered comes before the run, in which the other thread holds
  // the clock until it is ahead of it.
  aclrtStream streams[kStreams];
  for (aclrtStream& stream : streams) stream = NewStream();
  const aclrtStream others = NewStream();
  std::atomic<bool> is_ahead = false;
  std::thread other([&] {
    CHECK_ACL(aclrtSetDevice(0));
    const Run run(part, 1);
    while (!is_ahead) std::this_thread::yield();
    DoRounds(kernels, others, 1);
  });
  const Run run(part);
  for (int i = 0; i < kLaunches; ++i) {
    for (const aclrtStream stream : streams) kernels.Add(stream, kMega / 64);
  }
  is_ahead = true;
  other.join();
  CHECK_ACL(aclrtSynchronizeDevice());
  CHECK_ACL(ascrtIdle());
  Say("done");
  return 0;
}
