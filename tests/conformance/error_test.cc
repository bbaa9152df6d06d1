// semantics 13: last errors, messages, asynchronous failures.
#include <string>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using ErrorTest = AclTest;

// A launch that the device refuses when it comes to it: z is no memory.
aclError LaunchBad(const Ops& ops, const float* x, aclrtStream stream) {
  return ops.Add(x, x, static_cast<float*>(Garbage()), 16, stream);
}

// 13: "every failing call stores its code; GetLastError returns and clears,
// PeekAtLastError only returns; other level 100000".
TEST_F(ErrorTest, TheLastErrorStaysUntilItIsTaken) {
  EXPECT_EQ(aclrtPeekAtLastError(kThread), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetLastError(kThread), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(-1), 107001);
  EXPECT_EQ(aclrtFree(nullptr), 100000);
  uint32_t count = 0;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);  // clears nothing
  EXPECT_EQ(aclrtPeekAtLastError(kThread), 100000);
  EXPECT_EQ(aclrtPeekAtLastError(kThread), 100000);
  const auto other_level = static_cast<aclrtLastErrLevel>(1);
  EXPECT_EQ(aclrtPeekAtLastError(other_level), 100000);
  EXPECT_EQ(aclrtGetLastError(other_level), 100000);
  EXPECT_EQ(aclrtGetLastError(kThread), 100000);
  EXPECT_EQ(aclrtGetLastError(kThread), ACL_SUCCESS);
  EXPECT_NE(aclGetRecentErrMsg(), nullptr);
}

// 13: "text collected since the previous call for this thread; newest first;
// nullptr when nothing pending".
TEST_F(ErrorTest, MessagesAreTakenNewestFirst) {
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  EXPECT_EQ(aclrtSetDevice(-1), 107001);
  EXPECT_EQ(aclrtFree(nullptr), 100000);
  const char* const text = aclGetRecentErrMsg();
  ASSERT_NE(text, nullptr);
  const std::string messages = text;
  EXPECT_LT(messages.find("aclrtFree"), messages.find("aclrtSetDevice"))
      << messages;
  EXPECT_NE(messages.find("aclrtSetDevice"), std::string::npos) << messages;
  // The pointer lives until the next call of the function, whatever fails.
  EXPECT_EQ(aclrtFree(nullptr), 100000);
  EXPECT_EQ(text, messages);
  EXPECT_NE(aclGetRecentErrMsg(), nullptr);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  aclrtGetLastError(kThread);
}

// 13: sticky state is per thread.
TEST_F(ErrorTest, ThreadsHaveEachTheirOwn) {
  EXPECT_EQ(aclrtSetDevice(-1), 107001);
  InThread([] {
    EXPECT_EQ(aclrtPeekAtLastError(kThread), ACL_SUCCESS);
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    EXPECT_ACL_ERROR(100000, aclrtFree(nullptr));
  });
  EXPECT_EQ(aclrtGetLastError(kThread), 107001);
  const char* const text = aclGetRecentErrMsg();
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(std::string(text).find("aclrtFree"), std::string::npos) << text;
}

// 13: a task that fails is no failure of the call that posted it; "next
// Synchronize returns it", once; with CONTINUE later tasks still run.
TEST_F(ErrorTest, AFailedTaskIsReportedOnce) {
  const Ops ops;
  const DeviceArray<float> x(std::vector<float>(16, 1));
  const DeviceArray<float> z(std::vector<float>(16, 0));
  const OwnStream stream;
  ASSERT_ACL_OK(LaunchBad(ops, x.data(), stream));
  ASSERT_ACL_OK(ops.Add(x.data(), x.data(), z.data(), 16, stream));
  EXPECT_EQ(aclrtPeekAtLastError(kThread), ACL_SUCCESS);
  EXPECT_ACL_ERROR(507035, aclrtSynchronizeStream(stream));
  EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_ACL_OK(aclrtSynchronizeDevice());
  EXPECT_EQ(z.Download(), std::vector<float>(16, 2));
}

// 13: "next Synchronize{Stream,Event,Device} (any thread) returns it".
TEST_F(ErrorTest, AnyKindOfWaitingReportsIt) {
  const Ops ops;
  const DeviceArray<float> x(std::vector<float>(16, 1));
  const OwnStream stream;
  aclrtEvent event = nullptr;
  ASSERT_ACL_OK(aclrtCreateEvent(&event));

  ASSERT_ACL_OK(LaunchBad(ops, x.data(), stream));
  EXPECT_ACL_ERROR(507035, aclrtSynchronizeDevice());
  EXPECT_ACL_OK(aclrtSynchronizeStream(stream));

  ASSERT_ACL_OK(LaunchBad(ops, x.data(), stream));
  ASSERT_ACL_OK(aclrtRecordEvent(event, stream));
  EXPECT_ACL_ERROR(507035, aclrtSynchronizeEvent(event));
  EXPECT_ACL_OK(aclrtSynchronizeStream(stream));

  ASSERT_ACL_OK(LaunchBad(ops, x.data(), stream));
  EXPECT_ACL_ERROR(507035, aclrtSynchronizeStreamWithTimeout(stream, 60000));
  EXPECT_ACL_OK(aclrtSynchronizeStream(stream));

  ASSERT_ACL_OK(LaunchBad(ops, x.data(), stream));
  InThread([&stream] {
    ASSERT_ACL_OK(aclrtSetDevice(0));
    EXPECT_ACL_ERROR(507035, aclrtSynchronizeStream(stream));
    EXPECT_ACL_OK(aclrtResetDevice(0));
  });
  EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_ACL_OK(aclrtDestroyEvent(event));
}

// 13: the error is the stream's.
TEST_F(ErrorTest, OtherStreamsDoNotReportIt) {
  const Ops ops;
  const DeviceArray<float> x(std::vector<float>(16, 1));
  const OwnStream bad;
  const OwnStream good;
  ASSERT_ACL_OK(LaunchBad(ops, x.data(), bad));
  ASSERT_ACL_OK(ops.Add(x.data(), x.data(), x.data(), 16, good));
  EXPECT_ACL_OK(aclrtSynchronizeStream(good));
  EXPECT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_ACL_ERROR(507035, aclrtSynchronizeStream(bad));
}

// Events that stand for work before the failure do not report it.
TEST_F(ErrorTest, AnEventCoversWhatWasBeforeIt) {
  const Ops ops;
  const DeviceArray<float> x(std::vector<float>(16, 1));
  const OwnStream stream;
  aclrtEvent event = nullptr;
  ASSERT_ACL_OK(aclrtCreateEvent(&event));
  ASSERT_ACL_OK(ops.Add(x.data(), x.data(), x.data(), 16, stream));
  ASSERT_ACL_OK(aclrtRecordEvent(event, stream));
  ASSERT_ACL_OK(LaunchBad(ops, x.data(), stream));
  EXPECT_ACL_OK(aclrtSynchronizeEvent(event));
  EXPECT_ACL_ERROR(507035, aclrtSynchronizeStream(stream));
  EXPECT_ACL_OK(aclrtDestroyEvent(event));
}

}  // namespace
}  // namespace ascend::conformance
