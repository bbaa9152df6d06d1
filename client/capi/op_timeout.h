// OpTimeout: how long a kernel may run, as the device counts it.
//
// Threading: any thread. Ownership: none.
#ifndef ASCEND_CLIENT_CAPI_OP_TIMEOUT_H_
#define ASCEND_CLIENT_CAPI_OP_TIMEOUT_H_

#include <atomic>
#include <cstdint>

namespace ascend::client {

class OpTimeout {
 public:
  // 254 of them are the 1091 s that kernels have by default.
  static constexpr uint64_t kIntervalUs = 4294967;
  static constexpr uint64_t kIntervalsMax = 254;

  static OpTimeout& Get();

  // Rounds up to whole intervals, at most kIntervalsMax; 0: as many. Returns
  // what is granted.
  uint64_t Set(uint64_t microseconds);
  uint64_t microseconds() const { return microseconds_.load(); }

 private:
  std::atomic<uint64_t> microseconds_{kIntervalUs * kIntervalsMax};
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_CAPI_OP_TIMEOUT_H_
