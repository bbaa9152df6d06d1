// NamedCallbacks: functions of the program that are told of a change of state.
//
// They are called in the order in which they were registered, on the thread
// that makes the change, which holds no lock: so they may use the whole
// interface, and register and remove callbacks. One that another thread removes
// meanwhile may be called once more.
//
// Threading: any thread. Ownership: names only; functions and what they get are
// the program's.
#ifndef ASCEND_CLIENT_RUNTIME_NAMED_CALLBACKS_H_
#define ASCEND_CLIENT_RUNTIME_NAMED_CALLBACKS_H_

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/base/error.h"
#include "core/base/sync.h"

namespace ascend::client {

// `Function` takes what Call is given, and the pointer of its registration.
template <typename Function>
class NamedCallbacks {
 public:
  // Null takes the function of that name away. Errors: kInvalidArgument when
  // the name is taken, or when there is nothing to take away.
  absl::Status Register(absl::string_view name, Function function,
                        void* user_data) {
    core::MutexLock lock(mutex_);
    const auto found =
        std::find_if(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.name == name; });
    const bool is_known = found != entries_.end();
    if (is_known == (function != nullptr)) {
      return core::MakeError(
          core::Reason::kInvalidArgument,
          absl::StrCat("'", name, "' ",
                       is_known ? "is registered already: take it away by a "
                                  "null function first"
                                : "is not registered, so there is nothing to "
                                  "take away"));
    }
    if (is_known) {
      entries_.erase(found);
    } else {
      entries_.push_back({std::string(name), function, user_data});
    }
    return absl::OkStatus();
  }

  bool empty() const {
    core::MutexLock lock(mutex_);
    return entries_.empty();
  }

  template <typename... Arguments>
  void Call(Arguments... arguments) const {
    std::vector<Entry> entries;
    {
      core::MutexLock lock(mutex_);
      entries = entries_;
    }
    for (const Entry& entry : entries) {
      entry.function(arguments..., entry.user_data);
    }
  }

 private:
  struct Entry {
    std::string name;
    Function function = nullptr;
    void* user_data = nullptr;
  };

  mutable core::Mutex mutex_;
  std::vector<Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_NAMED_CALLBACKS_H_
