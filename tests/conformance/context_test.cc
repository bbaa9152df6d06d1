// semantics 2: contexts, and the current context of threads.
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using ContextTest = AclTest;

aclrtContext CurrentContext() {
  aclrtContext context = nullptr;
  EXPECT_ACL_OK(aclrtGetCurrentContext(&context));
  return context;
}

aclrtStream DefaultStream() {
  aclrtStream stream = nullptr;
  EXPECT_ACL_OK(aclrtCtxGetCurrentDefaultStream(&stream));
  return stream;
}

// 2: CreateContext "creates a context with its own default stream and makes it
// current"; after its destruction the thread has none.
TEST_F(ContextTest, ANewContextIsCurrentUntilItIsDestroyed) {
  const aclrtContext primary = CurrentContext();
  const aclrtStream primary_stream = DefaultStream();
  aclrtContext context = nullptr;
  ASSERT_ACL_OK(aclrtCreateContext(&context, 0));
  EXPECT_NE(context, primary);
  EXPECT_EQ(CurrentContext(), context);
  EXPECT_NE(DefaultStream(), primary_stream);
  EXPECT_ACL_OK(aclrtDestroyContext(context));
  aclrtContext none = Garbage();
  EXPECT_ACL_ERROR(107002, aclrtGetCurrentContext(&none));
  EXPECT_EQ(none, Garbage());
  EXPECT_ACL_ERROR(107002, aclrtCtxGetCurrentDefaultStream(&none));
  EXPECT_ACL_ERROR(107002, aclrtSynchronizeStream(nullptr));
  EXPECT_ACL_OK(aclrtSetCurrentContext(primary));
}

// 2: "Destroying a context does not require it be current".
TEST_F(ContextTest, AContextThatIsNotCurrentIsDestroyedToo) {
  const aclrtContext primary = CurrentContext();
  aclrtContext context = nullptr;
  ASSERT_ACL_OK(aclrtCreateContext(&context, 0));
  ASSERT_ACL_OK(aclrtSetCurrentContext(primary));
  EXPECT_ACL_OK(aclrtDestroyContext(context));
  EXPECT_EQ(CurrentContext(), primary);
}

// 2: destroying the primary context, or a handle that is dead: 107002. Null:
// 100000.
TEST_F(ContextTest, MisuseIsRefused) {
  const aclrtContext primary = CurrentContext();
  aclrtContext dead = nullptr;
  ASSERT_ACL_OK(aclrtCreateContext(&dead, 0));
  ASSERT_ACL_OK(aclrtDestroyContext(dead));
  ASSERT_ACL_OK(aclrtSetCurrentContext(primary));
  const ExpectNothingChanges unchanged;
  EXPECT_ACL_ERROR(107002, aclrtDestroyContext(primary));
  EXPECT_ACL_ERROR(107002, aclrtDestroyContext(dead));
  EXPECT_ACL_ERROR(107002, aclrtDestroyContext(Garbage()));
  EXPECT_ACL_ERROR(107002, aclrtDestroyContext(DefaultStream()));
  EXPECT_ACL_ERROR(100000, aclrtDestroyContext(nullptr));
  EXPECT_ACL_ERROR(107002, aclrtSetCurrentContext(dead));
  EXPECT_ACL_ERROR(107002, aclrtSetCurrentContext(Garbage()));
  EXPECT_ACL_ERROR(100000, aclrtSetCurrentContext(nullptr));
  EXPECT_ACL_ERROR(100000, aclrtGetCurrentContext(nullptr));
  EXPECT_ACL_ERROR(100000, aclrtCtxGetCurrentDefaultStream(nullptr));
  EXPECT_ACL_ERROR(100000, aclrtCreateContext(nullptr, 0));
  EXPECT_EQ(CurrentContext(), primary);
}

// 2: SetCurrentContext "also switches the thread's device".
TEST_F(ContextTest, TheContextBringsItsDevice) {
  const aclrtContext primary = CurrentContext();
  aclrtContext other = nullptr;
  ASSERT_ACL_OK(aclrtCreateContext(&other, 1));
  int32_t device = -1;
  EXPECT_ACL_OK(aclrtGetDevice(&device));
  EXPECT_EQ(device, 1);
  EXPECT_ACL_OK(aclrtSetCurrentContext(primary));
  EXPECT_ACL_OK(aclrtGetDevice(&device));
  EXPECT_EQ(device, 0);
  EXPECT_ACL_OK(aclrtDestroyContext(other));
}

