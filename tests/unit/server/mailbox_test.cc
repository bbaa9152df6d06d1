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
  EXPECT_TRUE(mailbox.PostCommands(kA, Commands(1, 2)));
  EXPECT_TRUE(mailbox.Post(EndedJob{core::JobId(7), {}}));
  EXPECT_TRUE(mailbox.Post(EndOfSession{kA, absl::OkStatus()}));
  const Mailbox::Contents contents = mailbox.Take(std::nullopt);
  ASSERT_EQ(contents.entries.size(), 3u);
  EXPECT_EQ(std::get<PostedCommands>(contents.entries[0]).commands.size(), 2u);
  EXPECT_EQ(std::get<EndedJob>(contents.entries[1]).job, core::JobId(7));
  EXPECT_EQ(std::get<EndOfSession>(contents.entries[2]).session, kA);
  EXPECT_FALSE(contents.is_closed);
}

TEST(MailboxTest, TakesWithoutWaitingOrUntilTheDeadline) {
  Mailbox mailbox(100);
  EXPECT_TRUE(mailbox.Take(Mailbox::kNoWait).entries.empty());
  const auto deadline = HostClock::Now() + std::chrono::milliseconds(2);
  EXPECT_TRUE(mailbox.Take(deadline).entries.empty());
  EXPECT_GE(HostClock::Now(), deadline);
}

TEST(MailboxTest, RefusesBeyondTheLimitAndNamesTheDrained) {
  Mailbox mailbox(4);
  EXPECT_TRUE(mailbox.PostCommands(kA, Commands(1, 4)));
  EXPECT_FALSE(mailbox.PostCommands(kA, Commands(5, 1)));
  EXPECT_TRUE(mailbox.PostCommands(kB, Commands(1, 4)));
  Mailbox::Contents contents = mailbox.Take(std::nullopt);
  EXPECT_EQ(contents.entries.size(), 3u) << "refused commands are kept";
  EXPECT_EQ(contents.drained, std::vector<SessionId>{kA});
  EXPECT_TRUE(mailbox.PostCommands(kA, Commands(6, 4)));
  contents = mailbox.Take(std::nullopt);
  EXPECT_TRUE(contents.drained.empty());
}

TEST(MailboxTest, ClosedItHandsOutWhatIsThereAndTakesNoMore) {
  Mailbox mailbox(100);
  mailbox.PostCommands(kA, Commands(1, 1));
  mailbox.Close();
  EXPECT_FALSE(mailbox.Post(EndOfSession{kA, absl::OkStatus()}));
  EXPECT_TRUE(mailbox.PostCommands(kA, Commands(2, 1)));
  Mailbox::Contents contents = mailbox.Take(std::nullopt);
  EXPECT_EQ(contents.entries.size(), 1u);
  EXPECT_FALSE(contents.is_closed);
  contents = mailbox.Take(std::nullopt);
  EXPECT_TRUE(contents.entries.empty());
  EXPECT_TRUE(contents.is_closed);
}

TEST(MailboxTest, ManyThreadsPostAndNothingIsLostOrReordered) {
  constexpr uint64_t kThreads = 4;
  constexpr uint64_t kBatches = 2000;
  Mailbox mailbox(1'000'000);
  std::vector<std::thread> threads;
  for (uint64_t t = 1; t <= kThreads; ++t) {
    threads.emplace_back([&mailbox, t] {
      for (uint64_t i = 0; i < kBatches; ++i) {
        mailbox.PostCommands(SessionId(t), Commands(i + 1, 1));
      }
    });
  }
  std::vector<uint64_t> last(kThreads + 1, 0);
  uint64_t taken = 0;
  while (taken < kThreads * kBatches) {
    for (MailboxEntry& entry : mailbox.Take(std::nullopt).entries) {
      const auto& posted = std::get<PostedCommands>(entry);
      const uint64_t ticket = posted.commands.front().ticket.value();
      EXPECT_EQ(ticket, ++last[posted.session.value()]);
      ++taken;
    }
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace ascend::server
