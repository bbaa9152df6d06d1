#include "server/mailbox.h"

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace ascend::server {
namespace {

using core::Command;
using core::SessionId;
using core::Ticket;

constexpr SessionId kA{1};
constexpr SessionId kB{2};

std::vector<Command> Commands(uint64_t first, uint64_t count) {
  std::vector<Command> commands(count);
  for (uint64_t i = 0; i < count; ++i) commands[i].ticket = Ticket(first + i);
  return commands;
}

TEST(MailboxTest, HandsOutEntriesInTheOrderOfPosting) {
  Mailbox mailbox(100);
  EXPECT_TRUE(mailbox.PostCommands(kA, Commands(1, 2)).has_turn);
  EXPECT_FALSE(mailbox.Post(EndedJob{core::JobId(7), {}}).has_turn);
  EXPECT_FALSE(mailbox.Post(EndOfSession{kA, absl::OkStatus()}).has_turn);
  const Mailbox::Contents contents = mailbox.Take();
  ASSERT_EQ(contents.entries.size(), 3u);
  EXPECT_EQ(std::get<PostedCommands>(contents.entries[0]).commands.size(), 2u);
  EXPECT_EQ(std::get<EndedJob>(contents.entries[1]).job, core::JobId(7));
  EXPECT_EQ(std::get<EndOfSession>(contents.entries[2]).session, kA);
  EXPECT_TRUE(mailbox.Take().entries.empty());
}

TEST(MailboxTest, GivesTheTurnToOneAtATime) {
  Mailbox mailbox(100);
  EXPECT_FALSE(mailbox.TakeTurn()) << "there is nothing to do";
  EXPECT_TRUE(mailbox.PostCommands(kA, Commands(1, 1)).has_turn);
  EXPECT_FALSE(mailbox.PostCommands(kA, Commands(2, 1)).has_turn);
  EXPECT_FALSE(mailbox.TakeTurn()) << "somebody has it";
  mailbox.Take();
  mailbox.EndTurn(std::nullopt);
  EXPECT_FALSE(mailbox.TakeTurn()) << "there is nothing to do";
  EXPECT_TRUE(mailbox.PostCommands(kA, Commands(3, 1)).has_turn);
  mailbox.EndTurn(std::nullopt);
  EXPECT_TRUE(mailbox.TakeTurn()) << "an entry was left";
  mailbox.Take();
  mailbox.EndTurn(Mailbox::kAtOnce);
  EXPECT_TRUE(mailbox.TakeTurn()) << "the holder was not done";
}

// Takes turns as the machine thread does, and notes when.
class MachineThread {
 public:
  explicit MachineThread(Mailbox& mailbox)
      : thread_([this, &mailbox] {
          while (mailbox.AwaitTurn()) {
            do {
              const Mailbox::Contents contents = mailbox.Take();
              core::MutexLock lock(mutex_);
              turns_.push_back(HostClock::Now());
              entries_taken_ += contents.entries.size();
              changed_.NotifyAll();
              mailbox.EndTurn(std::nullopt);
            } while (mailbox.TakeTurn());
          }
        }) {}
  ~MachineThread() { thread_.join(); }

  HostClock::TimePoint AwaitFirstTurn() {
    core::MutexLock lock(mutex_);
    while (turns_.empty()) changed_.Wait(mutex_);
    return turns_.front();
  }
  void AwaitEntries(size_t count) {
    core::MutexLock lock(mutex_);
    while (entries_taken_ < count) changed_.Wait(mutex_);
  }

 private:
  core::Mutex mutex_;
  core::CondVar changed_;
  std::vector<HostClock::TimePoint> turns_ ABSL_GUARDED_BY(mutex_);
  size_t entries_taken_ ABSL_GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

TEST(MailboxTest, TheMachineThreadTakesTheTurnsThatTimeBrings) {
  Mailbox mailbox(100);
  MachineThread machine_thread(mailbox);
  const auto due = HostClock::Now() + std::chrono::milliseconds(2);
  ASSERT_TRUE(mailbox.PostCommands(kA, Commands(1, 1)).has_turn);
  mailbox.Take();
  mailbox.EndTurn(due);
  EXPECT_GE(machine_thread.AwaitFirstTurn(), due);
  mailbox.Close();
}

TEST(MailboxTest, TheMachineThreadTakesWhatIsLeftToIt) {
  Mailbox mailbox(100);
  MachineThread machine_thread(mailbox);
  ASSERT_TRUE(mailbox.PostCommands(kA, Commands(1, 1)).has_turn);
  mailbox.EndTurn(std::nullopt);
  mailbox.LeaveTurns();
  machine_thread.AwaitEntries(1);
  mailbox.Close();
}

TEST(MailboxTest, RefusesBeyondTheLimitAndSaysWhom) {
  Mailbox mailbox(4);
  EXPECT_TRUE(mailbox.PostCommands(kA, Commands(1, 4)).has_room);
  EXPECT_FALSE(mailbox.PostCommands(kA, Commands(5, 1)).has_room);
  EXPECT_TRUE(mailbox.PostCommands(kB, Commands(1, 4)).has_room);
  Mailbox::Contents contents = mailbox.Take();
  EXPECT_EQ(contents.entries.size(), 3u) << "refused commands are kept";
  EXPECT_EQ(contents.refused, std::vector<SessionId>{kA});
  EXPECT_TRUE(mailbox.PostCommands(kA, Commands(6, 4)).has_room);
  EXPECT_TRUE(mailbox.Take().refused.empty());
}

TEST(MailboxTest, AHeldSessionIsRefusedUntilItIsLetGo) {
  Mailbox mailbox(100);
  mailbox.Hold(kA, true);
  EXPECT_FALSE(mailbox.PostCommands(kA, Commands(1, 1)).has_room);
  EXPECT_TRUE(mailbox.PostCommands(kB, Commands(1, 1)).has_room);
  const Mailbox::Contents contents = mailbox.Take();
  EXPECT_EQ(contents.entries.size(), 2u) << "refused commands are kept";
  EXPECT_EQ(contents.refused, std::vector<SessionId>{kA});
  mailbox.Hold(kA, false);
  EXPECT_TRUE(mailbox.PostCommands(kA, Commands(2, 1)).has_room);
}

TEST(MailboxTest, ClosedItHandsOutWhatIsThereAndTakesNoMore) {
  Mailbox mailbox(100);
  ASSERT_TRUE(mailbox.PostCommands(kA, Commands(1, 1)).has_turn);
  mailbox.Close();
  EXPECT_TRUE(mailbox.Post(EndOfSession{kA, absl::OkStatus()}).is_closed);
  EXPECT_TRUE(mailbox.PostCommands(kA, Commands(2, 1)).is_closed);
  mailbox.EndTurn(std::nullopt);
  EXPECT_TRUE(mailbox.AwaitTurn());
  EXPECT_EQ(mailbox.Take().entries.size(), 1u);
  mailbox.EndTurn(std::nullopt);
  EXPECT_FALSE(mailbox.AwaitTurn());
}

TEST(MailboxTest, ManyThreadsPostAndNothingIsLostOrReordered) {
  constexpr uint64_t kThreads = 4;
  constexpr uint64_t kBatches = 2000;
  Mailbox mailbox(1'000'000);
  // Plain variables: the turn alone keeps the threads apart.
  std::vector<uint64_t> last(kThreads + 1, 0);
  uint64_t taken = 0;
  const auto run_turns = [&] {
    do {
      for (MailboxEntry& entry : mailbox.Take().entries) {
        const auto& posted = std::get<PostedCommands>(entry);
        const uint64_t ticket = posted.commands.front().ticket.value();
        EXPECT_EQ(ticket, ++last[posted.session.value()]);
        ++taken;
      }
      mailbox.EndTurn(std::nullopt);
    } while (mailbox.TakeTurn());
  };
  std::vector<std::thread> threads;
  for (uint64_t t = 1; t <= kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < kBatches; ++i) {
        if (mailbox.PostCommands(SessionId(t), Commands(i + 1, 1)).has_turn) {
          run_turns();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, kThreads * kBatches);
}

}  // namespace
}  // namespace ascend::server
