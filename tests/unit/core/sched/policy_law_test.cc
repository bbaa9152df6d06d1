// Laws that hold for every policy with every option: random loads of whole and
// sliced requests on a device of 8/8/4 units, judged at every grant and at the
// end of every pass. The checks know the rules of policy.h and scheduler.h, but
// not how the scheduler finds whom it grants.

#include <algorithm>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "core/sched/claim.h"
#include "core/sched/policies/srf.h"
#include "core/sched/scheduler.h"
#include "core/sched/tenant_shares.h"
#include "core/sim/rng.h"
#include "gtest/gtest.h"
#include "tests/testing/unit_loop.h"
#include "tests/unit/core/sched/device_and_tenants.h"

namespace ascend::core {
namespace {

using LoopStream = UnitLoop::Stream;

constexpr Tick kLongestHold = Microseconds(200);

bool HasStarted(const LoopStream& stream) {
  return stream.candidate.is_sliced() && stream.has_grant;
}

// Judges a load while it plays.
class LawChecker : public UnitLoop::Watcher {
 public:
  explicit LawChecker(const Policy& policy)
      : policy_(policy), shares_(kDevice) {}

  void OnRequest(const UnitLoop&, const LoopStream& stream) override {
    shares_.Enter(stream.request().tenant, stream.request().claim);
    shares_.StartWaiting(stream.request().tenant, stream.request().claim);
  }

  void OnGrant(const UnitLoop& loop, const LoopStream& granted) override {
    ASSERT_TRUE(granted.is_waiting())
        << Name(granted) << " is granted what it did not ask for";
    ASSERT_TRUE(Fits(granted.request().claim, loop.free()))
        << Name(granted) << " is granted more than is free";
    ++grant_counts_[granted.request().task];
    for (const LoopStream& other : loop.streams()) {
      if (!other.is_waiting() || !Fits(other.request().claim, loop.free())) {
        continue;
      }
      // In order; equal ranks in order of arrival.
      if (Goes(other, granted)) {
        EXPECT_TRUE(IsKeptOut(loop, other))
            << Name(granted) << " goes before " << Name(other) << " at "
            << loop.now();
      }
      if (MayNotPass(granted, other)) {
        EXPECT_TRUE(IsKeptOut(loop, other))
            << Name(granted) << " overtakes " << Name(other) << " at "
            << loop.now();
      }
    }
    if (first_.has_value() && !Goes(loop.streams()[*first_], granted)) {
      first_.reset();  // it is not the first of all any more
    }
    if (!WaitsAfterGrant(granted)) {
      shares_.StopWaiting(granted.request().tenant, granted.request().claim);
    }
  }

  void OnEnd(const UnitLoop&, const LoopStream& stream) override {
    const UnitRequest& request = stream.request();
    shares_.Charge(request.tenant, request.claim, request.expected_ticks);
    if (!stream.is_open) shares_.Leave(request.tenant, request.claim);
    // One that ran as many slices as may has begun to wait again.
    if (stream.is_waiting() &&
        stream.candidate.slices_running + 1 == request.slices_at_once) {
      shares_.StartWaiting(request.tenant, request.claim);
    }
  }

  void OnPassEnd(const UnitLoop& loop) override {
    const LoopStream* first = nullptr;
    size_t waiting_count = 0;
    for (const LoopStream& stream : loop.streams()) {
      if (!stream.is_waiting()) continue;
      ++waiting_count;
      if (Fits(stream.request().claim, loop.free())) {
        EXPECT_TRUE(IsKeptOut(loop, stream))
            << Name(stream) << " fits and waits at " << loop.now();
      }
      if (first == nullptr || Goes(stream, *first)) first = &stream;
    }
    EXPECT_EQ(const_cast<UnitLoop&>(loop).scheduler().waiting_count(),
              waiting_count);
    CheckStarvation(loop, first);
  }

  uint64_t grants_of(TaskId task) const {
    const auto found = grant_counts_.find(task);
    return found == grant_counts_.end() ? 0 : found->second;
  }
  // How often a request waited as the first of all until units were kept for
  // it, so that the law was put to the test.
  int reservation_count() const { return reservation_count_; }

 private:
  static std::string Name(const LoopStream& stream) {
    return absl::StrCat("stream ", stream.request().task.value(), " (",
                        stream.request().claim.cube, "/",
                        stream.request().claim.aiv, "/",
                        stream.request().claim.dma, ")");
  }

