#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "tests/integration/life/client_program.h"

namespace {

constexpr size_t kBytes = 1 << 20;

// A child that hangs is a failure, not a hang of the test.
constexpr unsigned kChildSeconds = 30;

void* OpenDevice() {
  void* memory = nullptr;
  CHECK_ACL(aclrtSetDevice(0));
  CHECK_ACL(aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  return memory;
}

// Both ways, and the bytes are the same.
bool CopyWorks(void* memory, char fill) {
  const std::vector<char> up(kBytes, fill);
  std::vector<char> down(kBytes, 0);
  CHECK_ACL(aclrtMemcpy(memory, kBytes, up.data(), kBytes,
                        ACL_MEMCPY_HOST_TO_DEVICE));
  CHECK_ACL(aclrtMemcpy(down.data(), kBytes, memory, kBytes,
                        ACL_MEMCPY_DEVICE_TO_HOST));
  return up == down;
}

// What `child` returns, or 128 + the signal that ended it.
int RunForked(const std::function<int()>& child) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    // It looks through the stacks of all threads, of which a child has one.
    TurnLeakCheckOff();
    ::alarm(kChildSeconds);
    // Static objects are destroyed and atexit functions run, as in any program.
    std::exit(child());
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int CallInChild(void* memory) {
  std::vector<char> host(kBytes, 0);
  SayResult("child-aclrtMalloc",
            aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  SayResult("child-aclrtMemcpy",
            aclrtMemcpy(host.data(), kBytes, memory, kBytes,
                        ACL_MEMCPY_DEVICE_TO_HOST));
  SayResult("child-aclrtSynchronizeDevice", aclrtSynchronizeDevice());
  SayResult("child-aclrtSetDevice", aclrtSetDevice(0));
  SayResult("child-aclrtResetDevice", aclrtResetDeviceForce(0));
  return 0;
}

void SayOfParent(const char* what, int exit_code, void* memory, char fill) {
  std::printf("%s %d %s\n", what, exit_code,
              CopyWorks(memory, fill) ? "unharmed" : "harmed");
  std::fflush(stdout);
}

}  // namespace

int Fork(const char*) {
  void* const memory = OpenDevice();
  if (!CopyWorks(memory, 'a')) return 1;
  SayOfParent("calls", RunForked([&] { return CallInChild(memory); }), memory,
              'b');
  SayOfParent("exits", RunForked([] { return 0; }), memory, 'c');
  SayOfParent("finalizes", RunForked([] {
                aclFinalize();
                return 0;
              }),
              memory, 'd');
  SayOfParent("execs", RunForked([] {
                ::execl("/bin/true", "true", nullptr);
                return 1;
              }),
              memory, 'e');
  return 0;
}

int ForkUnderLoad(const char*) {
  void* const memory = OpenDevice();
  std::atomic<bool> is_over{false};
  std::atomic<bool> is_harmed{false};
  std::thread copies([&] {
    CHECK_ACL(aclrtSetDevice(0));
    for (char fill = 1; !is_over; ++fill) {
      if (!CopyWorks(memory, fill)) is_harmed = true;
    }
  });
  int failures = 0;
  for (int i = 0; i < 40; ++i) {
    const int exit_code = RunForked([] {
      void* none = nullptr;
      const aclError error =
          aclrtMalloc(&none, kBytes, ACL_MEM_MALLOC_HUGE_FIRST);
      const char* const message = aclGetRecentErrMsg();
      return error == 507901 && message != nullptr ? 0 : 1;
    });
    if (exit_code != 0) ++failures;
  }
  is_over = true;
  copies.join();
  std::printf("%d failures, %s\n", failures, is_harmed ? "harmed" : "unharmed");
  return 0;
}

int ForkBeforeUse(const char*) {
  const int exit_code = RunForked([] {
    const bool works = CopyWorks(OpenDevice(), 'c');
    CHECK_ACL(aclrtResetDeviceForce(0));
    return works ? 0 : 1;
  });
  SayOfParent("uses", exit_code, OpenDevice(), 'p');
  return 0;
}

int ForkAndDie(const char*) {
  if (!CopyWorks(OpenDevice(), 'a')) return 1;
  if (::fork() == 0) {
    Say("ready");
    AwaitLine();  // until the test lets go
    std::_Exit(0);
  }
  ::pause();
  return 0;
}
