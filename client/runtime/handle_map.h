// HandleMap and HandleMinter: the two kinds of names this library gives out.
//
// A program holds opaque pointers (aclrtStream and its like). They are never
// dereferenced: the value itself encodes (kind, index, generation) and is
// looked up in a table, so a handle that was destroyed, one of another kind and
// a pointer to anything else are all told apart from a live handle. The low
// four bits are the kind, which is odd; what malloc returns has zeros there.
//
// The daemon knows objects by core handles, which the client chooses too
// (core/base/handle.h). They are minted apart from the public ones, because an
// event has no core handle before its first record.
//
// Threading: thread-compatible; guarded by the runtime's order mutex.
// Ownership: a map owns its objects; pointers from Find live until Erase.
#ifndef ASCEND_CLIENT_RUNTIME_HANDLE_MAP_H_
#define ASCEND_CLIENT_RUNTIME_HANDLE_MAP_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/sim/tick.h"

namespace ascend::client {

enum class HandleKind : uint8_t {
  kContext = 1,
  kStream = 3,
  kEvent = 5,
  kBinary = 7,
  kFunction = 9,
  kNotify = 11,
};

template <typename Object, HandleKind kKind>
class HandleMap {
 public:
  // Takes the object and names it. Null when 2^24 objects are alive.
  void* Insert(std::unique_ptr<Object> object) {
    if (free_.empty()) {
      if (slots_.size() > kIndexMax) return nullptr;
      free_.push_back(static_cast<uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    const uint32_t index = free_.back();
    free_.pop_back();
    Slot& slot = slots_[index];
    slot.object = std::move(object);
    ++slot.generation;
    ++size_;
    return Encode(index, slot.generation);
  }

  // The live object of that name, or null.
  Object* Find(const void* handle) const {
    const uint64_t bits = reinterpret_cast<uintptr_t>(handle);
    if ((bits & kKindMask) != static_cast<uint64_t>(kKind)) return nullptr;
    const uint64_t index = (bits >> kKindBits) & kIndexMax;
    if (index >= slots_.size()) return nullptr;
    const Slot& slot = slots_[index];
    const uint64_t generation = bits >> (kKindBits + kIndexBits);
    return slot.generation == generation ? slot.object.get() : nullptr;
  }

  // Removes a live object and hands it to the caller; null when not live.
  std::unique_ptr<Object> Erase(const void* handle) {
    if (Find(handle) == nullptr) return nullptr;
    const uint64_t bits = reinterpret_cast<uintptr_t>(handle);
    const auto index = static_cast<uint32_t>((bits >> kKindBits) & kIndexMax);
    --size_;
    // A slot that has used up its generations is never used again.
    if (slots_[index].generation < std::numeric_limits<uint32_t>::max()) {
      free_.push_back(index);
    }
    return std::move(slots_[index].object);
  }

  // The names of the live objects that `matches(object)`.
  template <typename Predicate>
  std::vector<void*> Select(Predicate matches) const {
    std::vector<void*> handles;
    for (size_t i = 0; i < slots_.size(); ++i) {
      const Slot& slot = slots_[i];
      if (slot.object == nullptr || !matches(*slot.object)) continue;
      handles.push_back(Encode(static_cast<uint32_t>(i), slot.generation));
    }
    return handles;
  }

  // Makes every handle stale.
  void Clear() {
    for (void* handle : Select([](const Object&) { return true; })) {
      Erase(handle);
    }
  }

  size_t size() const { return size_; }

 private:
  struct Slot {
    uint32_t generation = 0;
    std::unique_ptr<Object> object;
  };

  static constexpr int kKindBits = 4;
  static constexpr int kIndexBits = 24;
  static constexpr uint64_t kKindMask = (1u << kKindBits) - 1;
  static constexpr uint64_t kIndexMax = (1u << kIndexBits) - 1;

  static void* Encode(uint32_t index, uint32_t generation) {
    const uint64_t bits = (uint64_t{generation} << (kKindBits + kIndexBits)) |
                          (uint64_t{index} << kKindBits) |
                          static_cast<uint64_t>(kKind);
    return reinterpret_cast<void*>(static_cast<uintptr_t>(bits));
  }

  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  size_t size_ = 0;
};

// Chooses core handles by the daemon's contract: dense indices, and a
// generation larger than any before at that index.
template <typename H>
class HandleMinter {
 public:
  H Mint() {
    if (free_.empty()) {
      free_.push_back(static_cast<uint32_t>(generations_.size()));
      generations_.push_back(0);
    }
    const uint32_t index = free_.back();
    free_.pop_back();
    ++live_count_;
    return H{index, ++generations_[index]};
  }

  // The daemon was told, by a command with this stamp, that the object is gone;
  // 0: it has answered.
  void Release(H handle, core::Tick stamp = 0) {
    --live_count_;
    free_.push_back(handle.index);
    stamps_.resize(generations_.size());
    stamps_[handle.index] = stamp;
  }

  // The stamp that who makes an object of this name must come after: commands
  // of other lanes overtake each other otherwise.
  core::Tick StampOf(H handle) const {
    return handle.index < stamps_.size() ? stamps_[handle.index] : 0;
  }

  size_t live_count() const { return live_count_; }

 private:
  std::vector<uint32_t> generations_;
  std::vector<core::Tick> stamps_;  // of the last Release
  std::vector<uint32_t> free_;
  size_t live_count_ = 0;
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_HANDLE_MAP_H_
