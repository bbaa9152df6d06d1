#include "client/capi/process_callbacks.h"

#include <algorithm>

namespace ascend::client {

ProcessCallbacks& ProcessCallbacks::Get() {
  static auto* const callbacks = new ProcessCallbacks();
  return *callbacks;
}

template <typename Function>
bool ProcessCallbacks::Add(Entries<Function>& entries, Entry<Function> entry) {
  const bool is_new = std::none_of(
      entries.begin(), entries.end(), [&](const Entry<Function>& other) {
        return other.type == entry.type && other.function == entry.function;
      });
  if (is_new) entries.push_back(entry);
  return is_new;
}

template <typename Function>
bool ProcessCallbacks::Remove(Entries<Function>& entries, int type,
                              Function function) {
  return std::erase_if(entries, [&](const Entry<Function>& entry) {
           return entry.type == type && entry.function == function;
         }) > 0;
}

bool ProcessCallbacks::AddInit(int type, aclInitCallbackFunc function,
                               void* user_data, aclError* code) {
  *code = ACL_SUCCESS;
  std::string config;
  {
    core::MutexLock lock(mutex_);
    if (!Add(init_, {type, function, user_data})) return false;
    if (!is_initialised_) return true;
    config = config_;
  }
  *code = function(config.c_str(), config.size(), user_data);
  return true;
}

bool ProcessCallbacks::RemoveInit(int type, aclInitCallbackFunc function) {
  core::MutexLock lock(mutex_);
  return Remove(init_, type, function);
}

bool ProcessCallbacks::AddFinalize(int type, aclFinalizeCallbackFunc function,
                                   void* user_data) {
  core::MutexLock lock(mutex_);
  return Add(finalize_, {type, function, user_data});
}

bool ProcessCallbacks::RemoveFinalize(int type,
                                      aclFinalizeCallbackFunc function) {
  core::MutexLock lock(mutex_);
  return Remove(finalize_, type, function);
}

aclError ProcessCallbacks::RunInit(const std::string& config) {
  Entries<aclInitCallbackFunc> entries;
  {
    core::MutexLock lock(mutex_);
    is_initialised_ = true;
    config_ = config;
    entries = init_;
  }
  for (const auto& entry : entries) {
    const aclError code =
        entry.function(config.c_str(), config.size(), entry.user_data);
    if (code != ACL_SUCCESS) return code;
  }
  return ACL_SUCCESS;
}

aclError ProcessCallbacks::RunFinalize() {
  Entries<aclFinalizeCallbackFunc> entries;
  {
    core::MutexLock lock(mutex_);
    is_initialised_ = false;
    entries = finalize_;
  }
  aclError first_failure = ACL_SUCCESS;
  for (const auto& entry : entries) {
    const aclError code = entry.function(entry.user_data);
    if (first_failure == ACL_SUCCESS) first_failure = code;
  }
  return first_failure;
}

}  // namespace ascend::client
