#include <dirent.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "acl/ascend_rtd_ops.h"
#include "core/base/error.h"
#include "gtest/gtest.h"
#include "server/machine_host.h"
#include "tests/integration/in_process/host_driver.h"

namespace ascend::server {
namespace {

using core::Reason;
using core::Ticket;

constexpr uint64_t kMiB = uint64_t{1} << 20;

MachineHostOptions SmallOptions() {
  MachineHostOptions options;
  options.machine.spec = core::Ascend910Spec();
  options.kernel_threads = 2;
  return options;
}

std::unique_ptr<MachineHost> MakeHost(MachineHostOptions options) {
  auto host = MachineHost::Create(std::move(options));
  EXPECT_TRUE(host.ok()) << host.status();
  return *std::move(host);
}

std::string Pattern(uint64_t bytes, uint64_t seed) {
  std::string pattern(bytes, '\0');
  for (uint64_t i = 0; i < bytes; ++i) {
    pattern[i] = static_cast<char>(i * 37 + i / 4096 + seed);
  }
  return pattern;
}

std::string Floats(size_t count, float first, float step) {
  std::string bytes(count * sizeof(float), '\0');
  for (size_t i = 0; i < count; ++i) {
    const float value = first + step * static_cast<float>(i);
    std::memcpy(&bytes[i * sizeof(float)], &value, sizeof(float));
  }
  return bytes;
}

template <typename Args>
core::Launch LaunchOf(core::StreamHandle stream, uint32_t kernel,
                      const Args& args) {
  core::Launch launch;
  launch.stream = stream;
  launch.kernel = kernel;
  launch.num_blocks = 8;
  launch.args.assign(reinterpret_cast<const char*>(&args), sizeof(args));
  return launch;
}

// z = x + y over `count` floats.
core::Launch AddOf(core::StreamHandle stream, uint32_t kernel, uint64_t x,
                   uint64_t y, uint64_t z, int64_t count) {
  ascrtAddArgs args{};
  args.size = sizeof(args);
  args.x = reinterpret_cast<const void*>(x);
  args.y = reinterpret_cast<const void*>(y);
  args.z = reinterpret_cast<void*>(z);
  args.count = count;
  args.data_type = ASCRT_DT_FLOAT;
  return LaunchOf(stream, kernel, args);
}

core::Synchronize SynchronizeOf(core::StreamHandle stream) {
  core::Synchronize synchronize;
  synchronize.stream = stream;
  return synchronize;
}

size_t OpenDescriptorCount() {
  size_t count = 0;
  DIR* const directory = opendir("/proc/self/fd");
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  return count;
}

// Waits until the host has no session, and so holds nothing of any.
bool WaitUntilEmpty(MachineHost& host) {
  const auto deadline = HostClock::Now() + std::chrono::seconds(30);
  while (HostClock::Now() < deadline) {
    if (host.Snapshot().sessions.empty()) return true;
  }
  return false;
}

TEST(HostTest, AKernelComputesOnUploadedBytes) {
  const std::unique_ptr<MachineHost> host = MakeHost(SmallOptions());
  HostDriver driver(*host);
  ASSERT_TRUE(driver.status().ok()) << driver.status();
  const auto kernel = driver.KernelId(ASCRT_OP_ADD);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  // One size that travels inline and one in chunks.
  for (const size_t count : {size_t{1000}, size_t{1'000'003}}) {
    const uint64_t bytes = count * sizeof(float);
    const auto x = driver.Malloc(bytes);
    const auto y = driver.Malloc(bytes);
    const auto z = driver.Malloc(bytes);
    ASSERT_TRUE(x.ok() && y.ok() && z.ok());
    ASSERT_TRUE(driver.Upload(*x, Floats(count, 1, 0.5f)).ok());
    ASSERT_TRUE(driver.Upload(*y, Floats(count, 2, 0.25f)).ok());
    driver.Post(AddOf(driver.stream(), *kernel, *x, *y, *z,
                      static_cast<int64_t>(count)));
    const auto reply = driver.Call(SynchronizeOf(driver.stream()));
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_GT(reply->tick, 0);
    const auto sum = driver.Download(*z, bytes);
    ASSERT_TRUE(sum.ok()) << sum.status();
    EXPECT_TRUE(*sum == Floats(count, 3, 0.75f));
  }
}

TEST(HostTest, LargeCopiesInBothDirectionsKeepEveryByte) {
  const std::unique_ptr<MachineHost> host = MakeHost(SmallOptions());
  HostDriver driver(*host);
  const std::string bytes = Pattern(33 * kMiB + 13, 1);
  const auto source = driver.Malloc(bytes.size());
  const auto target = driver.Malloc(bytes.size());
  ASSERT_TRUE(source.ok() && target.ok());
  ASSERT_TRUE(driver.Upload(*source, bytes).ok());
  core::Copy copy;
  copy.stream = driver.stream();
  copy.kind = core::CopyKind::kDeviceToDevice;
  copy.source = *source;
  copy.target = *target;
  copy.bytes = bytes.size();
  driver.Post(copy);
  ASSERT_TRUE(driver.Call(SynchronizeOf(driver.stream())).ok());
  const auto got = driver.Download(*target, bytes.size());
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_TRUE(*got == bytes);
}

TEST(HostTest, FillSetsExactlyItsBytes) {
  const std::unique_ptr<MachineHost> host = MakeHost(SmallOptions());
  HostDriver driver(*host);
  const auto memory = driver.Malloc(3 * kMiB);
  ASSERT_TRUE(memory.ok());
  core::Fill fill;
  fill.address = *memory + 5;
  fill.bytes = 2 * kMiB;
  fill.value = 0x7e;
  fill.wants_reply = true;
  ASSERT_TRUE(driver.Call(fill).ok());
  const auto got = driver.Download(*memory, 3 * kMiB);
  ASSERT_TRUE(got.ok());
  EXPECT_TRUE(*got == std::string(5, '\0') + std::string(2 * kMiB, 0x7e) +
                          std::string(kMiB - 5, '\0'));
}

// A posts launches that double a vector and a record, then tells B, which has
// its own lane and stream and whose wait and copy come after.
bool OrderOfThreadsHolds(MachineHost& host) {
  constexpr size_t kCount = 64;
  constexpr int kDoublings = 20;
  HostDriver driver(host);
  const auto kernel = driver.KernelId(ASCRT_OP_ADD);
  const auto memory = driver.Malloc(kCount * sizeof(float));
  EXPECT_TRUE(kernel.ok() && memory.ok());
  const core::StreamHandle other{1, 1};
  EXPECT_TRUE(
      driver.Call(core::CreateStream{other, core::ContextHandle{0, 1}, 0})
          .ok());
  EXPECT_TRUE(driver.Upload(*memory, Floats(kCount, 1, 1)).ok());
  const core::EventHandle event{0, 1};
  driver.Call(core::QueryStream{other}).IgnoreError();
  driver.Post(core::CreateEvent{event, core::DeviceId(0)});
  std::thread a([&] {
    std::vector<core::Operation> batch;
    for (int i = 0; i < kDoublings; ++i) {
      batch.push_back(
          AddOf(driver.stream(), *kernel, *memory, *memory, *memory, kCount));
    }
    batch.push_back(core::RecordEvent{event, driver.stream()});
    driver.PostBatch(std::move(batch));
  });
  a.join();
  bool holds = false;
  std::thread b([&] {
    const core::LaneId lane(2);
    driver.PostFrom(lane, 0, core::WaitEvent{other, event});
    core::Copy copy;
    copy.stream = other;
    copy.kind = core::CopyKind::kDeviceToHost;
    copy.source = *memory;
    copy.bytes = kCount * sizeof(float);
    copy.wants_reply = true;
    const auto reply = driver.WaitForReply(driver.PostFrom(lane, 0, copy));
    holds = reply.has_value() && reply->status.ok() &&
            driver.HostData(reply->ticket) ==
                Floats(kCount, 1 << kDoublings, 1 << kDoublings);
  });
  b.join();
  return holds;
}

TEST(HostTest, WhatOneThreadPostsBeforeAnotherComesFirst) {
  const std::unique_ptr<MachineHost> host = MakeHost(SmallOptions());
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(OrderOfThreadsHolds(*host)) << i;
}

TEST(HostTest, WithTicketsIgnoredTheOrderOfThreadsIsLost) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "a kernel and a copy that nobody orders are a data race";
#endif
  MachineHostOptions options = SmallOptions();
  options.ignore_tickets_for_test = true;
  const std::unique_ptr<MachineHost> host = MakeHost(std::move(options));
  int failures = 0;
  for (int i = 0; i < 20; ++i) failures += OrderOfThreadsHolds(*host) ? 0 : 1;
  EXPECT_GT(failures, 0);
}

TEST(HostTest, SessionsDoNotSeeEachOthersBytes) {
  const std::unique_ptr<MachineHost> host = MakeHost(SmallOptions());
  HostDriver a(*host);
  const auto of_a = a.Malloc(4 * kMiB);
  ASSERT_TRUE(of_a.ok());
  ASSERT_TRUE(a.Upload(*of_a, Pattern(4 * kMiB, 1)).ok());
  HostDriver b(*host);
  const auto of_b = b.Malloc(4 * kMiB);
  ASSERT_TRUE(of_b.ok());
  EXPECT_EQ(*of_a, *of_b) << "the same address in both address spaces";
  const auto got = b.Download(*of_b, 4 * kMiB);
  ASSERT_TRUE(got.ok());
  EXPECT_TRUE(*got == std::string(4 * kMiB, '\0'));
}

TEST(HostTest, AClientThatDiesInMidUploadLeavesNothing) {
  const std::unique_ptr<MachineHost> host = MakeHost(SmallOptions());
  const size_t descriptors = OpenDescriptorCount();
  HostDriver survivor(*host);
  auto victim = std::make_unique<HostDriver>(*host, /*is_silent=*/true);
  const auto memory = victim->Malloc(64 * kMiB);
  ASSERT_TRUE(memory.ok());
  core::Copy up;
  up.stream = victim->stream();
  up.target = *memory;
  up.bytes = 32 * kMiB;
  const Ticket ticket = victim->Post(up);
  core::Copy down;
  down.kind = core::CopyKind::kDeviceToHost;
  down.source = *memory;
  down.bytes = 32 * kMiB;
  down.wants_reply = true;
  victim->Post(down);
  ASSERT_TRUE(victim->WaitForTransferDue(ticket));
  host->ReceiveUpload(victim->session(), ticket, 0, Pattern(kMiB, 1), [] {});
  victim.reset();
  // The copies waited for the client: nothing but its end ends them.
  const auto deadline = HostClock::Now() + std::chrono::seconds(30);
  HostSnapshot snapshot = host->Snapshot();
  while (snapshot.sessions.size() != 1 && HostClock::Now() < deadline) {
    snapshot = host->Snapshot();
  }
  ASSERT_EQ(snapshot.sessions.size(), 1u);
  EXPECT_EQ(snapshot.sessions[0].id, survivor.session());
  EXPECT_EQ(snapshot.devices[0].hbm_used_bytes, 0u);
  EXPECT_EQ(snapshot.protocol_violations, 0u);
  EXPECT_TRUE(survivor.Malloc(kMiB).ok());
  host->Shutdown(HostClock::Now());
  EXPECT_LE(OpenDescriptorCount(), descriptors);
}

TEST(HostTest, AHundredSessionsComeAndGo) {
  const std::unique_ptr<MachineHost> host = MakeHost(SmallOptions());
  {
    std::vector<std::unique_ptr<HostDriver>> drivers;
    for (int i = 0; i < 100; ++i) {
      drivers.push_back(std::make_unique<HostDriver>(*host));
      ASSERT_TRUE(drivers.back()->status().ok());
      const auto memory = drivers.back()->Malloc(kMiB);
      ASSERT_TRUE(memory.ok()) << memory.status();
      ASSERT_TRUE(drivers.back()->Upload(*memory, Pattern(kMiB, 3)).ok());
    }
    const HostSnapshot snapshot = host->Snapshot();
    EXPECT_EQ(snapshot.sessions.size(), 100u);
    EXPECT_EQ(snapshot.sessions_opened, 100u);
    EXPECT_GE(snapshot.devices[0].hbm_used_bytes, 100 * kMiB);
    for (auto& driver : drivers) {
      host->CloseSession(driver->session());
      host->CloseSession(driver->session());
    }
  }
  ASSERT_TRUE(WaitUntilEmpty(*host));
  EXPECT_EQ(host->Snapshot().devices[0].hbm_used_bytes, 0u);
}

TEST(HostTest, TheSnapshotShowsWhoUsesWhat) {
  const std::unique_ptr<MachineHost> host = MakeHost(SmallOptions());
  HostDriver driver(*host);
  const auto memory = driver.Malloc(kMiB);
  ASSERT_TRUE(memory.ok());
  ASSERT_TRUE(driver.Upload(*memory, Pattern(kMiB, 1)).ok());
  const HostSnapshot snapshot = host->Snapshot();
  ASSERT_EQ(snapshot.devices.size(), 1u);
  EXPECT_EQ(snapshot.devices[0].hbm_total_bytes,
            host->options().machine.spec.hbm_bytes);
  ASSERT_EQ(snapshot.sessions.size(), 1u);
  const SessionSnapshot& row = snapshot.sessions[0];
  EXPECT_EQ(row.id, driver.session());
  EXPECT_EQ(row.peer.transport, "in-process");
  EXPECT_EQ(row.program, "test");
  EXPECT_GE(row.age.count(), 0);
  EXPECT_EQ(row.usage.context_count, 1u);
  EXPECT_EQ(row.usage.copy_count, 1u);
  EXPECT_EQ(row.usage.copied_bytes, kMiB);
  EXPECT_GE(row.usage.hbm_used_bytes, kMiB);
  EXPECT_GT(snapshot.tick, 0);
}

TEST(HostTest, TheNumberOfSessionsIsLimited) {
  MachineHostOptions options = SmallOptions();
  options.sessions_max = 2;
  const std::unique_ptr<MachineHost> host = MakeHost(std::move(options));
  HostDriver first(*host);
  auto second = std::make_unique<HostDriver>(*host);
  EXPECT_EQ(core::ReasonOf(HostDriver(*host).status()), Reason::kQuotaExceeded);
  const core::SessionId gone = second->session();
  second.reset();
  const auto deadline = HostClock::Now() + std::chrono::seconds(30);
  while (host->Snapshot().sessions.size() == 2 && HostClock::Now() < deadline) {
  }
  HostDriver third(*host);
  EXPECT_TRUE(third.status().ok());
  EXPECT_GT(third.session(), gone) << "ids are never reused";
}

TEST(HostTest, AnImpossibleCommandEndsItsSessionAlone) {
  const std::unique_ptr<MachineHost> host = MakeHost(SmallOptions());
  HostDriver good(*host);
  HostDriver bad(*host);
  bad.Post(core::RecordEvent{core::EventHandle{5, 5}, bad.stream()});
  const auto why = bad.WaitForEnd();
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(core::ReasonOf(*why), Reason::kProtocolViolation) << *why;
  EXPECT_TRUE(good.Malloc(kMiB).ok());
  EXPECT_EQ(host->Snapshot().protocol_violations, 1u);
}

TEST(HostTest, ATicketThatRepeatsEndsItsSession) {
  const std::unique_ptr<MachineHost> host = MakeHost(SmallOptions());
  HostDriver bad(*host);
  core::Command command;
  command.ticket = Ticket(1);
  command.operation = core::QueryStream{bad.stream()};
  bad.PostRaw({command});
  ASSERT_TRUE(bad.WaitForEnd().has_value());
  EXPECT_EQ(host->Snapshot().protocol_violations, 1u);
}

TEST(HostTest, AHostileChunkEndsItsSession) {
  const std::unique_ptr<MachineHost> host = MakeHost(SmallOptions());
  HostDriver bad(*host);
  host->ReceiveUpload(bad.session(), Ticket(77), 0, std::string("bytes"),
                      [] {});
  const auto why = bad.WaitForEnd();
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(core::ReasonOf(*why), Reason::kProtocolViolation);
}

TEST(HostTest, TheTransportCanEndASession) {
  const std::unique_ptr<MachineHost> host = MakeHost(SmallOptions());
  HostDriver bad(*host);
  host->EndSession(bad.session(),
                   core::MakeError(Reason::kProtocolViolation, "garbage"));
  host->EndSession(bad.session(),
                   core::MakeError(Reason::kProtocolViolation, "more"));
  const auto why = bad.WaitForEnd();
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->message(), "garbage");
  EXPECT_EQ(host->Snapshot().protocol_violations, 1u);
}

