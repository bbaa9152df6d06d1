// Copies between private memory and memory that another process may write
// meanwhile.
//
// Each word is read or written exactly once, by a relaxed atomic: the compiler
// neither reads it twice nor invents a write, and a peer that writes at the
// same time is no undefined behaviour, only other bytes. Order is the business
// of the counters around (ring.h).
//
// Threading: any thread. Ownership: none.
#ifndef ASCEND_PROTO_IPC_SHARED_WORDS_H_
#define ASCEND_PROTO_IPC_SHARED_WORDS_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "proto/ipc/abi.h"

namespace ascend::ipc {

// What a copy of `bytes` touches of shared memory.
constexpr size_t WholeWords(size_t bytes) {
  return (bytes + kWordBytes - 1) / kWordBytes * kWordBytes;
}

// `shared` is aligned to kWordBytes and has WholeWords(bytes).
inline void CopyFromShared(void* to, std::byte* shared, size_t bytes) {
  auto* const out = static_cast<std::byte*>(to);
  for (size_t at = 0; at < bytes; at += kWordBytes) {
    const uint64_t word =
        std::atomic_ref(*reinterpret_cast<uint64_t*>(shared + at))
            .load(std::memory_order_relaxed);
    std::memcpy(out + at, &word, std::min<size_t>(kWordBytes, bytes - at));
  }
}

// As above; what is left of the last word becomes 0.
inline void CopyToShared(std::byte* shared, const void* from, size_t bytes) {
  const auto* const in = static_cast<const std::byte*>(from);
  for (size_t at = 0; at < bytes; at += kWordBytes) {
    uint64_t word = 0;
    std::memcpy(&word, in + at, std::min<size_t>(kWordBytes, bytes - at));
    std::atomic_ref(*reinterpret_cast<uint64_t*>(shared + at))
        .store(word, std::memory_order_relaxed);
  }
}

}  // namespace ascend::ipc

#endif  // ASCEND_PROTO_IPC_SHARED_WORDS_H_
