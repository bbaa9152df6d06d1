#include <acl/ascend_rtd_ops.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "tests/integration/life/client_program.h"

namespace {

constexpr size_t kMiB = 1 << 20;

// Device memory, streams, events and a kernel.
struct Device {
  void* memory = nullptr;
  size_t bytes = 0;
  aclrtStream stream = nullptr;
  aclrtStream other = nullptr;
  aclrtEvent event = nullptr;
  aclrtFuncHandle add = nullptr;
};

Device Open(size_t bytes, uint32_t priority = 0) {
  Device device{.bytes = bytes};
  CHECK_ACL(aclInit(nullptr));
  CHECK_ACL(aclrtSetDevice(0));
  CHECK_ACL(aclrtMalloc(&device.memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK_ACL(aclrtCreateStreamWithConfig(&device.stream, priority, 0));
  CHECK_ACL(aclrtCreateStreamWithConfig(&device.other, priority, 0));
  CHECK_ACL(aclrtCreateEventExWithFlag(&device.event, ACL_EVENT_SYNC));
  CHECK_ACL(aclrtRecordEvent(device.event, device.stream));
  aclrtBinHandle ops = nullptr;
  CHECK_ACL(aclrtBinaryLoadFromFile("builtin:ops", nullptr, &ops));
  CHECK_ACL(aclrtBinaryGetFunction(ops, ASCRT_OP_ADD, &device.add));
  return device;
}

// x += y, all of the first and second half of the device's memory.
aclError Add(const Device& device, aclrtStream stream) {
  const auto count = static_cast<int64_t>(device.bytes / 2 / sizeof(float));
  auto* const x = static_cast<float*>(device.memory);
  ascrtAddArgs args = {sizeof args, x, x + count, x, count, ASCRT_DT_FLOAT, 0};
  return aclrtLaunchKernelWithHostArgs(device.add, 8, stream, nullptr, &args,
                                       sizeof args, nullptr, 0);
}

aclError CopyUp(const Device& device, const std::vector<float>& host) {
  return aclrtMemcpy(device.memory, device.bytes, host.data(), device.bytes,
                     ACL_MEMCPY_HOST_TO_DEVICE);
}

std::vector<float> HostCopyOf(const Device& device, float value) {
  return std::vector<float>(device.bytes / sizeof(float), value);
}

using NamedCall = std::pair<const char*, std::function<aclError()>>;

std::vector<NamedCall> MemoryCalls(const Device& device) {
  static std::vector<float> host;
  host = HostCopyOf(device, 0);
  return {
      {"aclrtMalloc",
       [] {
         void* memory = nullptr;
         return aclrtMalloc(&memory, kMiB, ACL_MEM_MALLOC_HUGE_FIRST);
       }},
      {"aclrtMemcpy", [=] { return CopyUp(device, host); }},
      {"aclrtMemcpy-small",
       [=] {
         return aclrtMemcpy(host.data(), 4, device.memory, 4,
                            ACL_MEMCPY_DEVICE_TO_HOST);
       }},
      {"aclrtMemcpyAsync",
       [=] {
         return aclrtMemcpyAsync(host.data(), device.bytes, device.memory,
                                 device.bytes, ACL_MEMCPY_DEVICE_TO_HOST,
                                 device.stream);
       }},
      {"aclrtMemset",
       [=] { return aclrtMemset(device.memory, device.bytes, 0, 4); }},
      {"aclrtMemsetAsync",
       [=] {
         return aclrtMemsetAsync(device.memory, device.bytes, 0, 4,
                                 device.stream);
       }},
      {"aclrtGetMemInfo",
       [] {
         size_t free_bytes = 0;
         size_t total_bytes = 0;
         return aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total_bytes);
       }},
      {"aclrtFree", [=] { return aclrtFree(device.memory); }},
  };
}

std::vector<NamedCall> StreamCalls(const Device& device) {
  return {
      {"aclrtLaunchKernelWithHostArgs",
       [=] { return Add(device, device.stream); }},
      {"aclrtRecordEvent",
       [=] { return aclrtRecordEvent(device.event, device.stream); }},
      {"aclrtStreamWaitEvent",
       [=] { return aclrtStreamWaitEvent(device.other, device.event); }},
      {"aclrtQueryEventStatus",
       [=] {
         aclrtEventRecordedStatus status;
         return aclrtQueryEventStatus(device.event, &status);
       }},
      {"aclrtSynchronizeEvent",
       [=] { return aclrtSynchronizeEvent(device.event); }},
      {"aclrtSynchronizeStream",
       [=] { return aclrtSynchronizeStream(device.stream); }},
      {"aclrtSynchronizeStreamWithTimeout",
       [=] { return aclrtSynchronizeStreamWithTimeout(device.stream, 1000); }},
      {"aclrtSynchronizeDevice", [] { return aclrtSynchronizeDevice(); }},
      {"aclrtStreamQuery",
       [=] {
         aclrtStreamStatus status;
         return aclrtStreamQuery(device.stream, &status);
       }},
      {"aclrtCreateStream",
       [] {
         aclrtStream stream = nullptr;
         return aclrtCreateStream(&stream);
       }},
      {"aclrtCreateContext",
       [] {
         aclrtContext context = nullptr;
         return aclrtCreateContext(&context, 0);
       }},
      {"aclrtDestroyEvent", [=] { return aclrtDestroyEvent(device.event); }},
      {"aclrtDestroyStream", [=] { return aclrtDestroyStream(device.stream); }},
      {"aclrtResetDevice", [] { return aclrtResetDevice(0); }},
  };
}

}  // namespace

int Connect(const char*) {
  SayResult("aclrtSetDevice", aclrtSetDevice(0));
  return 0;
}

int LeaveThings(const char*) {
  Open(64);
  return 0;
}

int Use(const char*) {
  const Device device = Open(kMiB);
  Say("ready");
  AwaitLine();
  CHECK_ACL(CopyUp(device, HostCopyOf(device, 1)));
  CHECK_ACL(aclrtResetDeviceForce(0));
  CHECK_ACL(aclFinalize());
  return 0;
}

int UseUnfinished(const char*) {
  const Device device = Open(kMiB);
  CHECK_ACL(Add(device, device.stream));
  Say("ready");
  AwaitLine();
  return 0;
}

int WorkForever(const char*) {
  const Device device = Open(16 * kMiB);
  // Page-locked, so that copies are under way while kernels are.
  void* up = nullptr;
  void* down = nullptr;
  CHECK_ACL(aclrtMallocHost(&up, device.bytes));
  CHECK_ACL(aclrtMallocHost(&down, device.bytes));
  for (uint64_t round = 0;; ++round) {
    CHECK_ACL(aclrtMemcpyAsync(device.memory, device.bytes, up, device.bytes,
                               ACL_MEMCPY_HOST_TO_DEVICE, device.stream));
    for (int i = 0; i < 20; ++i) CHECK_ACL(Add(device, device.stream));
    CHECK_ACL(aclrtRecordEvent(device.event, device.stream));
    CHECK_ACL(aclrtStreamWaitEvent(device.other, device.event));
    CHECK_ACL(aclrtMemcpyAsync(down, device.bytes, device.memory, device.bytes,
                               ACL_MEMCPY_DEVICE_TO_HOST, device.other));
    CHECK_ACL(Add(device, device.stream));
    if (round % 4 == 3) CHECK_ACL(aclrtSynchronizeDevice());
    if (round == 0) Say("working");
  }
}

int CallAll(const char*) {
  const Device device = Open(kMiB);
  Say("ready");
  AwaitLine();
  for (const auto& [name, call] : MemoryCalls(device)) SayResult(name, call());
  for (const auto& [name, call] : StreamCalls(device)) SayResult(name, call());
  SayResult("aclFinalize", aclFinalize());
  return 0;
}

int Reconnect(const char* address) {
  Device device = Open(kMiB);
  Say("ready");
  AwaitLine();
  SayResult("aclrtMemcpy", CopyUp(device, HostCopyOf(device, 1)));
  CHECK_ACL(aclFinalize());
  ::setenv("ASCEND_RTD_ADDRESS", address, 1);
  device = Open(kMiB);
  CHECK_ACL(CopyUp(device, HostCopyOf(device, 1)));
  CHECK_ACL(aclFinalize());
  Say("again");
  return 0;
}

int ComeAndGo(const char*) {
  constexpr int kRounds = 50;
  // gRPC keeps some, and closes some a little later.
  constexpr int kFew = kRounds / 2;
  const auto say_how_many = [](const char* what, const char* directory) {
    const std::filesystem::directory_iterator entries(directory);
    const auto count = std::distance(begin(entries), end(entries));
    if (count < kFew) {
      std::printf("few %s\n", what);
    } else {
      std::printf("%td %s\n", count, what);
    }
  };
  for (int round = 0; round < kRounds; ++round) {
    const Device device = Open(kMiB);
    CHECK_ACL(CopyUp(device, HostCopyOf(device, 1)));
    CHECK_ACL(Add(device, device.stream));
    CHECK_ACL(aclFinalize());
  }
  say_how_many("descriptors", "/proc/self/fd");
  say_how_many("threads", "/proc/self/task");
  std::fflush(stdout);
  return 0;
}

int WorkAtPriority(const char* priority) {
  constexpr int kRounds = 400;
  const Device device =
      Open(kMiB, static_cast<uint32_t>(std::strtoul(priority, nullptr, 10)));
  std::vector<float> host = HostCopyOf(device, 1);
  CHECK_ACL(CopyUp(device, host));
  for (int round = 0; round < kRounds; ++round) {
    CHECK_ACL(Add(device, device.stream));
    if (round == kRounds / 2) {
      CHECK_ACL(aclrtSynchronizeStream(device.stream));
      Say("half");
      AwaitLine();
    }
  }
  CHECK_ACL(aclrtMemcpyAsync(host.data(), device.bytes, device.memory,
                             device.bytes, ACL_MEMCPY_DEVICE_TO_HOST,
                             device.stream));
  CHECK_ACL(aclrtSynchronizeStream(device.stream));
  for (size_t i = 0; i < host.size(); ++i) {
    const float expected = i < host.size() / 2 ? 1 + kRounds : 1;
    if (host[i] == expected) continue;
    Say("wrong");
    return 1;
  }
  Say("right");
  return 0;
}

int Describe(const char*) {
  const Device device = Open(kMiB);
  const auto say = [](const char* name, int64_t value) {
    std::printf("%s %lld\n", name, static_cast<long long>(value));
    std::fflush(stdout);
  };
  std::printf("soc %s\n", aclrtGetSocName());
  constexpr std::pair<const char*, aclrtDevAttr> kAttributes[] = {
      {"arch", ACL_DEV_ATTR_NPU_ARCH},
      {"ai_cpus", ACL_DEV_ATTR_AICPU_CORE_NUM},
      {"ai_cores", ACL_DEV_ATTR_AICORE_CORE_NUM},
      {"cube_cores", ACL_DEV_ATTR_CUBE_CORE_NUM},
      {"vector_cores", ACL_DEV_ATTR_VECTOR_CORE_NUM},
      {"hbm", ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE},
      {"l2", ACL_DEV_ATTR_L2_CACHE_SIZE}};
  for (const auto& [name, attribute] : kAttributes) {
    int64_t value = 0;
    CHECK_ACL(aclrtGetDeviceInfo(0, attribute, &value));
    say(name, value);
  }
  int64_t capability = 0;
  CHECK_ACL(
      aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &capability));
  say("capability", capability);
  uint32_t limit = 0;
  CHECK_ACL(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, &limit));
  say("cube_limit", limit);
  CHECK_ACL(aclrtGetStreamResLimit(device.stream, ACL_RT_DEV_RES_VECTOR_CORE,
                                   &limit));
  say("vector_limit", limit);
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  CHECK_ACL(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total_bytes));
  say("total", static_cast<int64_t>(total_bytes));
  say("used", static_cast<int64_t>(total_bytes - free_bytes));
  for (const char* const soc :
       {"Ascend910A", "Ascend910B3", "Ascend950DT_9581"}) {
    int32_t suits = -1;
    CHECK_ACL(aclrtCheckArchCompatibility(soc, &suits));
    say(soc, suits);
  }
  std::vector<float> host = HostCopyOf(device, 1);
  CHECK_ACL(CopyUp(device, host));
  CHECK_ACL(Add(device, device.stream));
  CHECK_ACL(aclrtSynchronizeStream(device.stream));
  CHECK_ACL(aclrtMemcpy(host.data(), device.bytes, device.memory, device.bytes,
                        ACL_MEMCPY_DEVICE_TO_HOST));
  say("sum", static_cast<int64_t>(host[0]));
  return 0;
}

int ConnectAsNobody(const char* address) {
  // The plug-in is loaded by now, wherever it lies.
  Open(kMiB);
  CHECK_ACL(aclFinalize());
  constexpr uid_t kNobody = 65534;
  // It traces this process, which one that has changed its user does not allow.
  TurnLeakCheckOff();
  if (::geteuid() == 0 && ::seteuid(kNobody) != 0) return 4;
  if (*address == '\0') {
    ::unsetenv("ASCEND_RTD_ADDRESS");
  } else {
    ::setenv("ASCEND_RTD_ADDRESS", address, 1);
  }
  return Connect("");
}
