#include "tests/bench/ladder/lives.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "acl/ascend_rtd_ops.h"
#include "core/base/check.h"
#include "tests/bench/ladder/program.h"
#include "tests/bench/ladder/timing.h"

namespace ascend::ladder {
namespace {

constexpr int kIdleSessions = 100;
constexpr int kCrowdLaunches = 200'000;  // of each client
constexpr std::chrono::seconds kIdleWindow{2};

// This program in `role`; said its line, which begins with its pid.
class Actor {
 public:
  explicit Actor(const std::string& role) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    output_ = ::popen(absl::StrCat("exec ", self, " role ", role).c_str(), "r");
    ASCEND_CHECK(output_ != nullptr) << self << " cannot be started";
  }
  ~Actor() {
    if (output_ == nullptr) return;
    Kill();
    ::pclose(output_);
  }
  Actor(Actor&& other) noexcept
      : output_(std::exchange(other.output_, nullptr)), pid_(other.pid_) {}

  // Waits for the line; returns what follows the pid.
  double AwaitLine() {
    long pid = 0;
    double value = 0;
    ASCEND_CHECK(std::fscanf(output_, "%ld %lf", &pid, &value) == 2)
        << "a program of the ladder ends early";
    pid_ = static_cast<pid_t>(pid);
    return value;
  }

  void Kill() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    pid_ = 0;
  }

 private:
  std::FILE* output_;
  pid_t pid_ = 0;
};

void SayLine(double value) {
  std::printf("%d %f\n", static_cast<int>(::getpid()), value);
  std::fflush(stdout);
}

size_t FreeBytes() {
  size_t free_bytes = 0;
  size_t total = 0;
  Require(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total), "aclrtGetMemInfo");
  return free_bytes;
}

double ResidentKibibytes(pid_t pid) {
  std::ifstream status(absl::StrCat("/proc/", pid, "/status"));
  std::string word;
  double value = 0;
  while (status >> word) {
    if (word == "VmRSS:" && status >> value) break;
  }
  return value;
}

