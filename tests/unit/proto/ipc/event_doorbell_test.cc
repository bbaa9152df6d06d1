#include "proto/ipc/event_doorbell.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <random>

#include "gtest/gtest.h"
#include "proto/ipc/shared_region.h"
#include "tests/unit/proto/ipc/forked.h"

namespace ascend::ipc {
namespace {

bool IsReadable(int fd) {
  pollfd waiting = {.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&waiting, 1, 0) == 1;
}

class EventDoorbellTest : public ::testing::Test {
 protected:
  EventDoorbellTest() : sleeper_(*EventDoorbell::Create(&word_)) {}

  SleepWord word_ = {};
  EventDoorbell sleeper_;
  EventDoorbell ringer_{&word_, core::UniqueFd(::dup(sleeper_.event()))};
};

TEST_F(EventDoorbellTest, ARingWhileTheSleeperIsAwakeWritesNothing) {
  ringer_.Ring();
  EXPECT_FALSE(IsReadable(sleeper_.event()));
  sleeper_.Arm();
  EXPECT_FALSE(IsReadable(sleeper_.event()));
  sleeper_.Disarm();
  ringer_.Ring();
  EXPECT_FALSE(IsReadable(sleeper_.event()));
}

TEST_F(EventDoorbellTest, ManyRingsWriteOnceForEachSleep) {
  for (int round = 0; round < 2; ++round) {
    sleeper_.Arm();
    for (int i = 0; i < 3; ++i) ringer_.Ring();
    ASSERT_TRUE(IsReadable(sleeper_.event()));
    uint64_t count = 0;
    ASSERT_EQ(::read(sleeper_.event(), &count, sizeof(count)), 8);
    EXPECT_EQ(count, 1u);
  }
}

TEST_F(EventDoorbellTest, DisarmTakesTheEventBack) {
  sleeper_.Arm();
  ringer_.Ring();
  sleeper_.Disarm();
  EXPECT_FALSE(IsReadable(sleeper_.event()));
}

TEST_F(EventDoorbellTest, APeerCannotMakeDisarmBlock) {
  ASSERT_EQ(::fcntl(ringer_.event(), F_SETFL, 0), 0);  // blocking, for both
  sleeper_.Arm();
  EXPECT_EQ(std::atomic_ref(word_.sleeps).exchange(0), 1u);
  sleeper_.Disarm();  // finds a ring announced that never comes
}

TEST_F(EventDoorbellTest, AFullCountHoldsNobodyUp) {
  const uint64_t most = UINT64_MAX - 1;
  ASSERT_EQ(::write(ringer_.event(), &most, sizeof(most)), 8);
  sleeper_.Arm();
  ringer_.Ring();
  EXPECT_TRUE(IsReadable(sleeper_.event()));
  sleeper_.Disarm();
  EXPECT_FALSE(IsReadable(sleeper_.event()));
}

TEST_F(EventDoorbellTest, TheEventEndsAtExec) {
  EXPECT_EQ(::fcntl(sleeper_.event(), F_GETFD), FD_CLOEXEC);
}

// As the test of the same name of Doorbell, with epoll on both sides.
TEST(EventDoorbellProcessTest, TwoProcessesLoseNoWakeUp) {
  constexpr uint32_t kRounds = 20'000;
  constexpr int kMinute = 60'000;
  absl::StatusOr<SharedRegion> region = SharedRegion::Create("doorbell", 4096);
  ASSERT_TRUE(region.ok()) << region.status();
  auto* const words =
      reinterpret_cast<SleepWord*>(region->bytes().data() + kLineBytes);
  auto* const work = reinterpret_cast<uint32_t*>(words + 2);
  EventDoorbell bells[] = {*EventDoorbell::Create(&words[0]),
                           *EventDoorbell::Create(&words[1])};
  const auto play = [&](uint32_t me) {
    core::UniqueFd poller(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event event = {.events = EPOLLIN, .data = {}};
    ::epoll_ctl(poller.get(), EPOLL_CTL_ADD, bells[me].event(), &event);
    std::mt19937 random(me + 1);
    const auto is_there = [&](uint32_t turn) {
      return std::atomic_ref(*work).load(std::memory_order_acquire) == turn;
    };
    for (uint32_t turn = me; turn < 2 * kRounds; turn += 2) {
      while (!is_there(turn)) {
        bells[me].Arm();
        if (!is_there(turn) &&
            ::epoll_wait(poller.get(), &event, 1, kMinute) != 1) {
          return false;
        }
        bells[me].Disarm();
      }
      for (auto dally = random() % 200; dally > 0; --dally) {
        std::atomic_signal_fence(std::memory_order_seq_cst);
      }
      std::atomic_ref(*work).store(turn + 1, std::memory_order_release);
      bells[1 - me].Ring();
    }
    return true;
  };
  Forked child([&] { return play(1); });
  EXPECT_TRUE(play(0)) << "a wake-up is lost";
  EXPECT_TRUE(child.Succeeds()) << "a wake-up is lost";
}

}  // namespace
}  // namespace ascend::ipc
