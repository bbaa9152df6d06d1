// FlashAttention in the short C++ spelling (acl/acl_rt_simple.hpp):
//
//   FlashAttentionKernel::KernelArgs args{q, k, v, o, batch, heads, length,
//                                         head_size, scale};
//   aclrtLaunchKernel(flash_attention_kernel_id, grid, block,
//                     reinterpret_cast<void**>(&args), 0, stream);
//
// For other element types, grouped heads or a causal mask, launch
// ASCRT_OP_FLASH_ATTENTION of acl/ascend_rtd_ops.h. C++14 or later.
#ifndef OPS_TRANSFORMER_FLASH_ATTENTION_H_
#define OPS_TRANSFORMER_FLASH_ATTENTION_H_

#include <cstdint>
#include <cstring>

#include "acl/acl_rt_simple.hpp"
#include "acl/ascend_rtd_ops.h"

struct FlashAttentionKernel {
  // o = softmax(scale * q k^T) v for each batch and head. The four are device
  // addresses of dense [batch, num_heads, seq_len, head_dim] in bf16.
  struct KernelArgs {
    void* q;
    void* k;
    void* v;
    void* o;
    int64_t batch;
    int64_t num_heads;
    int64_t seq_len;
    int64_t head_dim;  // at most ASCRT_ATTENTION_HEAD_SIZE_MAX
    float scale;       // 0: 1 / sqrt(head_dim)
  };

  // Writes the ascrtFlashAttentionArgs that say the same as the KernelArgs at
  // `args`. The kernel divides its work by itself, whatever the shape.
  static void Fill(const void* args, const aclrtLaunchShape& /*shape*/,
                   void* target) {
    KernelArgs given;
    std::memcpy(&given, args, sizeof(given));
    ascrtFlashAttentionArgs full = {};
    full.size = sizeof(full);
    full.q = given.q;
    full.k = given.k;
    full.v = given.v;
    full.o = given.o;
    full.batch = given.batch;
    full.heads = given.num_heads;
    full.q_length = given.seq_len;
    full.head_size = given.head_dim;
    full.kv_heads = given.num_heads;
    full.kv_length = given.seq_len;
    full.scale = given.scale;
    full.data_type = ASCRT_DT_BF16;
    std::memcpy(target, &full, sizeof(full));
  }
};

constexpr aclrtKernelId flash_attention_kernel_id = {
    ASCRT_OP_FLASH_ATTENTION, sizeof(ascrtFlashAttentionArgs),
    &FlashAttentionKernel::Fill};

#endif  // OPS_TRANSFORMER_FLASH_ATTENTION_H_