  static bool WaitsAfterGrant(const LoopStream& stream) {
    const Candidate& candidate = stream.candidate;
    return candidate.slices_left > 1 &&
           candidate.slices_running + 1 < candidate.request.slices_at_once;
  }

  // Whether `a` comes before `b`.
  bool Goes(const LoopStream& a, const LoopStream& b) const {
    const TenantId tenant_a = a.request().tenant;
    const TenantId tenant_b = b.request().tenant;
    if (policy_.shares_among_tenants() && tenant_a != tenant_b) {
      return std::make_tuple(shares_.VirtualTime(tenant_a), tenant_a) <
             std::make_tuple(shares_.VirtualTime(tenant_b), tenant_b);
    }
    return std::make_tuple(policy_.RankOf(a.candidate), a.arrival) <
           std::make_tuple(policy_.RankOf(b.candidate), b.arrival);
  }

  // Whether one before it waits too long, does not fit, and wants units of a
  // kind that `stream` wants.
  bool IsKeptOut(const UnitLoop& loop, const LoopStream& stream) const {
    return std::any_of(
        loop.streams().begin(), loop.streams().end(),
        [&](const LoopStream& other) {
          const UnitRequest& request = other.request();
          return other.is_waiting() && !Fits(request.claim, loop.free()) &&
                 loop.now() - request.ready_tick >=
                     policy_.reserve_after_ticks() &&
                 Compete(request.claim, stream.request().claim) &&
                 Goes(other, stream);
        });
  }

  // What the policy declares by OvertakenFor.
  bool MayNotPass(const LoopStream& later, const LoopStream& stream) const {
    if (later.request().tenant != stream.request().tenant) return false;
    if (HasStarted(later) || HasStarted(stream)) return false;
    const absl::optional<Tick> bound = policy_.OvertakenFor(stream.request());
    return bound.has_value() &&
           later.request().ready_tick - stream.request().ready_tick > *bound;
  }

  // The first of all is granted within the bound of policy.h.
  void CheckStarvation(const UnitLoop& loop, const LoopStream* first) {
    if (first == nullptr) return first_.reset();
    const size_t index = first->request().task.value();
    if (first_ != index || first_grants_ != grants_of(first->request().task)) {
      first_ = index;
      first_grants_ = grants_of(first->request().task);
      first_since_ = loop.now();
    }
    const Tick aged =
        first->request().ready_tick + policy_.reserve_after_ticks();
    if (loop.now() >= aged) ++reservation_count_;
    EXPECT_LE(loop.now(), std::max(first_since_, aged) + kLongestHold)
        << Name(*first) << " starves";
  }

  const Policy& policy_;
  TenantShares shares_;  // fed by what happens, read for the order of tenants
  std::map<TaskId, uint64_t> grant_counts_;
  absl::optional<size_t> first_;  // of the streams: the first of all, so far
  uint64_t first_grants_ = 0;
  Tick first_since_ = 0;
  int reservation_count_ = 0;
};

// Streams of three tenants; kernels, slices and copies.
std::vector<StreamPlan> RandomPlans(uint64_t seed) {
  Rng rng(seed);
  const auto units = [&rng](uint32_t bound) {
    return 1 + static_cast<uint32_t>(rng.Below(bound));
  };
  const auto ticks = [&rng](Tick bound) {
    return 1 + static_cast<Tick>(rng.Below(static_cast<uint64_t>(bound)));
  };
  std::vector<StreamPlan> plans;
  const uint32_t stream_count = 4 + units(16);
  for (uint32_t i = 0; i < stream_count; ++i) {
    StreamPlan plan{.tenant = TenantId(rng.Below(3)),
                    .priority = units(8) - 1,
                    .start = ticks(Microseconds(500)),
                    .gap = ticks(Microseconds(80)),
                    .rounds = units(3)};
    const uint32_t length = units(20);
    for (uint32_t k = 0; k < length; ++k) {
      UnitRequest request{.expected_ticks = ticks(kLongestHold)};
      switch (rng.Below(5)) {
        case 0:
          request.claim.dma = units(2);
          break;
        case 1:
          request.claim.aiv = units(4);
          break;
        case 2:
          request.claim.cube = units(8);
          request.claim.aiv = request.claim.cube;
          break;
        default:
          request.claim.cube = 1;
          request.claim.aiv = units(2) - 1;
          request.slice_count = units(40);
          request.slices_at_once = units(8);
          request.expected_ticks = ticks(Microseconds(40));
      }
      plan.program.push_back(request);
    }
    plans.push_back(plan);
  }
  return plans;
}

struct LawCase {
  absl::string_view policy;
  bool has_ageing;
  bool preempts;

