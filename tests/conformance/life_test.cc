// semantics 1 and 2: the end of devices, of the library and of the process,
// with work in flight; and fork.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"
#include "tests/conformance/fresh_process.h"

namespace ascend::conformance {
namespace {

using LifeTest = AclTest;

struct Work {
  Ops ops;
  DeviceArray<float> ones{std::vector<float>(Ops::kBusyElements, 1)};
  DeviceArray<float> product{Ops::kBusyElements};
  PinnedArray<float> host{Ops::kBusyElements};
};

// Work on two streams, with copies, that nobody waits for. What it uses is
// never freed.
void LeaveWorkInFlight() {
  static auto* const works = new std::vector<Work*>();
  works->push_back(new Work());
  const auto& [ops, ones, product, host] = *works->back();
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  ASSERT_ACL_OK(aclrtCreateStream(&stream));
  ASSERT_ACL_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
  for (int i = 0; i < 8; ++i) {
    ASSERT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), stream));
    ASSERT_ACL_OK(aclrtMemcpyAsync(host.data(), host.bytes(), product.data(),
                                   product.bytes(), ACL_MEMCPY_DEVICE_TO_HOST,
                                   stream));
    ASSERT_ACL_OK(aclrtMemcpyAsync(product.data(), product.bytes(), host.data(),
                                   host.bytes(), ACL_MEMCPY_HOST_TO_DEVICE,
                                   stream));
    ASSERT_ACL_OK(aclrtRecordEvent(event, stream));
    ASSERT_ACL_OK(aclrtStreamWaitEvent(nullptr, event));
    ASSERT_ACL_OK(
        ops.Add(ones.data(), ones.data(), product.data(), 16, nullptr));
  }
}

// 2: the last reset "waits for queued work", the forced one too: what was
// posted is done afterwards.
TEST_F(LifeTest, ResetWaitsForWorkInFlight) {
  const Ops ops;
  const std::vector<float> product(Ops::kBusyElements, Ops::kBusySide);
  for (const bool is_forced : {false, true}) {
    PinnedArray<float> host(Ops::kBusyElements);
    {
      const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
      const DeviceArray<float> result(Ops::kBusyElements);
      for (int i = 0; i < 3; ++i) {
        ASSERT_ACL_OK(ops.KeepBusy(ones.data(), result.data(), nullptr));
      }
      ASSERT_ACL_OK(aclrtMemcpyAsync(host.data(), host.bytes(), result.data(),
                                     result.bytes(), ACL_MEMCPY_DEVICE_TO_HOST,
                                     nullptr));
    }
    ASSERT_ACL_OK(is_forced ? aclrtResetDeviceForce(0) : aclrtResetDevice(0));
    EXPECT_TRUE(host.values() == product) << is_forced;
    ASSERT_ACL_OK(aclrtSetDevice(0));
  }
}

// Other contexts of the device live on.
TEST_F(LifeTest, ResetEndsThePrimaryContextOnly) {
  aclrtContext context = nullptr;
  ASSERT_ACL_OK(aclrtCreateContext(&context, 0));
  aclrtStream stream = nullptr;
  ASSERT_ACL_OK(aclrtCreateStream(&stream));
  ASSERT_ACL_OK(aclrtResetDeviceForce(0));
  EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_ACL_OK(aclrtDestroyContext(context));
}

// A thread that waits hears of the reset of its device, not of a hang.
TEST_F(LifeTest, ResetUnderAThreadThatWaits) {
  const Ops ops;
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> product(Ops::kBusyElements);
  aclrtStream stream = nullptr;
  ASSERT_ACL_OK(aclrtCreateStream(&stream));
  for (int i = 0; i < 8; ++i) {
    ASSERT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), stream));
  }
  std::atomic<bool> is_waiting = false;
  std::thread waiter([&] {
    ASSERT_ACL_OK(aclrtSetDevice(0));
    is_waiting = true;
    const aclError code = aclrtSynchronizeStream(stream);
    // Before the reset it waited for the work, after it the handle is stale.
    EXPECT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_RT_CONTEXT_NULL ||
                code == ACL_ERROR_RT_INVALID_HANDLE)
        << code;
  });
  while (!is_waiting) std::this_thread::yield();
  EXPECT_ACL_OK(aclrtResetDeviceForce(0));
  waiter.join();
  ASSERT_ACL_OK(aclrtSetDevice(0));
}

