// What the policies do together with a load: the figures of the reference
// model's sections on queueing, starvation and fairness, at the level of units.

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "core/sched/policies/drfq.h"
#include "core/sched/policies/fair.h"
#include "core/sched/policies/fifo.h"
#include "core/sched/policies/srf.h"
#include "core/sched/policies/strict_priority.h"
#include "core/sched/scheduler.h"
#include "core/sim/rng.h"
#include "gtest/gtest.h"
#include "tests/testing/unit_loop.h"
#include "tests/unit/core/sched/device_and_tenants.h"

namespace ascend::core {
namespace {

UnitRequest Kernel(Claim claim, Tick ticks) {
  return {.claim = claim, .expected_ticks = ticks};
}

Tick Percentile(std::vector<Tick> values, size_t percent) {
  std::sort(values.begin(), values.end());
  return values.at(std::min(values.size() - 1, values.size() * percent / 100));
}

// Seven kernels of one unit, which end at 200, 240 .. 440 us; another comes at
// 100 us.
Tick WaitBesideSevenKernels(const Policy& policy, uint32_t units) {
  std::vector<StreamPlan> plans;
  for (Tick i = 0; i < 7; ++i) {
    plans.push_back({.program = {Kernel({.cube = 1, .aiv = 1},
                                        Microseconds(200 + 40 * i))}});
  }
  plans.push_back(
      {.start = Microseconds(100),
       .program = {Kernel({.cube = units, .aiv = units}, Microseconds(100))}});
  UnitLoop loop(policy, kDevice, plans);
  loop.Run();
  return loop.streams().back().waits.at(0);
}

TEST(PolicyModelTest, BesideSevenUnitsOnlyAClaimForOneStartsAtOnce) {
  for (const absl::string_view name : PolicyNames()) {
    SCOPED_TRACE(name);
    const auto policy = MakePolicy(name);
    EXPECT_EQ(WaitBesideSevenKernels(*policy, 1), 0);
    EXPECT_EQ(WaitBesideSevenKernels(*policy, 2), Microseconds(100));
    EXPECT_EQ(WaitBesideSevenKernels(*policy, 4), Microseconds(180));
    EXPECT_EQ(WaitBesideSevenKernels(*policy, 8), Microseconds(340));
  }
}

// Twelve streams of kernels of one unit, and one of kernels of four.
UnitLoop Flood(const Policy& policy) {
  std::vector<StreamPlan> plans;
  for (Tick i = 0; i < 12; ++i) {
    plans.push_back({.start = Microseconds(3 * i),
                     .gap = Nanoseconds(500),
                     .program = {Kernel({.cube = 1, .aiv = 1},
                                        Nanoseconds(61500 + 7000 * i))},
                     .rounds = StreamPlan::kForever});
  }
  plans.push_back(
      {.start = Microseconds(50),
       .gap = Nanoseconds(500),
       .program = {Kernel({.cube = 4, .aiv = 4}, Nanoseconds(101500))},
       .rounds = StreamPlan::kForever});
  UnitLoop loop(policy, kDevice, plans);
  loop.Run(Milliseconds(200));
  return loop;
}

TEST(PolicyModelTest, AReservationEndsTheStarvationOfLargeClaims) {
  for (const absl::string_view name : {"fifo", "strict_priority", "fair"}) {
    SCOPED_TRACE(name);
    const auto policy =
        MakePolicy(name, {.reserve_after_ticks = Microseconds(200)});
    const UnitLoop loop = Flood(*policy);
    const std::vector<Tick>& waits = loop.streams().back().waits;
    EXPECT_GE(waits.size(), 500u);
    EXPECT_LE(Percentile(waits, 99), Microseconds(300));
    EXPECT_GE(loop.CubeBusy(), 0.95);
  }
}

TEST(PolicyModelTest, WithoutAReservationLargeClaimsStarve) {
  const FifoPolicy policy({.reserve_after_ticks = kTickMax});
  const UnitLoop loop = Flood(policy);
  EXPECT_TRUE(loop.streams().back().waits.empty());
  EXPECT_GE(loop.CubeBusy(), 0.99);
}

// Tenants A with ten streams of (2 CUBE, 1 AIV), B with four of (1, 2), C with
// two of (1, 1) and 2 DMA; in the order A, B, C of priority.
std::map<TenantId, double> SharesOfThreeTenants(const Policy& policy,
                                                uint32_t weight_of_b = 1) {
  std::vector<StreamPlan> plans;
  const auto add = [&](TenantId tenant, uint32_t priority, Tick count,
                       Tick stagger, UnitRequest kernel) {
    for (Tick i = 0; i < count; ++i) {
      plans.push_back({.tenant = tenant,
                       .priority = priority,
                       .start = Microseconds(stagger * i),
                       .gap = Nanoseconds(900),
                       .gap_spread = Nanoseconds(200),
                       .program = {kernel},
                       .rounds = StreamPlan::kForever});
    }
  };
  add(kA, 0, 10, 11, Kernel({.cube = 2, .aiv = 1}, Nanoseconds(201500)));
  add(kB, 1, 4, 13, Kernel({.cube = 1, .aiv = 2}, Nanoseconds(201500)));
  add(kC, 2, 2, 7, Kernel({.cube = 1, .aiv = 1, .dma = 2}, Microseconds(200)));
  UnitLoop loop(policy, kDevice, plans);
  loop.scheduler().SetWeight(kB, weight_of_b);
  loop.Run(Milliseconds(400));
  return {{kA, loop.DominantShare(kA)},
          {kB, loop.DominantShare(kB)},
          {kC, loop.DominantShare(kC)}};
}

double Jain(const std::map<TenantId, double>& shares) {
  double sum = 0, squares = 0;
  for (const auto& [tenant, share] : shares) {
    sum += share;
    squares += share * share;
  }
  return sum * sum / (static_cast<double>(shares.size()) * squares);
}

constexpr PolicyOptions kReserveAfter400 = {.reserve_after_ticks =
                                                Microseconds(400)};

TEST(PolicyModelTest, FifoGivesToWhoAsksMost) {
  const auto shares = SharesOfThreeTenants(FifoPolicy(kReserveAfter400));
  EXPECT_NEAR(shares.at(kA), .72, .02);
  EXPECT_NEAR(shares.at(kB), .29, .02);
  EXPECT_NEAR(shares.at(kC), .29, .02);
  EXPECT_NEAR(Jain(shares), .818, .02);
}

TEST(PolicyModelTest, StrictPriorityAcrossTenantsLeavesTheOthersNothing) {
  const auto shares =
      SharesOfThreeTenants(StrictPriorityPolicy(kReserveAfter400));
  EXPECT_NEAR(shares.at(kA), 1, .02);
  EXPECT_NEAR(shares.at(kB), 0, .02);
  EXPECT_NEAR(shares.at(kC), 0, .02);
  EXPECT_NEAR(Jain(shares), .335, .02);
}

TEST(PolicyModelTest, DrfqMakesDominantSharesEqual) {
  const auto shares = SharesOfThreeTenants(DrfqPolicy(kReserveAfter400));
  EXPECT_NEAR(shares.at(kA), .50, .01);
  EXPECT_NEAR(shares.at(kB), .50, .01);
  EXPECT_NEAR(shares.at(kC), .50, .01);
  EXPECT_NEAR(Jain(shares), 1, .001);
}

TEST(PolicyModelTest, DrfqMakesDominantSharesFollowTheWeights) {
  const auto shares =
      SharesOfThreeTenants(DrfqPolicy(kReserveAfter400), /*weight_of_b=*/2);
  EXPECT_NEAR(shares.at(kA), .36, .01);
  EXPECT_NEAR(shares.at(kB), .72, .01);
  EXPECT_NEAR(shares.at(kC), .36, .01);
  EXPECT_NEAR(Jain(shares), .889, .005);
}

constexpr Tick kLongestSlice = Microseconds(150);

StreamPlan Backlog(TenantId tenant, Rng& rng, bool is_sliced) {
  StreamPlan plan{.tenant = tenant,
                  .priority = static_cast<uint32_t>(rng.Below(8)),
                  .rounds = StreamPlan::kForever};
  for (int i = 0; i < 20; ++i) {
    UnitRequest request = Kernel(
        {.cube = 1, .aiv = 1}, 1 + static_cast<Tick>(rng.Below(kLongestSlice)));
    if (is_sliced) {
      request.slice_count = 1 + static_cast<uint32_t>(rng.Below(30));
      request.slices_at_once = 8;
    }
    plan.program.push_back(request);
  }
  return plan;
}

// Nobody who is backlogged is ever further behind another than what the other
// may hold at one time.
class BacklogChecker : public UnitLoop::Watcher {
 public:
  explicit BacklogChecker(std::map<TenantId, uint32_t> weights)
      : weights_(std::move(weights)) {}

