// Registry: from the id of a built-in kernel to the body that computes it.
//
// Threading: any thread. Ownership: nothing is held.
#ifndef ASCEND_SERVER_KERNELS_REGISTRY_H_
#define ASCEND_SERVER_KERNELS_REGISTRY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/kernels/descriptor.h"
#include "server/kernels/body.h"

namespace ascend::server {

struct BodyContext {
  std::span<const std::byte> args;  // private to the caller, copied if shared
  PointerResolver& resolver;
  ParallelFor& parallel;
};

// The Job of a launch of built-in kernel `id`. Checks `args` again, so that no
// caller can make a body read wild; fails as the check or the resolver does,
// or with Reason::kUnknownKernel.
absl::StatusOr<std::unique_ptr<Job>> PrepareJob(core::KernelId id,
                                                std::span<const std::byte> args,
                                                PointerResolver& resolver);

// Prepares a Job and runs all its chunks.
absl::Status RunBody(core::KernelId id, const BodyContext& context);

// Block `block` of a launch of `num_blocks`: the chunks block,
// block + num_blocks, ... Blocks together run every chunk once, however many
// there are of either.
absl::Status RunBlock(const Job& job, uint32_t block, uint32_t num_blocks);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_KERNELS_REGISTRY_H_
