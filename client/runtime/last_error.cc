#include "client/runtime/last_error.h"

#include <atomic>
#include <cstddef>
#include <deque>
#include <string>
#include <utility>

#include "absl/strings/str_join.h"
#include "core/base/sync.h"

namespace ascend::client {
namespace {

// Nobody reads on past a few; a program that never asks must not grow.
constexpr size_t kMessagesMax = 32;

// The newest first.
using Messages = std::deque<std::string>;

void Add(Messages& messages, absl::string_view text) {
  messages.emplace_front(text);
  if (messages.size() > kMessagesMax) messages.pop_back();
}

struct ThreadErrors {
  int last_code = 0;
  Messages messages;
  std::string handed_out;
};

// Calls come even when the thread's own storage has ended: from destructors of
// the program's static objects, on the main thread.
ThreadErrors& CurrentErrors() {
  static thread_local ThreadErrors* errors = nullptr;
  if (errors == nullptr) {
    errors = new ThreadErrors();
    struct Sweeper {
      ~Sweeper() { delete std::exchange(errors, nullptr); }
    };
    static thread_local Sweeper sweeper;
  }
  return *errors;
}

struct ProcessErrors {
  static ProcessErrors& Get() {
    static ProcessErrors* const errors = new ProcessErrors();
    return *errors;
  }

  std::atomic<MessageScope> scope{MessageScope::kThread};
  core::Mutex mutex;
  Messages messages ABSL_GUARDED_BY(mutex);
};

Messages TakeMessages() {
  ProcessErrors& process = ProcessErrors::Get();
  if (process.scope.load() == MessageScope::kThread) {
    return std::exchange(CurrentErrors().messages, {});
  }
  core::MutexLock lock(process.mutex);
  return std::exchange(process.messages, {});
}

}  // namespace

void SetMessageScope(MessageScope scope) {
  ProcessErrors::Get().scope.store(scope);
}

void RecordError(int code, absl::string_view text) {
  CurrentErrors().last_code = code;
  ProcessErrors& process = ProcessErrors::Get();
  if (process.scope.load() == MessageScope::kThread) {
    Add(CurrentErrors().messages, text);
    return;
  }
  core::MutexLock lock(process.mutex);
  Add(process.messages, text);
}

int PeekLastError() { return CurrentErrors().last_code; }

int TakeLastError() { return std::exchange(CurrentErrors().last_code, 0); }

const char* TakeRecentMessages() {
  const Messages messages = TakeMessages();
  if (messages.empty()) return nullptr;
  std::string& text = CurrentErrors().handed_out;
  text = absl::StrJoin(messages, "\n");
  return text.c_str();
}

}  // namespace ascend::client