double CpuSeconds(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/stat"));
  std::ostringstream text;
  text << file.rdbuf();
  std::istringstream fields(text.str().substr(text.str().rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;  // to utime and stime
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// --- Rungs -------------------------------------------------------------------

void MeasureAttach(Report* report) {
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) times.push_back(Actor("attach").AwaitLine());
  report->Add({.name = "attach to first result",
               .unit = "ms",
               .value = MedianOf(times),
               .target = 50});
}

void MeasureDeath(Report* report) {
  Program program;
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) {
    const size_t before = FreeBytes();
    Actor victim("victim");
    victim.AwaitLine();
    ASCEND_CHECK(FreeBytes() < before) << "the victim holds nothing";
    times.push_back(MicrosecondsOf([&] {
                      victim.Kill();
                      while (FreeBytes() < before) {
                      }
                    }) /
                    1e3);
  }
  report->Add({.name = "killed client's memory is free after",
               .unit = "ms",
               .value = MedianOf(times),
               .target = 50});
}

// From when the first client begins until the last one ends.
void MeasureCrowd(Report* report) {
  constexpr int kClients = 4;
  std::vector<Actor> clients;
  for (int i = 0; i < kClients; ++i) clients.emplace_back("crowd");
  clients.front().AwaitLine();
  const double us = MicrosecondsOf([&] {
    for (int i = 1; i < kClients; ++i) clients[i].AwaitLine();
    for (Actor& client : clients) client.AwaitLine();
  });
  report->Add({.name = absl::StrCat("timing-only launches, ", kClients,
                                    " clients together"),
               .unit = "1/s",
               .value = kClients * kCrowdLaunches / us * 1e6,
               .target = 0.5e6,
               .more_is_better = true});
}

double RoundTripP99(Program& program) {
  return QuantileOf(RoundTripMicroseconds(program, 1000), 0.99);
}

void MeasureNeighbour(Report* report) {
  Program program;
  RoundTripP99(program);
  const double alone = RoundTripP99(program);
  Actor loud("loud");
  loud.AwaitLine();
  report->Add({.name = "launch + synchronise p99 beside 500 ms kernels",
               .unit = "us",
               .value = RoundTripP99(program),
               .floor = alone,
               .target = 2});
}

// --- Roles -------------------------------------------------------------------

int Attach() {
  const double us = MicrosecondsOf([] {
    Program program;
    float result = 1;
    program.Launch();
    program.Synchronize();
    program.Download(&result, sizeof(result));
    ASCEND_CHECK(result == 0) << result;
  });
  SayLine(us / 1e3);
  return 0;
}

int Hold() {
  const Program program;
  SayLine(0);
  for (;;) ::pause();
}

int BeInCrowd() {
  Program program;
  program.SetTimingOnly(true);
  SayLine(0);
  for (int i = 0; i < kCrowdLaunches; ++i) program.Launch();
  program.Synchronize();
  SayLine(0);
  return 0;
}

int FallVictim() {
  Program program;
  SayLine(0);
  for (;;) program.Launch(int64_t{1} << 20);
}

// Endless products of some 500 ms each.
int BeLoud() {
  constexpr int64_t kSize = 3328;
  Program program;
  void* tensors[3];
  for (void*& tensor : tensors) {
    Require(aclrtMalloc(&tensor, kSize * kSize * sizeof(float),
                        ACL_MEM_MALLOC_HUGE_FIRST),
            "aclrtMalloc");
  }
  aclrtBinHandle package = nullptr;
  aclrtFuncHandle matmul = nullptr;
  Require(aclrtBinaryLoadFromFile("builtin:ops", nullptr, &package),
          "aclrtBinaryLoadFromFile");
  Require(aclrtBinaryGetFunction(package, ASCRT_OP_MATMUL, &matmul),
          "aclrtBinaryGetFunction");
  ascrtMatmulArgs args{};
  args.size = sizeof(args);
  args.a = tensors[0];
  args.b = tensors[1];
  args.c = tensors[2];
  args.m = args.n = args.k = kSize;
  args.data_type = ASCRT_DT_FLOAT;
  for (bool is_first = true;; is_first = false) {
    Require(aclrtLaunchKernelWithHostArgs(matmul, 1, nullptr, nullptr, &args,
                                          sizeof(args), nullptr, 0),
            "aclrtLaunchKernelWithHostArgs");
    Require(aclrtSynchronizeStream(nullptr), "aclrtSynchronizeStream");
    if (is_first) SayLine(0);
  }
}

}  // namespace

void MeasureIdle(pid_t daemon, Report* report) {
  const double before = ResidentKibibytes(daemon);
  std::vector<Actor> holders;
  for (int i = 0; i < kIdleSessions; ++i) {
    holders.emplace_back("holder");
    holders.back().AwaitLine();
  }
  report->Add({.name = "daemon memory per idle session",
               .unit = "KiB",
               .value = (ResidentKibibytes(daemon) - before) / kIdleSessions,
               .target = 512});
  const double cpu = CpuSeconds(daemon);
  std::this_thread::sleep_for(kIdleWindow);  // the window is the measurement
  report->Add(
      {.name = absl::StrCat("idle daemon, ", kIdleSessions, " sessions"),
       .unit = "% of a core",
       .value = (CpuSeconds(daemon) - cpu) / kIdleWindow.count() * 100,
       .target = 1});
}

void MeasureLives(Report* report) {
  MeasureAttach(report);
  MeasureDeath(report);
  MeasureCrowd(report);
  MeasureNeighbour(report);
}

int PlayRole(const std::string& role) {
  if (role == "attach") return Attach();
  if (role == "holder") return Hold();
  if (role == "crowd") return BeInCrowd();
  if (role == "victim") return FallVictim();
  if (role == "loud") return BeLoud();
  return 2;
}

}  // namespace ascend::ladder
