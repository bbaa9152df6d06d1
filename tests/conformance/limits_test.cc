// semantics 2 (options), 12 (time-outs of kernels), 14 (limits of cores).
#include <cstdint>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

constexpr auto kCube = ACL_RT_DEV_RES_CUBE_CORE;
constexpr auto kVector = ACL_RT_DEV_RES_VECTOR_CORE;

class LimitsTest : public AclTest {
 protected:
  void SetUp() override {
    AclTest::SetUp();
    cubes_ = Cores(ACL_DEV_ATTR_CUBE_CORE_NUM);
    vectors_ = Cores(ACL_DEV_ATTR_VECTOR_CORE_NUM);
    ASSERT_GT(cubes_, 3u);
  }
  void TearDown() override {
    EXPECT_ACL_OK(aclrtResetDeviceResLimit(0));
    EXPECT_ACL_OK(aclrtSetOpExecuteTimeOut(0));
    AclTest::TearDown();
  }

  static uint32_t Cores(aclrtDevAttr attribute) {
    int64_t value = 0;
    EXPECT_ACL_OK(aclrtGetDeviceInfo(0, attribute, &value));
    return static_cast<uint32_t>(value);
  }
  static uint32_t OfDevice(aclrtDevResLimitType type, int32_t device = 0) {
    uint32_t value = 0;
    EXPECT_ACL_OK(aclrtGetDeviceResLimit(device, type, &value));
    return value;
  }
  static uint32_t OfStream(aclrtStream stream, aclrtDevResLimitType type) {
    uint32_t value = 0;
    EXPECT_ACL_OK(aclrtGetStreamResLimit(stream, type, &value));
    return value;
  }
  static uint32_t OfThread(aclrtDevResLimitType type) {
    uint32_t value = 0;
    EXPECT_ACL_OK(aclrtGetResInCurrentThread(type, &value));
    return value;
  }

  uint32_t cubes_ = 0;
  uint32_t vectors_ = 0;
};

// 12: "rounded up to N*interval, N in 1..254; 0 = maximum".
TEST_F(LimitsTest, TimeOutsAreWholeIntervals) {
  uint64_t interval = 0;
  uint64_t actual = 0;
  uint32_t milliseconds = 0;
  ASSERT_ACL_OK(aclrtGetOpTimeOutInterval(&interval));
  ASSERT_GE(interval, 100000u);
  const uint64_t most = 254 * interval;
  const auto set = [&actual](uint64_t timeout) {
    EXPECT_ACL_OK(aclrtSetOpExecuteTimeOutV2(timeout, &actual));
    return actual;
  };
  // The default: 1091 s.
  EXPECT_ACL_OK(aclrtGetOpExecuteTimeout(&milliseconds));
  EXPECT_EQ(milliseconds / 1000, 1090u);
  EXPECT_EQ(set(1), interval);
  EXPECT_EQ(set(interval), interval);
  EXPECT_EQ(set(interval + 1), 2 * interval);
  EXPECT_EQ(set(most - 1), most);
  EXPECT_EQ(set(most + 1), most);
  EXPECT_EQ(set(UINT64_MAX), most);
  EXPECT_EQ(set(3 * interval), 3 * interval);
  EXPECT_EQ(set(0), most);

  const auto get = [&milliseconds] {
    EXPECT_ACL_OK(aclrtGetOpExecuteTimeout(&milliseconds));
    return milliseconds;
  };
  const auto in_ms = [](uint64_t us) {
    return static_cast<uint32_t>((us + 999) / 1000);
  };
  EXPECT_ACL_OK(aclrtSetOpExecuteTimeOut(1));
  EXPECT_EQ(get(), in_ms(interval));
  EXPECT_ACL_OK(aclrtSetOpExecuteTimeOut(UINT32_MAX));
  EXPECT_EQ(get(), in_ms(most));
  EXPECT_ACL_OK(aclrtSetOpExecuteTimeOutWithMs(in_ms(interval)));
  EXPECT_EQ(get(), in_ms(2 * interval));
  EXPECT_ACL_OK(aclrtSetOpExecuteTimeOutWithMs(0));
  EXPECT_EQ(get(), in_ms(most));
  EXPECT_ACL_OK(aclrtSetOpExecuteTimeOutWithMs(1));
  EXPECT_ACL_OK(aclrtSetOpExecuteTimeOut(0));
  EXPECT_EQ(get(), in_ms(most));
}

