// RingMemory: the memory of one ring, private to the test and exactly as large
// as it must be, so that the address sanitizer sees a step outside.
//
// Threading: as the ring that lies in it. Ownership: owns the memory.
#ifndef ASCEND_TESTS_UNIT_PROTO_IPC_RING_MEMORY_H_
#define ASCEND_TESTS_UNIT_PROTO_IPC_RING_MEMORY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "proto/ipc/ring.h"

namespace ascend::ipc {

template <RingRecord Record>
class RingMemory {
 public:
  explicit RingMemory(uint32_t capacity, uint32_t first = 0)
      : bytes_(RingBytes<Record>(capacity)) {
    void* memory = nullptr;
    if (::posix_memalign(&memory, kLineBytes, bytes_) != 0) std::abort();
    std::memset(memory, 0, bytes_);
    memory_.reset(static_cast<std::byte*>(memory));
    SetTail(first);
    SetHead(first);
  }

  std::span<std::byte> span() const { return {memory_.get(), bytes_}; }

  // What the peer may do at any time.
  uint32_t tail() const { return std::atomic_ref(control()->tail).load(); }
  uint32_t head() const { return std::atomic_ref(control()->head).load(); }
  void SetTail(uint32_t value) { std::atomic_ref(control()->tail) = value; }
  void SetHead(uint32_t value) { std::atomic_ref(control()->head) = value; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };

  RingControl* control() const {
    return reinterpret_cast<RingControl*>(memory_.get());
  }

  size_t bytes_;
  std::unique_ptr<std::byte[], Free> memory_;
};

}  // namespace ascend::ipc

#endif  // ASCEND_TESTS_UNIT_PROTO_IPC_RING_MEMORY_H_
