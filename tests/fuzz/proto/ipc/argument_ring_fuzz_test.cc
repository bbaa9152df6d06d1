// Arguments of random sizes beside a model that keeps every byte's owner.
//
// Each seed draws the size of the area and steps: pieces that are written for
// records, records that are taken, scribbling over the area, and ranges that a
// liar might put into a record. The area is exactly as large as it says, for
// the address sanitizer. ASCEND_RTD_FUZZ_SEED=n runs the one seed n.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proto/ipc/argument_ring.h"

namespace ascend::ipc {
namespace {

constexpr uint64_t kNobody = UINT64_MAX;

class ArgumentRun {
 public:
  explicit ArgumentRun(uint64_t seed)
      : random_(seed),
        words_((kArgumentBytesMax + Draw(2 * kArgumentBytesMax)) / kWordBytes),
        area_(std::as_writable_bytes(std::span(words_))),
        owners_(area_.size(), kNobody),
        writer_(area_),
        reader_(area_) {
    next_ = taken_ = Draw(2) == 0 ? 0 : (uint64_t{1} << 32) - Draw(60);
    size_max_ = Draw(2) == 0 ? kArgumentBytesMax : 1 + Draw(600);
  }

  void Go(int step_count) {
    for (int i = 0; i < step_count && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(absl::StrCat("step ", i));
      const uint64_t kind = Draw(12);
      if (kind < 6) {
        Write();
      } else if (kind < 9) {
        Take(Draw(next_ - taken_ + 1));
      } else if (kind < 10) {
        words_[Draw(words_.size())] = random_();
      } else {
        ReadAnything();
      }
    }
    // Nothing stays behind.
    ++next_;
    Take(next_ - taken_);
    size_max_ = kArgumentBytesMax;
    EXPECT_TRUE(Write()) << "no room in an area of which all is taken";
  }

 private:
  uint64_t Draw(uint64_t bound) { return random_() % bound; }

  bool Write() {
    std::vector<std::byte> bytes(Draw(size_max_ + 1));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random_());
    const auto range = writer_.TryWrite(bytes, static_cast<uint32_t>(next_),
                                        static_cast<uint32_t>(taken_));
    if (!range.has_value()) {
      EXPECT_GT(std::count_if(owners_.begin(), owners_.end(),
                              [](uint64_t o) { return o != kNobody; }),
                0)
          << "no room in an empty area";
      return false;
    }
    EXPECT_EQ(range->length, bytes.size());
    for (size_t i = range->offset; i < range->offset + range->length; ++i) {
      EXPECT_EQ(owners_.at(i), kNobody) << "byte " << i << " is in use";
      owners_[i] = next_;
    }
    std::vector<std::byte> read;
    EXPECT_TRUE(reader_.Read(*range, &read));
    EXPECT_EQ(read, bytes);
    if (Draw(4) != 0) ++next_;  // else one more piece of the same record
    return true;
  }

  void Take(uint64_t count) {
    taken_ += count;
    // One that has pieces and is not pushed yet stays.
    for (uint64_t& owner : owners_) {
      if (owner != kNobody && owner < taken_) owner = kNobody;
    }
  }

  void ReadAnything() {
    const auto draw = [this] {
      const uint64_t wild = Draw(2) == 0 ? random_() : area_.size();
      return static_cast<uint32_t>((Draw(2) == 0 ? wild : Draw(wild + 1)) +
                                   Draw(17) - 8);
    };
    ByteRange range = {draw(), draw()};
    if (Draw(8) == 0) range.offset = static_cast<uint32_t>(-Draw(9000));
    if (Draw(2) == 0) range.offset &= ~7u;
    if (Draw(2) == 0) range.length %= kArgumentBytesMax + 2;
    const bool is_legal = range.offset % 8 == 0 && range.length <= 8192 &&
                          uint64_t{range.offset} + range.length <= area_.size();
    std::vector<std::byte> read;
    EXPECT_EQ(reader_.Read(range, &read), is_legal);
    if (is_legal) {
      EXPECT_TRUE(std::equal(read.begin(), read.end(),
                             area_.begin() + range.offset,
                             area_.begin() + range.offset + range.length));
    }
  }

  std::mt19937_64 random_;
  std::vector<uint64_t> words_;
  std::span<std::byte> area_;
  std::vector<uint64_t> owners_;  // of each byte, the record
  ArgumentWriter writer_;
  ArgumentReader reader_;
  uint64_t next_ = 0;
  uint64_t taken_ = 0;
  uint64_t size_max_ = 0;
};

TEST(ArgumentRingFuzz, PiecesNeverOverlapAndReadsStayInside) {
  uint64_t first = 1, last = 60;
  if (const char* one = std::getenv("ASCEND_RTD_FUZZ_SEED")) {
    first = last = std::strtoull(one, nullptr, 10);
  }
  for (uint64_t seed = first; seed <= last && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    ArgumentRun(seed).Go(300);
  }
}

}  // namespace
}  // namespace ascend::ipc
