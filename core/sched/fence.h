// FenceTable: timelines that rise, and who waits for them.
//
// A fence is a number that never falls: the fence of a stream is the count of
// its tasks that have ended. A fence that was destroyed counts as reached for
// every value, since its stream has nothing left that could be waited for; so
// an id may be kept longer than the fence lives.
//
// Waiters are data; the table hands them back when their value is reached, in
// order of (value, order of waiting).
//
// Threading: thread-compatible. Ownership: owns fences and waiter records.
#ifndef ASCEND_CORE_SCHED_FENCE_H_
#define ASCEND_CORE_SCHED_FENCE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/sched/wait_condition.h"

namespace ascend::core {

// Who waits: a stream (`key` is its handle's bits) or a request (`key` is its
// ticket) of `session`.
struct FenceWaiter {
  enum class Kind : uint8_t { kStream, kRequest };
  Kind kind = Kind::kStream;
  SessionId session;
  uint64_t key = 0;
  friend bool operator==(const FenceWaiter&, const FenceWaiter&) = default;
};

class FenceTable {
 public:
  // A fence at 0.
  FenceId Create();

  // Waiters that are left are dropped: whoever ends a fence that others may
  // wait for raises it first. `fence` is live.
  void Destroy(FenceId fence);

  bool IsReached(FenceId fence, uint64_t value) const;

  // `fence` is live and below `value`.
  void AddWaiter(FenceId fence, uint64_t value, const FenceWaiter& waiter);

  // `waiter` waits no more for `fence`; no effect if it does not. Linear in the
  // number of the fence's waiters.
  void RemoveWaiter(FenceId fence, const FenceWaiter& waiter);

  // Who waits for the fence, in no order that means anything. `fence` is live.
  template <typename Visitor>
  void ForEachWaiter(FenceId fence, Visitor visit) const {
    for (const Waiting& waiting : Find(fence)->waiting) visit(waiting.waiter);
  }

  // Appends to `woken` who waited for at most `value`. `fence` is live and
  // `value` is not below its present one.
  void Raise(FenceId fence, uint64_t value, std::vector<FenceWaiter>* woken);

  size_t live_count() const { return live_count_; }

 private:
  struct Waiting {
    uint64_t value;
    uint64_t sequence;
    FenceWaiter waiter;
  };
  struct Fence {
    uint32_t generation = 0;  // 0: never used
    bool is_live = false;
    uint64_t value = 0;
    uint64_t next_sequence = 0;
    std::vector<Waiting> waiting;  // heap, least (value, sequence) on top
  };

  static bool Later(const Waiting& a, const Waiting& b);
  const Fence* Find(FenceId id) const;
  Fence& Get(FenceId id);

  std::vector<Fence> fences_;
  std::vector<uint32_t> free_;
  size_t live_count_ = 0;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_SCHED_FENCE_H_
