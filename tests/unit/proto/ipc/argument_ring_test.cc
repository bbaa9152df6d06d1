#include "proto/ipc/argument_ring.h"

#include <cstdint>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/ipc/ring.h"
#include "tests/unit/proto/ipc/ring_memory.h"

namespace ascend::ipc {
namespace {

constexpr size_t kAreaBytes = 2 * kArgumentBytesMax;
constexpr size_t kHalf = kArgumentBytesMax / 2;

std::vector<std::byte> Pattern(size_t bytes, uint64_t seed) {
  std::vector<std::byte> pattern(bytes);
  for (size_t i = 0; i < bytes; ++i) {
    pattern[i] = static_cast<std::byte>(seed * 31 + i);
  }
  return pattern;
}

// Words, so that they are aligned, and exactly as many as there must be.
class Area {
 public:
  std::span<std::byte> span() {
    return std::as_writable_bytes(std::span(words_));
  }

 private:
  std::vector<uint64_t> words_ = std::vector<uint64_t>(kAreaBytes / 8);
};

class ArgumentRingTest : public ::testing::Test {
 protected:
  // The offset that `bytes` of record `record` get, or -1.
  int64_t Write(size_t bytes, uint32_t record, uint32_t taken) {
    const auto pattern = Pattern(bytes, record);
    const auto range = writer_.TryWrite(pattern, record, taken);
    if (!range.has_value()) return -1;
    EXPECT_EQ(range->length, bytes);
    std::vector<std::byte> read;
    EXPECT_TRUE(reader_.Read(*range, &read));
    EXPECT_EQ(read, pattern);
    return range->offset;
  }

