#include "proto/ipc/ring.h"

#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/proto/ipc/ring_memory.h"

namespace ascend::ipc {
namespace {

struct Sample {
  uint64_t number;
  uint64_t check[3];
};

Sample MakeSample(uint64_t number) {
  return {number, {~number, number * 7, number + 1}};
}

bool IsWhole(const Sample& s) {
  const Sample whole = MakeSample(s.number);
  return std::equal(s.check, s.check + 3, whole.check);
}

constexpr uint32_t kCapacity = 4;
// From 0, and so that both counters wrap within the ring.
constexpr uint32_t kFirsts[] = {0, 0xFFFFFFFE};

struct Ring {
  explicit Ring(uint32_t first_number = 0)
      : first(first_number),
        memory(kCapacity, first),
        producer(memory.span(), kCapacity, first),
        consumer(memory.span(), kCapacity, first) {}

  void Push(int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(producer.TryPush(MakeSample(pushed)), PushResult::kPushed);
      ++pushed;
    }
  }
  void Pop(int count) {
    for (int i = 0; i < count; ++i) {
      Sample sample = {};
      ASSERT_EQ(consumer.TryPop(&sample), PopResult::kPopped);
      EXPECT_EQ(sample.number, popped);
      EXPECT_TRUE(IsWhole(sample));
      ++popped;
    }
  }

