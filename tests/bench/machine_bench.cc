// What the machine thread pays for a task, in the machine alone: from Submit
// to retirement, all streams busy at once. A line of n streams is one round, in
// which each stream gets one task; items per second are what to compare, and
// they should hardly fall with n. `floors` is how many times the event queue
// alone (event_queue_floor.h) a kernel takes; the target for 64 streams is a
// million kernels a second.
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "acl/ascend_rtd_ops.h"
#include "core/base/check.h"
#include "core/kernels/catalog.h"
#include "core/machine/machine.h"
#include "tests/bench/event_queue_floor.h"
#include "tests/testing/test_kernels.h"

namespace ascend::core {
namespace {

class NullBacking : public HbmBacking {
 public:
  absl::Status CreateSegment(const SegmentKey&, const SegmentWindow&) override {
    return absl::OkStatus();
  }
  void ReleaseSegment(const SegmentKey&) override {}
  void Scrub(const SegmentKey&, uint64_t, uint64_t) override {}
};

// Keeps what was allocated.
class NullObserver : public Observer {
 public:
  void OnReply(SessionId, Reply reply) override {
    if (const auto* malloc = std::get_if<MallocReply>(&reply.payload)) {
      allocated.push_back(malloc->address);
    }
  }
  void OnHostData(SessionId, Ticket, std::string) override {}
  void OnStreamProgress(SessionId, StreamHandle, uint64_t) override {}
  void OnHostFunctionDue(SessionId, Ticket, Tick, bool) override {}
  void OnTaskFailed(SessionId, TaskFailure) override {}
  void OnProtocolViolation(SessionId, absl::Status why) override {
    ASCEND_CHECK(false) << why.message();
  }
  void OnSessionClosed(SessionId, const SessionUsage&) override {}

  std::vector<uint64_t> allocated;  // addresses
};

// Keeps the names of the jobs that were started.
class NullRunners : public Runners {
 public:
  void StartKernel(KernelJob job) override { started.push_back(job.id); }
  void StartCopy(CopyJob job) override { started.push_back(job.id); }
  void StartFill(FillJob job) override { started.push_back(job.id); }
  void StartFetch(FetchJob job) override { started.push_back(job.id); }
  void CancelJobs(SessionId) override {}
  void StartTimer(TimerId, Tick) override {}
  void CancelTimer(TimerId) override {}

  std::vector<JobId> started;
};

constexpr SessionId kSession{1};

struct Bed {
  explicit Bed(int64_t stream_count, const Catalog& catalog = TestCatalog())
      : machine({.spec = Ascend910Spec(), .catalog = &catalog}, backing,
                runners, observer) {
    machine.OpenSession(kSession, {});
    for (int64_t i = 0; i < stream_count; ++i) {
      const auto index = static_cast<uint32_t>(i);
      streams.push_back({index, 1});
      events.push_back({index, 1});
      Send(CreateContext{ContextHandle{index, 1}, DeviceId(0), streams.back()});
      Send(CreateEvent{events.back(), DeviceId(0)});
    }
    RunUntilQuiet();
  }

  void Send(Operation operation) {
    machine.Submit(kSession, {.ticket = Ticket(++last_ticket),
                              .lane = LaneId(1),
                              .stamp = machine.now(),
                              .operation = std::move(operation)});
  }
  void RunUntilQuiet() {
    for (;;) {
      for (const JobId job : runners.started) machine.OnJobDone(job, {});
      runners.started.clear();
      const auto next = machine.NextEventTime();
      if (!next.has_value()) return;
      machine.AdvanceTo(*next + 1);
    }
  }

