// semantics 11 and 13: functions that streams call, and those that hear of
// failures.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <thread>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using HostFunctionTest = AclTest;
using ReportTest = AclTest;
using ExceptionTest = AclTest;

// Calls what the argument points to.
void RunFunction(void* function) {
  (*static_cast<std::function<void()>*>(function))();
}

// 11: "runtime-owned thread; stream waits for it".
TEST_F(HostFunctionTest, TheStreamWaitsForTheFunction) {
  const OwnStream stream;
  PinnedArray<int> host(4);
  const DeviceArray<int> device(4);
  std::promise<void> may_return;
  std::atomic<bool> is_other_thread = false;
  const std::thread::id caller = std::this_thread::get_id();
  std::function<void()> fill = [&] {
    is_other_thread = std::this_thread::get_id() != caller;
    may_return.get_future().wait();
    for (int i = 0; i < 4; ++i) host[i] = i + 1;
  };
  for (int i = 0; i < 4; ++i) host[i] = 0;
  ASSERT_ACL_OK(aclrtLaunchHostFunc(stream, &RunFunction, &fill));
  // Reads the page-locked bytes when its turn comes, behind the function.
  ASSERT_ACL_OK(aclrtMemcpyAsync(device.data(), device.bytes(), host.data(),
                                 host.bytes(), ACL_MEMCPY_HOST_TO_DEVICE,
                                 stream));
  EXPECT_ACL_ERROR(507046, aclrtSynchronizeStreamWithTimeout(stream, 20));
  may_return.set_value();
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_TRUE(is_other_thread);
  EXPECT_EQ(device.Download(), (std::vector<int>{1, 2, 3, 4}));
}

