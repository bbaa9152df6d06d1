#include "proto/ipc/doorbell.h"

#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstddef>
#include <random>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "proto/ipc/shared_region.h"
#include "tests/testing/thread_state.h"
#include "tests/unit/proto/ipc/forked.h"
#include "tests/unit/proto/ipc/stepped.h"

namespace ascend::ipc {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::steady_clock;
using Outcome = Doorbell::Outcome;

Deadline In(steady_clock::duration time) { return steady_clock::now() + time; }

// A wake-up that is lost ends the wait too, but only at its deadline.
bool IsWoken(Doorbell bell, uint32_t seen, int spin_turns,
             Deadline deadline = In(minutes(1))) {
  return bell.Wait(seen, spin_turns, deadline) == Outcome::kRung &&
         steady_clock::now() < deadline;
}

uint32_t Sleepers(DoorbellWord& word) {
  return std::atomic_ref(word.sleepers).load();
}

TEST(DoorbellTest, ARingBeforeTheWaitEndsIt) {
  DoorbellWord word = {};
  Doorbell bell(&word);
  const uint32_t seen = bell.Value();
  bell.Ring();
  EXPECT_EQ(bell.Wait(seen, 0, kNoDeadline), Outcome::kRung);
  EXPECT_EQ(bell.Wait(seen, 100, kNoDeadline), Outcome::kRung);
  EXPECT_NE(bell.Value(), seen);
}

TEST(DoorbellTest, TheDeadlineEndsAWait) {
  DoorbellWord word = {};
  Doorbell bell(&word);
  for (const Deadline deadline :
       {In(milliseconds(3)), In(-milliseconds(3)), Deadline::min()}) {
    EXPECT_EQ(bell.Wait(bell.Value(), 10, deadline), Outcome::kDeadline);
    EXPECT_LE(deadline, steady_clock::now());
  }
}

TEST(DoorbellTest, ARingWakesEverySleeper) {
  DoorbellWord word = {.value = 0xFFFFFFFF, .sleepers = 0};  // wraps
  Doorbell bell(&word);
  std::vector<std::thread> threads;
  std::atomic<pid_t> ids[3] = {};
  std::atomic<int> rung = 0;
  for (std::atomic<pid_t>& id : ids) {
    threads.emplace_back([&] {
      id = ::gettid();
      if (IsWoken(bell, 0xFFFFFFFF, 0)) ++rung;
    });
  }
  for (std::atomic<pid_t>& id : ids) {
    while (Sleepers(word) != 3 || !ascend::testing::IsAsleep(id)) {
      std::this_thread::yield();
    }
  }
  bell.Ring();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(rung, 3);
  EXPECT_EQ(bell.Value(), 0u);
}

TEST(DoorbellTest, OnlyWhoSleepsIsCounted) {
  DoorbellWord word = {};
  Doorbell bell(&word);
  EXPECT_EQ(bell.Wait(0, 0, In(milliseconds(1))), Outcome::kDeadline);
  EXPECT_EQ(Sleepers(word), 0u);
  bell.Ring();
  EXPECT_EQ(bell.Wait(0, 0, kNoDeadline), Outcome::kRung);
  EXPECT_EQ(Sleepers(word), 0u);
}

// From here on a futex call ends the process.
void ForbidFutex() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {.len = std::size(rules), .filter = rules};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    ::_exit(2);
  }
}

TEST(DoorbellTest, WhereNobodySleepsThereIsNoSystemCall) {
  DoorbellWord word = {};
  const auto ring_twice = [&word] {
    ForbidFutex();
    Doorbell(&word).Ring();
    Doorbell(&word).Ring();
    return Doorbell(&word).Wait(0, 0, kNoDeadline) == Outcome::kRung;
  };
  EXPECT_TRUE(Forked(ring_twice).Succeeds());
  word.sleepers = 1;
  EXPECT_FALSE(Forked(ring_twice).Succeeds());
}

TEST(DoorbellTest, WhoSpinsMakesNoSystemCall) {
  const absl::StatusOr<SharedRegion> region =
      SharedRegion::Create("doorbell", 4096);
  ASSERT_TRUE(region.ok()) << region.status();
  auto* const word =
      reinterpret_cast<DoorbellWord*>(region->bytes().data() + kLineBytes);
  std::atomic_ref ready(word[1].value);
  Forked child([&] {
    ForbidFutex();
    ready = 1;
    return Doorbell(word).Wait(0, INT_MAX, kNoDeadline) == Outcome::kRung;
  });
  while (ready == 0) std::this_thread::yield();
  Doorbell(word).Ring();
  EXPECT_TRUE(child.Succeeds());
}

TEST(DoorbellTest, APeerThatWakesWithoutEndDoesNotOutlastTheDeadline) {
  DoorbellWord word = {};
  Doorbell bell(&word);
  std::atomic<bool> is_done = false;
  std::thread liar([&] {
    while (!is_done) {
      std::atomic_ref(word.sleepers) = 0;
      ::syscall(SYS_futex, &word.value, FUTEX_WAKE, INT_MAX, nullptr, nullptr,
                0);
    }
  });
  EXPECT_EQ(bell.Wait(0, 0, In(milliseconds(20))), Outcome::kDeadline);
  is_done = true;
  liar.join();
}

