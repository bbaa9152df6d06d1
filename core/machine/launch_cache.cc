#include "core/machine/launch_cache.h"

#include <utility>

#include "core/base/check.h"

namespace ascend::core {

const LaunchFacts* LaunchCache::Find(uint64_t free_count,
                                     const LaunchKey& key) {
  if (free_count != free_count_) {
    Clear();
    free_count_ = free_count;
  }
  const auto found = launches_.find(key);
  return found == launches_.end() ? nullptr : &found->second->facts;
}

void LaunchCache::Keep(const LaunchKey& key, LaunchFacts facts) {
  const size_t bytes =
      key.args.size() + facts.ranges.size() * sizeof(DeviceRange);
  if (bytes > kBytesMax) return;
  if (launches_.size() == kLaunchesMax || bytes_ + bytes > kBytesMax) Clear();
  auto launch = std::make_unique<const Launch>(
      Launch{std::string(key.args), std::move(facts)});
  LaunchKey own_key = key;
  own_key.args = launch->args;
  const bool is_new = launches_.emplace(own_key, std::move(launch)).second;
  ASCEND_CHECK(is_new) << "the launch was known";
  bytes_ += bytes;
}

void LaunchCache::Clear() {
  launches_.clear();
  bytes_ = 0;
}

}  // namespace ascend::core
