// Runs: lanes that join, their common beginning, and the trace hash.

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/machine_harness.h"

namespace ascend::core {
namespace {

class RunTest : public ::testing::Test {
 protected:
  static MachineOptions Lockstep() {
    MachineOptions options{.spec = Ascend910Spec()};  // with jitter
    options.waits_for_jobs = true;
    return options;
  }
  ClockReply RunOf(TestClient& client) {
    const Ticket ticket = client.Send(QueryClock{});
    harness_.RunUntilQuiet();
    return std::get<ClockReply>(client.ReplyTo(ticket)->payload);
  }
  bool IsAnswered(TestClient& client, Ticket ticket) {
    harness_.RunUntilQuiet();
    return client.ReplyTo(ticket) != nullptr;
  }
  absl::Status StatusOf(TestClient& client, Ticket ticket) {
    return IsAnswered(client, ticket) ? client.ReplyTo(ticket)->status
                                      : absl::UnknownError("no answer");
  }

  MachineHarness harness_{Lockstep()};
};

TEST_F(RunTest, BeginsForAllAtOneTickWhenTheLastHasJoined) {
  TestClient first(harness_, 1);
  TestClient second(harness_, 2);
  const Ticket a = first.Send(JoinClock{.participants = 2, .rank = 0}, 500);
  EXPECT_FALSE(IsAnswered(first, a));
  const Ticket b = second.Send(JoinClock{.participants = 2, .rank = 1}, 900);
  ASSERT_TRUE(IsAnswered(second, b));
  ASSERT_TRUE(IsAnswered(first, a));
  EXPECT_EQ(first.ReplyTo(a)->tick, 900);
  EXPECT_EQ(second.ReplyTo(b)->tick, 900);
  EXPECT_EQ(RunOf(first).participants, 2u);
  EXPECT_EQ(RunOf(first).begin_tick, 900);
}

TEST_F(RunTest, LanesOfOneSessionMayJoin) {
  TestClient client(harness_, 1);
  const Ticket a = client.Send(JoinClock{2, 0}, 0, LaneId(1));
  const Ticket b = client.Send(JoinClock{2, 1}, 0, LaneId(2));
  EXPECT_TRUE(IsAnswered(client, a));
  EXPECT_TRUE(IsAnswered(client, b));
}

TEST_F(RunTest, RefusesATakenRankAnotherNumberAndASecondRun) {
  TestClient first(harness_, 1);
  TestClient second(harness_, 2);
  first.Send(JoinClock{2, 0});
  absl::Status status = StatusOf(second, second.Send(JoinClock{2, 0}));
  EXPECT_EQ(ReasonOf(status), Reason::kInvalidArgument);
  EXPECT_NE(status.message().find("its rank is taken"), std::string::npos);
  status = StatusOf(second, second.Send(JoinClock{3, 1}));
  EXPECT_NE(status.message().find("has 2"), std::string::npos) << status;
  EXPECT_TRUE(StatusOf(second, second.Send(JoinClock{2, 1})).ok());
  status = StatusOf(second, second.Send(JoinClock{1, 0}, 0, LaneId(2)));
  EXPECT_NE(status.message().find("under way"), std::string::npos) << status;
}

TEST_F(RunTest, AnotherRunMayFormWhenAllHaveLeft) {
  TestClient first(harness_, 1);
  {
    TestClient second(harness_, 2);
    first.Send(JoinClock{2, 0});
    second.Send(JoinClock{2, 1});
    harness_.RunUntilQuiet();
    first.Send(LeaveClock{.is_for_good = true});
    EXPECT_EQ(RunOf(first).left_count, 1u);
  }
  harness_.machine->CloseSession(SessionId(2));
  EXPECT_EQ(RunOf(first).left_count, 2u);
  EXPECT_TRUE(StatusOf(first, first.Send(JoinClock{1, 0})).ok());
}

TEST_F(RunTest, ASessionThatEndsBeforeTheRunBeganGivesItsRankBack) {
  TestClient first(harness_, 1);
  first.Send(JoinClock{2, 0});
  harness_.RunUntilQuiet();
  harness_.machine->CloseSession(SessionId(1));
  TestClient second(harness_, 2);
  const Ticket a = second.Send(JoinClock{2, 0}, 0, LaneId(1));
  const Ticket b = second.Send(JoinClock{2, 1}, 0, LaneId(2));
  EXPECT_TRUE(IsAnswered(second, a));
  EXPECT_TRUE(IsAnswered(second, b));
}

// Two sessions with unequal programs; `first_rank` attaches first, after
// `noise` of other work.
uint64_t HashOf(uint32_t first_rank, int noise, Tick extra_ticks = 0) {
  MachineOptions options{.spec = Ascend910Spec()};
  options.waits_for_jobs = true;
  MachineHarness harness(options);
  TestClient other(harness, 9);
  other.CreateContext();
  for (int i = 0; i < noise; ++i) {
    other.Launch(other.default_stream, {.vector_ticks = Microseconds(7)}, 8);
  }
  harness.RunUntilQuiet();
  std::vector<std::unique_ptr<TestClient>> clients;
  std::vector<uint32_t> ranks = {first_rank, 1 - first_rank};
  for (const uint32_t rank : ranks) {
    clients.push_back(std::make_unique<TestClient>(harness, rank + 1 + 10));
    clients.back()->CreateContext();
    clients.back()->Send(JoinClock{2, rank});
    harness.RunUntilQuiet();
  }
  const Tick begin = harness.machine->now();
  for (size_t i = 0; i < clients.size(); ++i) {
    TestClient& client = *clients[i];
    const Tick step = Microseconds(5 + ranks[i]);
    for (int k = 0; k < 20; ++k) {
      client.Launch(client.default_stream,
                    {.hbm_bytes = 1'000'000,
                     .vector_ticks = Microseconds(2) + extra_ticks},
                    4 + 8 * ranks[i], kTestMix, begin + k * step);
    }
  }
  harness.RunUntilQuiet();
  const Ticket ticket = other.Send(QueryClock{});
  harness.RunUntilQuiet();
  const ClockReply run = std::get<ClockReply>(other.ReplyTo(ticket)->payload);
  EXPECT_EQ(run.task_count, 40u);
  return run.trace_hash;
}

TEST(RunHashTest, DependsOnRanksAloneNotOnTheOrderOfAttachingOrOnThePast) {
  const uint64_t hash = HashOf(0, 0);
  EXPECT_EQ(HashOf(1, 0), hash);
  EXPECT_EQ(HashOf(0, 3), hash);
  EXPECT_EQ(HashOf(1, 5), hash);
  EXPECT_NE(HashOf(0, 0, /*extra_ticks=*/1), hash);
}

// Which lane's command has the earlier ticket is the host's affair.
TEST(RunHashTest, DoesNotDependOnTheTicketsOfIndependentLanes) {
  const auto hash_of = [](bool second_first) {
    MachineOptions options{.spec = Ascend910Spec()};
    MachineHarness harness(options);
    TestClient client(harness, 1);
    const ContextHandle context = client.CreateContext();
    const StreamHandle streams[] = {client.CreateStream(context),
                                    client.CreateStream(context)};
    client.Send(JoinClock{2, 0}, 0, LaneId(1));
    client.Send(JoinClock{2, 1}, 0, LaneId(2));
    harness.RunUntilQuiet();
    const Tick begin = harness.machine->now();
    for (int k = 0; k < 10; ++k) {
      for (const int lane : {second_first ? 1 : 0, second_first ? 0 : 1}) {
        client.Launch(streams[lane], {.vector_ticks = Microseconds(3)}, 32,
                      kTestMix, begin + k * Microseconds(4) + lane * 100,
                      LaneId(static_cast<uint32_t>(lane) + 1));
      }
    }
    harness.RunUntilQuiet();
    const Ticket ticket = client.Send(QueryClock{});
    harness.RunUntilQuiet();
    return std::get<ClockReply>(client.ReplyTo(ticket)->payload).trace_hash;
  };
  EXPECT_EQ(hash_of(false), hash_of(true));
}

// Nor does which of them gets which handle.
TEST(RunHashTest, DoesNotDependOnTheHandlesOfStreams) {
  const auto hash_of = [](uint32_t first_index) {
    MachineHarness harness(MachineOptions{.spec = Ascend910Spec()});
    TestClient client(harness, 1);
    const ContextHandle context = client.CreateContext();
    client.Send(JoinClock{2, 0}, 0, LaneId(1));
    client.Send(JoinClock{2, 1}, 0, LaneId(2));
    harness.RunUntilQuiet();
    const Tick begin = harness.machine->now();
    const StreamHandle streams[] = {{first_index, 7}, {41 - first_index, 7}};
    for (const uint32_t lane : {0u, 1u}) {
      client.Send(CreateStream{.stream = streams[lane], .context = context},
                  begin + 1, LaneId(lane + 1));
    }
    for (const uint32_t lane : {0u, 1u}) {
      for (int k = 0; k < 10; ++k) {
        client.Launch(streams[lane], {.vector_ticks = Microseconds(3)}, 32,
                      kTestMix, begin + k * Microseconds(4) + lane * 100 + 2,
                      LaneId(lane + 1));
      }
    }
    harness.RunUntilQuiet();
    const Ticket ticket = client.Send(QueryClock{});
    harness.RunUntilQuiet();
    return std::get<ClockReply>(client.ReplyTo(ticket)->payload).trace_hash;
  };
  EXPECT_EQ(hash_of(20), hash_of(21));
}

TEST(RunHashTest, WhoTookPartInAnEarlierRunIsNotInALaterOne) {
  MachineHarness harness(MachineOptions{.spec = Ascend910Spec()});
  TestClient first(harness, 1);
  TestClient second(harness, 2);
  first.CreateContext();
  second.CreateContext();
  first.Send(JoinClock{1, 0});
  first.Send(LeaveClock{.is_for_good = true});
  harness.RunUntilQuiet();
  second.Send(JoinClock{1, 0});
  harness.RunUntilQuiet();
  first.Launch(first.default_stream);
  second.Launch(second.default_stream);
  harness.RunUntilQuiet();
  const Ticket ticket = first.Send(QueryClock{});
  harness.RunUntilQuiet();
  EXPECT_EQ(std::get<ClockReply>(first.ReplyTo(ticket)->payload).task_count,
            1u);
}

// Blocks that are read in one instant are there in the order of their ranks,
// whichever records the machine has kept of tasks that are gone.
TEST(RunHashTest, FetchesOfOneInstantDoNotDependOnThePast) {
  const auto hash_of = [](int noise) {
    MachineOptions options{.spec = Ascend910Spec()};
    options.waits_for_jobs = true;
    MachineHarness harness(options);
    std::vector<std::unique_ptr<TestClient>> clients;
    std::vector<uint64_t> blocks;
    for (const uint32_t rank : {0u, 1u}) {
      clients.push_back(std::make_unique<TestClient>(harness, rank + 1));
      clients.back()->CreateContext();
      blocks.push_back(clients.back()->Malloc(4096));
      harness.runners.memory[blocks.back()] =
          TestKernelArgs{.vector_ticks = Microseconds(3 + rank)}.ToBlock();
    }
    for (int i = 0; i < noise; ++i) {
      clients[0]->Launch(clients[0]->default_stream);
    }
    harness.RunUntilQuiet();
    for (const uint32_t rank : {0u, 1u}) {
      clients[rank]->Send(JoinClock{2, rank});
    }
    harness.RunUntilQuiet();
    const Tick begin = harness.machine->now();
    for (const uint32_t rank : {0u, 1u}) {
      TestClient& client = *clients[rank];
      const uint64_t bytes = harness.runners.memory[blocks[rank]].size();
      client.Send(Launch{.stream = client.default_stream,
                         .kernel = kTestMix,
                         .num_blocks = 32,
                         .args_address = blocks[rank],
                         .args_bytes = bytes},
                  begin + Microseconds(100));
    }
    harness.RunUntilQuiet();
    const Ticket ticket = clients[0]->Send(QueryClock{});
    harness.RunUntilQuiet();
    const auto run = std::get<ClockReply>(clients[0]->ReplyTo(ticket)->payload);
    EXPECT_EQ(run.task_count, 2u);
    return run.trace_hash;
  };
  EXPECT_EQ(hash_of(2), hash_of(0));
}

TEST(RunHashTest, JobsThatAreLateDoNotChangeAnythingWhenTheClockWaits) {
  const auto hash_of = [](bool is_late) {
    MachineOptions options{.spec = Ascend910Spec()};
    options.waits_for_jobs = true;
    MachineHarness harness(options);
    TestClient client(harness, 1);
    const ContextHandle context = client.CreateContext();
    const StreamHandle other = client.CreateStream(context);
    client.Send(JoinClock{1, 0});
    harness.RunUntilQuiet();
    for (int k = 0; k < 4; ++k) {
      client.Launch(client.default_stream, {.vector_ticks = Microseconds(3)},
                    32);
      client.Launch(other, {.vector_ticks = Microseconds(5)}, 8);
    }
    while (true) {
      if (!is_late) harness.runners.FinishAll(*harness.machine);
      const auto next = harness.machine->NextEventTime();
      if (!next.has_value()) break;
      harness.machine->AdvanceTo(*next + 1);
      if (harness.machine->WaitsForJob()) {
        harness.runners.FinishOne(*harness.machine);
      }
    }
    const Ticket ticket = client.Send(QueryClock{});
    harness.RunUntilQuiet();
    return std::get<ClockReply>(client.ReplyTo(ticket)->payload).trace_hash;
  };
  EXPECT_EQ(hash_of(true), hash_of(false));
}

}  // namespace
}  // namespace ascend::core
