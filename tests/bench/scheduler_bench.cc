// What a grant costs in core/sched, by number of waiting streams: a request
// comes, a pass grants one, its units come back. The device is full and n
// streams wait all the time. The floor is one push and pop of the event queue
// with as many events, which every request pays for its end anyway: compare
// lines of one n. Costs may grow with n as the logarithm does.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/sched/scheduler.h"
#include "core/sim/rng.h"
#include "tests/bench/event_queue_floor.h"

namespace ascend::core {
namespace {

constexpr Claim kDevice = {.cube = 8, .aiv = 8, .dma = 4};
constexpr Claim kUnit = {.cube = 1, .aiv = 1};
constexpr int64_t kStreamCounts[] = {4, 64, 1024, 8192};

void BM_EventQueueFloor(benchmark::State& state) {
  EventQueueFloor floor(state.range(0));
  for (auto _ : state) floor.Step();
  state.SetItemsProcessed(state.iterations());
}

// A load that is played in a circle: each stream asks again when it was served.
class Load {
 public:
  // `claim_count` kinds of claim, no more than 6.
  Load(const Policy& policy, int64_t stream_count, int64_t tenant_count,
       bool is_sliced, uint64_t claim_count = 1)
      : scheduler_(policy, kDevice) {
    Rng rng(1);
    for (int64_t i = 0; i < stream_count; ++i) {
      const auto units = static_cast<uint32_t>(1 + rng.Below(claim_count));
      UnitRequest request{
          .task = TaskId(static_cast<uint32_t>(i)),
          .claim = {.cube = units, .aiv = units},
          .tenant = TenantId(static_cast<uint64_t>(i % tenant_count)),
          .priority = static_cast<uint32_t>(rng.Below(8)),
          .expected_ticks =
              1 + static_cast<Tick>(rng.Below(Microseconds(200)))};
      if (is_sliced) {
        request.claim = kUnit;
        request.slice_count = 8;
        request.slices_at_once = 8;
      }
      requests_.push_back(request);
      scheduler_.Enqueue(request);
    }
  }

  // One pass with so much free, and the ends of what it granted.
  size_t Step(const Claim& free) {
    granted_.clear();
    now_ += Microseconds(1);
    scheduler_.Dispatch(free, now_, &granted_);
    for (const TaskId task : granted_) {
      UnitRequest& request = requests_[task.value()];
      if (request.slice_count > 0) {
        if (!scheduler_.EndSlice(task, request.expected_ticks)) continue;
      } else {
        scheduler_.EndWhole(request.tenant, request.claim,
                            request.expected_ticks);
      }
      request.ready_tick = now_;
      scheduler_.Enqueue(request);
    }
    return granted_.size();
  }

 private:
  Scheduler scheduler_;
  std::vector<UnitRequest> requests_;
  std::vector<TaskId> granted_;
  Tick now_ = 0;
};

void BM_Grant(benchmark::State& state, absl::string_view policy_name,
              bool is_sliced, int64_t tenant_count) {
  const std::unique_ptr<Policy> policy = MakePolicy(policy_name);
  const int64_t streams = state.range(0);
  Load load(*policy, streams, tenant_count == 0 ? streams : tenant_count,
            is_sliced);
  size_t grant_count = 0;
  for (auto _ : state) grant_count += load.Step(kUnit);
  state.SetItemsProcessed(static_cast<int64_t>(grant_count));
}

// Claims of six sizes, of which few fit: what a pass pays for those it refuses.
void BM_GrantOfSixClaims(benchmark::State& state,
                         absl::string_view policy_name) {
  const std::unique_ptr<Policy> policy = MakePolicy(policy_name);
  Load load(*policy, state.range(0), /*tenant_count=*/16, /*is_sliced=*/false,
            /*claim_count=*/6);
  size_t grant_count = 0;
  for (auto _ : state) grant_count += load.Step({.cube = 6, .aiv = 6});
  state.SetItemsProcessed(static_cast<int64_t>(grant_count));
}

template <typename Run, typename... Args>
void Register(const std::string& name, Run run, Args... args) {
  auto* const line = benchmark::RegisterBenchmark(name.c_str(), run, args...);
  for (const int64_t count : kStreamCounts) line->Arg(count);
  line->ArgName("streams");
}

void RegisterAll() {
  Register("event_queue_floor", BM_EventQueueFloor);
  for (const bool is_sliced : {false, true}) {
    const char* const form = is_sliced ? "sliced" : "whole";
    for (const absl::string_view name : PolicyNames()) {
      Register(absl::StrCat(name, "/", form), BM_Grant, name, is_sliced, 16);
    }
    Register(absl::StrCat("drfq/", form, "/tenant_each"), BM_Grant, "drfq",
             is_sliced, 0);
  }
  for (const absl::string_view name : PolicyNames()) {
    Register(absl::StrCat(name, "/six_claims"), BM_GrantOfSixClaims, name);
  }
}

}  // namespace
}  // namespace ascend::core

int main(int argc, char** argv) {
  ascend::core::RegisterAll();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
