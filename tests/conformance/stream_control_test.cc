// semantics 3 and 13: abort, failure mode, attributes, utilisation.
#include <cstdint>
#include <future>
#include <thread>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using AbortTest = AclTest;
using FailureModeTest = AclTest;
using StreamAttributeTest = AclTest;
using UtilizationTest = AclTest;

// 3: "drops pending and stops running tasks; concurrent or next sync returns
// 107023; stream is reusable".
TEST_F(AbortTest, DropsWhatHasNotStarted) {
  const Ops ops;
  const OwnStream stream;
  const DeviceArray<float> x(std::vector<float>(16, 1));
  const DeviceArray<float> z(std::vector<float>(16, 5));
  aclrtNotify notify = nullptr;
  ASSERT_ACL_OK(aclrtCreateNotify(&notify, 0));
  ASSERT_ACL_OK(aclrtWaitAndResetNotify(notify, stream, 0));
  ASSERT_ACL_OK(ops.Add(x.data(), x.data(), z.data(), 16, stream));
  ASSERT_ACL_OK(aclrtStreamAbort(stream));
  EXPECT_ACL_ERROR(107023, aclrtSynchronizeStream(stream));
  EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_EQ(z.Download(), std::vector<float>(16, 5));
  ASSERT_ACL_OK(ops.Add(x.data(), x.data(), z.data(), 16, stream));
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_EQ(z.Download(), std::vector<float>(16, 2));
  ASSERT_ACL_OK(aclrtDestroyNotify(notify));
}

TEST_F(AbortTest, AThreadThatWaitsHearsOfIt) {
  const OwnStream stream;
  aclrtNotify notify = nullptr;
  ASSERT_ACL_OK(aclrtCreateNotify(&notify, 0));
  ASSERT_ACL_OK(aclrtWaitAndResetNotify(notify, stream, 0));
  // Either it waits already, or its call is the next one.
  std::thread waiter([&] {
    ASSERT_ACL_OK(aclrtSetDevice(0));
    EXPECT_ACL_ERROR(107023, aclrtSynchronizeStream(stream));
    ASSERT_ACL_OK(aclrtResetDevice(0));
  });
  ASSERT_ACL_OK(aclrtStreamAbort(stream));
  waiter.join();
  ASSERT_ACL_OK(aclrtDestroyNotify(notify));
}

// What is destroyed may still drain; whoever creates meanwhile gets another.
TEST_F(AbortTest, StreamsAreCreatedWhileOthersDrain) {
  aclrtNotify notify = nullptr;
  ASSERT_ACL_OK(aclrtCreateNotify(&notify, 0));
  aclrtStream draining = nullptr;
  ASSERT_ACL_OK(aclrtCreateStream(&draining));
  ASSERT_ACL_OK(aclrtWaitAndResetNotify(notify, draining, 0));
  std::thread destroyer([&] {
    ASSERT_ACL_OK(aclrtSetDevice(0));
    ASSERT_ACL_OK(aclrtDestroyStream(draining));
    ASSERT_ACL_OK(aclrtResetDevice(0));
  });
  // Until its handle is stale, which it is as soon as the daemon is asked.
  int32_t id = 0;
  while (aclrtStreamGetId(draining, &id) == ACL_SUCCESS) {
    std::this_thread::yield();
  }
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 107017);
  EXPECT_NE(aclGetRecentErrMsg(), nullptr);
  {
    const OwnStream first;
    const OwnStream second;
    ASSERT_ACL_OK(aclrtRecordNotify(notify, first));
    ASSERT_ACL_OK(aclrtSynchronizeStream(first));
  }
  destroyer.join();
  ASSERT_ACL_OK(aclrtDestroyNotify(notify));
}

// "null = default stream is accepted".
TEST_F(AbortTest, TheDefaultStreamCanBeAborted) {
  EXPECT_ACL_OK(aclrtStreamAbort(nullptr));
  EXPECT_ACL_ERROR(107023, aclrtSynchronizeStream(nullptr));
}

TEST_F(AbortTest, MisuseIsRefused) {
  const ExpectNothingChanges nothing;
  EXPECT_ACL_ERROR(107017, aclrtStreamAbort(Garbage()));
  InThread([] { EXPECT_ACL_ERROR(107002, aclrtStreamAbort(nullptr)); });
}

