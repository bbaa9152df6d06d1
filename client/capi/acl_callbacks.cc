// Functions of the program that streams call, and those that hear of failures.
#include <pthread.h>

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "client/capi/error_map.h"
#include "core/base/error.h"
#include "core/base/sync.h"

using ascend::client::AclErrorOf;
using ascend::client::CheckNotNull;
using ascend::client::CheckTimeout;
using ascend::client::ClientRuntime;
using ascend::client::NumberOf;
using ascend::client::Report;
using ascend::client::TaskException;
using ascend::core::MakeError;
using ascend::core::Mutex;
using ascend::core::MutexLock;
using ascend::core::Reason;

// What a callback is given; valid during the call.
struct rtExceptionInfo {
  TaskException exception;
};

namespace {

constexpr uint32_t kUnknown = 0xFFFFFFFF;

// The exception callbacks of the process. Lives for ever: threads of the
// library may outlive main.
class ExceptionCallbacks {
 public:
  static ExceptionCallbacks& Get() {
    static ExceptionCallbacks* const callbacks = new ExceptionCallbacks();
    return *callbacks;
  }

  // The one of the older form; null: none.
  void Set(aclrtExceptionInfoCallback callback) {
    MutexLock lock(mutex_);
    single_ = callback;
    Listen();
  }
  // False: it is there already; it is not there.
  bool Add(aclrtExceptionInfoCallback callback) {
    MutexLock lock(mutex_);
    if (std::find(all_.begin(), all_.end(), callback) != all_.end()) {
      return false;
    }
    all_.push_back(callback);
    Listen();
    return true;
  }
  bool Remove(aclrtExceptionInfoCallback callback) {
    MutexLock lock(mutex_);
    const bool was_there = std::erase(all_, callback) > 0;
    Listen();
    return was_there;
  }

 private:
  void Listen() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const bool has_any = single_ != nullptr || !all_.empty();
    ClientRuntime::Get().SetExceptionListener(has_any ? &Tell : nullptr);
  }

  // Without the mutex around the calls, which may come back here.
  static void Tell(const TaskException& exception) {
    std::vector<aclrtExceptionInfoCallback> callbacks;
    {
      ExceptionCallbacks& self = Get();
      MutexLock lock(self.mutex_);
      callbacks = self.all_;
      if (self.single_ != nullptr) callbacks.push_back(self.single_);
    }
    aclrtExceptionInfo info{exception};
    for (const aclrtExceptionInfoCallback callback : callbacks) {
      callback(&info);
    }
  }

  Mutex mutex_;
  aclrtExceptionInfoCallback single_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::vector<aclrtExceptionInfoCallback> all_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) {
  if (threadId == 0) {
    return Report(__func__, MakeError(Reason::kInvalidArgument,
                                      "threadId is 0, which is no thread"));
  }
  return Report(__func__, ClientRuntime::Get().Subscribe(threadId, stream));
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return Report(__func__, ClientRuntime::Get().Unsubscribe(threadId, stream));
}

aclError aclrtLaunchCallback(aclrtCallback fn, void* userData,
                             aclrtCallbackBlockType blockType,
                             aclrtStream stream) {
  absl::Status status =
      CheckNotNull({{reinterpret_cast<const void*>(fn), "fn"}});
  const int block = NumberOf(blockType);
  if (status.ok() && block != ACL_CALLBACK_NO_BLOCK &&
      block != ACL_CALLBACK_BLOCK) {
    status = MakeError(Reason::kInvalidArgument,
                       absl::StrCat("blockType is ", block,
                                    ", which is no aclrtCallbackBlockType"));
  }
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__,
                ClientRuntime::Get().CallServiceThread(
                    stream, fn, userData, block == ACL_CALLBACK_BLOCK));
}

aclError aclrtProcessReport(int32_t timeout) {
  const auto checked = CheckTimeout(timeout);
  if (!checked.ok()) return Report(__func__, checked.status());
  return Report(__func__, ClientRuntime::Get().ServeOneCall(
                              static_cast<uint64_t>(pthread_self()), *checked));
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  const absl::Status status =
      CheckNotNull({{reinterpret_cast<const void*>(fn), "fn"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__,
                ClientRuntime::Get().CallHostFunction(stream, fn, args));
}

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback) {
  ExceptionCallbacks::Get().Set(callback);
  return ACL_SUCCESS;
}

aclError aclrtExceptionInfoCallbackRegister(
    aclrtExceptionInfoCallback callback) {
  absl::Status status =
      CheckNotNull({{reinterpret_cast<const void*>(callback), "callback"}});
  if (status.ok() && !ExceptionCallbacks::Get().Add(callback)) {
    status = MakeError(Reason::kInvalidArgument,
                       "the callback is registered already");
  }
  return Report(__func__, status);
}

aclError aclrtExceptionInfoCallbackUnregister(
    aclrtExceptionInfoCallback callback) {
  absl::Status status =
      CheckNotNull({{reinterpret_cast<const void*>(callback), "callback"}});
  if (status.ok() && !ExceptionCallbacks::Get().Remove(callback)) {
    status =
        MakeError(Reason::kInvalidArgument, "the callback is not registered");
  }
  return Report(__func__, status);
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info == nullptr ? kUnknown : info->exception.task;
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info == nullptr ? kUnknown : info->exception.stream;
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info == nullptr ? kUnknown : info->exception.thread;
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info == nullptr ? kUnknown : info->exception.device;
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info == nullptr
             ? kUnknown
             : static_cast<uint32_t>(AclErrorOf(info->exception.status));
}
