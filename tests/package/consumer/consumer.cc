// A C++ program of a user's own, in the short spelling: multiplies by itself on
// the device and leaves without tidying up, as programs do.
#include <cstdio>
#include <vector>

#include "acl/acl_rt_simple.hpp"
#include "acl/ascend_rtd_ops.h"

int main() {
  std::vector<float> x(4096, 3.0f);
  const size_t bytes = x.size() * sizeof(float);
  void* device = nullptr;
  aclrtStream stream = nullptr;
  aclrtBinHandle binary = nullptr;
  aclrtFuncHandle mul = nullptr;
  if (aclrtSetDevice(0) != ACL_SUCCESS ||
      aclrtMalloc(device, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS ||
      aclrtMemcpy(device, x.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE) !=
          ACL_SUCCESS ||
      aclrtCreateStream(stream, ACL_STREAM_FAST_MODE) != ACL_SUCCESS ||
      aclrtBinaryLoadFromFile("builtin:ops", nullptr, &binary) !=
          ACL_SUCCESS ||
      aclrtBinaryGetFunction(binary, ASCRT_OP_MUL, &mul) != ACL_SUCCESS) {
    const char* message = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s\n", message != nullptr ? message : "failed");
    return 1;
  }
  ascrtMulArgs args{};
  args.size = sizeof(args);
  args.x = device;
  args.y = device;
  args.z = device;
  args.count = static_cast<int64_t>(x.size());
  args.data_type = ASCRT_DT_FLOAT;
  if (aclrtLaunchKernelWithHostArgs(mul, 4, stream, nullptr, &args,
                                    sizeof(args), nullptr, 0) != ACL_SUCCESS ||
      aclrtSynchronizeStream(stream) != ACL_SUCCESS ||
      aclrtMemcpy(x.data(), device, bytes, ACL_MEMCPY_DEVICE_TO_HOST) !=
          ACL_SUCCESS) {
    std::fprintf(stderr, "%s\n", aclGetRecentErrMsg());
    return 1;
  }
  for (float value : x) {
    if (value != 9.0f) return 1;
  }
  std::printf("consumer: the product is right\n");
  return 0;
}
