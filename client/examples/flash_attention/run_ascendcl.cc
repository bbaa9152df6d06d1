// FlashAttention through AscendCL as its 8.x headers spell it.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "acl/acl.h"
#include "acl/ascend_rtd_ops.h"
#include "attention.h"

namespace {

// Says which call failed with what, and makes the caller return.
#define TRY(call)                                                   \
  do {                                                              \
    const aclError code = (call);                                   \
    if (code != ACL_SUCCESS) {                                      \
      const char* message = aclGetRecentErrMsg();                   \
      std::fprintf(stderr, "%s answers %d: %s\n", #call, int{code}, \
                   message != nullptr ? message : "(no message)");  \
      return 1;                                                     \
    }                                                               \
  } while (false)

int32_t DataTypeOf(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return ASCRT_DT_FLOAT;
    case ElementType::kFloat16:
      return ASCRT_DT_FLOAT16;
    case ElementType::kBFloat16:
      break;
  }
  return ASCRT_DT_BF16;
}

ascrtFlashAttentionArgs ArgsOf(const Problem& problem) {
  ascrtFlashAttentionArgs args{};
  args.size = sizeof(args);
  args.batch = problem.batch;
  args.heads = problem.heads;
  args.kv_heads = problem.kv_heads;
  args.q_length = problem.length;
  args.head_size = problem.head_size;
  args.data_type = DataTypeOf(problem.type);
  args.causal = problem.causal ? 1 : 0;
  return args;
}

int RunOnDevice(const Problem& problem, const Inputs& inputs, uint32_t priority,
                RunResult* result) {
  const size_t q_bytes = inputs.q.size();
  const size_t kv_bytes = inputs.k.size();

  // Huge pages first: the four tensors lie side by side in one bank group.
  void *q, *k, *v, *o;
  TRY(aclrtMalloc(&q, q_bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  TRY(aclrtMalloc(&k, kv_bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  TRY(aclrtMalloc(&v, kv_bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  TRY(aclrtMalloc(&o, q_bytes, ACL_MEM_MALLOC_HUGE_FIRST));

  // Page-locked host memory: copies are really asynchronous.
  void* staging;
  const size_t staging_bytes = q_bytes + 2 * kv_bytes;
  TRY(aclrtMallocHost(&staging, staging_bytes));
  auto* bytes = static_cast<std::byte*>(staging);
  std::memcpy(bytes, inputs.q.data(), q_bytes);
  std::memcpy(bytes + q_bytes, inputs.k.data(), kv_bytes);
  std::memcpy(bytes + q_bytes + kv_bytes, inputs.v.data(), kv_bytes);

  aclrtStream stream;
  TRY(aclrtCreateStreamWithConfig(
      &stream, priority, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
  aclrtEvent start, uploaded, computed, downloaded;
  TRY(aclrtCreateEvent(&start));
  TRY(aclrtCreateEvent(&uploaded));
  TRY(aclrtCreateEvent(&computed));
  TRY(aclrtCreateEvent(&downloaded));

  aclrtBinHandle binary;
  aclrtFuncHandle kernel;
  TRY(aclrtBinaryLoadFromFile("builtin:ops", nullptr, &binary));
  TRY(aclrtBinaryGetFunction(binary, ASCRT_OP_FLASH_ATTENTION, &kernel));

  TRY(aclrtRecordEvent(start, stream));
  TRY(aclrtMemcpyAsync(q, q_bytes, bytes, q_bytes, ACL_MEMCPY_HOST_TO_DEVICE,
                       stream));
  TRY(aclrtMemcpyAsync(k, kv_bytes, bytes + q_bytes, kv_bytes,
                       ACL_MEMCPY_HOST_TO_DEVICE, stream));
  TRY(aclrtMemcpyAsync(v, kv_bytes, bytes + q_bytes + kv_bytes, kv_bytes,
                       ACL_MEMCPY_HOST_TO_DEVICE, stream));
  TRY(aclrtRecordEvent(uploaded, stream));

  ascrtFlashAttentionArgs args = ArgsOf(problem);
  args.q = q;
  args.k = k;
  args.v = v;
  args.o = o;
  const auto blocks = static_cast<uint32_t>(problem.batch * problem.heads);
  TRY(aclrtLaunchKernelWithHostArgs(kernel, blocks, stream, nullptr, &args,
                                    sizeof(args), nullptr, 0));
  TRY(aclrtRecordEvent(computed, stream));
  TRY(aclrtMemcpyAsync(staging, q_bytes, o, q_bytes, ACL_MEMCPY_DEVICE_TO_HOST,
                       stream));
  TRY(aclrtRecordEvent(downloaded, stream));
  TRY(aclrtSynchronizeStream(stream));
  result->o.assign(bytes, bytes + q_bytes);

  float upload_ms, kernel_ms, download_ms;
  TRY(aclrtEventElapsedTime(&upload_ms, start, uploaded));
  TRY(aclrtEventElapsedTime(&kernel_ms, uploaded, computed));
  TRY(aclrtEventElapsedTime(&download_ms, computed, downloaded));
  result->copy_us = (upload_ms + download_ms) * 1000.0;
  result->kernel_us = kernel_ms * 1000.0;

  TRY(aclrtBinaryUnLoad(binary));
  for (aclrtEvent event : {start, uploaded, computed, downloaded}) {
    TRY(aclrtDestroyEvent(event));
  }
  TRY(aclrtDestroyStream(stream));
  TRY(aclrtFreeHost(staging));
  for (void* tensor : {q, k, v, o}) TRY(aclrtFree(tensor));
  return 0;
}

int RunTimed(const Problem& problem, const Inputs& inputs, uint32_t priority,
             RunResult* result) {
  const auto start = std::chrono::steady_clock::now();
  TRY(aclInit(nullptr));
  TRY(aclrtSetDevice(0));
  if (RunOnDevice(problem, inputs, priority, result) != 0) return 1;
  TRY(aclrtResetDevice(0));
  TRY(aclFinalize());
  result->wall_ms = std::chrono::duration<double, std::milli>(
                        std::chrono::steady_clock::now() - start)
                        .count();
  return 0;
}

}  // namespace

int RunWithAscendCl(const Problem& problem, const Inputs& inputs,
                    uint32_t priority, RunResult* result) {
  return RunTimed(problem, inputs, priority, result);
}
