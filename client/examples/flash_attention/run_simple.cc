// FlashAttention in the short C++ spelling of introductory texts.

#include <chrono>
#include <cmath>
#include <cstdio>

#include "acl/acl_rt_simple.hpp"
#include "attention.h"
#include "ops_transformer/flash_attention.h"

namespace {

aclError Run(const Problem& problem, const Inputs& inputs, RunResult* result) {
  const size_t bytes = inputs.q.size();
  aclError code = aclrtSetDevice(0);
  void *q = nullptr, *k = nullptr, *v = nullptr, *o = nullptr;
  for (void** tensor : {&q, &k, &v, &o}) {
    if (code != ACL_SUCCESS) return code;
    code = aclrtMalloc(*tensor, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  }
  if (code != ACL_SUCCESS) return code;
  code = aclrtMemcpy(q, inputs.q.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  if (code != ACL_SUCCESS) return code;
  code = aclrtMemcpy(k, inputs.k.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  if (code != ACL_SUCCESS) return code;
  code = aclrtMemcpy(v, inputs.v.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  if (code != ACL_SUCCESS) return code;

  aclrtStream stream;
  code = aclrtCreateStream(stream, ACL_STREAM_FAST_MODE);
  if (code != ACL_SUCCESS) return code;

  FlashAttentionKernel::KernelArgs args{};
  args.q = q;
  args.k = k;
  args.v = v;
  args.o = o;
  args.batch = problem.batch;
  args.num_heads = problem.heads;
  args.seq_len = problem.length;
  args.head_dim = problem.head_size;
  args.scale =
      static_cast<float>(1.0 / std::sqrt(static_cast<double>(args.head_dim)));
  const dim3 grid(static_cast<uint32_t>(problem.batch),
                  static_cast<uint32_t>(problem.heads));
  const dim3 block(128);
  code = aclrtLaunchKernel(flash_attention_kernel_id, grid, block,
                           reinterpret_cast<void**>(&args), 0, stream);
  if (code != ACL_SUCCESS) return code;
  code = aclrtSynchronizeStream(stream);
  if (code != ACL_SUCCESS) return code;

  result->o.resize(bytes);
  code = aclrtMemcpy(result->o.data(), o, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
  for (void* tensor : {q, k, v, o}) {
    if (code == ACL_SUCCESS) code = aclrtFree(tensor);
  }
  if (code == ACL_SUCCESS) code = aclrtDestroyStream(stream);
  if (code == ACL_SUCCESS) code = aclrtResetDevice(0);
  return code;
}

}  // namespace

int RunWithShortSpelling(const Problem& problem, const Inputs& inputs,
                         RunResult* result) {
  const auto start = std::chrono::steady_clock::now();
  const aclError code = Run(problem, inputs, result);
  if (code != ACL_SUCCESS) {
    const char* message = aclGetRecentErrMsg();
    std::fprintf(stderr, "AscendCL answers %d: %s\n", int{code},
                 message != nullptr ? message : "(no message)");
    return 1;
  }
  result->wall_ms = std::chrono::duration<double, std::milli>(
                        std::chrono::steady_clock::now() - start)
                        .count();
  return 0;
}