TEST_F(LimitsTest, TimeOutsNeedAPlaceForTheResult) {
  uint32_t before = 0;
  uint32_t after = 0;
  EXPECT_ACL_OK(aclrtSetOpExecuteTimeOut(9));
  EXPECT_ACL_OK(aclrtGetOpExecuteTimeout(&before));
  EXPECT_ACL_ERROR(100000, aclrtSetOpExecuteTimeOutV2(1, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtGetOpTimeOutInterval(nullptr));
  EXPECT_ACL_ERROR(100000, aclrtGetOpExecuteTimeout(nullptr));
  EXPECT_ACL_OK(aclrtGetOpExecuteTimeout(&after));
  EXPECT_EQ(before, after);
}

// 14: "stream limit if used, else process limit, else hardware".
TEST_F(LimitsTest, TheNearestLimitHolds) {
  const OwnStream stream;
  EXPECT_EQ(OfDevice(kCube), cubes_);
  EXPECT_EQ(OfDevice(kVector), vectors_);
  EXPECT_EQ(OfStream(stream, kCube), cubes_);
  EXPECT_EQ(OfThread(kCube), cubes_);

  EXPECT_ACL_OK(aclrtSetDeviceResLimit(0, kCube, 3));
  EXPECT_EQ(OfDevice(kCube), 3u);
  EXPECT_EQ(OfDevice(kVector), vectors_);
  EXPECT_EQ(OfDevice(kCube, 1), cubes_);
  EXPECT_EQ(OfStream(stream, kCube), 3u);
  EXPECT_EQ(OfThread(kCube), 3u);

  EXPECT_ACL_OK(aclrtSetStreamResLimit(stream, kCube, 2));
  EXPECT_EQ(OfStream(stream, kCube), 2u);
  EXPECT_EQ(OfStream(stream, kVector), vectors_);
  EXPECT_EQ(OfStream(nullptr, kCube), 3u);
  EXPECT_EQ(OfThread(kCube), 3u);
  EXPECT_ACL_OK(aclrtUseStreamResInCurrentThread(stream));
  EXPECT_EQ(OfThread(kCube), 2u);
  EXPECT_EQ(OfThread(kVector), vectors_);
  InThread([] {
    ASSERT_ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(OfThread(kCube), 3u);
    EXPECT_ACL_OK(aclrtResetDevice(0));
  });
  // A copy was made.
  EXPECT_ACL_OK(aclrtSetStreamResLimit(stream, kCube, 1));
  EXPECT_EQ(OfThread(kCube), 2u);
  EXPECT_ACL_OK(aclrtUseStreamResInCurrentThread(stream));
  EXPECT_EQ(OfThread(kCube), 1u);
  EXPECT_ACL_OK(aclrtUnuseStreamResInCurrentThread(stream));
  EXPECT_EQ(OfThread(kCube), 3u);

  EXPECT_ACL_OK(aclrtResetStreamResLimit(stream));
  EXPECT_EQ(OfStream(stream, kCube), 3u);
  EXPECT_ACL_OK(aclrtResetDeviceResLimit(0));
  EXPECT_EQ(OfDevice(kCube), cubes_);
  EXPECT_ACL_OK(aclrtSetDeviceResLimit(0, kCube, cubes_));
}

TEST_F(LimitsTest, LimitsOfAThreadEndWithStreamAndDevice) {
  aclrtStream stream = nullptr;
  ASSERT_ACL_OK(aclrtCreateStream(&stream));
  EXPECT_ACL_OK(aclrtSetStreamResLimit(stream, kCube, 2));
  EXPECT_ACL_OK(aclrtUseStreamResInCurrentThread(stream));
  EXPECT_ACL_OK(aclrtSetDevice(1));
  EXPECT_EQ(OfThread(kCube), cubes_);
  EXPECT_ACL_OK(aclrtSetDevice(0));
  EXPECT_EQ(OfThread(kCube), 2u);
  EXPECT_ACL_OK(aclrtDestroyStream(stream));
  EXPECT_EQ(OfThread(kCube), cubes_);
  EXPECT_ACL_OK(aclrtSetStreamResLimit(nullptr, kVector, 1));
  EXPECT_ACL_OK(aclrtUseStreamResInCurrentThread(nullptr));
  EXPECT_EQ(OfThread(kVector), 1u);
  EXPECT_ACL_OK(aclrtUnuseStreamResInCurrentThread(nullptr));
}

TEST_F(LimitsTest, LimitsAreChecked) {
  const OwnStream stream;
  uint32_t value = 77;
  const auto no_type = static_cast<aclrtDevResLimitType>(3);
  EXPECT_ACL_ERROR(107000, aclrtSetDeviceResLimit(0, kCube, cubes_ + 1));
  EXPECT_ACL_ERROR(107000, aclrtSetDeviceResLimit(0, kVector, UINT32_MAX));
  EXPECT_ACL_ERROR(107000, aclrtSetDeviceResLimit(0, kCube, 0));
  EXPECT_ACL_ERROR(107000, aclrtSetDeviceResLimit(0, no_type, 1));
  EXPECT_ACL_ERROR(107000, aclrtGetDeviceResLimit(0, no_type, &value));
  EXPECT_ACL_ERROR(100000, aclrtGetDeviceResLimit(0, kCube, nullptr));
  for (const int32_t device : {-1, kDeviceCount}) {
    EXPECT_ACL_ERROR(107001, aclrtSetDeviceResLimit(device, kCube, 1));
    EXPECT_ACL_ERROR(107001, aclrtGetDeviceResLimit(device, kCube, &value));
    EXPECT_ACL_ERROR(107001, aclrtResetDeviceResLimit(device));
  }
  EXPECT_ACL_ERROR(107000, aclrtSetStreamResLimit(stream, kCube, cubes_ + 1));
  EXPECT_ACL_ERROR(107000, aclrtSetStreamResLimit(stream, kCube, 0));
  EXPECT_ACL_ERROR(107000, aclrtSetStreamResLimit(stream, no_type, 1));
  EXPECT_ACL_ERROR(107000, aclrtGetStreamResLimit(stream, no_type, &value));
  EXPECT_ACL_ERROR(100000, aclrtGetStreamResLimit(stream, kCube, nullptr));
  EXPECT_ACL_ERROR(107017, aclrtSetStreamResLimit(Garbage(), kCube, 1));
  EXPECT_ACL_ERROR(107017, aclrtGetStreamResLimit(Garbage(), kCube, &value));
  EXPECT_ACL_ERROR(107017, aclrtResetStreamResLimit(Garbage()));
  EXPECT_ACL_ERROR(107017, aclrtUseStreamResInCurrentThread(Garbage()));
  EXPECT_ACL_ERROR(107017, aclrtUnuseStreamResInCurrentThread(Garbage()));
  EXPECT_ACL_ERROR(107000, aclrtUnuseStreamResInCurrentThread(stream));
  EXPECT_ACL_ERROR(107000, aclrtGetResInCurrentThread(no_type, &value));
  EXPECT_ACL_ERROR(100000, aclrtGetResInCurrentThread(kCube, nullptr));
  InThread([&value] {
    EXPECT_ACL_ERROR(107002, aclrtGetResInCurrentThread(kCube, &value));
    EXPECT_ACL_ERROR(107002, aclrtUseStreamResInCurrentThread(nullptr));
  });
  EXPECT_EQ(value, 77u);
  EXPECT_EQ(OfDevice(kCube), cubes_);
  EXPECT_EQ(OfStream(stream, kCube), cubes_);
}

// 2: "Reading an unset context option 107021; process-level default is 0".
TEST_F(LimitsTest, OptionsOfProcessAndContext) {
  int64_t value = -1;
  EXPECT_ACL_OK(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
  EXPECT_EQ(value, 0);
  EXPECT_ACL_OK(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 3));
  EXPECT_ACL_OK(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
  EXPECT_EQ(value, 3);
  // The context has its own.
  value = -1;
  EXPECT_ACL_ERROR(107021,
                   aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
  EXPECT_EQ(value, -1);
  EXPECT_ACL_OK(aclrtCtxSetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, 1));
  EXPECT_ACL_OK(aclrtCtxGetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, &value));
  EXPECT_EQ(value, 1);
  EXPECT_ACL_OK(aclrtSetDevice(1));
  EXPECT_ACL_ERROR(107021,
                   aclrtCtxGetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, &value));
  EXPECT_ACL_OK(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0));
}