TEST_F(HostFunctionTest, FunctionsOfAStreamComeInOrder) {
  const OwnStream stream;
  std::vector<int> order;
  std::vector<std::function<void()>> functions;
  for (int i = 0; i < 100; ++i) {
    functions.push_back([&order, i] { order.push_back(i); });
  }
  for (std::function<void()>& function : functions) {
    ASSERT_ACL_OK(aclrtLaunchHostFunc(stream, &RunFunction, &function));
  }
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

// A call back into the API: what does not wait works, what waits is refused.
TEST_F(HostFunctionTest, CallsBackIntoTheInterface) {
  const OwnStream stream;
  aclrtContext context = nullptr;
  ASSERT_ACL_OK(aclrtGetCurrentContext(&context));
  std::function<void()> body = [&] {
    aclrtContext none = nullptr;
    EXPECT_ACL_ERROR(107002, aclrtGetCurrentContext(&none));
    EXPECT_ACL_OK(aclrtSetCurrentContext(context));
    void* memory = nullptr;
    EXPECT_ACL_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
    EXPECT_ACL_OK(aclrtFree(memory));
    EXPECT_ACL_ERROR(207000, aclrtSynchronizeStream(stream));
    EXPECT_ACL_ERROR(207000, aclrtSynchronizeDevice());
  };
  ASSERT_ACL_OK(aclrtLaunchHostFunc(stream, &RunFunction, &body));
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(HostFunctionTest, MisuseIsRefused) {
  const OwnStream stream;
  const ExpectNothingChanges nothing;
  EXPECT_ACL_ERROR(100000, aclrtLaunchHostFunc(stream, nullptr, nullptr));
  std::function<void()> never = [] { ADD_FAILURE(); };
  EXPECT_ACL_ERROR(107017,
                   aclrtLaunchHostFunc(Garbage(), &RunFunction, &never));
  InThread([&] {
    EXPECT_ACL_ERROR(107002,
                     aclrtLaunchHostFunc(nullptr, &RunFunction, &never));
  });
}

// A service thread, as programs have it: it processes reports until it is told
// to stop.
class ServiceThread {
 public:
  ServiceThread() {
    std::promise<uint64_t> id;
    std::future<uint64_t> known = id.get_future();
    thread_ = std::thread([this, &id] {
      id.set_value(static_cast<uint64_t>(pthread_self()));
      started_.get_future().wait();
      while (!is_stopping_) {
        if (aclrtProcessReport(10) == ACL_SUCCESS) ++processed_;
      }
    });
    id_ = known.get();
  }
  ~ServiceThread() { Stop(); }

  uint64_t id() const { return id_; }
  void Start() { started_.set_value(); }
  void Stop() {
    is_stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }
  int processed() const { return processed_; }

 private:
  std::thread thread_;
  uint64_t id_ = 0;
  std::promise<void> started_;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<int> processed_ = 0;
};

TEST_F(ReportTest, TheServiceThreadCallsWhatIsDue) {
  const OwnStream stream;
  ServiceThread service;
  ASSERT_ACL_OK(aclrtSubscribeReport(service.id(), stream));
  std::atomic<uint64_t> called_by = 0;
  std::function<void()> body = [&] {
    called_by = static_cast<uint64_t>(pthread_self());
  };
  ASSERT_ACL_OK(
      aclrtLaunchCallback(&RunFunction, &body, ACL_CALLBACK_BLOCK, stream));
  // Nobody processes yet, and the stream waits.
  EXPECT_ACL_ERROR(507046, aclrtSynchronizeStreamWithTimeout(stream, 20));
  EXPECT_EQ(called_by, 0u);
  service.Start();
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_EQ(called_by, service.id());
  ASSERT_ACL_OK(aclrtUnSubscribeReport(service.id(), stream));
  service.Stop();
  EXPECT_EQ(service.processed(), 1);
}

// "BLOCK: following tasks wait"; the other kind does not hold them.
TEST_F(ReportTest, WithoutBlockTheStreamGoesOn) {
  const OwnStream stream;
  ServiceThread service;
  ASSERT_ACL_OK(aclrtSubscribeReport(service.id(), stream));
  std::promise<void> called;
  std::function<void()> body = [&] { called.set_value(); };
  ASSERT_ACL_OK(
      aclrtLaunchCallback(&RunFunction, &body, ACL_CALLBACK_NO_BLOCK, stream));
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  service.Start();
  called.get_future().wait();
  ASSERT_ACL_OK(aclrtUnSubscribeReport(service.id(), stream));
}

// "One stream has one thread; a thread may serve many streams"; "two styles,
// not mixable on a stream (mix -> 107011)".
TEST_F(ReportTest, MisuseIsRefused) {
  const OwnStream first;
  const OwnStream second;
  ServiceThread service;
  std::function<void()> never = [] { ADD_FAILURE(); };
  ASSERT_ACL_OK(aclrtSubscribeReport(service.id(), first));
  ASSERT_ACL_OK(aclrtSubscribeReport(service.id(), second));
  {
    const ExpectNothingChanges nothing;
    EXPECT_ACL_ERROR(107011, aclrtSubscribeReport(service.id(), first));
    EXPECT_ACL_ERROR(107011, aclrtSubscribeReport(service.id() + 1, first));
    EXPECT_ACL_ERROR(107000, aclrtSubscribeReport(0, first));
    EXPECT_ACL_ERROR(107017, aclrtSubscribeReport(service.id(), Garbage()));
    EXPECT_ACL_ERROR(107011, aclrtLaunchHostFunc(first, &RunFunction, &never));
    EXPECT_ACL_ERROR(100000, aclrtLaunchCallback(nullptr, nullptr,
                                                 ACL_CALLBACK_BLOCK, first));
    EXPECT_ACL_ERROR(
        107000,
        aclrtLaunchCallback(&RunFunction, &never,
                            static_cast<aclrtCallbackBlockType>(2), first));
    EXPECT_ACL_ERROR(107015, aclrtLaunchCallback(&RunFunction, &never,
                                                 ACL_CALLBACK_BLOCK, nullptr));
    EXPECT_ACL_ERROR(107015, aclrtUnSubscribeReport(service.id() + 1, first));
    EXPECT_ACL_ERROR(107017, aclrtUnSubscribeReport(service.id(), Garbage()));
  }
  ASSERT_ACL_OK(aclrtUnSubscribeReport(service.id(), first));
  EXPECT_ACL_ERROR(107015, aclrtUnSubscribeReport(service.id(), first));
  ASSERT_ACL_OK(aclrtUnSubscribeReport(service.id(), second));
  service.Start();
}

TEST_F(ReportTest, ProcessingWaitsAsLongAsItIsTold) {
  const auto self = static_cast<uint64_t>(pthread_self());
  EXPECT_ACL_ERROR(107012, aclrtProcessReport(10));
  EXPECT_ACL_ERROR(107000, aclrtProcessReport(0));
  EXPECT_ACL_ERROR(107000, aclrtProcessReport(-2));
  const OwnStream stream;
  ASSERT_ACL_OK(aclrtSubscribeReport(self, stream));
  EXPECT_ACL_ERROR(107019, aclrtProcessReport(10));
  bool is_called = false;
  std::function<void()> body = [&] { is_called = true; };
  ASSERT_ACL_OK(
      aclrtLaunchCallback(&RunFunction, &body, ACL_CALLBACK_BLOCK, stream));
  ASSERT_ACL_OK(aclrtProcessReport(-1));
  EXPECT_TRUE(is_called);
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  ASSERT_ACL_OK(aclrtUnSubscribeReport(self, stream));
}

// A stream that is destroyed takes its subscription with it.
TEST_F(ReportTest, SubscriptionsEndWithTheirStreams) {
  const auto self = static_cast<uint64_t>(pthread_self());
  {
    const OwnStream stream;
    ASSERT_ACL_OK(aclrtSubscribeReport(self, stream));
  }
  EXPECT_ACL_ERROR(107012, aclrtProcessReport(10));
}

struct Failure {
  uint32_t task, stream, thread, device, code;
};

// Where the callbacks below leave what they hear.
std::promise<Failure>* heard_failure = nullptr;
std::atomic<int> heard_by_second = 0;

void Hear(aclrtExceptionInfo* info) {
  heard_failure->set_value({aclrtGetTaskIdFromExceptionInfo(info),
                            aclrtGetStreamIdFromExceptionInfo(info),
                            aclrtGetThreadIdFromExceptionInfo(info),
                            aclrtGetDeviceIdFromExceptionInfo(info),
                            aclrtGetErrorCodeFromExceptionInfo(info)});
}
void HearToo(aclrtExceptionInfo*) { ++heard_by_second; }

// 13: "exception callbacks fire once with task/stream/thread/device/code".
TEST_F(ExceptionTest, CallbacksHearOfAFailure) {
  const Ops ops;
  const DeviceArray<float> x(16);
  const OwnStream stream;
  std::promise<Failure> promise;
  heard_failure = &promise;
  heard_by_second = 0;
  ASSERT_ACL_OK(aclrtExceptionInfoCallbackRegister(&HearToo));
  ASSERT_ACL_OK(aclrtSetExceptionInfoCallback(&Hear));
  ASSERT_ACL_OK(ops.Add(x.data(), x.data(), x.data(), 16, stream));
  // Beyond its memory.
  ASSERT_ACL_OK(ops.Add(x.data(), x.data(), x.data(), 1 << 20, stream));
  uint32_t task = 0;
  ASSERT_ACL_OK(aclrtGetThreadLastTaskId(&task));
  const Failure failure = promise.get_future().get();
  EXPECT_EQ(failure.task, task);
  int32_t id = -1;
  ASSERT_ACL_OK(aclrtStreamGetId(stream, &id));
  EXPECT_EQ(failure.stream, static_cast<uint32_t>(id));
  EXPECT_EQ(failure.thread, static_cast<uint32_t>(gettid()));
  EXPECT_EQ(failure.device, 0u);
  EXPECT_EQ(failure.code, 507035u);
  EXPECT_ACL_ERROR(507035, aclrtSynchronizeStream(stream));
  EXPECT_EQ(heard_by_second, 1);
  ASSERT_ACL_OK(aclrtSetExceptionInfoCallback(nullptr));
  ASSERT_ACL_OK(aclrtExceptionInfoCallbackUnregister(&HearToo));
  // Nobody is told any more; setting the promise again would throw.
  ASSERT_ACL_OK(ops.Add(x.data(), x.data(), x.data(), 1 << 20, stream));
  EXPECT_ACL_ERROR(507035, aclrtSynchronizeStream(stream));
  EXPECT_EQ(heard_by_second, 1);
}

// 13: "Exception info getters return 0xFFFFFFFF for null info".
TEST_F(ExceptionTest, MisuseIsRefused) {
  EXPECT_ACL_ERROR(100000, aclrtExceptionInfoCallbackRegister(nullptr));
  EXPECT_ACL_ERROR(100000, aclrtExceptionInfoCallbackUnregister(nullptr));
  EXPECT_ACL_ERROR(107000, aclrtExceptionInfoCallbackUnregister(&Hear));
  ASSERT_ACL_OK(aclrtExceptionInfoCallbackRegister(&Hear));
  EXPECT_ACL_ERROR(107000, aclrtExceptionInfoCallbackRegister(&Hear));
  ASSERT_ACL_OK(aclrtExceptionInfoCallbackUnregister(&Hear));
  EXPECT_EQ(aclrtGetTaskIdFromExceptionInfo(nullptr), 0xFFFFFFFFu);
  EXPECT_EQ(aclrtGetStreamIdFromExceptionInfo(nullptr), 0xFFFFFFFFu);
  EXPECT_EQ(aclrtGetThreadIdFromExceptionInfo(nullptr), 0xFFFFFFFFu);
  EXPECT_EQ(aclrtGetDeviceIdFromExceptionInfo(nullptr), 0xFFFFFFFFu);
  EXPECT_EQ(aclrtGetErrorCodeFromExceptionInfo(nullptr), 0xFFFFFFFFu);
}

}  // namespace
}  // namespace ascend::conformance