// 3, 13: tasks for a stream of another context: 107003; waiting is lenient.
TEST_F(ContextTest, AStreamTakesTasksOfItsContextOnly) {
  const aclrtContext primary = CurrentContext();
  const Ops ops;
  const DeviceArray<float> x(64);
  PinnedArray<float> host(64);
  const OwnStream stream;
  aclrtEvent event = nullptr;
  ASSERT_ACL_OK(aclrtCreateEvent(&event));
  ASSERT_ACL_OK(aclrtRecordEvent(event, stream));
  aclrtContext other = nullptr;
  ASSERT_ACL_OK(aclrtCreateContext(&other, 0));
  {
    const ExpectNothingChanges unchanged;
    EXPECT_ACL_ERROR(107003, ops.Add(x.data(), x.data(), x.data(), 64, stream));
    EXPECT_ACL_ERROR(107003,
                     aclrtMemcpyAsync(x.data(), 256, host.data(), 256,
                                      ACL_MEMCPY_HOST_TO_DEVICE, stream));
    EXPECT_ACL_ERROR(107003, aclrtMemsetAsync(x.data(), 256, 0, 256, stream));
    EXPECT_ACL_ERROR(107003, aclrtRecordEvent(event, stream));
    EXPECT_ACL_ERROR(107003, aclrtStreamWaitEvent(stream, event));
    EXPECT_ACL_ERROR(107003, aclrtDestroyStream(stream));
    EXPECT_ACL_ERROR(107003, aclrtDestroyStreamForce(stream));
  }
  EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_ACL_OK(aclrtSynchronizeStreamWithTimeout(stream, 10000));
  EXPECT_ACL_OK(aclrtSynchronizeEvent(event));
  EXPECT_ACL_OK(aclrtDestroyContext(other));
  EXPECT_ACL_OK(aclrtSetCurrentContext(primary));
  EXPECT_ACL_OK(aclrtDestroyEvent(event));
}

// 2: a context may be used by several threads; each has a current one of its
// own.
TEST_F(ContextTest, ThreadsHaveEachTheirOwn) {
  const aclrtContext primary = CurrentContext();
  aclrtContext other = nullptr;
  ASSERT_ACL_OK(aclrtCreateContext(&other, 0));
  const Ops ops;
  const DeviceArray<float> x(std::vector<float>(256, 1));
  InThread([&] {
    ASSERT_ACL_OK(aclrtSetCurrentContext(primary));
    EXPECT_EQ(CurrentContext(), primary);
    const OwnStream stream;
    EXPECT_ACL_OK(ops.Add(x.data(), x.data(), x.data(), 256, stream));
    EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
  });
  EXPECT_EQ(CurrentContext(), other);
  EXPECT_ACL_OK(ops.Add(x.data(), x.data(), x.data(), 256, nullptr));
  EXPECT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(x.Download(), std::vector<float>(256, 4));
  EXPECT_ACL_OK(aclrtDestroyContext(other));
  EXPECT_ACL_OK(aclrtSetCurrentContext(primary));
}

// 2: the thread whose context another thread destroyed has none.
TEST_F(ContextTest, AContextMayEndUnderAThread) {
  const aclrtContext primary = CurrentContext();
  aclrtContext context = nullptr;
  ASSERT_ACL_OK(aclrtCreateContext(&context, 0));
  aclrtStream stream = nullptr;
  ASSERT_ACL_OK(aclrtCreateStream(&stream));
  InThread([context] { EXPECT_ACL_OK(aclrtDestroyContext(context)); });
  aclrtContext now = nullptr;
  int32_t device = -1;
  EXPECT_ACL_ERROR(107002, aclrtGetCurrentContext(&now));
  EXPECT_ACL_ERROR(107002, aclrtGetDevice(&device));
  EXPECT_ACL_ERROR(107002, aclrtCreateStream(&stream));
  EXPECT_ACL_OK(aclrtSetCurrentContext(primary));
  EXPECT_ACL_ERROR(107017, aclrtSynchronizeStream(stream));
}

// 2: the end of a context "waits for queued work", then nothing of it is left.
TEST_F(ContextTest, DestroyWaitsForWorkAndTakesAllWithIt) {
  const aclrtContext primary = CurrentContext();
  const Holdings before = CurrentHoldings();
  const Ops ops;
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> product(Ops::kBusyElements);
  const DeviceArray<float> sum(Ops::kBusyElements);
  aclrtContext context = nullptr;
  ASSERT_ACL_OK(aclrtCreateContext(&context, 0));
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  ASSERT_ACL_OK(aclrtCreateStream(&stream));
  ASSERT_ACL_OK(aclrtCreateEvent(&event));
  ASSERT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), stream));
  ASSERT_ACL_OK(aclrtRecordEvent(event, stream));
  ASSERT_ACL_OK(ops.Add(product.data(), product.data(), sum.data(),
                        Ops::kBusyElements, stream));
  EXPECT_ACL_OK(aclrtDestroyContext(context));
  ASSERT_ACL_OK(aclrtSetCurrentContext(primary));
  EXPECT_EQ(sum.Download(),
            std::vector<float>(Ops::kBusyElements, 2 * Ops::kBusySide));
  const Holdings after = CurrentHoldings();
  EXPECT_EQ(after.context_count, before.context_count);
  EXPECT_EQ(after.stream_count, before.stream_count);
  EXPECT_EQ(after.event_count, before.event_count);
  EXPECT_EQ(after.pending_task_count, 0u);
}

}  // namespace
}  // namespace ascend::conformance
