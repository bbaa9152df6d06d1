// Random sessions on one machine: what must hold after every step, and that a
// run is a function of its seed. ASCEND_RTD_FUZZ_SEED=n runs the one seed n.

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/fuzz/core/machine/fuzz_client.h"
#include "tests/fuzz/core/machine/fuzz_runners.h"
#include "tests/testing/fake_hbm_backing.h"
#include "tests/testing/recording_observer.h"

namespace ascend::core {
namespace {

constexpr uint32_t kDeviceCount = 2;
constexpr size_t kClientCount = 4;

struct RunOptions {
  uint64_t seed = 1;
  uint64_t host_seed = 1;  // of the order in which jobs end
  // Jobs end before their tasks are due, and so change nothing that is seen.
  bool is_punctual = false;
};

// Small limits, so that they are reached.
DeviceSpec SmallSpec() {
  DeviceSpec spec = Ascend910Spec();
  spec.streams_max = 12;
  spec.stream_depth = 12;
  spec.events_max = 6;
  return spec;
}

class FuzzRun {
 public:
  explicit FuzzRun(const RunOptions& options)
      : options_(options), rng_(options.seed), runners_(options.host_seed) {
    machine_ = std::make_unique<Machine>(
        MachineOptions{
            .spec = SmallSpec(),
            .device_count = kDeviceCount,
            .scheduling = {{Draw(2) == 0 ? "fifo" : "strict_priority"}},
            .seed = options.seed,
            .catalog = &TestCatalog()},
        backing_, runners_, observer_);
    runners_.Watch(machine_.get());
    clients_.resize(kClientCount);
  }

  void Go(int step_count) {
    for (int i = 0; i < step_count && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(absl::StrCat("step ", i));
      StepClient(clients_[Draw(kClientCount)]);
      if (Draw(4) == 0) Advance();
      if (Draw(200) == 0) RunDry();
      Check();
      if (i % 100 == 0) CheckAnswers();
    }
    RunDry();
    for (const auto& client : clients_) {
      if (client != nullptr) machine_->CloseSession(client->session());
    }
    RunDry();
    CheckGone();
  }

  const std::vector<std::string>& log() const { return observer_.log; }

 private:
  uint64_t Draw(uint64_t bound) { return rng_.Below(bound); }
  bool IsClosed(const FuzzClient& client) const {
    return observer_.closed.count(client.session()) > 0;
  }

  void StepClient(std::unique_ptr<FuzzClient>& client) {
    if (client == nullptr || IsClosed(*client)) {
      client = std::make_unique<FuzzClient>(
          SessionId(++session_count_), *machine_, runners_, observer_, rng_);
      return;
    }
    const uint64_t fate = Draw(1000);
    if (fate < 3) return machine_->CloseSession(client->session());
    if (fate < 6 && !client->expects_violation()) return client->Misbehave();
    client->Step();
  }

  // Some way on; a host that is not punctual may be late with any job.
  void Advance() {
    const Tick horizon =
        machine_->now() + static_cast<Tick>(Draw(Microseconds(100)));
    AdvanceTo(horizon);
    if (options_.is_punctual) return;
    if (Draw(2) == 0) runners_.EndOne();
    if (Draw(10) == 0) runners_.EndAll();
  }

  void AdvanceTo(Tick horizon) {
    if (!options_.is_punctual) return machine_->AdvanceTo(horizon);
    for (;;) {
      // Fetches take no simulated time.
      runners_.EndDue(machine_->now());
      const auto next = machine_->NextEventTime();
      if (!next.has_value() || *next >= horizon) return;
      runners_.EndDue(*next);
      machine_->AdvanceTo(*next + 1);
    }
  }

  // Until nothing is left to happen.
  void RunDry() {
    bool is_quiet = false;
    while (!is_quiet) {
      AdvanceTo(kTickMax);
      runners_.EndAll();
      is_quiet = !machine_->NextEventTime().has_value();
      for (const auto& client : clients_) {
        if (client == nullptr || IsClosed(*client)) continue;
        if (client->FinishHostFunctions()) is_quiet = false;
      }
    }
    for (uint32_t d = 0; d < kDeviceCount; ++d) {
      const DeviceUsage usage = machine_->GetDeviceUsage(DeviceId(d));
      EXPECT_EQ(usage.units_held, Claim{});
      EXPECT_EQ(usage.tasks_waiting, 0u);
      EXPECT_EQ(usage.hbm_quarantined_bytes, 0u);
    }
    for (const auto& client : clients_) {
      if (client == nullptr || IsClosed(*client)) continue;
      client->CheckAnswers(/*is_idle=*/true);
      SessionUsage usage;
      EXPECT_TRUE(machine_->GetSessionUsage(client->session(), &usage));
      EXPECT_EQ(usage.tasks_pending, 0u);
    }
    CheckUnitTicks();
  }

