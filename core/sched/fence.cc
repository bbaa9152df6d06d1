#include "core/sched/fence.h"

#include <algorithm>
#include <tuple>

#include "core/base/check.h"

namespace ascend::core {

bool FenceTable::Later(const Waiting& a, const Waiting& b) {
  return std::tie(a.value, a.sequence) > std::tie(b.value, b.sequence);
}

const FenceTable::Fence* FenceTable::Find(FenceId id) const {
  ASCEND_CHECK(id.generation != 0 && id.index < fences_.size())
      << "no fence has index " << id.index << " and generation "
      << id.generation;
  const Fence& fence = fences_[id.index];
  return fence.is_live && fence.generation == id.generation ? &fence : nullptr;
}

FenceTable::Fence& FenceTable::Get(FenceId id) {
  ASCEND_CHECK(Find(id) != nullptr) << "fence " << id.index << " is not live";
  return fences_[id.index];
}

FenceId FenceTable::Create() {
  uint32_t index = 0;
  if (free_.empty()) {
    index = static_cast<uint32_t>(fences_.size());
    fences_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  Fence& fence = fences_[index];
  // 0 stays "no fence" when the counter wraps.
  if (++fence.generation == 0) fence.generation = 1;
  fence.is_live = true;
  fence.value = 0;
  ++live_count_;
  return FenceId{index, fence.generation};
}

void FenceTable::Destroy(FenceId id) {
  Fence& fence = Get(id);
  fence.is_live = false;
  fence.waiting.clear();
  free_.push_back(id.index);
  --live_count_;
}

bool FenceTable::IsReached(FenceId id, uint64_t value) const {
  const Fence* fence = Find(id);
  return fence == nullptr || fence->value >= value;
}

void FenceTable::AddWaiter(FenceId id, uint64_t value,
                           const FenceWaiter& waiter) {
  Fence& fence = Get(id);
  ASCEND_CHECK(fence.value < value)
      << "wait for " << value << " of a fence at " << fence.value;
  fence.waiting.push_back({value, fence.next_sequence++, waiter});
  std::push_heap(fence.waiting.begin(), fence.waiting.end(), Later);
}

void FenceTable::RemoveWaiter(FenceId id, const FenceWaiter& waiter) {
  if (Find(id) == nullptr) return;
  std::vector<Waiting>& waiting = fences_[id.index].waiting;
  const size_t erased = std::erase_if(
      waiting, [&](const Waiting& w) { return w.waiter == waiter; });
  if (erased > 0) std::make_heap(waiting.begin(), waiting.end(), Later);
}

void FenceTable::Raise(FenceId id, uint64_t value,
                       std::vector<FenceWaiter>* woken) {
  Fence& fence = Get(id);
  ASCEND_CHECK(value >= fence.value)
      << "fence goes back from " << fence.value << " to " << value;
  fence.value = value;
  while (!fence.waiting.empty() && fence.waiting.front().value <= value) {
    std::pop_heap(fence.waiting.begin(), fence.waiting.end(), Later);
    woken->push_back(fence.waiting.back().waiter);
    fence.waiting.pop_back();
  }
}

}  // namespace ascend::core