// 13: "with CONTINUE mode subsequent tasks still run, with STOP mode all
// streams of the context stop".
TEST_F(FailureModeTest, ContinueIsTheDefault) {
  const Ops ops;
  const OwnStream stream;
  const DeviceArray<float> x(std::vector<float>(16, 1));
  const DeviceArray<float> z(16);
  ASSERT_ACL_OK(aclrtSetStreamFailureMode(stream, ACL_CONTINUE_ON_FAILURE));
  ASSERT_ACL_OK(ops.Add(x.data(), x.data(), z.data(), 1 << 20, stream));
  ASSERT_ACL_OK(ops.Add(x.data(), x.data(), z.data(), 16, stream));
  EXPECT_ACL_ERROR(507035, aclrtSynchronizeStream(stream));
  EXPECT_EQ(z.Download(), std::vector<float>(16, 2));
}

// 3: "after a failing task all streams of the context stop, new tasks are
// rejected with the error".
TEST_F(FailureModeTest, StopEndsTheContext) {
  aclrtContext context = nullptr;
  ASSERT_ACL_OK(aclrtCreateContext(&context, 0));
  {
    const Ops ops;
    const DeviceArray<float> x(std::vector<float>(16, 1));
    const DeviceArray<float> z(std::vector<float>(16, 5));
    aclrtStream stream = nullptr;
    aclrtStream other = nullptr;
    ASSERT_ACL_OK(aclrtCreateStream(&stream));
    ASSERT_ACL_OK(aclrtCreateStream(&other));
    ASSERT_ACL_OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
    // Nothing runs before all is posted.
    aclrtNotify go = nullptr;
    ASSERT_ACL_OK(aclrtCreateNotify(&go, 0));
    ASSERT_ACL_OK(aclrtWaitAndResetNotify(go, stream, 0));
    ASSERT_ACL_OK(ops.Add(x.data(), x.data(), z.data(), 1 << 20, stream));
    ASSERT_ACL_OK(ops.Add(x.data(), x.data(), z.data(), 16, stream));
    ASSERT_ACL_OK(aclrtRecordNotify(go, other));
    ASSERT_ACL_OK(aclrtDestroyNotify(go));
    EXPECT_ACL_ERROR(507035, aclrtSynchronizeStream(stream));
    EXPECT_ACL_ERROR(507035, ops.Add(x.data(), x.data(), z.data(), 16, stream));
    EXPECT_ACL_ERROR(507035, ops.Add(x.data(), x.data(), z.data(), 16, other));
    EXPECT_EQ(z.Download(), std::vector<float>(16, 5));
    // Other contexts go on.
    ASSERT_ACL_OK(aclrtSetDevice(0));
    ASSERT_ACL_OK(ops.Add(x.data(), x.data(), z.data(), 16, nullptr));
    ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(z.Download(), std::vector<float>(16, 2));
    ASSERT_ACL_OK(aclrtSetCurrentContext(context));
  }
  ASSERT_ACL_OK(aclrtDestroyContext(context));
  ASSERT_ACL_OK(aclrtResetDevice(0));
}