  // The sessions' units add up to the devices'.
  void CheckUnitTicks() {
    UsageTicks cube = 0, aiv = 0, dma = 0;
    const auto add = [&](const auto& usage, int sign) {
      cube += sign * usage.cube_unit_ticks;
      aiv += sign * usage.aiv_unit_ticks;
      dma += sign * usage.dma_unit_ticks;
    };
    for (const auto& [id, usage] : observer_.closed) add(usage, 1);
    for (const auto& client : clients_) {
      SessionUsage usage;
      if (client == nullptr) continue;
      if (!machine_->GetSessionUsage(client->session(), &usage)) continue;
      add(usage, 1);
    }
    for (uint32_t d = 0; d < kDeviceCount; ++d) {
      add(machine_->GetDeviceUsage(DeviceId(d)), -1);
    }
    EXPECT_TRUE(cube == 0 && aiv == 0 && dma == 0);
  }

  void Check() {
    EXPECT_GE(machine_->now(), last_now_);
    last_now_ = machine_->now();
    const DeviceSpec& spec = machine_->options().spec;
    for (uint32_t d = 0; d < kDeviceCount; ++d) {
      const DeviceUsage usage = machine_->GetDeviceUsage(DeviceId(d));
      EXPECT_LE(usage.units_held.cube, spec.cube_units);
      EXPECT_LE(usage.units_held.aiv, spec.aiv_units);
      EXPECT_LE(usage.units_held.dma, spec.dma_units);
    }
    for (const auto& client : clients_) {
      if (client == nullptr || client->expects_violation()) continue;
      EXPECT_EQ(observer_.violations.count(client->session()), 0u)
          << observer_.violations.at(client->session());
    }
  }

  void CheckAnswers() {
    for (const auto& client : clients_) {
      if (client != nullptr) client->CheckAnswers(/*is_idle=*/false);
    }
  }

  void CheckGone() {
    EXPECT_EQ(observer_.closed.size(), session_count_);
    EXPECT_TRUE(backing_.live.empty());
    EXPECT_TRUE(runners_.is_idle());
    for (uint32_t d = 0; d < kDeviceCount; ++d) {
      EXPECT_EQ(machine_->GetDeviceUsage(DeviceId(d)).hbm_used_bytes, 0u);
    }
  }

  const RunOptions options_;
  Rng rng_;
  FuzzRunners runners_;
  FakeHbmBacking backing_;
  RecordingObserver observer_;
  std::unique_ptr<Machine> machine_;
  std::vector<std::unique_ptr<FuzzClient>> clients_;
  uint64_t session_count_ = 0;
  Tick last_now_ = 0;
};

// The seeds to run: `count` from 1, or the one that is asked for.
template <typename Body>
void ForSeeds(uint64_t count, Body body) {
  uint64_t first = 1, last = count;
  if (const char* one = std::getenv("ASCEND_RTD_FUZZ_SEED")) {
    first = last = std::strtoull(one, nullptr, 10);
  }
  for (uint64_t seed = first; seed <= last && !::testing::Test::HasFailure();
       ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    body(seed);
  }
}

void ExpectSameLog(const FuzzRun& a, const FuzzRun& b) {
  const size_t size = std::min(a.log().size(), b.log().size());
  for (size_t i = 0; i < size; ++i) {
    ASSERT_EQ(a.log()[i], b.log()[i]) << "at entry " << i << " of " << size;
  }
  EXPECT_EQ(a.log().size(), b.log().size());
}

constexpr int kStepCount = 3000;

TEST(MachineFuzz, InvariantsHoldWhateverTheHostDoes) {
  ForSeeds(60, [](uint64_t seed) {
    FuzzRun({.seed = seed, .host_seed = seed}).Go(kStepCount);
  });
}

TEST(MachineFuzz, TheSameRunHasTheSameTranscript) {
  ForSeeds(15, [](uint64_t seed) {
    FuzzRun first({.seed = seed, .host_seed = seed});
    FuzzRun second({.seed = seed, .host_seed = seed});
    first.Go(kStepCount);
    second.Go(kStepCount);
    ExpectSameLog(first, second);
  });
}

TEST(MachineFuzz, APunctualHostIsNotSeenInTheTranscript) {
  ForSeeds(15, [](uint64_t seed) {
    FuzzRun first({.seed = seed, .host_seed = 1, .is_punctual = true});
    FuzzRun second({.seed = seed, .host_seed = 2, .is_punctual = true});
    first.Go(kStepCount);
    second.Go(kStepCount);
    EXPECT_GT(first.log().size(), 100u);
    ExpectSameLog(first, second);
  });
}

}  // namespace
}  // namespace ascend::core
