// LaunchCache: what it keeps and for how long, and that a machine which has it
// does what one without it would.
#include "core/machine/launch_cache.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/mem/device_window.h"
#include "gtest/gtest.h"
#include "tests/testing/machine_harness.h"

namespace ascend::core {
namespace {

LaunchKey KeyOf(absl::string_view args) {
  return {.kernel = KernelId(1), .num_blocks = 2, .args = args};
}

LaunchFacts FactsOf(uint64_t hbm_bytes) {
  return {.cost = {.hbm_bytes = hbm_bytes}};
}

// What is known of the launch, 0 when nothing is.
uint64_t Known(LaunchCache& cache, uint64_t free_count, const LaunchKey& key) {
  const LaunchFacts* const facts = cache.Find(free_count, key);
  return facts == nullptr ? 0 : facts->cost.hbm_bytes;
}

TEST(LaunchCacheTest, KnowsWhatItKeptByEveryPartOfTheKey) {
  LaunchCache cache;
  const LaunchKey key = KeyOf("args");
  std::vector<LaunchKey> keys(5, key);
  keys[1].kernel = KernelId(2);
  keys[2].num_blocks = 3;
  keys[3].device = DeviceId(1);
  keys[4].args = "argt";
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(Known(cache, 0, keys[i]), 0u) << i;
    cache.Keep(keys[i], FactsOf(i + 1));
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(Known(cache, 0, keys[i]), i + 1);
  }
}

TEST(LaunchCacheTest, KeepsTheArgumentsWhateverBecomesOfTheirOwner) {
  LaunchCache cache;
  std::string args(100, 'a');
  cache.Find(0, KeyOf(args));
  cache.Keep(KeyOf(args), FactsOf(7));
  args.replace(0, args.size(), args.size(), 'b');
  EXPECT_EQ(Known(cache, 0, KeyOf(std::string(100, 'a'))), 7u);
  EXPECT_EQ(Known(cache, 0, KeyOf(args)), 0u);
}

TEST(LaunchCacheTest, ForgetsWhatWasFoundBeforeAFree) {
  LaunchCache cache;
  cache.Find(1, KeyOf("a"));
  cache.Keep(KeyOf("a"), FactsOf(7));
  EXPECT_EQ(Known(cache, 1, KeyOf("a")), 7u);
  EXPECT_EQ(Known(cache, 2, KeyOf("a")), 0u);
  EXPECT_EQ(cache.launch_count(), 0u);
  EXPECT_EQ(cache.bytes(), 0u);
}

TEST(LaunchCacheTest, HoldsNoMoreLaunchesThanItMay) {
  LaunchCache cache;
  for (uint64_t i = 1; i <= 3 * LaunchCache::kLaunchesMax; ++i) {
    const std::string args = absl::StrCat(i);
    ASSERT_EQ(Known(cache, 0, KeyOf(args)), 0u);
    cache.Keep(KeyOf(args), FactsOf(i));
    ASSERT_EQ(Known(cache, 0, KeyOf(args)), i);
    ASSERT_LE(cache.launch_count(), LaunchCache::kLaunchesMax);
  }
}

TEST(LaunchCacheTest, HoldsNoMoreBytesThanItMay) {
  LaunchCache cache;
  const size_t size = LaunchCache::kBytesMax / 10;
  for (char c = 'a'; c <= 'z'; ++c) {
    const std::string args(size, c);
    cache.Find(0, KeyOf(args));
    LaunchFacts facts = FactsOf(1);
    facts.ranges.resize(10);
    cache.Keep(KeyOf(args), std::move(facts));
    EXPECT_EQ(Known(cache, 0, KeyOf(args)), 1u);
    EXPECT_GE(cache.bytes(),
              cache.launch_count() * (size + 10 * sizeof(DeviceRange)));
    EXPECT_LE(cache.bytes(), LaunchCache::kBytesMax);
  }
  const std::string huge(LaunchCache::kBytesMax + 1, 'a');
  cache.Find(0, KeyOf(huge));
  cache.Keep(KeyOf(huge), FactsOf(1));
  EXPECT_EQ(Known(cache, 0, KeyOf(huge)), 0u);
  EXPECT_GT(cache.launch_count(), 0u) << "others need not go for it";
}

// --- In the machine ----------------------------------------------------------

constexpr uint32_t kNormalOnly = 2;

// Whose tiles are so large that pages of 4 KiB cost more than huge ones.
DeviceSpec LargeTiles() {
  DeviceSpec spec = ExactSpec();
  spec.core_tile_bytes = kMib;
  return spec;
}

int check_count = 0;

// TestCatalog, whose kernels count how often they are asked whether a block is
// legal.
const Catalog& CountingCatalog() {
  static const Catalog* const catalog = [] {
    std::vector<KernelDescriptor> kernels(TestCatalog().descriptors().begin(),
                                          TestCatalog().descriptors().end());
    for (KernelDescriptor& kernel : kernels) {
      kernel.check = [](std::span<const std::byte> block) {
        ++check_count;
        return TestCatalog().Get(KernelId(kTestMix))->check(block);
      };
    }
    return new Catalog(std::move(kernels));
  }();
  return *catalog;
}

struct LaunchOutcome {
  Tick ticks = 0;  // from the launch to the end
  Reason reason = Reason::kNone;
  std::string message;