  std::unique_ptr<Policy> Make() const {
    return MakePolicy(policy,
                      {.reserve_after_ticks = Microseconds(300),
                       .ageing_ticks = has_ageing ? Microseconds(400) : 0,
                       .preempts = preempts});
  }
};

std::string NameOf(const LawCase& law) {
  return absl::StrCat(law.policy, law.has_ageing ? "_ageing" : "",
                      law.preempts ? "_preempts" : "");
}

void PrintTo(const LawCase& law, std::ostream* os) { *os << NameOf(law); }

std::vector<LawCase> AllCases() {
  std::vector<LawCase> cases;
  for (const absl::string_view name : PolicyNames()) {
    for (const bool has_ageing : {false, true}) {
      for (const bool preempts : {false, true}) {
        cases.push_back({name, has_ageing, preempts});
      }
    }
  }
  return cases;
}

class PolicyLawTest : public ::testing::TestWithParam<LawCase> {
 protected:
  std::unique_ptr<Policy> policy_ = GetParam().Make();
};

TEST_P(PolicyLawTest, HasTheNameItIsMadeBy) {
  ASSERT_NE(policy_, nullptr);
  EXPECT_EQ(policy_->name(), GetParam().policy);
}

// LawChecker holds the laws; here is counted what was served.
TEST_P(PolicyLawTest, HoldsTheLawsUnderRandomLoads) {
  int reservation_count = 0;
  for (uint64_t seed = 1; seed <= 30 && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const std::vector<StreamPlan> plans = RandomPlans(seed);
    LawChecker checker(*policy_);
    UnitLoop loop(*policy_, kDevice, plans, &checker);
    loop.Run();
    for (size_t i = 0; i < plans.size(); ++i) {
      uint64_t grant_count = 0;
      for (const UnitRequest& request : plans[i].program) {
        grant_count += std::max(request.slice_count, 1u);
      }
      EXPECT_EQ(checker.grants_of(TaskId(static_cast<uint32_t>(i))),
                grant_count * plans[i].rounds);
      EXPECT_EQ(loop.streams()[i].ended_count,
                plans[i].program.size() * plans[i].rounds);
    }
    EXPECT_EQ(loop.free(), kDevice);
    EXPECT_EQ(loop.scheduler().waiting_count(), 0u);
    reservation_count += checker.reservation_count();
  }
  EXPECT_GT(reservation_count, 100) << "the loads are too light";
}

TEST_P(PolicyLawTest, IsDeterministic) {
  const auto play = [&] {
    UnitLoop loop(*policy_, kDevice, RandomPlans(5));
    loop.Run();
    return loop.grants();
  };
  EXPECT_EQ(play(), play());
}

// A flood of small kernels, and a claim for the whole device that is first in
// order from the start.
TEST_P(PolicyLawTest, KeepsItsStarvationBound) {
  std::vector<StreamPlan> plans;
  for (Tick i = 0; i < 12; ++i) {
    plans.push_back({.tenant = TenantId(1),
                     .start = Microseconds(3 * i),
                     .program = {{.claim = {.cube = 1, .aiv = 1},
                                  .expected_ticks = Microseconds(60 + 7 * i)}},
                     .rounds = StreamPlan::kForever});
  }
  plans.push_back({.tenant = TenantId(1),
                   .start = Microseconds(100),
                   .program = {{.claim = {.cube = 8, .aiv = 8},
                                .expected_ticks = Microseconds(30)}}});
  UnitLoop loop(*policy_, kDevice, plans);
  loop.Run(Milliseconds(20));
  const LoopStream& large = loop.streams().back();
  ASSERT_EQ(large.waits.size(), 1u);
  const Tick bound = policy_->OvertakenFor(large.request()).value() +
                     policy_->reserve_after_ticks() + Microseconds(60 + 7 * 11);
  EXPECT_LE(large.waits[0], bound);
  EXPECT_GE(large.waits[0], policy_->reserve_after_ticks())
      << "the flood does not hinder it, so the bound is not tested";
}

INSTANTIATE_TEST_SUITE_P(All, PolicyLawTest, ::testing::ValuesIn(AllCases()),
                         [](const ::testing::TestParamInfo<LawCase>& param) {
                           return NameOf(param.param);
                         });

TEST(PolicyTest, NoOtherNameMakesAPolicy) {
  EXPECT_EQ(MakePolicy("round_robin"), nullptr);
  EXPECT_EQ(MakePolicy(""), nullptr);
}

}  // namespace
}  // namespace ascend::core
