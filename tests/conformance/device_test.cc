// semantics 2 and 14: devices, what they say of themselves.
#include <cstdint>
#include <string>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using DeviceTest = AclTest;

// 2: GetDeviceCount is "usable before SetDevice".
TEST_F(DeviceTest, CountNeedsNoContext) {
  InThread([] {
    uint32_t count = 0;
    EXPECT_ACL_OK(aclrtGetDeviceCount(&count));
    EXPECT_EQ(count, static_cast<uint32_t>(kDeviceCount));
    EXPECT_ACL_ERROR(100000, aclrtGetDeviceCount(nullptr));
  });
}

// 2, 13: a bad id (>= count, negative) is 107001, and nothing becomes current.
TEST_F(DeviceTest, BadIdsAreRefused) {
  const ExpectNothingChanges unchanged;
  for (const int32_t id : {-1, kDeviceCount, INT32_MAX, INT32_MIN}) {
    EXPECT_ACL_ERROR(107001, aclrtSetDevice(id));
    EXPECT_ACL_ERROR(107001, aclrtResetDevice(id));
    EXPECT_ACL_ERROR(107001, aclrtResetDeviceForce(id));
    aclrtContext context = Garbage();
    EXPECT_ACL_ERROR(107001, aclrtCreateContext(&context, id));
    EXPECT_EQ(context, Garbage());
    int64_t value = -5;
    EXPECT_ACL_ERROR(107001,
                     aclrtGetDeviceInfo(static_cast<uint32_t>(id),
                                        ACL_DEV_ATTR_AICORE_CORE_NUM, &value));
    EXPECT_EQ(value, -5);
  }
  int32_t device = -1;
  EXPECT_ACL_OK(aclrtGetDevice(&device));
  EXPECT_EQ(device, 0);
}

// 2: "device of the thread's current context; without any: 107002".
TEST_F(DeviceTest, GetDeviceFollowsTheContextOfTheThread) {
  int32_t device = -1;
  EXPECT_ACL_OK(aclrtSetDevice(1));
  EXPECT_ACL_OK(aclrtGetDevice(&device));
  EXPECT_EQ(device, 1);
  EXPECT_ACL_OK(aclrtSetDevice(0));
  EXPECT_ACL_OK(aclrtGetDevice(&device));
  EXPECT_EQ(device, 0);
  EXPECT_ACL_ERROR(100000, aclrtGetDevice(nullptr));
  InThread([] {
    int32_t none = -7;
    EXPECT_ACL_ERROR(107002, aclrtGetDevice(&none));
    EXPECT_EQ(none, -7);
  });
}

// 2: SetDevice counts, "at zero it waits for queued work, destroys default
// stream, all streams and events of the primary context, and the context".
TEST_F(DeviceTest, ResetCounts) {
  EXPECT_ACL_OK(aclrtSetDevice(0));
  EXPECT_ACL_OK(aclrtSetDevice(0));  // 3 with that of the fixture
  aclrtStream stream = nullptr;
  ASSERT_ACL_OK(aclrtCreateStream(&stream));
  aclrtEvent event = nullptr;
  ASSERT_ACL_OK(aclrtCreateEvent(&event));
  ASSERT_ACL_OK(aclrtRecordEvent(event, stream));
  EXPECT_ACL_OK(aclrtResetDevice(0));
  EXPECT_ACL_OK(aclrtResetDevice(0));
  EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_ACL_OK(aclrtResetDevice(0));
  EXPECT_ACL_ERROR(507007, aclrtResetDevice(0));
  EXPECT_ACL_ERROR(507007, aclrtResetDeviceForce(0));
  // The thread has no context now; with one, the handles are stale.
  EXPECT_ACL_ERROR(107002, aclrtSynchronizeStream(stream));
  EXPECT_ACL_OK(aclrtSetDevice(0));
  EXPECT_ACL_ERROR(107017, aclrtSynchronizeStream(stream));
  EXPECT_ACL_ERROR(107017, aclrtSynchronizeEvent(event));
  EXPECT_ACL_ERROR(107017, aclrtDestroyEvent(event));
  EXPECT_ACL_ERROR(107017, aclrtDestroyStream(stream));
}

// 2: "ResetDeviceForce ignores the count and releases at once; a later plain
// Reset then fails the same way".
TEST_F(DeviceTest, ForceResetIgnoresTheCount) {
  EXPECT_ACL_OK(aclrtSetDevice(0));
  EXPECT_ACL_OK(aclrtSetDevice(0));
  EXPECT_ACL_OK(aclrtResetDeviceForce(0));
  EXPECT_ACL_ERROR(507007, aclrtResetDevice(0));
  EXPECT_ACL_ERROR(507007, aclrtResetDeviceForce(0));
  EXPECT_ACL_ERROR(507007, aclrtResetDevice(1));  // never set
  EXPECT_ACL_OK(aclrtSetDevice(0));
  EXPECT_ACL_OK(aclrtResetDevice(0));
}

