#include "core/machine/compute_array.h"

#include "gtest/gtest.h"

namespace ascend::core {
namespace {

TEST(ComputeArray, AivUnitsBeyondTheCubeUnitsDoNotHastenABody) {
  const DeviceSpec spec = Ascend910Spec();
  const ComputeArray array(spec, spec.hold);
  const Claim even{.cube = 6, .aiv = 6};
  const Claim uneven{.cube = 6, .aiv = 12};
  const KernelCost flops{.flops = 1e12};
  const KernelCost l2{.l2_bytes = 1 << 30};
  EXPECT_EQ(array.FloorTicks(flops, uneven), array.FloorTicks(flops, even));
  EXPECT_EQ(array.FloorTicks(l2, uneven), array.FloorTicks(l2, even));
  EXPECT_EQ(array.FlowCap(uneven), array.FlowCap(even));
  EXPECT_EQ(array.FlowCap({.aiv = 3}), 3 * spec.unit_hbm_bytes_per_second);
}

}  // namespace
}  // namespace ascend::core
