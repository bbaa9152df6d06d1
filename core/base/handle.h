// Handles: names for objects that a session owns, chosen by the client.
//
// A handle is (index, generation). The client library chooses both; the daemon
// accepts a creation only when the index is free and the generation is larger
// than any it has seen at that index, so a stale handle is told apart from a
// live one for ever. Generation 0 is never valid, hence a zero handle is null.
//
// HandleTable is the daemon's side of that contract: a dense table from handle
// to object. `Insert` enforces the contract, `Find` answers null for anything
// but a live handle.
//
// Threading: thread-compatible. Ownership: the table owns its objects; pointers
// from `Find` stay valid until `Erase` of that handle.
#ifndef ASCEND_CORE_BASE_HANDLE_H_
#define ASCEND_CORE_BASE_HANDLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/typed_int.h"

namespace ascend::core {

template <typename Tag>
struct Handle {
  uint32_t index = 0;
  uint32_t generation = 0;

  constexpr bool is_null() const { return generation == 0; }
  // The wire form: generation in the upper half, index in the lower.
  constexpr uint64_t ToBits() const {
    return (uint64_t{generation} << 32) | index;
  }
  static constexpr Handle FromBits(uint64_t bits) {
    return Handle{static_cast<uint32_t>(bits & 0xffffffffu),
                  static_cast<uint32_t>(bits >> 32)};
  }
  friend constexpr bool operator==(Handle, Handle) = default;
  friend constexpr auto operator<=>(Handle, Handle) = default;

  template <typename H>
  friend H AbslHashValue(H h, Handle handle) {
    return H::combine(std::move(h), handle.ToBits());
  }
};

using ContextHandle = Handle<struct ContextHandleTag>;
using StreamHandle = Handle<struct StreamHandleTag>;
using EventHandle = Handle<struct EventHandleTag>;
using NotifyHandle = Handle<struct NotifyHandleTag>;

template <typename H, typename Object>
class HandleTable {
 public:
  // An index at or past `capacity` is refused: the table never grows past
  // what the limits that were told to the client allow.
  explicit HandleTable(size_t capacity) : capacity_(capacity) {}

  // Takes `object` under `handle`. False when the handle breaks the contract
  // above; the object is dropped then.
  [[nodiscard]] bool Insert(H handle, std::unique_ptr<Object> object) {
    if (handle.is_null() || handle.index >= capacity_) return false;
    if (handle.index >= slots_.size()) slots_.resize(handle.index + size_t{1});
    Slot& slot = slots_[handle.index];
    if (slot.object != nullptr || handle.generation <= slot.generation) {
      return false;
    }
    slot.generation = handle.generation;
    slot.object = std::move(object);
    ++size_;
    return true;
  }

  // The live object, or null.
  Object* Find(H handle) const {
    if (handle.is_null() || handle.index >= slots_.size()) return nullptr;
    const Slot& slot = slots_[handle.index];
    return slot.generation == handle.generation ? slot.object.get() : nullptr;
  }

  // Removes a live object and hands it to the caller; null when not live.
  std::unique_ptr<Object> Erase(H handle) {
    if (Find(handle) == nullptr) return nullptr;
    --size_;
    return std::move(slots_[handle.index].object);
  }

  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }

  // Calls `visit(handle, object)` for each live object in index order. `visit`
  // must not insert or erase.
  template <typename Visitor>
  void ForEach(Visitor visit) const {
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].object == nullptr) continue;
      visit(H{static_cast<uint32_t>(i), slots_[i].generation},
            *slots_[i].object);
    }
  }

 private:
  struct Slot {
    uint32_t generation = 0;
    std::unique_ptr<Object> object;
  };

  const size_t capacity_;
  size_t size_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_BASE_HANDLE_H_
