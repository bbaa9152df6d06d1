// LaunchCache: what the machine has found out about launches of one session.
//
// A program that decodes launches the same kernels with the same arguments for
// every token. What a launch claims, touches and costs follows from its key and
// from where the session's memory lies, so it is found out once and looked up
// from then on. The cache saves work of the host; no simulated time depends on
// whether it knows a launch.
//
// Only launches that were found legal on live memory are kept. Such a launch
// stays legal, at the same cost, until the session frees something: nothing
// else ends or moves an allocation. So the cache keeps launches between two
// frees, and forgets all of them when asked after the second. It is bounded,
// and forgets all when it is full. The session is not charged for what it
// holds.
//
// Threading: thread-compatible. Ownership: a session owns its cache, which
// copies the argument blocks.
#ifndef ASCEND_CORE_MACHINE_LAUNCH_CACHE_H_
#define ASCEND_CORE_MACHINE_LAUNCH_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "core/base/ids.h"
#include "core/kernels/descriptor.h"
#include "core/sched/task.h"

namespace ascend::core {

// All that a launch is found out from, but memory and the machine's options.
struct LaunchKey {
  KernelId kernel;
  uint32_t num_blocks = 0;
  DeviceId device;  // whose hold mode counts
  absl::string_view args;

  friend bool operator==(const LaunchKey&, const LaunchKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const LaunchKey& key) {
    return H::combine(std::move(h), key.kernel, key.num_blocks, key.device,
                      key.args);
  }
};

// What is found out; see TaskTemplate and KernelWork.
struct LaunchFacts {
  Claim claim;
  std::vector<DeviceRange> ranges;
  KernelCost cost;
  KernelPlan plan;
};

class LaunchCache {
 public:
  // Launches, and the bytes of their argument blocks and ranges. A step of a
  // large model is some thousand launches of a hundred bytes.
  static constexpr size_t kLaunchesMax = 4096;
  static constexpr size_t kBytesMax = size_t{4} << 20;

  // Null when it is not known. `free_count` is how many allocations the session
  // has freed (MemoryManager::FreeCount). Valid until the next call.
  const LaunchFacts* Find(uint64_t free_count, const LaunchKey& key);

  // Keeps the facts of a launch that Find, asked just before, did not know.
  void Keep(const LaunchKey& key, LaunchFacts facts);

  size_t launch_count() const { return launches_.size(); }
  size_t bytes() const { return bytes_; }

 private:
  struct Launch {
    std::string args;
    LaunchFacts facts;
  };

  void Clear();

  uint64_t free_count_ = 0;
  size_t bytes_ = 0;
  // The arguments of a key are those of its launch. Looked up only; never
  // walked.
  absl::flat_hash_map<LaunchKey, std::unique_ptr<const Launch>> launches_;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_LAUNCH_CACHE_H_
