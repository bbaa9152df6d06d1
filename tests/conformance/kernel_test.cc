// semantics 15: binaries, functions, launches of the built-in kernels.
#include <cstdint>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using KernelTest = AclTest;

TEST_F(KernelTest, AddGivesTheSum) {
  const Ops ops;
  // One size that travels inside commands and one in chunks.
  for (const size_t count : {size_t{1000}, size_t{1'000'003}}) {
    const DeviceArray<float> x(Ramp(count, 1, 0.5f));
    const DeviceArray<float> y(Ramp(count, 2, 0.25f));
    const DeviceArray<float> z(count);
    ASSERT_ACL_OK(ops.Add(x.data(), y.data(), z.data(), count, nullptr));
    ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(z.Download(), Ramp(count, 3, 0.75f));
  }
}

}  // namespace
}  // namespace ascend::conformance
