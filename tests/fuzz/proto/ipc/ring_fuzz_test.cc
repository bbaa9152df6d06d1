// A ring and a peer that lies, beside a model that knows no modular arithmetic.
//
// Each seed draws a capacity, a first number and steps: honest pushes, takes
// and releases, and scribbling over counters and slots, wildly or so that it
// might be true. The model counts in 64 bits and asks of a counter that is read
// whether any number that an honest peer could have reached has these 32 bits.
// The memory is exactly as large as the ring, for the address sanitizer.
// ASCEND_RTD_FUZZ_SEED=n runs the one seed n.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proto/ipc/ring.h"
#include "tests/unit/proto/ipc/ring_memory.h"

namespace ascend::ipc {
namespace {

struct Record {
  uint64_t words[2];
  bool operator==(const Record&) const = default;
};

// The number from `low` to `high` that reads as `counter`.
std::optional<uint64_t> FindNumber(uint32_t counter, uint64_t low,
                                   uint64_t high) {
  for (uint64_t n = low; n <= high; ++n) {
    if (static_cast<uint32_t>(n) == counter) return n;
  }
  return std::nullopt;
}

class RingRun {
 public:
  explicit RingRun(uint64_t seed) : random_(seed) {
    capacity_ = uint32_t{1} << Draw(5);
    const uint32_t first = Draw(2) == 0 ? 0 : static_cast<uint32_t>(-Draw(99));
    memory_.emplace(capacity_, first);
    producer_.emplace(memory_->span(), capacity_, first);
    consumer_.emplace(memory_->span(), capacity_, first);
    pushed_ = believed_taken_ = taken_ = released_ = believed_pushed_ = first;
    slots_.resize(capacity_);
    lies_ = Draw(3) != 0;
  }

  void Go(int step_count) {
    for (int i = 0; i < step_count && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(absl::StrCat("step ", i));
      const uint64_t kind = Draw(lies_ ? 50 : 45);
      if (kind < 20) {
        Push();
      } else if (kind < 38) {
        Take();
      } else if (kind < 45) {
        Release();
      } else {
        Scribble();
      }
    }
  }

 private:
  uint64_t Draw(uint64_t bound) { return random_() % bound; }

  void Push() {
    const auto taken = FindNumber(memory_->head(), believed_taken_, pushed_);
    producer_is_lost_ |= !taken.has_value();
    const Record record = {{random_(), random_()}};
    const uint32_t head = memory_->head();
    const uint32_t tail = memory_->tail();
    const PushResult result = producer_->TryPush(record);
    EXPECT_EQ(memory_->head(), head) << "which is the consumer's";
    if (producer_is_lost_) {
      EXPECT_EQ(result, PushResult::kCorrupt);
    } else {
      believed_taken_ = *taken;
      const bool is_full = pushed_ - believed_taken_ == capacity_;
      EXPECT_EQ(result, is_full ? PushResult::kFull : PushResult::kPushed);
    }
    if (result == PushResult::kPushed) {
      slots_[pushed_ % capacity_] = record;
      ++pushed_;
      EXPECT_EQ(memory_->tail(), static_cast<uint32_t>(pushed_));
    } else {
      EXPECT_EQ(memory_->tail(), tail);
    }
    CheckSlots();
  }

  void Take() {
    const auto pushed =
        FindNumber(memory_->tail(), believed_pushed_, released_ + capacity_);
    consumer_is_lost_ |= !pushed.has_value();
    Record record = {{1, 2}};
    const Record untouched = record;
    const PopResult result = consumer_->TryTake(&record);
    if (consumer_is_lost_) {
      EXPECT_EQ(result, PopResult::kCorrupt);
    } else {
      believed_pushed_ = *pushed;
      const bool is_empty = taken_ == believed_pushed_;
      EXPECT_EQ(result, is_empty ? PopResult::kEmpty : PopResult::kPopped);
    }
    if (result == PopResult::kPopped) {
      EXPECT_EQ(record, slots_[taken_ % capacity_]);
      ++taken_;
    } else {
      EXPECT_EQ(record, untouched);
    }
    CheckSlots();
  }

  void Release() {
    if (consumer_is_lost_) return;
    consumer_->Release();
    released_ = taken_;
    EXPECT_EQ(memory_->head(), static_cast<uint32_t>(released_));
  }

  void Scribble() {
    std::byte* const slots = memory_->span().data() + sizeof(RingControl);
    const auto near = [this](uint64_t number) {
      return static_cast<uint32_t>(number + Draw(2 * capacity_) - capacity_);
    };
    switch (Draw(10)) {
      case 0:
        return memory_->SetHead(static_cast<uint32_t>(random_()));
      case 1:
        return memory_->SetTail(static_cast<uint32_t>(random_()));
      case 2:
        return memory_->SetHead(near(taken_));
      case 3:
        return memory_->SetTail(near(pushed_));
      case 4:  // what might be true
        return memory_->SetHead(static_cast<uint32_t>(
            believed_taken_ + Draw(pushed_ - believed_taken_ + 1)));
      case 5:
        return memory_->SetTail(static_cast<uint32_t>(
            believed_pushed_ +
            Draw(released_ + capacity_ - believed_pushed_ + 1)));
      default: {  // a slot
        const uint64_t at = Draw(capacity_);
        slots_[at] = {{random_(), Draw(2)}};
        std::memcpy(slots + at * sizeof(Record), &slots_[at], sizeof(Record));
      }
    }
  }

  // Nothing is written but the slot that was pushed into.
  void CheckSlots() {
    EXPECT_EQ(std::memcmp(memory_->span().data() + sizeof(RingControl),
                          slots_.data(), slots_.size() * sizeof(Record)),
              0);
  }

  std::mt19937_64 random_;
  bool lies_ = false;
  uint32_t capacity_ = 0;
  std::optional<RingMemory<Record>> memory_;
  std::optional<RingProducer<Record>> producer_;
  std::optional<RingConsumer<Record>> consumer_;
  uint64_t pushed_ = 0, believed_taken_ = 0;                 // the producer's
  uint64_t taken_ = 0, released_ = 0, believed_pushed_ = 0;  // the consumer's
  bool producer_is_lost_ = false, consumer_is_lost_ = false;
  std::vector<Record> slots_;
};

TEST(RingFuzz, HonestSidesKeepToTheirMemoryWhateverThePeerWrites) {
  uint64_t first = 1, last = 2000;
  if (const char* one = std::getenv("ASCEND_RTD_FUZZ_SEED")) {
    first = last = std::strtoull(one, nullptr, 10);
  }
  for (uint64_t seed = first; seed <= last && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    RingRun(seed).Go(300);
  }
}

}  // namespace
}  // namespace ascend::ipc
