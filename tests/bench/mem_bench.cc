// What an allocation costs the machine thread.
#include <benchmark/benchmark.h>

#include "core/mem/memory_manager.h"

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

constexpr SessionId kSession{1};

struct Bed {
  Bed() : manager({.devices = {Ascend910Spec()}}, backing) {
    manager.OpenSession(kSession, 0);
  }
  uint64_t Get(uint64_t bytes, uint32_t policy) {
    return manager
        .Allocate({.session = kSession, .bytes = bytes, .policy = policy})
        .va;
  }
  void Drop(uint64_t va) {
    benchmark::DoNotOptimize(manager.Free(kSession, LaneId(0), va, 0));
  }

  NullBacking backing;
  MemoryManager manager;
};

// One pair of malloc and free, `range(1)` = policy, beside live allocations.
void BM_AllocateAndFree(benchmark::State& state) {
  Bed bed;
  for (int64_t i = 0; i < state.range(2); ++i) bed.Get(4096, 2);
  const auto bytes = static_cast<uint64_t>(state.range(0));
  const auto policy = static_cast<uint32_t>(state.range(1));
  for (auto _ : state) bed.Drop(bed.Get(bytes, policy));
}
BENCHMARK(BM_AllocateAndFree)
    ->ArgNames({"bytes", "policy", "live"})
    ->Args({4096, 2, 0})
    ->Args({4096, 2, 100000})
    ->Args({4 << 20, 0, 0})
    ->Args({4 << 20, 2, 0})
    ->Args({128 << 20, 0, 100000})
    ->Args({int64_t{1} << 30, 0, 0})
    ->Args({int64_t{1} << 30, 2, 0})
    ->Args({int64_t{16} << 30, 2, 0});

// The weights of a model, never freed: 290 times 60 MiB, side by side.
void BM_AllocateWeights(benchmark::State& state) {
  for (auto _ : state) {
    Bed bed;
    for (int i = 0; i < 290; ++i)
      benchmark::DoNotOptimize(bed.Get(60 << 20, 0));
  }
  state.SetItemsProcessed(state.iterations() * 290);
}
BENCHMARK(BM_AllocateWeights);

void BM_Translate(benchmark::State& state) {
  Bed bed;
  for (int i = 0; i < 100000; ++i) bed.Get(4096, 2);
  const uint64_t va = bed.Get(static_cast<uint64_t>(state.range(0)),
                              static_cast<uint32_t>(state.range(1)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(bed.manager.Translate(
        kSession, va, static_cast<uint64_t>(state.range(0)), Reach::kLive));
  }
}
BENCHMARK(BM_Translate)
    ->ArgNames({"bytes", "policy"})
    ->Args({4096, 2})
    ->Args({4 << 20, 0})
    ->Args({4 << 20, 2})
    ->Args({int64_t{1} << 30, 2});

}  // namespace
}  // namespace ascend::core

BENCHMARK_MAIN();
