#include "server/session_registry.h"

#include <utility>

#include "core/base/check.h"

namespace ascend::server {

HostSession& SessionRegistry::Add(HostSession session) {
  const core::SessionId id = session.id;
  const auto [entry, is_new] = sessions_.emplace(id, std::move(session));
  ASCEND_CHECK(is_new) << "session " << id.value() << " is opened twice";
  return entry->second;
}

void SessionRegistry::Remove(core::SessionId id) {
  last_found_ = nullptr;
  sessions_.erase(id);
}

HostSession* SessionRegistry::Find(core::SessionId id) {
  // Commands, jobs and replies of one session come in runs.
  if (last_found_ != nullptr && last_found_->id == id) return last_found_;
  const auto entry = sessions_.find(id);
  if (entry == sessions_.end()) return nullptr;
  last_found_ = &entry->second;
  return last_found_;
}

HostSession* SessionRegistry::Touch(core::SessionId id) {
  HostSession* const session = Find(id);
  if (session == nullptr || session->sink == nullptr) return nullptr;
  if (!session->is_touched) {
    session->is_touched = true;
    touched_.push_back(id);
  }
  return session;
}

std::vector<HostSession*> SessionRegistry::TakeTouched() {
  std::vector<HostSession*> sessions;
  for (const core::SessionId id : touched_) {
    HostSession* const session = Find(id);
    if (session == nullptr) continue;
    session->is_touched = false;
    if (session->sink != nullptr) sessions.push_back(session);
  }
  touched_.clear();
  return sessions;
}

std::vector<HostSession*> SessionRegistry::All() {
  std::vector<HostSession*> sessions;
  sessions.reserve(sessions_.size());
  for (auto& [id, session] : sessions_) sessions.push_back(&session);
  return sessions;
}

}  // namespace ascend::server
