// LeakCheck: what ASCEND_RTD_LEAK_CHECK=1 lists at finalize and at exit: device
// memory, streams and events that the program did not give back itself, also
// those that ended with their context.
//
// Only the first of each kind are listed one by one, so that a long run that
// leaks stays small.
//
// Threading: thread-compatible; guarded by the runtime's order mutex.
#ifndef ASCEND_CLIENT_RUNTIME_LEAK_CHECK_H_
#define ASCEND_CLIENT_RUNTIME_LEAK_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "client/runtime/device_memory.h"
#include "core/base/ids.h"

namespace ascend::client {

class LeakCheck {
 public:
  static constexpr size_t kListedMax = 100;

  // Reads the environment.
  LeakCheck();

  bool is_on() const { return is_on_; }
  void AddMemory(const Allocation& allocation);
  // `end`: "", or what made an end of it.
  void AddStream(const void* handle, core::DeviceId device, const char* end);
  void AddEvent(const void* handle, core::DeviceId device, const char* end);

  // What was added since, for people; empty when nothing was.
  std::string TakeReport();

 private:
  struct Kind {
    uint64_t count = 0;
    std::vector<std::string> lines;
  };

  static void Add(Kind& kind, std::string line);

  const bool is_on_;
  uint64_t memory_bytes_ = 0;
  Kind memory_;
  Kind streams_;
  Kind events_;
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_LEAK_CHECK_H_
