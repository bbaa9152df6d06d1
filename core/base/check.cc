#include "core/base/check.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace ascend::core {
namespace {

std::atomic<CheckFailureHook> failure_hook{nullptr};

}  // namespace

void SetCheckFailureHook(CheckFailureHook hook) { failure_hook.store(hook); }

namespace check_internal {

Failure::Failure(const char* file, int line, const char* condition) {
  stream_ << "check failed at " << file << ":" << line << ": " << condition
          << " ";
}

Failure::~Failure() {
  const std::string message = stream_.str();
  std::fprintf(stderr, "%s\n", message.c_str());
  std::fflush(stderr);
  // Taken out first: a hook that fails a check itself must not recurse.
  if (CheckFailureHook hook = failure_hook.exchange(nullptr)) {
    hook(message.c_str());
  }
  std::abort();
}

}  // namespace check_internal
}  // namespace ascend::core