TEST(HostTest, CallsForUnknownSessionsDoNothing) {
  const std::unique_ptr<MachineHost> host = MakeHost(SmallOptions());
  const core::SessionId nobody(999);
  host->Post(nobody, std::vector<core::Command>(3));
  bool is_consumed = false;
  host->ReceiveUpload(nobody, Ticket(1), 0, std::string("x"),
                      [&] { is_consumed = true; });
  host->FailUpload(nobody, Ticket(1), absl::AbortedError("x"));
  host->DownloadDone(nobody, Ticket(1), absl::OkStatus());
  host->AttachBulk(nobody, nullptr);
  host->CloseSession(nobody);
  host->EndSession(nobody, absl::AbortedError("x"));
  EXPECT_TRUE(is_consumed);
  EXPECT_EQ(host->Snapshot().protocol_violations, 0u);
}

TEST(HostTest, AFloodIsHeldBackAndThenDrained) {
  const std::unique_ptr<MachineHost> host = MakeHost(SmallOptions());
  HostDriver driver(*host);
  ASSERT_TRUE(driver.status().ok());
  std::vector<core::Command> flood;
  for (uint64_t i = 0; i <= MachineHost::kPendingCommandsMax; ++i) {
    core::Command& command = flood.emplace_back();
    command.ticket = Ticket(2 + i);  // 1 made the context
    command.lane = core::LaneId(1);
    command.operation = core::QueryStream{driver.stream()};
  }
  EXPECT_FALSE(driver.PostRaw(std::move(flood)));
  EXPECT_TRUE(driver.WaitForDrained());
  EXPECT_TRUE(driver.WaitForReply(Ticket(2 + MachineHost::kPendingCommandsMax))
                  .has_value());
}