  friend bool operator==(const LaunchOutcome&, const LaunchOutcome&) = default;
  friend void PrintTo(const LaunchOutcome& outcome, std::ostream* out) {
    *out << outcome.ticks << " ticks, " << outcome.message;
  }
};

class RepeatedLaunchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    client_.CreateContext();
    stream_ = client_.default_stream;
    check_count = 0;
  }

  // Is slower where memory is in small extents.
  static TestKernelArgs Reads(uint64_t address) {
    return {.hbm_bytes = 10'200'000, .address = address, .bytes = 2 * kMib};
  }
  // Long after the kernel before it, so that no dispatch gap is left.
  LaunchOutcome Run(TestClient& client, Launch launch) {
    const Tick start = harness_.machine->now() + Microseconds(100);
    client.Send(std::move(launch), start);
    return End(client, start);
  }
  LaunchOutcome Run(TestClient& client, const TestKernelArgs& args,
                    bool is_timing_only = false) {
    return Run(client, Launch{.stream = client.default_stream,
                              .kernel = kTestMix,
                              .num_blocks = 1,
                              .args = args.ToBlock(),
                              .is_timing_only = is_timing_only});
  }
  LaunchOutcome Run(const TestKernelArgs& args) { return Run(client_, args); }
  LaunchOutcome End(TestClient& client, Tick start) {
    const Ticket done = client.SynchronizeStream(client.default_stream, start);
    harness_.RunUntilQuiet();
    const Reply* const reply = client.ReplyTo(done);
    EXPECT_NE(reply, nullptr);
    if (reply == nullptr) return {};
    return {reply->tick - start, ReasonOf(reply->status),
            std::string(reply->status.message())};
  }

  MachineHarness harness_{MachineOptions{
      .spec = LargeTiles(),
      .device_count = 2,
      .scheduling = {{"fifo", HoldMode::kGang}, {"fifo", HoldMode::kSplit}},
      .catalog = &CountingCatalog()}};
  TestClient client_{harness_, 1};
  StreamHandle stream_;
};

TEST_F(RepeatedLaunchTest, IsFoundOutOnceAndRunsTheSame) {
  const uint64_t address = client_.Malloc(4 * kMib, kNormalOnly);
  const LaunchOutcome first = Run(Reads(address));
  EXPECT_EQ(first.reason, Reason::kNone);
  EXPECT_EQ(Run(Reads(address)), first);
  EXPECT_EQ(Run(Reads(address)), first);
  EXPECT_EQ(check_count, 1);
  const std::vector<KernelJob>& jobs = harness_.runners.kernels;
  ASSERT_EQ(jobs.size(), 3u);
  for (const KernelJob& job : jobs) {
    EXPECT_EQ(job.args, Reads(address).ToBlock());
    ASSERT_EQ(job.ranges.size(), 1u);
    EXPECT_EQ(job.ranges[0].address, address);
    EXPECT_EQ(job.ranges[0].bytes, 2 * kMib);
  }
  EXPECT_EQ(client_.Usage().kernel_count, 3u);
}

