// Argument blocks: from bytes of a launch to the struct that a kernel reads.
//
// A block begins with its own size, as the calling program was compiled. Older
// programs send less than this version knows and the rest counts as zero; newer
// ones may send more, which is accepted as long as it is zero, because then it
// asks for nothing that this version cannot do.
//
// Threading: pure functions. Ownership: none; blocks are copies, so bytes that
// another process can still write are read once.
#ifndef ASCEND_CORE_KERNELS_ARGUMENT_BLOCK_H_
#define ASCEND_CORE_KERNELS_ARGUMENT_BLOCK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "absl/status/status.h"

namespace ascend::core {

// Refuses `args` that do not hold the block they state, and blocks with bytes
// set beyond `known_bytes`. Reason::kInvalidArgument.
absl::Status CheckBlock(std::span<const std::byte> args, size_t known_bytes);

// The block in `args`, missing fields zero. Legal only after CheckBlock.
template <typename Block>
Block LoadBlock(std::span<const std::byte> args) {
  static_assert(std::is_trivially_copyable_v<Block>);
  static_assert(offsetof(Block, size) == 0);
  uint64_t stated_bytes = 0;
  std::memcpy(&stated_bytes, args.data(), sizeof(stated_bytes));
  Block block{};
  std::memcpy(&block, args.data(),
              std::min<size_t>(stated_bytes, sizeof(Block)));
  return block;
}

}  // namespace ascend::core

#endif  // ASCEND_CORE_KERNELS_ARGUMENT_BLOCK_H_