// Holds the device clock near 0 for as long as it lives, in a host of endless
// patience.
class ClockHolder {
 public:
  explicit ClockHolder(MachineHost& host) : driver_(host) {
    driver_.Post(core::CreateEvent{core::EventHandle{0, 1}, core::DeviceId(0)});
    driver_.Post(core::RecordEvent{core::EventHandle{0, 1}, driver_.stream()});
  }

 private:
  HostDriver driver_;
};

MachineHostOptions PatientOptions() {
  MachineHostOptions options = SmallOptions();
  options.clock.patience = std::chrono::hours(1);
  return options;
}

// Posts `operation` with a stamp that does not come, a batch at a time, each
// after the machine has the one before.
bool IsHeldBackAfter(MachineHost& host, HostDriver& driver, size_t count,
                     const core::Operation& operation, Ticket first) {
  constexpr size_t kBatch = 64;
  for (size_t posted = 0; posted < count; posted += kBatch) {
    std::vector<core::Command> batch;
    for (size_t i = 0; i < kBatch; ++i) {
      batch.push_back({Ticket(first.value() + posted + i), core::LaneId(1),
                       core::kTicksPerSecond, operation});
    }
    if (!driver.PostRaw(std::move(batch))) return true;
    host.Snapshot();
  }
  return false;
}

