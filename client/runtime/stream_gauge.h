// StreamGauge: how many tasks of a stream have retired, as the daemon tells.
//
// Threads that post compare it with what they posted; the completion thread
// moves it.
//
// Threading: any thread. Ownership: shared by the stream and the completion
// side.
#ifndef ASCEND_CLIENT_RUNTIME_STREAM_GAUGE_H_
#define ASCEND_CLIENT_RUNTIME_STREAM_GAUGE_H_

#include <atomic>
#include <cstdint>

namespace ascend::client {

class StreamGauge {
 public:
  uint64_t retired() const { return retired_.load(std::memory_order_acquire); }

  // One thread; never goes back.
  void Raise(uint64_t retired) {
    if (retired > this->retired()) {
      retired_.store(retired, std::memory_order_release);
    }
  }

 private:
  std::atomic<uint64_t> retired_{0};
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_STREAM_GAUGE_H_