  Area area_;
  ArgumentWriter writer_{area_.span()};
  ArgumentReader reader_{area_.span()};
};

TEST_F(ArgumentRingTest, GivesOutTheAreaInOrderByWords) {
  EXPECT_EQ(Write(8, 0, 0), 0);
  EXPECT_EQ(Write(1, 1, 0), 8);
  EXPECT_EQ(Write(13, 2, 0), 16);
  EXPECT_EQ(Write(kArgumentBytesMax, 3, 0), 32);
}

TEST_F(ArgumentRingTest, NoBytesTakeNoRoom) {
  EXPECT_EQ(Write(8, 0, 0), 0);
  EXPECT_EQ(Write(0, 1, 0), 0);
  EXPECT_EQ(Write(kArgumentBytesMax, 2, 0), 8);
}

TEST_F(ArgumentRingTest, RoomComesBackWithTheRecordsTaken) {
  for (uint32_t n = 0; n < 4; ++n) EXPECT_EQ(Write(kHalf, n, 0), n * kHalf);
  EXPECT_EQ(Write(8, 4, 0), -1);
  EXPECT_EQ(Write(kHalf, 4, 1), 0);
  EXPECT_EQ(Write(8, 5, 1), -1);
  EXPECT_EQ(Write(kHalf, 5, 3), kHalf);
  EXPECT_EQ(Write(kHalf, 6, 3), 2 * kHalf);
  EXPECT_EQ(Write(8, 7, 3), -1);
}

TEST_F(ArgumentRingTest, OneRecordMayHaveSeveralPieces) {
  for (uint32_t n = 0; n < 4; ++n) EXPECT_EQ(Write(kHalf, 9, 9), n * kHalf);
  EXPECT_EQ(Write(8, 10, 9), -1);
  EXPECT_EQ(Write(8, 10, 10), 0);
}

TEST_F(ArgumentRingTest, SkipsTheEndWhenAPieceDoesNotFitThere) {
  for (uint32_t n = 0; n < 3; ++n) EXPECT_EQ(Write(kHalf, n, 0), n * kHalf);
  // Half of it is left at the end, and the first half is free again.
  EXPECT_EQ(Write(kArgumentBytesMax, 3, 1), -1);
  EXPECT_EQ(Write(kArgumentBytesMax, 3, 2), 0);
  // The end that was skipped is in use until the piece behind it is free.
  EXPECT_EQ(Write(8, 4, 2), -1);
  EXPECT_EQ(Write(8, 4, 3), kArgumentBytesMax);
}

TEST_F(ArgumentRingTest, AnEmptyAreaHasRoomForTheLargestPiece) {
  Area area;
  ArgumentWriter writer(area.span().first(kArgumentBytesMax));
  const auto small = Pattern(8, 0), large = Pattern(kArgumentBytesMax, 1);
  for (uint32_t n = 0; n < 10; n += 2) {
    ASSERT_TRUE(writer.TryWrite(small, n, n).has_value());
    ASSERT_FALSE(writer.TryWrite(large, n + 1, n).has_value());
    ASSERT_TRUE(writer.TryWrite(large, n + 1, n + 1).has_value());
  }
}

TEST_F(ArgumentRingTest, RecordNumbersWrap) {
  uint32_t record = 0xFFFFFFFE;
  for (uint32_t n = 0; n < 4; ++n) {
    EXPECT_EQ(Write(kHalf, record + n, record), n * kHalf);
  }
  EXPECT_EQ(Write(8, record + 4, record), -1);
  EXPECT_EQ(Write(kHalf, record + 4, record + 1), 0);
  EXPECT_EQ(Write(kHalf, record + 5, record + 2), kHalf);
  EXPECT_EQ(Write(kArgumentBytesMax, record + 6, record + 4),
            kArgumentBytesMax);
}

TEST_F(ArgumentRingTest, TheReaderRefusesRangesOutside) {
  const ByteRange bad[] = {
      {0, kArgumentBytesMax + 1},
      {4, 8},
      {kAreaBytes, 1},
      {kAreaBytes - 8, 9},
      {kAreaBytes + 8, 0},
      {0xFFFFFFF8, 8},
      {0xFFFFFFF8, 0xFFFFFFFF},
      {kAreaBytes - 8, 0xFFFFFFF8},
  };
  std::vector<std::byte> read(3);
  for (const ByteRange& range : bad) {
    EXPECT_FALSE(reader_.Read(range, &read)) << range.offset;
    EXPECT_EQ(read.size(), 3u);
  }
  EXPECT_TRUE(reader_.Read({kAreaBytes - 8, 8}, &read));
  EXPECT_TRUE(reader_.Read({kAreaBytes, 0}, &read));
  EXPECT_EQ(read.size(), 0u);
}

// A writer that ignores what is taken would overwrite what is being read.
TEST_F(ArgumentRingTest, TwoThreadsSeeEachOthersBytesWhole) {
  struct Call {
    uint64_t number;
    ByteRange arguments;
  };
  constexpr uint32_t kCapacity = 16, kFirst = 0xFFFFFF00, kCount = 50'000;
  const auto size_of = [](uint64_t n) {
    return n % 50 == 0 ? kArgumentBytesMax : size_t{n * 97 % 1500};
  };
  RingMemory<Call> memory(kCapacity, kFirst);
  std::thread pusher([&] {
    RingProducer<Call> producer(memory.span(), kCapacity, kFirst);
    for (uint64_t n = 0; n < kCount; ++n) {
      const auto pattern = Pattern(size_of(n), n);
      std::optional<ByteRange> range;
      while (!(range = writer_.TryWrite(pattern, producer.next(),
                                        producer.taken()))) {
        std::this_thread::yield();
        if (!producer.Refresh()) return;
      }
      PushResult result;
      while ((result = producer.TryPush({n, *range})) == PushResult::kFull) {
        std::this_thread::yield();
      }
      if (result == PushResult::kCorrupt) return;
    }
  });
  RingConsumer<Call> consumer(memory.span(), kCapacity, kFirst);
  std::vector<std::byte> read;
  uint64_t n = 0;
  bool is_right = true;
  while (n < kCount && is_right) {
    Call call = {};
    if (consumer.TryTake(&call) != PopResult::kPopped) {
      std::this_thread::yield();
      continue;
    }
    is_right = call.number == n && reader_.Read(call.arguments, &read) &&
               read == Pattern(size_of(n), n);
    consumer.Release();
    ++n;
  }
  EXPECT_TRUE(is_right) << "record " << n;
  memory.SetHead(kFirst + kCount + 1);  // let it end
  pusher.join();
  EXPECT_EQ(n, kCount);
}

}  // namespace
}  // namespace ascend::ipc