TEST(HostTest, CommandsThatWaitForTheClockHoldTheirSessionBack) {
  const std::unique_ptr<MachineHost> host = MakeHost(PatientOptions());
  HostDriver driver(*host);
  auto holder = std::make_unique<ClockHolder>(*host);
  EXPECT_TRUE(IsHeldBackAfter(*host, driver,
                              MachineHost::kPendingCommandsMax + 4096,
                              core::QueryStream{driver.stream()}, Ticket(2)));
  holder.reset();  // time goes on
  EXPECT_TRUE(driver.WaitForDrained());
  EXPECT_TRUE(driver.WaitForReply(Ticket(2 + MachineHost::kPendingCommandsMax))
                  .has_value());
}

TEST(HostTest, WhatTheyCarryCountsToo) {
  const std::unique_ptr<MachineHost> host = MakeHost(PatientOptions());
  HostDriver driver(*host);
  const auto memory = driver.Malloc(core::kInlineBytesMax);
  ASSERT_TRUE(memory.ok());
  auto holder = std::make_unique<ClockHolder>(*host);
  core::Copy copy;
  copy.stream = driver.stream();
  copy.target = *memory;
  copy.bytes = core::kInlineBytesMax;
  copy.inline_data.assign(core::kInlineBytesMax, 'x');
  EXPECT_TRUE(IsHeldBackAfter(
      *host, driver, 2 * MachineHost::kPendingBytesMax / core::kInlineBytesMax,
      copy, Ticket(3)));
  holder.reset();
  EXPECT_TRUE(driver.WaitForDrained());
}

