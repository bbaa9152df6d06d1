// ProcessCallbacks: functions of the program that run at initialisation and
// before the end of the library.
//
// Each that is there when the library is initialised is called once for that
// initialisation, and so is each that comes later, until the end. They are
// called with no lock held, in the order in which they came, and may register
// and remove others.
//
// Threading: any thread. Ownership: names only; lives for ever.
#ifndef ASCEND_CLIENT_CAPI_PROCESS_CALLBACKS_H_
#define ASCEND_CLIENT_CAPI_PROCESS_CALLBACKS_H_

#include <string>
#include <vector>

#include "acl/types/process.h"
#include "core/base/sync.h"

namespace ascend::client {

class ProcessCallbacks {
 public:
  static ProcessCallbacks& Get();

  // A function counts once for each type. False: registered already, or not.
  // AddInit calls `function` at once if the library is initialised; `code` is
  // what it answers then, else ACL_SUCCESS.
  bool AddInit(int type, aclInitCallbackFunc function, void* user_data,
               aclError* code);
  bool RemoveInit(int type, aclInitCallbackFunc function);
  bool AddFinalize(int type, aclFinalizeCallbackFunc function, void* user_data);
  bool RemoveFinalize(int type, aclFinalizeCallbackFunc function);

  // Calls them, up to the first that fails, whose code it returns.
  aclError RunInit(const std::string& config);
  // Calls them all; returns the first code of a failure.
  aclError RunFinalize();

 private:
  template <typename Function>
  struct Entry {
    int type = 0;
    Function function = nullptr;
    void* user_data = nullptr;
  };
  template <typename Function>
  using Entries = std::vector<Entry<Function>>;

  template <typename Function>
  static bool Add(Entries<Function>& entries, Entry<Function> entry);
  template <typename Function>
  static bool Remove(Entries<Function>& entries, int type, Function function);

  core::Mutex mutex_;
  bool is_initialised_ ABSL_GUARDED_BY(mutex_) = false;
  std::string config_ ABSL_GUARDED_BY(mutex_);
  Entries<aclInitCallbackFunc> init_ ABSL_GUARDED_BY(mutex_);
  Entries<aclFinalizeCallbackFunc> finalize_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_CAPI_PROCESS_CALLBACKS_H_