// What is written before a ring is seen after it; the thread sanitizer checks,
// since `work` is no atomic.
TEST(DoorbellTest, ARingOrdersWhatCameBeforeIt) {
  DoorbellWord words[2] = {};
  uint32_t work = 0;
  const auto play = [&](uint32_t me) {
    Doorbell mine(&words[me]), other(&words[1 - me]);
    for (uint32_t turn = 0; turn < 1000; ++turn) {
      if (me == 1 || turn > 0) {
        const uint32_t seen = me == 1 ? turn : turn - 1;
        const int spin_turns = turn % 2 == 0 ? 0 : 100;
        ASSERT_TRUE(IsWoken(mine, seen, spin_turns));
      }
      EXPECT_EQ(work, 2 * turn + me);
      ++work;
      other.Ring();
    }
  };
  std::thread player(play, 1);
  play(0);
  player.join();
}

// Two processes hand a turn to and fro; a wake-up that is lost leaves both
// asleep. How long each spins and dallies is drawn, so that rings fall into
// every part of the other's wait.
TEST(DoorbellTest, TwoProcessesLoseNoWakeUp) {
  constexpr uint32_t kRounds = 50'000;
  absl::StatusOr<SharedRegion> region = SharedRegion::Create("doorbell", 4096);
  ASSERT_TRUE(region.ok()) << region.status();
  auto* const words =
      reinterpret_cast<DoorbellWord*>(region->bytes().data() + kLineBytes);
  auto* const work =
      reinterpret_cast<uint32_t*>(words + 2);  // rounds handed on
  const auto play = [&](uint32_t me) {
    Doorbell mine(&words[me]), other(&words[1 - me]);
    std::mt19937 random(me + 1);
    for (uint32_t turn = me; turn < 2 * kRounds; turn += 2) {
      for (;;) {
        const uint32_t seen = mine.Value();
        if (std::atomic_ref(*work).load(std::memory_order_acquire) == turn) {
          break;
        }
        const int spin_turns = static_cast<int>(random() % 3 * 40);
        if (!IsWoken(mine, seen, spin_turns)) return false;
      }
      for (auto dally = random() % 200; dally > 0; --dally) {
        std::atomic_signal_fence(std::memory_order_seq_cst);
      }
      std::atomic_ref(*work).store(turn + 1, std::memory_order_release);
      other.Ring();
    }
    return true;
  };
  Forked child([&] { return play(1); });
  EXPECT_TRUE(play(0)) << "a wake-up is lost";
  EXPECT_TRUE(child.Succeeds()) << "a wake-up is lost";
}

// The instructions until `process` changes `word` from 0.
int StepsUntilChange(Stepped& process, uint32_t& word) {
  int steps = 0;
  while (process.state() == Stepped::State::kStopped &&
         std::atomic_ref(word).load() == 0) {
    process.Step(1);
    ++steps;
  }
  return steps;
}

// The interleavings in which the ring is interrupted once, and meanwhile the
// wait is, too: the ring goes k instructions, the waiter comes and goes j, the
// ring ends, and the waiter goes on. What a waiter that has seen this ring
// waits for is the next. Both are stopped from shortly before they change the
// word.
TEST(DoorbellTest, NoInterleavingLosesAWakeUp) {
#ifdef ASCEND_RTD_SANITIZE_BUILD
  GTEST_SKIP() << "a sanitizer's instructions between ours are too many";
#endif
  const absl::StatusOr<SharedRegion> region =
      SharedRegion::Create("doorbell", 4096);
  ASSERT_TRUE(region.ok()) << region.status();
  auto* const word =
      reinterpret_cast<DoorbellWord*>(region->bytes().data() + kLineBytes);
  const auto ring_once = [word] {
    Doorbell(word).Ring();
    return true;
  };
  const auto wait_for_more = [word](uint32_t seen) {
    // The time is asked for here, since that takes now more, now fewer steps.
    return [word, seen, deadline = In(minutes(1))] {
      return IsWoken(Doorbell(word), seen, 0, deadline);
    };
  };
  ASSERT_TRUE(wait_for_more(1)());  // binds what it calls, as Stepped does
  Stepped first_ring(ring_once);
  if (first_ring.state() == Stepped::State::kEnded) {
    GTEST_SKIP() << "no process may trace another here";
  }
  const int ring_steps = StepsUntilChange(first_ring, word->value);
  Stepped first_wait(wait_for_more(1));
  const int wait_steps = StepsUntilChange(first_wait, word->sleepers);
  int pairs = 0;
  for (int k = ring_steps - 2; k < ring_steps + 8; ++k) {
    bool wait_ended = false;
    for (int j = wait_steps - 4; !wait_ended; ++j, ++pairs) {
      *word = {};
      Stepped ring(ring_once);
      ring.Step(k);
      const uint32_t seen = Doorbell(word).Value();
      Stepped wait(wait_for_more(seen));
      wait.Step(j);
      wait_ended = wait.state() != Stepped::State::kStopped;
      ASSERT_TRUE(ring.Succeeds());
      if (seen == 1) {
        wait.Run();
        Doorbell(word).Ring();
      }
      ASSERT_TRUE(wait.Succeeds()) << k << " of the ring, " << j
                                   << " of the wait, which has seen " << seen;
    }
  }
  EXPECT_GT(pairs, 100);
}

}  // namespace
}  // namespace ascend::ipc