// 3: "STOP may be set only once per stream"; "null is accepted"; "unknown mode
// -> 107000".
TEST_F(FailureModeTest, MisuseIsRefused) {
  const OwnStream stream;
  EXPECT_ACL_ERROR(107000, aclrtSetStreamFailureMode(stream, 2));
  ASSERT_ACL_OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
  EXPECT_ACL_ERROR(107000,
                   aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
  EXPECT_ACL_ERROR(107000,
                   aclrtSetStreamFailureMode(stream, ACL_CONTINUE_ON_FAILURE));
  EXPECT_ACL_OK(aclrtSetStreamFailureMode(nullptr, ACL_STOP_ON_FAILURE));
  EXPECT_ACL_ERROR(107017,
                   aclrtSetStreamFailureMode(Garbage(), ACL_STOP_ON_FAILURE));
}

TEST_F(StreamAttributeTest, AreKept) {
  const OwnStream stream(/*priority=*/2);
  aclrtStreamAttrValue value = {};
  const auto get = [&](aclrtStreamAttr attribute) {
    value.failureMode = ~uint64_t{0};
    EXPECT_ACL_OK(aclrtGetStreamAttribute(stream, attribute, &value));
    return value.streamPriority;
  };
  const auto set = [&](aclrtStreamAttr attribute, uint32_t number) {
    value = {};
    value.streamPriority = number;
    return aclrtSetStreamAttribute(stream, attribute, &value);
  };
  EXPECT_EQ(get(ACL_STREAM_ATTR_PRIORITY), 2u);
  ASSERT_ACL_OK(set(ACL_STREAM_ATTR_PRIORITY, 5));
  EXPECT_EQ(get(ACL_STREAM_ATTR_PRIORITY), 5u);
  uint32_t priority = 0;
  ASSERT_ACL_OK(aclrtStreamGetPriority(stream, &priority));
  EXPECT_EQ(priority, 5u);
  ASSERT_ACL_OK(set(ACL_STREAM_ATTR_PRIORITY, 99));
  EXPECT_EQ(get(ACL_STREAM_ATTR_PRIORITY), 7u);
  for (const aclrtStreamAttr attribute :
       {ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, ACL_STREAM_ATTR_CACHE_OP_INFO,
        ACL_STREAM_ATTR_USER_CUSTOM_TAG}) {
    EXPECT_EQ(get(attribute), 0u) << attribute;
    ASSERT_ACL_OK(set(attribute, 1));
    EXPECT_EQ(get(attribute), 1u) << attribute;
  }
  EXPECT_EQ(get(ACL_STREAM_ATTR_FAILURE_MODE), ACL_CONTINUE_ON_FAILURE);
  ASSERT_ACL_OK(set(ACL_STREAM_ATTR_FAILURE_MODE, ACL_STOP_ON_FAILURE));
  EXPECT_EQ(get(ACL_STREAM_ATTR_FAILURE_MODE), ACL_STOP_ON_FAILURE);
}

TEST_F(StreamAttributeTest, MisuseIsRefused) {
  const OwnStream stream;
  aclrtStreamAttrValue value = {};
  value.streamPriority = 2;
  EXPECT_ACL_ERROR(100000, aclrtSetStreamAttribute(
                               stream, ACL_STREAM_ATTR_PRIORITY, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtGetStreamAttribute(
                               stream, ACL_STREAM_ATTR_PRIORITY, nullptr));
  EXPECT_ACL_ERROR(107000,
                   aclrtSetStreamAttribute(
                       stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value));
  EXPECT_ACL_ERROR(107000, aclrtSetStreamAttribute(
                               stream, ACL_STREAM_ATTR_CACHE_OP_INFO, &value));
  EXPECT_ACL_ERROR(107000, aclrtSetStreamAttribute(
                               stream, ACL_STREAM_ATTR_FAILURE_MODE, &value));
  for (const int unknown : {0, 6}) {
    const auto attribute = static_cast<aclrtStreamAttr>(unknown);
    EXPECT_ACL_ERROR(107000,
                     aclrtSetStreamAttribute(stream, attribute, &value));
    EXPECT_ACL_ERROR(107000,
                     aclrtGetStreamAttribute(stream, attribute, &value));
  }
  EXPECT_EQ(value.streamPriority, 2u);
  // 3: the default stream has "priority 0, cannot be changed".
  EXPECT_ACL_ERROR(107000, aclrtSetStreamAttribute(
                               nullptr, ACL_STREAM_ATTR_PRIORITY, &value));
  EXPECT_ACL_ERROR(107017, aclrtSetStreamAttribute(
                               Garbage(), ACL_STREAM_ATTR_PRIORITY, &value));
  EXPECT_ACL_ERROR(107017, aclrtGetStreamAttribute(
                               Garbage(), ACL_STREAM_ATTR_PRIORITY, &value));
}

// 14: "cube %, vector %, AI CPU %, memory always -1; extension pointer must be
// null (else 100000)".
TEST_F(UtilizationTest, WorkKeepsTheUnitsBusy) {
  const Ops ops;
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> product(Ops::kBusyElements);
  aclrtUtilizationInfo info = {};
  ASSERT_ACL_OK(aclrtGetDeviceUtilizationRate(0, &info));
  for (int i = 0; i < 8; ++i) {
    ASSERT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), nullptr));
  }
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  ASSERT_ACL_OK(aclrtGetDeviceUtilizationRate(0, &info));
  EXPECT_GT(info.cubeUtilization, 0);
  EXPECT_LE(info.cubeUtilization, 100);
  EXPECT_GT(info.vectorUtilization, 0);
  EXPECT_LE(info.vectorUtilization, 100);
  EXPECT_EQ(info.aicpuUtilization, 0);
  EXPECT_EQ(info.memoryUtilization, -1);
}

TEST_F(UtilizationTest, MisuseIsRefused) {
  aclrtUtilizationInfo info = {};
  info.cubeUtilization = 77;
  EXPECT_ACL_ERROR(100000, aclrtGetDeviceUtilizationRate(0, nullptr));
  EXPECT_ACL_ERROR(107001, aclrtGetDeviceUtilizationRate(99, &info));
  EXPECT_ACL_ERROR(107001, aclrtGetDeviceUtilizationRate(-1, &info));
  info.utilizationExtend = static_cast<aclrtUtilizationExtendInfo*>(Garbage());
  EXPECT_ACL_ERROR(100000, aclrtGetDeviceUtilizationRate(0, &info));
  EXPECT_EQ(info.cubeUtilization, 77);
}

}  // namespace
}  // namespace ascend::conformance