TEST(HostTest, AHeldSessionEndsLikeAnyOther) {
  const std::unique_ptr<MachineHost> host = MakeHost(PatientOptions());
  const ClockHolder holder(*host);
  auto driver = std::make_unique<HostDriver>(*host);
  ASSERT_TRUE(IsHeldBackAfter(*host, *driver,
                              MachineHost::kPendingCommandsMax + 4096,
                              core::QueryStream{driver->stream()}, Ticket(2)));
  driver.reset();
  const auto deadline = HostClock::Now() + std::chrono::seconds(30);
  while (host->Snapshot().sessions.size() != 1) {
    ASSERT_LT(HostClock::Now(), deadline);
  }
}

core::Copy InlineDownloadOf(uint64_t address, uint64_t bytes) {
  core::Copy copy;
  copy.kind = core::CopyKind::kDeviceToHost;
  copy.source = address;
  copy.bytes = bytes;
  copy.wants_reply = true;
  return copy;
}

TEST(HostTest, CopiesToAClientWithoutRoomWaitForIt) {
  const std::unique_ptr<MachineHost> host = MakeHost(SmallOptions());
  HostDriver driver(*host);
  const auto memory = driver.Malloc(1000);
  ASSERT_TRUE(memory.ok());
  ASSERT_TRUE(driver.Upload(*memory, Pattern(1000, 1)).ok());
  driver.SetHasRoom(false);
  const Ticket first = driver.Post(InlineDownloadOf(*memory, 1000));
  const Ticket second = driver.Post(InlineDownloadOf(*memory + 1, 999));
  core::Fill fill;
  fill.address = *memory;
  fill.bytes = 1;
  fill.value = 0x7e;
  fill.wants_reply = true;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(driver.Call(fill).ok()) << "what sends nothing goes on";
  }
  EXPECT_FALSE(driver.IsAnswered(first) || driver.IsAnswered(second));
  driver.SetHasRoom(true);
  host->OnRoom(driver.session());
  ASSERT_TRUE(driver.WaitForReply(first).has_value());
  ASSERT_TRUE(driver.WaitForReply(second).has_value());
  EXPECT_EQ(driver.HostData(second), Pattern(1000, 1).substr(1));
}

