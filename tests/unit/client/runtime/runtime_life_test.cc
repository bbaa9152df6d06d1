// Connection lost, finalize, fork.
#include <sys/wait.h>
#include <unistd.h>

#include <latch>
#include <thread>

#include "tests/unit/client/runtime/runtime_fixture.h"

namespace ascend::client {
namespace {

using core::MakeError;
using core::Reason;
using LifeTest = RuntimeTest;

TEST_F(LifeTest, ALostDaemonEndsAllWaitingAndStaysLost) {
  daemon_.HoldBack(testing::Is<core::Synchronize>);
  daemon_.RetireByHand();
  void* const function = AddFunction();
  void* const stream = NewStream();
  for (uint32_t i = 0; i < daemon_.description.stream_depth; ++i) {
    ASSERT_TRUE(Launch(stream, function).ok());
  }
  absl::Status sync;
  absl::Status launch;
  std::thread waits([&] {
    ASSERT_TRUE(runtime_.SetDevice(0).ok());
    sync = runtime_.SynchronizeStream(nullptr, {});
  });
  std::latch is_attached(1);
  std::thread blocked([&] {
    EXPECT_TRUE(runtime_.SetDevice(0).ok());
    is_attached.count_down();
    launch = Launch(stream, function);
  });
  is_attached.wait();
  daemon_.Await(testing::Is<core::Synchronize>);
  daemon_.Lose(MakeError(Reason::kConnectionLost, "the daemon went away"));
  waits.join();
  blocked.join();
  EXPECT_EQ(ReasonOf(sync), Reason::kConnectionLost);
  EXPECT_EQ(ReasonOf(launch), Reason::kConnectionLost);
  const size_t count = daemon_.commands().size();
  EXPECT_EQ(ReasonOf(runtime_.Malloc(8, 0)), Reason::kConnectionLost);
  EXPECT_EQ(ReasonOf(Launch(nullptr, function)), Reason::kConnectionLost);
  EXPECT_EQ(runtime_.SynchronizeDevice({}).message(), "the daemon went away");
  EXPECT_EQ(daemon_.commands().size(), count);
}

TEST_F(LifeTest, FinalizeSaysGoodbyeAndTheNextCallConnectsAgain) {
  void* const stream = NewStream();
  void* const memory = Allocate(8);
  EXPECT_FALSE(runtime_.Finalize());
  EXPECT_EQ(runtime_.Init(""), ClientRuntime::InitOutcome::kFirst);
  EXPECT_TRUE(runtime_.Finalize());
  EXPECT_EQ(daemon_.closed_count(), 1u);
  EXPECT_EQ(ReasonOf(runtime_.CurrentDevice()), Reason::kNoContext);
  ASSERT_TRUE(runtime_.SetDevice(0).ok());
  EXPECT_EQ(ReasonOf(runtime_.SynchronizeStream(stream, {})),
            Reason::kStaleHandle);
  EXPECT_EQ(ReasonOf(runtime_.Free(memory)), Reason::kInvalidArgument);
  // A new session counts from 1 again.
  EXPECT_EQ(daemon_.commands().back().ticket.value(), 1u);
}

TEST_F(LifeTest, FinalizeEndsTheCallsThatWait) {
  ASSERT_EQ(runtime_.Init(""), ClientRuntime::InitOutcome::kFirst);
  daemon_.HoldBack(testing::Is<core::Synchronize>);
  absl::Status sync;
  std::thread waits([&] {
    ASSERT_TRUE(runtime_.SetDevice(0).ok());
    sync = runtime_.SynchronizeStream(nullptr, {});
  });
  daemon_.Await(testing::Is<core::Synchronize>);
  ASSERT_TRUE(runtime_.Finalize());
  waits.join();
  EXPECT_EQ(ReasonOf(sync), Reason::kConnectionLost);
}

TEST_F(LifeTest, InitialisationIsCounted) {
  EXPECT_EQ(runtime_.Init(""), ClientRuntime::InitOutcome::kFirst);
  EXPECT_EQ(runtime_.Init("/nowhere"), ClientRuntime::InitOutcome::kRepeated);
  uint64_t remaining = 9;
  EXPECT_TRUE(runtime_.Release(&remaining));
  EXPECT_EQ(remaining, 1u);
  EXPECT_EQ(daemon_.closed_count(), 0u);
  EXPECT_TRUE(runtime_.Release(&remaining));
  EXPECT_EQ(remaining, 0u);
  EXPECT_EQ(daemon_.closed_count(), 1u);
  EXPECT_FALSE(runtime_.Release(&remaining));
  EXPECT_EQ(runtime_.Init("/nowhere"), ClientRuntime::InitOutcome::kUnreadable);
}

TEST_F(LifeTest, AForkedChildFailsClearlyAndItsParentGoesOn) {
  const pid_t child = fork();
  if (child == 0) {
    // What ClientRuntime::Get arranges for the process's own runtime.
    runtime_.Poison();
    const bool is_refused =
        ReasonOf(runtime_.Malloc(8, 0)) == Reason::kConnectionLost &&
        ReasonOf(runtime_.SetDevice(0)) == Reason::kConnectionLost &&
        ReasonOf(runtime_.SynchronizeDevice({})) == Reason::kConnectionLost;
    _exit(is_refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(runtime_.Malloc(8, 0).ok());
}

TEST(LifeWithoutDaemonTest, AForkBeforeTheFirstCallDoesNoHarm) {
  testing::FakeDaemon daemon;
  ClientRuntime runtime(daemon.Maker());
  runtime.Poison();
  EXPECT_TRUE(runtime.DeviceCount().ok());
}

TEST(LifeWithoutDaemonTest, AFailedConnectionIsTriedAgain) {
  testing::FakeDaemon daemon;
  bool is_up = false;
  ClientRuntime runtime([&](TransportSink* sink) -> absl::StatusOr<Connection> {
    if (!is_up) return MakeError(Reason::kConnectionLost, "nobody listens");
    return daemon.Maker()(sink);
  });
  EXPECT_EQ(ReasonOf(runtime.SetDevice(0)), Reason::kConnectionLost);
  is_up = true;
  EXPECT_EQ(runtime.DeviceCount().value(), 2u);
}

}  // namespace
}  // namespace ascend::client
