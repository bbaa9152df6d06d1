// semantics 14: overflow of floating point; hints that change no result.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using OverflowTest = AclTest;
using HintsTest = AclTest;

aclrtFloatOverflowMode SatMode() {
  auto mode = ACL_RT_OVERFLOW_MODE_UNDEF;
  EXPECT_ACL_OK(aclrtGetDeviceSatMode(&mode));
  return mode;
}

uint32_t SwitchOf(aclrtStream stream) {
  uint32_t flag = 7;
  EXPECT_ACL_OK(aclrtGetStreamOverflowSwitch(stream, &flag));
  return flag;
}

// 14: "default INFNAN on A2+".
TEST_F(OverflowTest, TheModeIsOfTheDevice) {
  EXPECT_EQ(SatMode(), ACL_RT_OVERFLOW_MODE_INFNAN);
  ASSERT_ACL_OK(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION));
  EXPECT_EQ(SatMode(), ACL_RT_OVERFLOW_MODE_SATURATION);
  ASSERT_ACL_OK(aclrtSetDevice(1));
  EXPECT_EQ(SatMode(), ACL_RT_OVERFLOW_MODE_INFNAN);
  ASSERT_ACL_OK(aclrtResetDevice(1));
  ASSERT_ACL_OK(aclrtSetDevice(0));
  EXPECT_ACL_ERROR(107000, aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_UNDEF));
  EXPECT_ACL_ERROR(
      107000, aclrtSetDeviceSatMode(static_cast<aclrtFloatOverflowMode>(3)));
  EXPECT_ACL_ERROR(100000, aclrtGetDeviceSatMode(nullptr));
  EXPECT_EQ(SatMode(), ACL_RT_OVERFLOW_MODE_SATURATION);
  ASSERT_ACL_OK(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN));
  EXPECT_EQ(SatMode(), ACL_RT_OVERFLOW_MODE_INFNAN);
  InThread([] {
    auto mode = ACL_RT_OVERFLOW_MODE_UNDEF;
    EXPECT_ACL_ERROR(107002,
                     aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION));
    EXPECT_ACL_ERROR(107002, aclrtGetDeviceSatMode(&mode));
    EXPECT_EQ(mode, ACL_RT_OVERFLOW_MODE_UNDEF);
  });
}

// 14: "overflow switch per stream".
TEST_F(OverflowTest, TheSwitchIsOfTheStream) {
  const OwnStream stream;
  EXPECT_EQ(SwitchOf(stream), 0u);
  ASSERT_ACL_OK(aclrtSetStreamOverflowSwitch(stream, 1));
  EXPECT_EQ(SwitchOf(stream), 1u);
  EXPECT_EQ(SwitchOf(nullptr), 0u);
  EXPECT_ACL_ERROR(107000, aclrtSetStreamOverflowSwitch(stream, 2));
  EXPECT_ACL_ERROR(107017, aclrtSetStreamOverflowSwitch(Garbage(), 1));
  EXPECT_ACL_ERROR(100000, aclrtGetStreamOverflowSwitch(stream, nullptr));
  uint32_t flag = 7;
  EXPECT_ACL_ERROR(107017, aclrtGetStreamOverflowSwitch(Garbage(), &flag));
  EXPECT_EQ(flag, 7u);
  EXPECT_EQ(SwitchOf(stream), 1u);
  ASSERT_ACL_OK(aclrtSetStreamOverflowSwitch(stream, 0));
  EXPECT_EQ(SwitchOf(stream), 0u);
}