  NullBacking backing;
  NullRunners runners;
  NullObserver observer;
  Machine machine;
  uint64_t last_ticket = 0;
  std::vector<StreamHandle> streams;
  std::vector<EventHandle> events;
};

// Kernels that take memory traffic, if `range(1)`, else none.
void BM_Kernel(benchmark::State& state) {
  Bed bed(state.range(0));
  const std::string args =
      TestKernelArgs{.hbm_bytes = state.range(1) != 0 ? 100'000u : 0u}
          .ToBlock();
  const double floor_ns = EventQueueFloor(state.range(0)).Nanoseconds();
  const auto begin = std::chrono::steady_clock::now();
  for (auto _ : state) {
    for (const StreamHandle stream : bed.streams) {
      bed.Send(Launch{
          .stream = stream, .kernel = kTestMix, .num_blocks = 1, .args = args});
    }
    bed.RunUntilQuiet();
  }
  const std::chrono::duration<double, std::nano> time =
      std::chrono::steady_clock::now() - begin;
  const auto tasks = static_cast<double>(state.iterations() * state.range(0));
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["floors"] = time.count() / tasks / floor_ns;
}
BENCHMARK(BM_Kernel)
    ->ArgNames({"streams", "traffic"})
    ->ArgsProduct({{1, 64, 1984}, {0, 1}});

// A launch as a program that decodes makes it: a matrix product of the built-in
// package on memory of its own among 1000 allocations. `distinct` launches take
// turns, so that with more than LaunchCache::kLaunchesMax none is known.
void BM_Product(benchmark::State& state) {
  Bed bed(1, Catalog::Builtin());
  constexpr int64_t kSide = 64;
  constexpr size_t kBytes = size_t{kSide} * kSide * sizeof(float);
  for (int i = 0; i < 1000; ++i) bed.Send(Malloc{DeviceId(0), kBytes, 0});
  bed.RunUntilQuiet();
  const std::vector<uint64_t>& memory = bed.observer.allocated;
  const auto at = [&](size_t i) {
    return reinterpret_cast<void*>(memory[i % memory.size()]);
  };
  std::vector<std::string> blocks;
  for (size_t i = 0; i < static_cast<size_t>(state.range(0)); ++i) {
    ascrtMatmulArgs args{};
    args.size = sizeof(args);
    args.a = at(i);
    args.b = at(i + 1);
    args.c = at(i + 2);
    args.m = 1 + static_cast<int64_t>(i / memory.size());
    args.n = kSide;
    args.k = kSide;
    args.data_type = ASCRT_DT_FLOAT;
    blocks.emplace_back(reinterpret_cast<const char*>(&args), sizeof(args));
  }
  const uint32_t matmul = Catalog::Builtin().Find(ASCRT_OP_MATMUL)->id.value();
  size_t next = 0;
  for (auto _ : state) {
    bed.Send(Launch{.stream = bed.streams.front(),
                    .kernel = matmul,
                    .num_blocks = 32,
                    .args = blocks[next],
                    .is_timing_only = true});
    next = next + 1 == blocks.size() ? 0 : next + 1;
    bed.RunUntilQuiet();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Product)->ArgName("distinct")->Arg(1)->Arg(881)->Arg(5000);

// Each stream records its event, and the next one waits for it.
void BM_RecordAndWait(benchmark::State& state) {
  Bed bed(state.range(0));
  const size_t count = bed.streams.size();
  for (auto _ : state) {
    for (size_t i = 0; i < count; ++i) {
      bed.Send(RecordEvent{bed.events[i], bed.streams[i]});
      bed.Send(WaitEvent{bed.streams[(i + 1) % count], bed.events[i]});
    }
    bed.RunUntilQuiet();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_RecordAndWait)->ArgName("streams")->Arg(1)->Arg(64)->Arg(1984);

// A request that is answered at once: the floor of every command.
void BM_Query(benchmark::State& state) {
  Bed bed(state.range(0));
  for (auto _ : state) {
    bed.Send(QueryStream{bed.streams.front()});
    bed.RunUntilQuiet();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Query)->ArgName("streams")->Arg(1)->Arg(1984);

// A session that waits for its whole device, all streams busy.
void BM_SynchronizeDevice(benchmark::State& state) {
  Bed bed(state.range(0));
  for (auto _ : state) {
    for (size_t i = 0; i < bed.streams.size(); ++i) {
      bed.Send(RecordEvent{bed.events[i], bed.streams[i]});
    }
    bed.Send(Synchronize{.target = Synchronize::Target::kDevice});
    bed.RunUntilQuiet();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_SynchronizeDevice)->ArgName("streams")->Arg(64)->Arg(1984);

}  // namespace
}  // namespace ascend::core

BENCHMARK_MAIN();
