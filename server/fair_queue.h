// FairQueue: takes turns between sessions.
//
// Work of one session leaves in the order in which it came; sessions that have
// work leave in rotation, one item each. Long work is cut into slices, and the
// rest of it is pushed again at the end: so one session's gigabyte, or its
// thousand small copies, delays another session's copy by one slice per
// session.
//
// Threading: thread-compatible; guarded by its owner. Ownership: owns items.
#ifndef ASCEND_SERVER_FAIR_QUEUE_H_
#define ASCEND_SERVER_FAIR_QUEUE_H_

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "core/base/ids.h"

namespace ascend::server {

template <typename Item>
class FairQueue {
 public:
  bool empty() const { return rotation_.empty(); }

  void Push(core::SessionId session, Item item) {
    std::deque<Item>& items = items_[session];
    if (items.empty()) rotation_.push_back(session);
    items.push_back(std::move(item));
  }

  // The queue is not empty.
  std::pair<core::SessionId, Item> Pop() {
    return *PopIf([](core::SessionId) { return true; });
  }

  // The next item of a session that `admits` it; others keep their place in the
  // rotation. None: there is no such session.
  template <typename Admits>
  std::optional<std::pair<core::SessionId, Item>> PopIf(Admits admits) {
    const auto place =
        std::find_if(rotation_.begin(), rotation_.end(), std::move(admits));
    if (place == rotation_.end()) return std::nullopt;
    const core::SessionId session = *place;
    rotation_.erase(place);
    const auto entry = items_.find(session);
    Item item = std::move(entry->second.front());
    entry->second.pop_front();
    if (entry->second.empty()) {
      items_.erase(entry);
    } else {
      rotation_.push_back(session);
    }
    return std::pair(session, std::move(item));
  }

 private:
  absl::flat_hash_map<core::SessionId, std::deque<Item>> items_;
  std::deque<core::SessionId> rotation_;  // sessions that have items
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_FAIR_QUEUE_H_
