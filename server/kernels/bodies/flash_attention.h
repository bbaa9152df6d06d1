// The job of flash_attention with the product of bf16 tiles to be used, so that
// the bf16 path can be tested on processors that lack the instructions.
//
// Threading and ownership: see body.h.
#ifndef ASCEND_SERVER_KERNELS_BODIES_FLASH_ATTENTION_H_
#define ASCEND_SERVER_KERNELS_BODIES_FLASH_ATTENTION_H_

#include <cstddef>
#include <memory>
#include <span>

#include "server/kernels/body.h"
#include "server/kernels/tile_product.h"

namespace ascend::server {

// With `bf16_product` null, bf16 tensors are computed in floats.
std::unique_ptr<Job> MakeFlashAttentionJobWith(Bf16Product bf16_product,
                                               std::span<const std::byte> args,
                                               std::span<void* const> tensors);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_KERNELS_BODIES_FLASH_ATTENTION_H_