TEST(HostTest, CopiesThatWaitForRoomEndWithTheirSession) {
  const std::unique_ptr<MachineHost> host = MakeHost(SmallOptions());
  auto driver = std::make_unique<HostDriver>(*host);
  const auto memory = driver->Malloc(1000);
  ASSERT_TRUE(memory.ok());
  driver->SetHasRoom(false);
  driver->Post(InlineDownloadOf(*memory, 1000));
  ASSERT_TRUE(driver->Call(core::MemInfo{core::DeviceId(0)}).ok());
  const core::SessionId session = driver->session();
  driver.reset();
  EXPECT_TRUE(WaitUntilEmpty(*host));
  host->OnRoom(session);
  EXPECT_EQ(host->Snapshot().devices[0].hbm_used_bytes, 0u);
}

TEST(HostTest, ShutdownEndsSessionsAndRefusesNewOnes) {
  const std::unique_ptr<MachineHost> host = MakeHost(SmallOptions());
  HostDriver driver(*host, /*is_silent=*/true);
  const auto memory = driver.Malloc(kMiB);
  ASSERT_TRUE(memory.ok());
  core::Copy up;
  up.stream = driver.stream();
  up.target = *memory;
  up.bytes = kMiB;
  ASSERT_TRUE(driver.WaitForTransferDue(driver.Post(up)));
  host->Shutdown(HostClock::Now());
  const auto why = driver.WaitForEnd();
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(core::ReasonOf(*why), Reason::kConnectionLost);
  EXPECT_EQ(core::ReasonOf(HostDriver(*host).status()),
            Reason::kConnectionLost);
  host->Shutdown(HostClock::Now());
  EXPECT_TRUE(host->Snapshot().sessions.empty());
}

TEST(HostTest, ShutdownWaitsForSessionsThatEndThemselves) {
  const std::unique_ptr<MachineHost> host = MakeHost(SmallOptions());
  auto driver = std::make_unique<HostDriver>(*host);
  std::thread closer([&] { driver.reset(); });
  host->Shutdown(HostClock::Now() + std::chrono::seconds(30));
  closer.join();
}

TEST(HostTest, BadOptionsAreRefusedWithTheirName) {
  MachineHostOptions options = SmallOptions();
  options.machine.scheduling = {{"whim"}};
  const auto by_policy = MachineHost::Create(options);
  EXPECT_EQ(core::ReasonOf(by_policy.status()), Reason::kInvalidArgument);
  EXPECT_NE(by_policy.status().message().find("whim"), std::string::npos);
  options.machine.scheduling = {{"fifo"}, {"fifo"}, {"fifo"}};
  EXPECT_EQ(MachineHost::Create(options).status().message(),
            "3 policies for 1 devices: there is one for all, or one for each");
  options = SmallOptions();
  options.machine.spec.dma_units = 0;
  EXPECT_EQ(core::ReasonOf(MachineHost::Create(options).status()),
            Reason::kInvalidArgument);
}

}  // namespace
}  // namespace ascend::server