// 1: finalize "tears down whatever the counter was", with work in flight; all
// handles are dead, and the process may begin again.
FRESH_PROCESS_TEST(FinalizeTest, WithWorkInFlight) {
  const size_t others = Backend::Get().CountSessions();
  for (int round = 0; round < 3; ++round) {
    ASSERT_ACL_OK(aclInit(nullptr));
    ASSERT_ACL_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    void* memory = nullptr;
    ASSERT_ACL_OK(aclrtCreateStream(&stream));
    ASSERT_ACL_OK(aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
    LeaveWorkInFlight();
    EXPECT_ACL_OK(aclFinalize());
    // The parent's is another one.
    EXPECT_TRUE(AwaitSessions(others));
    EXPECT_ACL_ERROR(107002, aclrtSynchronizeStream(stream));
    EXPECT_ACL_OK(aclrtSetDevice(0));
    EXPECT_ACL_ERROR(107017, aclrtSynchronizeStream(stream));
    EXPECT_ACL_ERROR(107000, aclrtFree(memory));
    ASSERT_EQ(CurrentHoldings(),
              (Holdings{.context_count = 1, .stream_count = 1}));
    ASSERT_ACL_OK(aclInit(nullptr));
    ASSERT_ACL_OK(aclFinalize());
    ASSERT_TRUE(AwaitSessions(others));
  }
}

// A thread that waits while another finalizes hears of it: 507901.
FRESH_PROCESS_TEST(FinalizeTest, UnderAThreadThatWaits) {
  ASSERT_ACL_OK(aclInit(nullptr));
  ASSERT_ACL_OK(aclrtSetDevice(0));
  LeaveWorkInFlight();
  std::atomic<bool> is_waiting = false;
  std::thread waiter([&] {
    ASSERT_ACL_OK(aclrtSetDevice(0));
    is_waiting = true;
    const aclError code = aclrtSynchronizeDevice();
    EXPECT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_RT_SOCKET_CLOSE ||
                code == ACL_ERROR_RT_CONTEXT_NULL)
        << code;
  });
  while (!is_waiting) std::this_thread::yield();
  EXPECT_ACL_OK(aclFinalize());
  waiter.join();
}

// A machine that computes in this very process cannot be left alone by exit:
// the static objects of its libraries go.
#define SKIP_UNLESS_THE_MACHINE_IS_ELSEWHERE()                \
  if (!Backend::Get().IsShared()) {                           \
    GTEST_SKIP() << "the machine would die with the process"; \
  }                                                           \
  static_assert(true)

// Programs exit in the middle of anything.
FRESH_PROCESS_TEST(ExitTest, WithoutFinalize) {
  SKIP_UNLESS_THE_MACHINE_IS_ELSEWHERE();
  ASSERT_ACL_OK(aclInit(nullptr));
  ASSERT_ACL_OK(aclrtSetDevice(0));
  LeaveWorkInFlight();
  std::exit(kFreshExitCode);
}

FRESH_PROCESS_TEST(ExitTest, WithoutAnyEnd) {
  ASSERT_ACL_OK(aclrtSetDevice(0));
  LeaveWorkInFlight();
  _exit(kFreshExitCode);
}

FRESH_PROCESS_TEST(ExitTest, WhileAThreadWaits) {
  SKIP_UNLESS_THE_MACHINE_IS_ELSEWHERE();
  ASSERT_ACL_OK(aclInit(nullptr));
  ASSERT_ACL_OK(aclrtSetDevice(0));
  LeaveWorkInFlight();
  std::thread([] {
    if (aclrtSetDevice(0) == ACL_SUCCESS) aclrtSynchronizeDevice();
  }).detach();
  std::exit(kFreshExitCode);
}

// fork without exec: "the child's calls fail clearly, the parent is unharmed".
FRESH_PROCESS_TEST(ForkTest, TheChildCannotUseTheConnection) {
  ASSERT_ACL_OK(aclInit(nullptr));
  ASSERT_ACL_OK(aclrtSetDevice(0));
  const DeviceArray<float> x(std::vector<float>(16, 1));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // No test's own output here: exit codes say what went wrong.
    void* memory = nullptr;
    if (aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) !=
        ACL_ERROR_RT_SOCKET_CLOSE) {
      _exit(1);
    }
    const char* const text = aclGetRecentErrMsg();
    if (text == nullptr ||
        std::string(text).find("fork") == std::string::npos) {
      _exit(2);
    }
    if (aclrtSynchronizeStream(nullptr) != ACL_ERROR_RT_SOCKET_CLOSE) _exit(3);
    if (aclrtSetDevice(0) != ACL_ERROR_RT_SOCKET_CLOSE) _exit(4);
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
  const Ops ops;
  EXPECT_ACL_OK(ops.Add(x.data(), x.data(), x.data(), 16, nullptr));
  EXPECT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(x.Download(), std::vector<float>(16, 2));
}

}  // namespace
}  // namespace ascend::conformance
