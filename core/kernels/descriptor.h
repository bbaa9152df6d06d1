// KernelDescriptor: what the machine must know of a kernel without running it.
//
// A kernel is a name, a core kind, an argument block and four pure functions of
// that block: is it legal, which device ranges does it touch, how many units
// does it claim, and what does it cost. The machine calls them when a launch is
// admitted or starts; the body that computes lives elsewhere (server/kernels
// for the built-in ones) and is found by KernelId.
//
// Threading: immutable. Ownership: the catalog owns descriptors for ever, so
// `const KernelDescriptor*` may be kept.
#ifndef ASCEND_CORE_KERNELS_DESCRIPTOR_H_
#define ASCEND_CORE_KERNELS_DESCRIPTOR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/typed_int.h"
#include "core/sim/tick.h"
#include "core/spec/device_spec.h"

namespace ascend::core {

using KernelId = TypedInt<struct KernelIdTag, uint32_t>;

// The core kind decides which units a launch of n blocks claims, and which
// fault code a crash of the body has.
enum class CoreKind : uint8_t { kCube, kVector, kMix };

// Units a task holds, all or nothing.
struct Claim {
  uint32_t cube = 0;
  uint32_t aiv = 0;
  uint32_t dma = 0;
  friend bool operator==(const Claim&, const Claim&) = default;
};

enum class Access : uint8_t { kRead, kWrite, kReadWrite };

// Device memory that a launch touches: [address, address + bytes).
struct DeviceRange {
  uint64_t address = 0;
  uint64_t bytes = 0;
  Access access = Access::kRead;
  // The argument that names it, for messages: "q".
  const char* argument = "";
};

// What a launch costs, in the terms of the timing model (section 3): the body
// takes max(hbm_bytes / granted rate, flops / (units * F_u),
// l2_bytes / (units * b_L2)); the vector tail follows it.
struct KernelCost {
  uint64_t hbm_bytes = 0;
  double flops = 0;  // matrix FLOP on CUBE units
  uint64_t l2_bytes = 0;
  Tick vector_ticks = 0;   // work on AIV units after the body
  double tail_jitter = 0;  // +- share of vector_ticks, uniform
};

struct KernelDescriptor {
  KernelId id;
  std::string name;
  CoreKind core_kind = CoreKind::kVector;
  size_t args_bytes = 0;  // size of the argument block this version knows
  // Its vector work keeps pace with the body, so it needs AIV units all along;
  // else vector work is a tail that follows the body.
  bool has_vector_body = false;
  // Not empty: what it claims, however many blocks are launched.
  Claim claim;
  // It waits for the task scheduler between two tasks of a stream.
  bool has_dispatch_gap = true;

  // InvalidArgument (Reason::kInvalidArgument) with the field, its value and
  // what is allowed. `args` may be shorter than args_bytes only down to the
  // size that the block's first field states; the rest counts as zero.
  absl::Status (*check)(std::span<const std::byte> args) = nullptr;
  // Legal only after check. Every byte the body may touch lies in a range.
  std::vector<DeviceRange> (*ranges)(std::span<const std::byte> args) = nullptr;
  // Legal only after check.
  KernelCost (*cost)(std::span<const std::byte> args, Claim claim,
                     const DeviceSpec& spec) = nullptr;
};

// Units claimed by `num_blocks` blocks of a kernel of `kind`:
// min(units, ceil(num_blocks / cores_per_unit)) of each kind it runs on, and
// never zero; more blocks than cores run in waves.
Claim ClaimOfBlocks(CoreKind kind, uint32_t num_blocks, const DeviceSpec& spec);

}  // namespace ascend::core

#endif  // ASCEND_CORE_KERNELS_DESCRIPTOR_H_
