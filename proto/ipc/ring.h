// A ring of records in shared memory, from one producer to one consumer that
// need not trust each other.
//
// Each side counts for itself in private memory; the counter that it publishes
// is for the other and is never read back. The other's counter is read once in
// a call and believed only if an honest peer could have written it: it never
// goes back, a consumer takes no more than was pushed, a producer is never more
// than the capacity ahead. Once it is not, the ring is corrupt for ever. A
// record is copied into private memory before anybody looks at it; so a liar
// can choose what the other side reads, never where, and what a record says
// must be checked like any input.
//
// A consumer that takes what a record refers to (argument_ring.h) calls
// TryTake, copies, and then Release, which gives back all slots taken so far;
// TryPop is both at once.
//
// Threading: one thread at a time on each side, the two sides at the same time.
// Ownership: the memory is the caller's and outlives both.
#ifndef ASCEND_PROTO_IPC_RING_H_
#define ASCEND_PROTO_IPC_RING_H_

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/base/check.h"
#include "proto/ipc/abi.h"
#include "proto/ipc/shared_words.h"

namespace ascend::ipc {

// Any bits must be a value of it (no bool, no enum), since the peer chooses
// them; and it has no padding, which would show the peer our stack.
template <typename T>
concept RingRecord = std::is_trivially_copyable_v<T> &&
                         std::is_default_constructible_v<T> &&
                         std::has_unique_object_representations_v<T> &&
                         sizeof(T) %
                         kWordBytes
                     == 0;

template <RingRecord Record>
constexpr size_t RingBytes(uint32_t capacity) {
  return sizeof(RingControl) + size_t{capacity} * sizeof(Record);
}

enum class PushResult { kPushed, kFull, kCorrupt };
enum class PopResult { kPopped, kEmpty, kCorrupt };

namespace ring_internal {

// Where the parts of a ring lie.
template <RingRecord Record>
class Layout {
 public:
  Layout(std::span<std::byte> memory, uint32_t capacity)
      : control_(reinterpret_cast<RingControl*>(memory.data())),
        slots_(memory.data() + sizeof(RingControl)),
        capacity_(capacity) {
    ASCEND_CHECK(std::has_single_bit(capacity) && capacity <= kRingCapacityMax)
        << "a ring of " << capacity << " records";
    ASCEND_CHECK(memory.size() == RingBytes<Record>(capacity))
        << "a ring of " << capacity << " records in " << memory.size()
        << " bytes";
    ASCEND_CHECK(reinterpret_cast<uintptr_t>(control_) % kLineBytes == 0)
        << "a ring does not begin at a line";
  }

  RingControl& control() const { return *control_; }
  uint32_t capacity() const { return capacity_; }
  std::byte* Slot(uint32_t number) const {
    return slots_ + size_t{number & (capacity_ - 1)} * sizeof(Record);
  }

 private:
  RingControl* control_;
  std::byte* slots_;
  uint32_t capacity_;
};

}  // namespace ring_internal

template <RingRecord Record>
class RingProducer {
 public:
  // `memory` is RingBytes<Record>(capacity), aligned to kLineBytes, with both
  // counters at `first` (0 in new memory).
  RingProducer(std::span<std::byte> memory, uint32_t capacity,
               uint32_t first = 0)
      : layout_(memory, capacity), next_(first), taken_(first) {}

  PushResult TryPush(const Record& record) {
    if (!Refresh()) return PushResult::kCorrupt;
    if (next_ - taken_ == layout_.capacity()) return PushResult::kFull;
    CopyToShared(layout_.Slot(next_), &record, sizeof(record));
    ++next_;
    std::atomic_ref(layout_.control().tail)
        .store(next_, std::memory_order_release);
    return PushResult::kPushed;
  }

  // Learns how many records are taken. False when the ring is corrupt.
  bool Refresh() {
    const uint32_t head =
        std::atomic_ref(layout_.control().head).load(std::memory_order_acquire);
    if (is_corrupt_ || head - taken_ > next_ - taken_) {
      is_corrupt_ = true;
      return false;
    }
    taken_ = head;
    return true;
  }

  // The number of the record that is pushed next, and of the first that was not
  // yet taken when last seen. They wrap.
  uint32_t next() const { return next_; }
  uint32_t taken() const { return taken_; }

 private:
  const ring_internal::Layout<Record> layout_;
  uint32_t next_;
  uint32_t taken_;
  bool is_corrupt_ = false;
};

template <RingRecord Record>
class RingConsumer {
 public:
  // As RingProducer.
  RingConsumer(std::span<std::byte> memory, uint32_t capacity,
               uint32_t first = 0)
      : layout_(memory, capacity),
        next_(first),
        released_(first),
        pushed_(first) {}

  // Writes to `record` only when it returns kPopped. The slot stays ours.
  PopResult TryTake(Record* record) {
    if (!Refresh()) return PopResult::kCorrupt;
    if (next_ == pushed_) return PopResult::kEmpty;
    CopyFromShared(record, layout_.Slot(next_), sizeof(*record));
    ++next_;
    return PopResult::kPopped;
  }

  // Gives back what was taken, with the arguments that belong to it.
  void Release() {
    released_ = next_;
    std::atomic_ref(layout_.control().head)
        .store(next_, std::memory_order_release);
  }

  PopResult TryPop(Record* record) {
    const PopResult result = TryTake(record);
    if (result == PopResult::kPopped) Release();
    return result;
  }

 private:
  bool Refresh() {
    const uint32_t tail =
        std::atomic_ref(layout_.control().tail).load(std::memory_order_acquire);
    const uint32_t ahead = tail - released_;
    if (is_corrupt_ || ahead > layout_.capacity() ||
        ahead < pushed_ - released_) {
      is_corrupt_ = true;
      return false;
    }
    pushed_ = tail;
    return true;
  }

  const ring_internal::Layout<Record> layout_;
  uint32_t next_;      // the record that is taken next
  uint32_t released_;  // the first that is not given back
  uint32_t pushed_;    // the producer's counter when last believed
  bool is_corrupt_ = false;
};

}  // namespace ascend::ipc

#endif  // ASCEND_PROTO_IPC_RING_H_
