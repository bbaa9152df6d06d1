/* A C program of a user's own: adds two vectors on device 0. */
#include <stdio.h>

#include "acl/acl.h"
#include "acl/ascend_rtd_ops.h"

#define COUNT 1000

#define TRY(call)                                                           \
  do {                                                                      \
    aclError code_ = (call);                                                \
    if (code_ != ACL_SUCCESS) {                                             \
      const char *message_ = aclGetRecentErrMsg();                          \
      fprintf(stderr, "%s answers %d: %s\n", #call, (int)code_,             \
              message_ != NULL ? message_ : "");                            \
      return 1;                                                             \
    }                                                                       \
  } while (0)

int main(void) {
  float x[COUNT], y[COUNT], z[COUNT];
  void *device_x, *device_y, *device_z;
  aclrtStream stream;
  aclrtBinHandle binary;
  aclrtFuncHandle add;
  ascrtAddArgs args = {0};
  int i;

  for (i = 0; i < COUNT; ++i) {
    x[i] = (float)i;
    y[i] = 0.5f * (float)i;
  }
  TRY(aclInit(NULL));
  TRY(aclrtSetDevice(0));
  TRY(aclrtMalloc(&device_x, sizeof(x), ACL_MEM_MALLOC_HUGE_FIRST));
  TRY(aclrtMalloc(&device_y, sizeof(y), ACL_MEM_MALLOC_HUGE_FIRST));
  TRY(aclrtMalloc(&device_z, sizeof(z), ACL_MEM_MALLOC_HUGE_FIRST));
  TRY(aclrtMemcpy(device_x, sizeof(x), x, sizeof(x),
                  ACL_MEMCPY_HOST_TO_DEVICE));
  TRY(aclrtMemcpy(device_y, sizeof(y), y, sizeof(y),
                  ACL_MEMCPY_HOST_TO_DEVICE));
  TRY(aclrtCreateStream(&stream));
  TRY(aclrtBinaryLoadFromFile("builtin:ops", NULL, &binary));
  TRY(aclrtBinaryGetFunction(binary, ASCRT_OP_ADD, &add));
  args.size = sizeof(args);
  args.x = device_x;
  args.y = device_y;
  args.z = device_z;
  args.count = COUNT;
  args.data_type = ASCRT_DT_FLOAT;
  TRY(aclrtLaunchKernelWithHostArgs(add, 1, stream, NULL, &args, sizeof(args),
                                    NULL, 0));
  TRY(aclrtSynchronizeStream(stream));
  TRY(aclrtMemcpy(z, sizeof(z), device_z, sizeof(z),
                  ACL_MEMCPY_DEVICE_TO_HOST));
  for (i = 0; i < COUNT; ++i) {
    if (z[i] != 1.5f * (float)i) {
      fprintf(stderr, "element %d is %g, expected %g\n", i, (double)z[i],
              1.5 * i);
      return 1;
    }
  }
  TRY(aclrtDestroyStream(stream));
  TRY(aclrtResetDevice(0));
  TRY(aclFinalize());
  printf("consumer: the sum is right\n");
  return 0;
}
