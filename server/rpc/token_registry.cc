#include "server/rpc/token_registry.h"

#include <sys/random.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/check.h"
#include "core/base/error.h"

namespace ascend::server {
namespace {

constexpr size_t kTokenBytes = 16;

std::string RandomToken() {
  std::string token(kTokenBytes, '\0');
  const ssize_t got = ::getrandom(token.data(), token.size(), 0);
  ASCEND_CHECK(got == static_cast<ssize_t>(token.size()));
  return token;
}

// In a time that does not tell how much of it was right.
bool EqualInConstantTime(absl::string_view a, absl::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  }
  return difference == 0;
}

}  // namespace

std::string TokenRegistry::Add(core::SessionId session) {
  std::string token = RandomToken();
  core::MutexLock lock(mutex_);
  rows_[session] = Row{.token = token};
  return token;
}

void TokenRegistry::Remove(core::SessionId session) {
  std::function<void()> end_bulk;
  {
    core::MutexLock lock(mutex_);
    const auto row = rows_.find(session);
    if (row == rows_.end()) return;
    end_bulk = std::move(row->second.end_bulk);
    rows_.erase(row);
  }
  if (end_bulk) end_bulk();
}

absl::Status TokenRegistry::AttachBulk(core::SessionId session,
                                       absl::string_view token,
                                       std::function<void()> end_bulk) {
  core::MutexLock lock(mutex_);
  const auto row = rows_.find(session);
  if (row == rows_.end() || !EqualInConstantTime(row->second.token, token)) {
    return core::MakeError(core::Reason::kInvalidArgument,
                           absl::StrCat("no session ", session.value(),
                                        " with this token is open"));
  }
  if (row->second.end_bulk) {
    return core::MakeError(core::Reason::kInvalidArgument,
                           absl::StrCat("session ", session.value(),
                                        " has a transfer stream already"));
  }
  row->second.end_bulk = std::move(end_bulk);
  return absl::OkStatus();
}

void TokenRegistry::DetachBulk(core::SessionId session) {
  std::function<void()> dropped;  // destroyed after the lock is released
  {
    core::MutexLock lock(mutex_);
    const auto row = rows_.find(session);
    if (row != rows_.end()) dropped.swap(row->second.end_bulk);
  }
}

}  // namespace ascend::server