TEST_F(LimitsTest, OptionsAreChecked) {
  int64_t value = 77;
  const auto no_option = static_cast<aclSysParamOpt>(6);
  for (const auto set : {aclrtSetSysParamOpt, aclrtCtxSetSysParamOpt}) {
    EXPECT_ACL_ERROR(107000, set(ACL_OPT_DETERMINISTIC, 4));
    EXPECT_ACL_ERROR(107000, set(ACL_OPT_DETERMINISTIC, -1));
    EXPECT_ACL_ERROR(107000, set(ACL_OPT_ENABLE_DEBUG_KERNEL, 2));
    EXPECT_ACL_ERROR(107000, set(ACL_OPT_ENABLE_KERNEL_EARLY_START, INT64_MAX));
    EXPECT_ACL_ERROR(107000, set(no_option, 0));
  }
  for (const auto get : {aclrtGetSysParamOpt, aclrtCtxGetSysParamOpt}) {
    EXPECT_ACL_ERROR(107000, get(no_option, &value));
    EXPECT_ACL_ERROR(100000, get(ACL_OPT_DETERMINISTIC, nullptr));
  }
  InThread([&value] {
    EXPECT_ACL_ERROR(107002, aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
    EXPECT_ACL_ERROR(107002,
                     aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
  });
  EXPECT_EQ(value, 77);
  EXPECT_ACL_OK(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
  EXPECT_EQ(value, 0);
}

TEST_F(LimitsTest, HardwareHasNoFaults) {
  aclrtErrorInfo info;
  info.tryRepair = 1;
  info.errorType = ACL_RT_ERROR_LINK;
  EXPECT_ACL_OK(aclrtGetErrorVerbose(1, &info));
  EXPECT_EQ(info.errorType, ACL_RT_NO_ERROR);
  EXPECT_EQ(info.tryRepair, 0);
  EXPECT_EQ(info.hasDetail, 0);
  info.tryRepair = 1;
  EXPECT_ACL_ERROR(100000, aclrtGetErrorVerbose(0, nullptr));
  EXPECT_ACL_ERROR(107001, aclrtGetErrorVerbose(-1, &info));
  EXPECT_ACL_ERROR(107001, aclrtGetErrorVerbose(kDeviceCount, &info));
  EXPECT_EQ(info.tryRepair, 1);
}

}  // namespace
}  // namespace ascend::conformance
