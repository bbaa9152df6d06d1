// BlockSet: a set of small integers as a bitmap, searched in both directions.
//
// Threading: thread-compatible. Ownership: value type.
#ifndef ASCEND_CORE_MEM_BLOCK_SET_H_
#define ASCEND_CORE_MEM_BLOCK_SET_H_

#include <bit>
#include <cstdint>
#include <vector>

namespace ascend::core {

class BlockSet {
 public:
  explicit BlockSet(uint32_t size) : words_((size + 63) / 64), size_(size) {}

  uint32_t size() const { return size_; }
  bool Contains(uint32_t i) const { return (words_[i / 64] >> (i % 64)) & 1; }
  void Insert(uint32_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
  void Erase(uint32_t i) { words_[i / 64] &= ~(uint64_t{1} << (i % 64)); }

  // The smallest i in [begin, end) with Contains(i) == wanted, else end.
  uint32_t FindFirst(uint32_t begin, uint32_t end, bool wanted) const {
    for (uint32_t i = begin; i < end; i = (i / 64 + 1) * 64) {
      const uint64_t word = wanted ? words_[i / 64] : ~words_[i / 64];
      const uint64_t rest = word >> (i % 64);
      if (rest == 0) continue;
      const uint32_t found = i + static_cast<uint32_t>(std::countr_zero(rest));
      return found < end ? found : end;
    }
    return end;
  }

  // The largest member in [begin, end), else end.
  uint32_t FindLast(uint32_t begin, uint32_t end) const {
    for (uint32_t past = end; past > begin; past = (past - 1) / 64 * 64) {
      const uint32_t last = past - 1;
      const uint64_t rest = words_[last / 64] << (63 - last % 64);
      if (rest == 0) continue;
      const uint32_t down = static_cast<uint32_t>(std::countl_zero(rest));
      return last - begin >= down ? last - down : end;
    }
    return end;
  }

 private:
  std::vector<uint64_t> words_;
  uint32_t size_;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MEM_BLOCK_SET_H_
