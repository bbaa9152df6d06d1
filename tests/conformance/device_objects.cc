#include "tests/conformance/device_objects.h"

namespace ascend::conformance {

std::vector<float> Ramp(size_t count, float first, float step) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = first + step * static_cast<float>(i);
  }
  return values;
}

ascrtAddArgs AddArgs(const float* x, const float* y, float* z, size_t count) {
  ascrtAddArgs args{};
  args.size = sizeof(args);
  args.x = x;
  args.y = y;
  args.z = z;
  args.count = static_cast<int64_t>(count);
  args.data_type = ASCRT_DT_FLOAT;
  return args;
}

bool SeenWhileBusy(const std::function<bool(int work)>& attempt) {
  for (int work = 4; work <= 512; work *= 2) {
    if (attempt(work)) return true;
    if (::testing::Test::HasFailure()) return false;
  }
  return false;
}

Ops::Ops() {
  EXPECT_ACL_OK(aclrtBinaryLoadFromFile("builtin:ops", nullptr, &binary_));
}

Ops::~Ops() { EXPECT_ACL_OK(aclrtBinaryUnLoad(binary_)); }

aclrtFuncHandle Ops::Find(const char* name) const {
  aclrtFuncHandle function = nullptr;
  EXPECT_ACL_OK(aclrtBinaryGetFunction(binary_, name, &function));
  return function;
}

aclError Ops::Add(const float* x, const float* y, float* z, size_t count,
                  aclrtStream stream) const {
  return Launch(ASCRT_OP_ADD, AddArgs(x, y, z, count), stream);
}

aclError Ops::KeepBusy(const float* input, float* output,
                       aclrtStream stream) const {
  ascrtMatmulArgs args{};
  args.a = input;
  args.b = input;
  args.c = output;
  args.m = kBusySide;
  args.n = kBusySide;
  args.k = kBusySide;
  args.data_type = ASCRT_DT_FLOAT;
  return Launch(ASCRT_OP_MATMUL, args, stream);
}

}  // namespace ascend::conformance