// Of the first launch nothing but the time is wanted, of the second all.
TEST_F(RepeatedLaunchTest, MayBeTimingOnlyOneTimeAndRunTheNext) {
  const uint64_t address = client_.Malloc(4 * kMib, kNormalOnly);
  const LaunchOutcome timed =
      Run(client_, Reads(address), /*is_timing_only=*/true);
  EXPECT_EQ(harness_.runners.kernels.size(), 0u);
  EXPECT_EQ(Run(Reads(address)), timed);
  EXPECT_EQ(check_count, 1);
  ASSERT_EQ(harness_.runners.kernels.size(), 1u);
  ASSERT_EQ(harness_.runners.kernels[0].ranges.size(), 1u);
  EXPECT_EQ(harness_.runners.kernels[0].ranges[0].address, address);
  EXPECT_EQ(Run(client_, Reads(address), /*is_timing_only=*/true), timed);
}

TEST_F(RepeatedLaunchTest, IsRefusedOnceItsMemoryIsFreed) {
  TestClient other(harness_, 2, 2);
  other.CreateContext();
  ASSERT_EQ(other.Malloc(4 * kMib), client_.Malloc(4 * kMib));
  const uint64_t address = client_.Malloc(4 * kMib);
  ASSERT_EQ(Run(Reads(address)).reason, Reason::kNone);
  ASSERT_EQ(Run(Reads(address)).reason, Reason::kNone);
  client_.Send(Free{address}, harness_.machine->now());
  const LaunchOutcome freed = Run(Reads(address));
  EXPECT_EQ(freed.reason, Reason::kCubeFault);
  // As where nothing was ever launched.
  EXPECT_EQ(freed.message, Run(other, Reads(address)).message);
  EXPECT_EQ(Run(Reads(address)).message, freed.message);
  EXPECT_EQ(client_.Usage().kernel_count, 2u);
}

// A task that still runs keeps what it uses from being handed out, but not from
// being refused to a later one.
TEST_F(RepeatedLaunchTest, IsRefusedWhileItsMemoryIsInQuarantine) {
  const uint64_t address = client_.Malloc(4 * kMib);
  const Tick start = harness_.machine->now();
  const Launch launch{.stream = stream_,
                      .kernel = kTestMix,
                      .num_blocks = 1,
                      .args = Reads(address).ToBlock()};
  client_.Send(launch, start);
  client_.Send(Free{address}, start);
  client_.Send(launch, start);
  EXPECT_EQ(End(client_, start).reason, Reason::kCubeFault);
  EXPECT_EQ(client_.Usage().kernel_count, 1u);
}

// One whose argument block was fetched may use what was freed since; that says
// nothing about others.
TEST_F(RepeatedLaunchTest, IsNotLegalBecauseAFetchedOneWas) {
  const uint64_t address = client_.Malloc(4 * kMib);
  const uint64_t block = client_.Malloc(4 * kMib);
  harness_.runners.memory[block] = Reads(address).ToBlock();
  const Tick start = harness_.machine->now();
  // The first holds the stream up, so that the memory stays in quarantine.
  client_.Send(Launch{.stream = stream_,
                      .kernel = kTestMix,
                      .num_blocks = 1,
                      .args_address = block,
                      .args_bytes = sizeof(TestKernelArgs)},
               start);
  client_.Send(Free{address}, start);
  harness_.RunUntil(start + Microseconds(5));
  ASSERT_EQ(check_count, 1) << "it has been fetched";
  client_.Send(Launch{.stream = stream_,
                      .kernel = kTestMix,
                      .num_blocks = 1,
                      .args = Reads(address).ToBlock()},
               start);
  EXPECT_EQ(End(client_, start).reason, Reason::kCubeFault);
  EXPECT_EQ(client_.Usage().kernel_count, 1u);
}