// 2: "All threads that set the same device share the one primary context", and
// nothing is inherited by new threads.
TEST_F(DeviceTest, ThreadsShareThePrimaryContext) {
  aclrtContext here = nullptr;
  ASSERT_ACL_OK(aclrtGetCurrentContext(&here));
  InThread([here] {
    aclrtContext there = nullptr;
    EXPECT_ACL_ERROR(107002, aclrtGetCurrentContext(&there));
    EXPECT_ACL_OK(aclrtSetDevice(0));
    EXPECT_ACL_OK(aclrtGetCurrentContext(&there));
    EXPECT_EQ(there, here);
    EXPECT_ACL_OK(aclrtResetDevice(0));
  });
  EXPECT_ACL_OK(aclrtSynchronizeDevice());
}

// 2: GetRunMode is ACL_HOST.
TEST_F(DeviceTest, RunModeIsHost) {
  aclrtRunMode mode = ACL_DEVICE;
  EXPECT_ACL_OK(aclrtGetRunMode(&mode));
  EXPECT_EQ(mode, ACL_HOST);
  EXPECT_ACL_ERROR(100000, aclrtGetRunMode(nullptr));
}

// 14: attributes; vector = 2 x cube on split chips is the profile's matter.
// Unknown attribute: 107000.
TEST_F(DeviceTest, InfoSaysWhatTheDeviceHas) {
  const auto info = [](aclrtDevAttr attribute) {
    int64_t value = -1;
    EXPECT_ACL_OK(aclrtGetDeviceInfo(0, attribute, &value));
    return value;
  };
  EXPECT_GT(info(ACL_DEV_ATTR_AICORE_CORE_NUM), 0);
  EXPECT_GT(info(ACL_DEV_ATTR_CUBE_CORE_NUM), 0);
  EXPECT_GT(info(ACL_DEV_ATTR_VECTOR_CORE_NUM), 0);
  EXPECT_GT(info(ACL_DEV_ATTR_AICPU_CORE_NUM), 0);
  EXPECT_EQ(info(ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE), int64_t{32} << 30);
  EXPECT_GT(info(ACL_DEV_ATTR_L2_CACHE_SIZE), 0);
  EXPECT_EQ(info(ACL_DEV_ATTR_NPU_ARCH), 2201);
  EXPECT_EQ(info(ACL_DEV_ATTR_WARP_SIZE), 0);
  EXPECT_EQ(info(ACL_DEV_ATTR_IS_VIRTUAL), 0);
  int64_t value = -5;
  EXPECT_ACL_ERROR(
      107000, aclrtGetDeviceInfo(0, static_cast<aclrtDevAttr>(999), &value));
  EXPECT_EQ(value, -5);
  EXPECT_ACL_ERROR(
      100000, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, nullptr));
}

TEST_F(DeviceTest, SocNameStays) {
  const char* const name = aclrtGetSocName();
  ASSERT_NE(name, nullptr);
  EXPECT_EQ(std::string(name).rfind("Ascend910", 0), 0u) << name;
  EXPECT_EQ(aclrtGetSocName(), name);
}

// 2: SynchronizeDevice "waits for every stream of the current device"; -1 is
// for ever, 0 and < -1 are 107000, expiry is 507046.
TEST_F(DeviceTest, SynchronizeWaitsForEveryStream) {
  const Ops ops;
  const std::vector<float> ones(Ops::kBusyElements, 1);
  const DeviceArray<float> input(ones);
  const DeviceArray<float> output(Ops::kBusyElements);
  const OwnStream first;
  const OwnStream second;
  EXPECT_TRUE(SeenWhileBusy([&](int work) {
    for (int i = 0; i < work; ++i) {
      EXPECT_ACL_OK(ops.KeepBusy(input.data(), output.data(), first));
      EXPECT_ACL_OK(ops.KeepBusy(input.data(), output.data(), second));
    }
    const aclError code = aclrtSynchronizeDeviceWithTimeout(1);
    if (code == ACL_SUCCESS) return false;
    EXPECT_ACL_ERROR(507046, code);
    return true;
  }));
  EXPECT_ACL_OK(aclrtSynchronizeDeviceWithTimeout(-1));
  for (const aclrtStream stream : {aclrtStream(first), aclrtStream(second)}) {
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    EXPECT_ACL_OK(aclrtStreamQuery(stream, &status));
    EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
  }
  EXPECT_ACL_OK(aclrtSynchronizeDevice());
  EXPECT_ACL_ERROR(107000, aclrtSynchronizeDeviceWithTimeout(0));
  EXPECT_ACL_ERROR(107000, aclrtSynchronizeDeviceWithTimeout(-2));
  InThread([] {
    EXPECT_ACL_ERROR(107002, aclrtSynchronizeDevice());
    EXPECT_ACL_ERROR(107002, aclrtSynchronizeDeviceWithTimeout(10));
  });
}

}  // namespace
}  // namespace ascend::conformance
