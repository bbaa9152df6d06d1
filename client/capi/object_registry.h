// ObjectRegistry: the live objects of one type whose addresses are handles.
//
// Some objects of the interface are plain descriptions in this process, which
// a program names by pointer. The registry knows which of those pointers are
// alive, so that one that was destroyed, and one to anything else, is told
// apart and never followed. An object may be pinned by an owner (a list), which
// alone may then take it out.
//
// Threading: any thread. Ownership: owns the objects; lives for ever, so that
// they can be destroyed at exit.
#ifndef ASCEND_CLIENT_CAPI_OBJECT_REGISTRY_H_
#define ASCEND_CLIENT_CAPI_OBJECT_REGISTRY_H_

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/sync.h"

namespace ascend::client {

template <typename Object>
class ObjectRegistry {
 public:
  static ObjectRegistry& Get() {
    static auto* const registry = new ObjectRegistry();
    return *registry;
  }

  Object* Add(std::unique_ptr<Object> object) {
    core::MutexLock lock(mutex_);
    Object* const address = object.get();
    entries_[address].object = std::move(object);
    return address;
  }

  // Calls `body(Object&)` if the object is alive; else returns false. `body`
  // must not come back to this registry.
  template <typename Body>
  bool Visit(const Object* address, Body body) {
    core::MutexLock lock(mutex_);
    const auto found = entries_.find(address);
    if (found == entries_.end()) return false;
    body(*found->second.object);
    return true;
  }

  enum class Removal { kDone, kUnknown, kPinned };
  Removal Remove(const Object* address) {
    core::MutexLock lock(mutex_);
    const auto found = entries_.find(address);
    if (found == entries_.end()) return Removal::kUnknown;
    if (found->second.is_pinned) return Removal::kPinned;
    entries_.erase(found);
    return Removal::kDone;
  }

  // Pins all, or none: false when one is dead, pinned, or there twice.
  bool Pin(const std::vector<const Object*>& addresses) {
    core::MutexLock lock(mutex_);
    for (size_t i = 0; i < addresses.size(); ++i) {
      const auto found = entries_.find(addresses[i]);
      if (found != entries_.end() && !found->second.is_pinned) {
        found->second.is_pinned = true;
        continue;
      }
      while (i > 0) entries_.find(addresses[--i])->second.is_pinned = false;
      return false;
    }
    return true;
  }

  // Takes out what Pin pinned.
  void RemovePinned(const std::vector<const Object*>& addresses) {
    core::MutexLock lock(mutex_);
    for (const Object* address : addresses) entries_.erase(address);
  }

 private:
  struct Entry {
    std::unique_ptr<Object> object;
    bool is_pinned = false;
  };

  core::Mutex mutex_;
  std::unordered_map<const Object*, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_CAPI_OBJECT_REGISTRY_H_
