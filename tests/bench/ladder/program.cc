#include "tests/bench/ladder/program.h"

#include <cstdio>
#include <cstdlib>

#include "acl/ascend_rtd_ext.h"
#include "acl/ascend_rtd_ops.h"
#include "tests/bench/ladder/timing.h"

namespace ascend::ladder {

void Require(aclError code, const char* call) {
  if (code == ACL_SUCCESS) return;
  const char* const message = aclGetRecentErrMsg();
  std::fprintf(stderr, "ascend-rtd-bench: %s answers %d: %s\n", call, code,
               message == nullptr ? "" : message);
  std::exit(1);
}

Program::Program(uint32_t priority) {
  Require(aclInit(nullptr), "aclInit");
  Require(aclrtSetDevice(0), "aclrtSetDevice");
  Require(aclrtMalloc(&device_, kDeviceBytes, ACL_MEM_MALLOC_HUGE_FIRST),
          "aclrtMalloc");
  Require(
      aclrtCreateStreamWithConfig(
          &stream_, priority, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC),
      "aclrtCreateStreamWithConfig");
  Require(aclrtBinaryLoadFromFile("builtin:ops", nullptr, &package_),
          "aclrtBinaryLoadFromFile");
  Require(aclrtBinaryGetFunction(package_, ASCRT_OP_FILL, &fill_),
          "aclrtBinaryGetFunction");
}

Program::~Program() {
  Require(aclrtDestroyStream(stream_), "aclrtDestroyStream");
  Require(aclrtFree(device_), "aclrtFree");
  Require(aclrtResetDevice(0), "aclrtResetDevice");
  Require(aclFinalize(), "aclFinalize");
}

void Program::SetTimingOnly(bool is_on) {
  Require(ascrtSetTimingOnly(is_on ? 1 : 0), "ascrtSetTimingOnly");
}

void Program::Launch(int64_t elements) {
  ascrtFillArgs args{};
  args.size = sizeof(args);
  args.y = device_;
  args.count = elements;
  args.data_type = ASCRT_DT_FLOAT;
  Require(aclrtLaunchKernelWithHostArgs(fill_, 1, stream_, nullptr, &args,
                                        sizeof(args), nullptr, 0),
          "aclrtLaunchKernelWithHostArgs");
}

void Program::Synchronize() {
  Require(aclrtSynchronizeStream(stream_), "aclrtSynchronizeStream");
}

void Program::Upload(const void* host, size_t bytes) {
  Require(aclrtMemcpy(device_, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE),
          "aclrtMemcpy");
}

void Program::Download(void* host, size_t bytes) {
  Require(aclrtMemcpy(host, bytes, device_, bytes, ACL_MEMCPY_DEVICE_TO_HOST),
          "aclrtMemcpy");
}

std::vector<double> RoundTripMicroseconds(Program& program, int count) {
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    times.push_back(MicrosecondsOf([&] {
      program.Launch();
      program.Synchronize();
    }));
  }
  return times;
}

}  // namespace ascend::ladder
