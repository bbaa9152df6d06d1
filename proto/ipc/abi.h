// What lies in memory that two processes share: plain data, laid out the same
// for both, and how much of it there may be.
//
// Whoever maps a region may write anything anywhere in it at any time. So these
// words are read by std::atomic_ref only and larger things by shared_words.h,
// once each, and what was read is checked before it is used. What changes here
// changes kAbiVersion.
//
// Threading: plain data; each word says who writes it. Ownership: none.
#ifndef ASCEND_PROTO_IPC_ABI_H_
#define ASCEND_PROTO_IPC_ABI_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ascend::ipc {

inline constexpr uint32_t kAbiVersion = 1;

// What one side writes and the other reads lies on a line of its own.
inline constexpr size_t kLineBytes = 64;

inline constexpr uint32_t kRingCapacityMax = uint32_t{1} << 16;  // records
inline constexpr uint32_t kArgumentBytesMax = 8 * 1024;  // of one record
inline constexpr uint32_t kArgumentAreaBytesMax = uint32_t{1} << 28;

// Copies go by words of this size, so whatever is copied begins at one.
inline constexpr uint32_t kWordBytes = 8;

// The begin of every region.
struct alignas(kLineBytes) RegionHeader {
  uint32_t version;  // kAbiVersion; the creator's
};

// How far a ring is. Both counters wrap at 2^32; slot n % capacity is record n.
struct RingControl {
  alignas(kLineBytes) uint32_t tail;  // records pushed; the producer's
  alignas(kLineBytes) uint32_t head;  // records taken; the consumer's
};

// A doorbell that one sleeps on by futex.
struct alignas(kLineBytes) DoorbellWord {
  uint32_t value;     // goes up by one with each ring, and wraps
  uint32_t sleepers;  // how many may sleep; each counts itself in and out
};

// Of a doorbell that is an event descriptor.
struct alignas(kLineBytes) SleepWord {
  uint32_t sleeps;  // not 0: wants the event; taken back by who rings
};

// Bytes in the area of arguments that belongs to a ring.
struct ByteRange {
  uint32_t offset;  // a multiple of kWordBytes
  uint32_t length;
};

static_assert(sizeof(RegionHeader) == 64 && alignof(RegionHeader) == 64);
static_assert(offsetof(RegionHeader, version) == 0);
static_assert(sizeof(RingControl) == 128 && alignof(RingControl) == 64);
static_assert(offsetof(RingControl, tail) == 0);
static_assert(offsetof(RingControl, head) == 64);
static_assert(sizeof(DoorbellWord) == 64 && alignof(DoorbellWord) == 64);
static_assert(offsetof(DoorbellWord, value) == 0);
static_assert(offsetof(DoorbellWord, sleepers) == 4);
static_assert(sizeof(SleepWord) == 64 && alignof(SleepWord) == 64);
static_assert(offsetof(SleepWord, sleeps) == 0);
static_assert(sizeof(ByteRange) == 8 && alignof(ByteRange) == 4);
static_assert(offsetof(ByteRange, offset) == 0);
static_assert(offsetof(ByteRange, length) == 4);

template <typename T>
inline constexpr bool kIsPlain =
    std::is_trivially_copyable_v<T>&& std::is_standard_layout_v<T>;
static_assert(kIsPlain<RegionHeader> && kIsPlain<RingControl> &&
              kIsPlain<DoorbellWord> && kIsPlain<SleepWord> &&
              kIsPlain<ByteRange>);

// A lock would lie in one process only.
static_assert(std::atomic_ref<uint32_t>::is_always_lock_free);
static_assert(std::atomic_ref<uint64_t>::is_always_lock_free);

}  // namespace ascend::ipc

#endif  // ASCEND_PROTO_IPC_ABI_H_
