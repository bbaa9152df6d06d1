// The job factories of the bodies, as the registry lists them.
//
// Threading and ownership: see body.h.
#ifndef ASCEND_SERVER_KERNELS_BODIES_BODIES_H_
#define ASCEND_SERVER_KERNELS_BODIES_BODIES_H_

#include <cstddef>
#include <memory>
#include <span>

#include "server/kernels/body.h"

namespace ascend::server {

std::unique_ptr<Job> MakeFlashAttentionJob(std::span<const std::byte> args,
                                           std::span<void* const> tensors);
std::unique_ptr<Job> MakeMatmulJob(std::span<const std::byte> args,
                                   std::span<void* const> tensors);
std::unique_ptr<Job> MakeAddJob(std::span<const std::byte> args,
                                std::span<void* const> tensors);
std::unique_ptr<Job> MakeMulJob(std::span<const std::byte> args,
                                std::span<void* const> tensors);
std::unique_ptr<Job> MakeSoftmaxJob(std::span<const std::byte> args,
                                    std::span<void* const> tensors);
std::unique_ptr<Job> MakeRmsNormJob(std::span<const std::byte> args,
                                    std::span<void* const> tensors);
std::unique_ptr<Job> MakeRopeJob(std::span<const std::byte> args,
                                 std::span<void* const> tensors);
std::unique_ptr<Job> MakeSiluMulJob(std::span<const std::byte> args,
                                    std::span<void* const> tensors);
std::unique_ptr<Job> MakeFillJob(std::span<const std::byte> args,
                                 std::span<void* const> tensors);
std::unique_ptr<Job> MakeReduceJob(std::span<const std::byte> args,
                                   std::span<void* const> tensors);
std::unique_ptr<Job> MakeAllReduceJob(std::span<const std::byte> args,
                                      std::span<void* const> tensors);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_KERNELS_BODIES_BODIES_H_