// 14: "GetOverflowStatus (64-byte buffer)", in stream order.
TEST_F(OverflowTest, TheStatusIsWrittenByATask) {
  const OwnStream stream;
  const DeviceArray<uint8_t> status(std::vector<uint8_t>(128, 0xA5));
  ASSERT_ACL_OK(aclrtResetOverflowStatus(stream));
  ASSERT_ACL_OK(aclrtGetOverflowStatus(status.data(), 64, stream));
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  std::vector<uint8_t> expected(128, 0xA5);
  std::fill_n(expected.begin(), 64, uint8_t{0});
  EXPECT_EQ(status.Download(), expected);

  std::vector<uint8_t> host(64, 0xA5);
  EXPECT_ACL_ERROR(100000, aclrtGetOverflowStatus(nullptr, 64, stream));
  EXPECT_ACL_ERROR(107000, aclrtGetOverflowStatus(status.data(), 63, stream));
  EXPECT_ACL_ERROR(107000,
                   aclrtGetOverflowStatus(status.data() + 65, 64, stream));
  EXPECT_ACL_ERROR(107000, aclrtGetOverflowStatus(host.data(), 64, stream));
  EXPECT_ACL_ERROR(107017,
                   aclrtGetOverflowStatus(status.data(), 64, Garbage()));
  EXPECT_ACL_ERROR(107017, aclrtResetOverflowStatus(Garbage()));
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_EQ(status.Download(), expected);
  EXPECT_EQ(host, std::vector<uint8_t>(64, 0xA5));
}

TEST_F(HintsTest, ACacheHintChangesNoData) {
  const OwnStream stream;
  const std::vector<float> values = Ramp(1024, 1, 1);
  const DeviceArray<float> data(values);
  for (const auto type : {ACL_RT_CMO_TYPE_PREFETCH, ACL_RT_CMO_TYPE_WRITEBACK,
                          ACL_RT_CMO_TYPE_INVALID, ACL_RT_CMO_TYPE_FLUSH}) {
    EXPECT_ACL_OK(aclrtCmoAsync(data.data(), data.bytes(), type, stream));
    EXPECT_ACL_OK(aclrtCmoAsync(data.data() + 16, 64, type, nullptr));
  }
  ASSERT_ACL_OK(aclrtSynchronizeDevice());
  EXPECT_EQ(data.Download(), values);
}

TEST_F(HintsTest, ACacheHintNeedsDeviceMemory) {
  const OwnStream stream;
  const DeviceArray<float> data(1024);
  constexpr auto kPrefetch = ACL_RT_CMO_TYPE_PREFETCH;
  char host[64] = {};
  EXPECT_ACL_ERROR(100000, aclrtCmoAsync(nullptr, 64, kPrefetch, stream));
  EXPECT_ACL_ERROR(107000, aclrtCmoAsync(data.data(), 0, kPrefetch, stream));
  EXPECT_ACL_ERROR(107000, aclrtCmoAsync(host, 64, kPrefetch, stream));
  EXPECT_ACL_ERROR(107000, aclrtCmoAsync(data.data(), data.bytes() + 1024,
                                         kPrefetch, stream));
  EXPECT_ACL_ERROR(107000, aclrtCmoAsync(data.data(), 64,
                                         static_cast<aclrtCmoType>(4), stream));
  EXPECT_ACL_ERROR(107017,
                   aclrtCmoAsync(data.data(), 64, kPrefetch, Garbage()));
  ASSERT_ACL_OK(aclrtSetDevice(1));
  EXPECT_ACL_ERROR(107000, aclrtCmoAsync(data.data(), 64, kPrefetch, nullptr));
  EXPECT_ACL_ERROR(107003, aclrtCmoAsync(data.data(), 64, kPrefetch, stream));
  ASSERT_ACL_OK(aclrtResetDevice(1));
  ASSERT_ACL_OK(aclrtSetDevice(0));
}

TEST_F(HintsTest, ProfilersMayBeToldOfTasks) {
  const char info[] = "shape";
  EXPECT_ACL_OK(aclrtCacheLastTaskOpInfo(info, sizeof(info)));
  EXPECT_ACL_ERROR(100000, aclrtCacheLastTaskOpInfo(nullptr, sizeof(info)));
  EXPECT_ACL_ERROR(107000, aclrtCacheLastTaskOpInfo(info, 0));
}

}  // namespace
}  // namespace ascend::conformance