  uint32_t first;
  RingMemory<Sample> memory;
  RingProducer<Sample> producer;
  RingConsumer<Sample> consumer;
  uint64_t pushed = 0;
  uint64_t popped = 0;
};

TEST(RingTest, PopsWhatWasPushedInOrder) {
  Ring ring;
  ring.Push(3);
  ring.Pop(2);
  ring.Push(2);
  ring.Pop(3);
}

TEST(RingTest, AnEmptyRingLeavesTheRecordAlone) {
  Ring ring;
  Sample sample = MakeSample(77);
  EXPECT_EQ(ring.consumer.TryPop(&sample), PopResult::kEmpty);
  EXPECT_EQ(sample.number, 77u);
}

TEST(RingTest, AFullRingTakesNoMore) {
  Ring ring;
  ring.Push(kCapacity);
  EXPECT_EQ(ring.producer.TryPush(MakeSample(99)), PushResult::kFull);
  ring.Pop(1);
  ring.Push(1);
  EXPECT_EQ(ring.producer.TryPush(MakeSample(99)), PushResult::kFull);
  ring.Pop(kCapacity);
}

TEST(RingTest, CountersWrap) {
  Ring ring(0xFFFFFFF0);
  for (int round = 0; round < 20; ++round) {
    ring.Push(kCapacity);
    EXPECT_EQ(ring.producer.TryPush(MakeSample(99)), PushResult::kFull);
    ring.Pop(kCapacity);
    Sample sample = {};
    EXPECT_EQ(ring.consumer.TryPop(&sample), PopResult::kEmpty);
  }
  EXPECT_EQ(ring.memory.tail(), 0xFFFFFFF0 + 20 * kCapacity);
}

TEST(RingTest, ATakenSlotIsFreeWhenItIsReleased) {
  Ring ring(0xFFFFFFFE);
  ring.Push(kCapacity);
  Sample sample = {};
  for (uint64_t i = 0; i < 3; ++i) {
    ASSERT_EQ(ring.consumer.TryTake(&sample), PopResult::kPopped);
    EXPECT_EQ(sample.number, i);
  }
  EXPECT_EQ(ring.producer.TryPush(MakeSample(99)), PushResult::kFull);
  ring.consumer.Release();
  ring.popped = 3;
  ring.Push(3);
  ring.Pop(kCapacity);
}

TEST(RingTest, TheProducerKnowsWhatIsTaken) {
  Ring ring(0xFFFFFFFE);
  ring.Push(3);
  ring.Pop(2);
  EXPECT_EQ(ring.producer.next(), 1u);
  EXPECT_EQ(ring.producer.taken(), 0xFFFFFFFE);
  EXPECT_TRUE(ring.producer.Refresh());
  EXPECT_EQ(ring.producer.taken(), 0u);
}

// The published counters are for the other side; ours is never read.
TEST(RingTest, ASideDoesNotBelieveItsOwnPublishedCounter) {
  Ring ring;
  ring.Push(2);
  ring.memory.SetTail(1000);
  ring.Push(1);
  EXPECT_EQ(ring.memory.tail(), 3u);
  ring.Pop(1);
  ring.memory.SetHead(1000);
  Sample sample = {};
  ASSERT_EQ(ring.consumer.TryPop(&sample), PopResult::kPopped);
  EXPECT_EQ(sample.number, 1u);
  EXPECT_EQ(ring.memory.head(), 2u);
}

void ExpectProducerCorrupt(Ring& ring, uint32_t lie) {
  const uint32_t truth = ring.memory.head();
  const uint32_t tail = ring.memory.tail();
  ring.memory.SetHead(ring.first + lie);
  EXPECT_EQ(ring.producer.TryPush(MakeSample(99)), PushResult::kCorrupt);
  EXPECT_EQ(ring.memory.tail(), tail);
  // For ever, even if the peer mends it.
  ring.memory.SetHead(truth);
  EXPECT_EQ(ring.producer.TryPush(MakeSample(99)), PushResult::kCorrupt);
  EXPECT_FALSE(ring.producer.Refresh());
}

TEST(RingTest, TheProducerRefusesImpossibleHeads) {
  // Two taken of three, seen by the producer; then any of these.
  for (const uint32_t lie : {4u, 5u, 1u, 0u, 0x80000000u, 0xFFFFFFFFu}) {
    for (const uint32_t first : kFirsts) {
      SCOPED_TRACE(::testing::Message() << lie << " from " << first);
      Ring ring(first);
      ring.Push(3);
      ring.Pop(2);
      ASSERT_TRUE(ring.producer.Refresh());
      ExpectProducerCorrupt(ring, lie);
    }
  }
}

void ExpectConsumerCorrupt(Ring& ring, uint32_t lie) {
  const uint32_t truth = ring.memory.tail();
  const uint32_t head = ring.memory.head();
  Sample sample = MakeSample(77);
  ring.memory.SetTail(ring.first + lie);
  EXPECT_EQ(ring.consumer.TryPop(&sample), PopResult::kCorrupt);
  ring.memory.SetTail(truth);
  EXPECT_EQ(ring.consumer.TryPop(&sample), PopResult::kCorrupt);
  EXPECT_EQ(sample.number, 77u);
  EXPECT_EQ(ring.memory.head(), head);
}

TEST(RingTest, TheConsumerRefusesImpossibleTails) {
  // Three pushed and seen, one taken; then any of these.
  for (const uint32_t lie : {1 + kCapacity + 1, 2u, 1u, 0u, 0x80000000u}) {
    for (const uint32_t first : kFirsts) {
      SCOPED_TRACE(::testing::Message() << lie << " from " << first);
      Ring ring(first);
      ring.Push(3);
      ring.Pop(1);
      ExpectConsumerCorrupt(ring, lie);
    }
  }
}

// Slots that the consumer has taken and not released are not the producer's.
TEST(RingTest, TheConsumerRefusesATailBeyondWhatItReleased) {
  Ring ring;
  ring.Push(kCapacity);
  Sample sample = {};
  ASSERT_EQ(ring.consumer.TryTake(&sample), PopResult::kPopped);
  ExpectConsumerCorrupt(ring, kCapacity + 1);
}

// `beside` is no atomic: the thread sanitizer sees whether a push orders what
// came before it, and a release what comes after.
TEST(RingTest, TwoThreadsLoseNothing) {
  constexpr uint64_t kCount = 1'000'000;
  constexpr uint32_t kFirst = 0xFFFFFFFF - 500'000;  // wraps on the way
  RingMemory<Sample> memory(8, kFirst);
  uint64_t beside[8] = {};
  std::thread pusher([&] {
    RingProducer<Sample> producer(memory.span(), 8, kFirst);
    for (uint64_t n = 0; n < kCount; ++n) {
      while (producer.next() - producer.taken() == 8) {
        if (!producer.Refresh()) return;
        std::this_thread::yield();
      }
      beside[n % 8] = n;
      if (producer.TryPush(MakeSample(n)) != PushResult::kPushed) return;
    }
  });
  RingConsumer<Sample> consumer(memory.span(), 8, kFirst);
  uint64_t n = 0;
  bool is_right = true;
  while (n < kCount && is_right) {
    Sample sample = {};
    const PopResult result = consumer.TryTake(&sample);
    if (result == PopResult::kEmpty) std::this_thread::yield();
    if (result == PopResult::kCorrupt) is_right = false;
    if (result != PopResult::kPopped) continue;
    is_right = sample.number == n && IsWhole(sample) && beside[n % 8] == n;
    consumer.Release();
    ++n;
  }
  EXPECT_TRUE(is_right) << "record " << n;
  memory.SetHead(kFirst + static_cast<uint32_t>(kCount) + 1);  // let it end
  pusher.join();
  EXPECT_EQ(n, kCount);
}

// A third party writes anything anywhere meanwhile: each call returns, nothing
// outside is touched (asan), nothing races (tsan).
TEST(RingTest, BothSidesSurviveWhoScribblesMeanwhile) {
  RingMemory<Sample> memory(8);
  std::atomic<bool> is_done = false;
  std::thread scribbler([&] {
    std::mt19937_64 random(1);
    while (!is_done) {
      for (size_t at = 0; at < memory.span().size(); at += kWordBytes) {
        const uint64_t word = random() % 4 == 0 ? random() : random() % 16;
        CopyToShared(memory.span().data() + at, &word, sizeof(word));
      }
    }
  });
  std::thread pusher([&] {
    for (int life = 0; life < 2000; ++life) {
      RingProducer<Sample> producer(memory.span(), 8);
      for (int i = 0; i < 50; ++i) producer.TryPush(MakeSample(1));
    }
  });
  for (int life = 0; life < 2000; ++life) {
    RingConsumer<Sample> consumer(memory.span(), 8);
    Sample sample = {};
    for (int i = 0; i < 50; ++i) consumer.TryPop(&sample);
  }
  pusher.join();
  is_done = true;
  scribbler.join();
}

TEST(RingDeathTest, RefusesMemoryOfAnotherSize) {
  RingMemory<Sample> memory(8);
  EXPECT_DEATH(RingProducer<Sample>(memory.span(), 4), "a ring of 4 records");
  EXPECT_DEATH(RingConsumer<Sample>(memory.span(), 3), "a ring of 3 records");
}

}  // namespace
}  // namespace ascend::ipc