TEST_F(RepeatedLaunchTest, CostsWhatItsMemoryNowCosts) {
  // More than is kept warm, so that the address goes back too.
  constexpr uint64_t kBytes = 512 * kMib;
  const uint64_t address = client_.Malloc(kBytes, kHugeFirst);
  const LaunchOutcome huge = Run(Reads(address));
  client_.Send(Free{address}, harness_.machine->now());
  harness_.RunUntilQuiet();
  ASSERT_EQ(client_.Malloc(kBytes, kNormalOnly), address);
  const LaunchOutcome normal = Run(Reads(address));
  EXPECT_EQ(normal.reason, Reason::kNone);
  EXPECT_GT(normal.ticks, huge.ticks);
  EXPECT_EQ(Run(Reads(address)), normal);
}

TEST_F(RepeatedLaunchTest, IsNotKnownFromAnotherSession) {
  TestClient other(harness_, 2, 2);
  other.CreateContext();
  const uint64_t address = client_.Malloc(4 * kMib, kHugeFirst);
  const LaunchOutcome huge = Run(Reads(address));
  EXPECT_EQ(Run(other, Reads(address)).reason, Reason::kCubeFault);
  ASSERT_EQ(other.Malloc(4 * kMib, kNormalOnly), address);
  EXPECT_GT(Run(other, Reads(address)).ticks, huge.ticks);
  EXPECT_EQ(Run(Reads(address)), huge);
}

TEST_F(RepeatedLaunchTest, IsAnotherOneWithOtherBlocks) {
  const auto run = [&](uint32_t num_blocks) {
    return Run(
        client_,
        Launch{.stream = stream_,
               .kernel = kTestMix,
               .num_blocks = num_blocks,
               .args = TestKernelArgs{.hbm_bytes = 10'200'000}.ToBlock()});
  };
  const LaunchOutcome one = run(1);
  EXPECT_LT(run(32).ticks, one.ticks);
  EXPECT_EQ(run(1), one);
}

TEST_F(RepeatedLaunchTest, IsAnotherOneOnAnotherDevice) {
  const auto held = [&](DeviceId device) {
    client_.CreateContext(device);
    const Tick start = harness_.machine->now();
    client_.Send(Launch{.stream = client_.default_stream,
                        .kernel = kTestMix,
                        .num_blocks = 8,
                        .args = TestKernelArgs{.hbm_bytes = 10'200'000,
                                               .vector_ticks = Microseconds(9)}
                                    .ToBlock()},
                 start);
    harness_.RunUntil(start + Microseconds(3));
    const Claim units = harness_.machine->GetDeviceUsage(device).units_held;
    harness_.RunUntilQuiet();
    return units;
  };
  // Gang, which takes units of both kinds, and split.
  EXPECT_GT(held(DeviceId(0)).aiv, 0u);
  EXPECT_EQ(held(DeviceId(1)).aiv, 0u);
  EXPECT_GT(held(DeviceId(0)).aiv, 0u);
}

TEST_F(RepeatedLaunchTest, ThatIsRefusedIsRefusedEachTime) {
  const TestKernelArgs bad{.is_legal = 0};
  const LaunchOutcome first = Run(bad);
  EXPECT_EQ(first.reason, Reason::kCubeFault);
  EXPECT_EQ(Run(bad).message, first.message);
  EXPECT_EQ(check_count, 2) << "only legal ones are kept";
  // Refused for what it names, until there is such memory.
  const uint64_t address = DeviceWindowVa(DeviceId(0));
  EXPECT_EQ(Run(Reads(address)).reason, Reason::kCubeFault);
  ASSERT_EQ(client_.Malloc(4 * kMib), address);
  EXPECT_EQ(Run(Reads(address)).reason, Reason::kNone);
}

}  // namespace
}  // namespace ascend::core