  void OnEnd(const UnitLoop& loop, const UnitLoop::Stream& stream) override {
    const UnitRequest& request = stream.request();
    served_[request.tenant] += static_cast<double>(request.expected_ticks) *
                               request.claim.cube / loop.capacity().cube /
                               weights_.at(request.tenant);
    double least = served_[request.tenant], most = least;
    for (const auto& [tenant, weight] : weights_) {
      least = std::min(least, served_[tenant]);
      most = std::max(most, served_[tenant]);
    }
    EXPECT_LE(most - least, kLongestSlice) << "at " << loop.now();
  }

 private:
  const std::map<TenantId, uint32_t> weights_;
  std::map<TenantId, double> served_;
};

TEST(PolicyModelTest, DrfqServesBackloggedTenantsByTheirWeights) {
  const DrfqPolicy policy(PolicyOptions{});
  const std::map<TenantId, uint32_t> weights = {{kA, 1}, {kB, 2}, {kC, 5}};
  for (uint64_t seed = 1; seed <= 20 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    std::vector<StreamPlan> plans;
    // Ten streams or more of each, so that each always has one that waits.
    for (const auto& [tenant, weight] : weights) {
      const uint64_t count = 10 + rng.Below(10);
      for (uint64_t i = 0; i < count; ++i) {
        plans.push_back(Backlog(tenant, rng, rng.Below(2) == 0));
      }
    }
    BacklogChecker checker(weights);
    UnitLoop loop(policy, kDevice, plans, &checker);
    for (const auto& [tenant, weight] : weights) {
      loop.scheduler().SetWeight(tenant, weight);
    }
    loop.Run(Milliseconds(50));
    EXPECT_NEAR(loop.DominantShare(kA), 1. / 8, .01);
    EXPECT_NEAR(loop.DominantShare(kB), 2. / 8, .01);
    EXPECT_NEAR(loop.DominantShare(kC), 5. / 8, .01);
  }
}

// One stream of A works alone, with gaps; B and its many streams come later,
// at whatever instant. From then on each gets its half, but what A cannot use.
TEST(PolicyModelTest, DrfqGivesAnIdleTenantNoCredit) {
  const DrfqPolicy policy(PolicyOptions{});
  for (Tick come = 0; come < 110; come += 5) {
    SCOPED_TRACE(come);
    std::vector<StreamPlan> plans = {
        {.tenant = kA,
         .gap = Microseconds(10),
         .program = {Kernel({.cube = 8, .aiv = 8}, Microseconds(100))},
         .rounds = StreamPlan::kForever}};
    for (int i = 0; i < 4; ++i) {
      plans.push_back(
          {.tenant = kB,
           .start = Milliseconds(11) + Microseconds(come),
           .program = {Kernel({.cube = 8, .aiv = 8}, Microseconds(100))},
           .rounds = StreamPlan::kForever});
    }
    UnitLoop loop(policy, kDevice, plans);
    loop.Run(Milliseconds(11));
    const size_t before = loop.streams()[0].waits.size();
    loop.Run(Milliseconds(13));
    const size_t after = loop.streams()[0].waits.size() - before;
    EXPECT_GE(after, 8u) << "of 20 turns";
  }
}

// A's streams ask for the most urgent priority; B's do not.
TEST(PolicyModelTest, DrfqDoesNotSellPriorityToOtherTenants) {
  const DrfqPolicy policy(PolicyOptions{});
  std::vector<StreamPlan> plans;
  for (uint32_t i = 0; i < 8; ++i) {
    for (const TenantId tenant : {kA, kB}) {
      plans.push_back(
          {.tenant = tenant,
           .priority = tenant == kA ? 0 : 7 - i % 2,
           .program = {Kernel({.cube = 4, .aiv = 4}, Microseconds(50))},
           .rounds = StreamPlan::kForever});
    }
  }
  UnitLoop loop(policy, kDevice, plans);
  loop.Run(Milliseconds(20));
  EXPECT_NEAR(loop.DominantShare(kA), .5, .01);
  EXPECT_NEAR(loop.DominantShare(kB), .5, .01);
  for (const UnitLoop::Stream& stream : loop.streams()) {
    // Inside B it counts: the less urgent streams get nothing.
    if (stream.plan.priority == 7) {
      EXPECT_EQ(stream.ended_count, 0u);
    } else {
      EXPECT_GT(stream.ended_count, 0u);
    }
  }
}

// A kernel of 1.5 ms as a whole, under an endless flood of short ones.
TEST(PolicyModelTest, SrfServesALongKernelWithinItsPatience) {
  const SrfPolicy policy({.reserve_after_ticks = Microseconds(200)});
  std::vector<StreamPlan> plans;
  for (Tick i = 0; i < 12; ++i) {
    plans.push_back(
        {.start = Microseconds(3 * i),
         .program = {Kernel({.cube = 1, .aiv = 1}, Microseconds(20 + i))},
         .rounds = StreamPlan::kForever});
  }
  UnitRequest lengthy = Kernel({.cube = 1, .aiv = 1}, Microseconds(20));
  lengthy.slice_count = 600;
  lengthy.slices_at_once = 8;
  const Tick patience = SrfPolicy::kPatience * Microseconds(1500);
  plans.push_back({.start = Microseconds(500), .program = {lengthy}});
  UnitLoop loop(policy, kDevice, plans);
  loop.Run(Milliseconds(60));
  const std::vector<Tick>& waits = loop.streams().back().waits;
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_GE(waits[0], patience / 2) << "the flood does not hinder it";
  EXPECT_LE(waits[0], patience + Microseconds(31));
}

// The waits of an urgent stream of short kernels beside a long sliced one.
Tick UrgentWait(const PolicyOptions& options) {
  const StrictPriorityPolicy policy(options);
  UnitRequest lengthy = Kernel({.cube = 1, .aiv = 1}, Microseconds(20));
  lengthy.slice_count = 600;
  lengthy.slices_at_once = 8;
  std::vector<StreamPlan> plans = {
      {.priority = 5, .program = {lengthy}},
      {.priority = 0,
       .start = Microseconds(110),
       .gap = Microseconds(30),
       .program = {Kernel({.cube = 1, .aiv = 1}, Microseconds(10))},
       .rounds = 40}};
  UnitLoop loop(policy, kDevice, plans);
  loop.Run();
  const std::vector<Tick>& waits = loop.streams().back().waits;
  return *std::max_element(waits.begin(), waits.end());
}

TEST(PolicyModelTest, PreemptionBoundsAnUrgentWaitByOneSlice) {
  EXPECT_LE(UrgentWait({.preempts = true}), Microseconds(20));
  EXPECT_GE(UrgentWait({.preempts = false}), Microseconds(1300));
}

}  // namespace
}  // namespace ascend::core
