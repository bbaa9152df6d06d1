#include "core/base/thread_slice.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace ascend::core {
namespace {

// sched_setattr(2) in its first version; <linux/sched/types.h>, which declares
// it, declares sched_param too, which libstdc++ has from <sched.h>.
struct SchedulingAttributes {
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime_ns;  // the slice, of an ordinary thread
  uint64_t deadline_ns;
  uint64_t period_ns;
};

bool Read(SchedulingAttributes* out) {
  return syscall(SYS_sched_getattr, 0, out, sizeof(*out), 0) == 0;
}

}  // namespace

bool SetThreadSlice(std::chrono::microseconds slice) {
  SchedulingAttributes attributes = {};
  if (!Read(&attributes)) return false;
  attributes.runtime_ns = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(slice).count());
  return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0;
}

std::chrono::microseconds ThreadSlice() {
  SchedulingAttributes attributes = {};
  if (!Read(&attributes)) return {};
  return std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::nanoseconds(attributes.runtime_ns));
}

}  // namespace ascend::core
