#include "core/mem/va_allocator.h"

#include <iterator>

#include "core/base/check.h"

namespace ascend::core {

uint64_t VaAllocator::LongestBytes() const {
  return by_size_.empty() ? 0 : by_size_.rbegin()->first;
}

void VaAllocator::Insert(uint64_t va, uint64_t bytes) {
  by_va_.emplace(va, bytes);
  by_size_.emplace(bytes, va);
}

void VaAllocator::Erase(uint64_t va, uint64_t bytes) {
  by_va_.erase(va);
  by_size_.erase({bytes, va});
}

void VaAllocator::Give(uint64_t va, uint64_t bytes) {
  free_bytes_ += bytes;
  uint64_t begin = va;
  uint64_t end = va + bytes;
  const auto next = by_va_.lower_bound(va);
  if (next != by_va_.begin()) {
    const auto [prev_va, prev_bytes] = *std::prev(next);
    ASCEND_CHECK(prev_va + prev_bytes <= va)
        << "range at " << va << " is free already";
    if (prev_va + prev_bytes == va) begin = prev_va;
  }
  uint64_t next_bytes = 0;
  if (next != by_va_.end()) {
    ASCEND_CHECK(next->first >= end) << "range at " << va << " is free already";
    if (next->first == end) next_bytes = next->second;
  }
  if (next_bytes != 0) {
    Erase(end, next_bytes);
    end += next_bytes;
  }
  if (begin != va) Erase(begin, va - begin);
  Insert(begin, end - begin);
}

std::optional<uint64_t> VaAllocator::Take(uint64_t bytes) {
  const auto fit = by_size_.lower_bound({bytes, 0});
  if (fit == by_size_.end()) return std::nullopt;
  const uint64_t va = fit->second;
  ASCEND_CHECK(TakeAt(va, bytes));
  return va;
}

bool VaAllocator::TakeAt(uint64_t va, uint64_t bytes) {
  const auto [begin, end] = RangeAround(va);
  if (va + bytes > end) return false;
  Erase(begin, end - begin);
  if (begin < va) Insert(begin, va - begin);
  if (va + bytes < end) Insert(va + bytes, end - va - bytes);
  free_bytes_ -= bytes;
  return true;
}

uint64_t VaAllocator::BeginOfRangeEndingAt(uint64_t end) const {
  const auto next = by_va_.lower_bound(end);
  if (next == by_va_.begin()) return end;
  const auto [va, bytes] = *std::prev(next);
  return va + bytes == end ? va : end;
}

std::pair<uint64_t, uint64_t> VaAllocator::RangeAround(uint64_t va) const {
  const auto next = by_va_.upper_bound(va);
  if (next == by_va_.begin()) return {va, va};
  const auto [begin, bytes] = *std::prev(next);
  if (begin + bytes <= va) return {va, va};
  return {begin, begin + bytes};
}

}  // namespace ascend::core
