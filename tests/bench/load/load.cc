#include "tests/bench/load/load.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "acl/acl.h"
#include "acl/ascend_rtd_ext.h"
#include "acl/ascend_rtd_ops.h"
#include "client/cli/table.h"
#include "tests/bench/ladder/program.h"

namespace ascend::load {
namespace {

using ladder::Require;

// One address serves all arguments: nothing is computed.
constexpr size_t kMemoryBytes = size_t{1} << 30;
constexpr uint32_t kCoresPerUnit = 4;
// FLOP per second of one unit of ascend910 (timing model, section 2).
constexpr double kUnitFlops = 4 * 4096 * 2 * 0.65e9;

class Device {
 public:
  Device() {
    Require(aclInit(nullptr), "aclInit");
    Require(aclrtSetDevice(0), "aclrtSetDevice");
    Require(ascrtSetTimingOnly(1), "ascrtSetTimingOnly");
    Require(aclrtMalloc(&memory_, kMemoryBytes, ACL_MEM_MALLOC_HUGE_FIRST),
            "aclrtMalloc");
    aclrtBinHandle package = nullptr;
    Require(aclrtBinaryLoadFromFile("builtin:ops", nullptr, &package),
            "aclrtBinaryLoadFromFile");
    const std::pair<const char*, aclrtFuncHandle*> wanted[] = {
        {ASCRT_OP_MATMUL, &matmul_},
        {ASCRT_OP_FLASH_ATTENTION, &attention_},
        {ASCRT_OP_RMS_NORM, &norm_},
        {ASCRT_OP_ALL_REDUCE, &all_reduce_}};
    for (const auto& [name, function] : wanted) {
      Require(aclrtBinaryGetFunction(package, name, function),
              "aclrtBinaryGetFunction");
    }
  }

  // c [m, n] of bf16; what does not fit in memory_ is not asked for.
  void Matmul(aclrtStream stream, uint32_t blocks, int64_t m, int64_t n,
              int64_t k) const {
    ascrtMatmulArgs args{};
    args.size = sizeof(args);
    args.a = memory_;
    args.b = At(1);
    args.c = At(2);
    args.m = m;
    args.n = n;
    args.k = k;
    args.data_type = ASCRT_DT_BF16;
    Launch(matmul_, stream, blocks, args);
  }

  // Eight waves of tiles on the cores of `units` units, compute-bound.
  void Matrix(aclrtStream stream, uint32_t units, double us) const {
    constexpr int64_t kRows = 1024;
    constexpr int64_t kColumnsPerUnit = 512;
    const double seconds = std::max(1.0, us - 2.5) / 1e6;  // ramp, epilogue
    const double depth = seconds * kUnitFlops / (2.0 * kRows * kColumnsPerUnit);
    Matmul(stream, units * kCoresPerUnit, kRows, kColumnsPerUnit * units,
           std::max<int64_t>(16, std::llround(depth / 16) * 16));
  }

  void Norm(aclrtStream stream, int64_t rows, uint32_t blocks) const {
    ascrtRmsNormArgs args{};
    args.size = sizeof(args);
    args.x = memory_;
    args.weight = At(1);
    args.y = At(2);
    args.rows = rows;
    args.columns = 8192;
    args.data_type = ASCRT_DT_BF16;
    Launch(norm_, stream, blocks, args);
  }

  void Attention(aclrtStream stream, int64_t rows, int64_t keys,
                 uint32_t blocks, int64_t batch = 1) const {
    ascrtFlashAttentionArgs args{};
    args.size = sizeof(args);
    args.q = memory_;
    args.k = At(1);
    args.v = At(2);
    args.o = At(3);
    args.batch = batch;
    args.heads = 8;
    args.kv_heads = 1;
    args.head_size = 128;
    args.q_length = rows;
    args.kv_length = keys;
    args.data_type = ASCRT_DT_BF16;
    args.causal = rows > 1 ? 1 : 0;
    Launch(attention_, stream, blocks, args);
  }

  void AllReduce(aclrtStream stream, int64_t count) const {
    ascrtAllReduceArgs args{};
    args.size = sizeof(args);
    args.x = memory_;
    args.y = memory_;
    args.count = count;
    args.data_type = ASCRT_DT_BF16;
    args.ranks = 8;
    Launch(all_reduce_, stream, 1, args);
  }

  // A rank of Llama-3-70B, as in tests/bench/decode.
  void LayerHead(aclrtStream stream) const {
    Norm(stream, 1, 8);
    Matmul(stream, 32, 1, 1280, 8192);
    Norm(stream, 1, 8);  // for the rotation, which takes as long
    Attention(stream, 1, 2048, 16);
    Matmul(stream, 32, 1, 8192, 1024);
  }

  void PrefillLayer(aclrtStream stream) const {
    constexpr int64_t kTokens = 2048;
    Norm(stream, kTokens, 32);
    Matmul(stream, 32, kTokens, 1280, 8192);
    Norm(stream, kTokens, 32);
    Attention(stream, kTokens, kTokens, 32);
    Matmul(stream, 32, kTokens, 8192, 1024);
    AllReduce(stream, kTokens * 8192);
    Norm(stream, kTokens, 32);
    Matmul(stream, 32, kTokens, 7168, 8192);
    Norm(stream, kTokens, 32);
    Matmul(stream, 32, kTokens, 8192, 3584);
    AllReduce(stream, kTokens * 8192);
  }

 private:
  // Far enough from the next for every tensor here.
  void* At(size_t index) const {
    return static_cast<char*>(memory_) + index * (kMemoryBytes / 4);
  }

  template <typename Args>
  void Launch(aclrtFuncHandle kernel, aclrtStream stream, uint32_t blocks,
              Args& args) const {
    Require(aclrtLaunchKernelWithHostArgs(kernel, blocks, stream, nullptr,
                                          &args, sizeof(args), nullptr, 0),
            "aclrtLaunchKernelWithHostArgs");
  }

  void* memory_ = nullptr;
  aclrtFuncHandle matmul_ = nullptr;
  aclrtFuncHandle attention_ = nullptr;
  aclrtFuncHandle norm_ = nullptr;
  aclrtFuncHandle all_reduce_ = nullptr;
};

class Player {
 public:
  Player(const Device& device, const Load& load, const StreamLoad& stream)
      : device_(device), load_(load), what_(stream) {
    Require(aclrtCreateStreamWithConfig(
                &stream_, what_.priority,
                ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC),
            "aclrtCreateStreamWithConfig");
  }

  static uint64_t Clock() {
    uint64_t ps = 0;
    Require(ascrtGetClock(&ps), "ascrtGetClock");
    return ps;
  }

  StreamOutcome Play() {
    Require(aclrtSetDevice(0), "aclrtSetDevice");
    Require(ascrtBegin(static_cast<uint32_t>(load_.participants),
                       static_cast<uint32_t>(what_.rank)),
            "ascrtBegin");
    begin_ps_ = Clock();
    AdvanceTo(what_.start_us);
    what_.rate > 0 ? PlayArrivals() : PlayLoop();
    Require(ascrtIdle(), "ascrtIdle");
    return std::move(outcome_);
  }

 private:
  double Now() const { return static_cast<double>(Clock() - begin_ps_) / 1e6; }
  void AdvanceTo(double us) {
    const double ahead = us - Now();
    if (ahead <= 0) return;
    Require(ascrtHostAdvance(static_cast<uint64_t>(ahead * 1000)),
            "ascrtHostAdvance");
  }

  void LaunchJob() {
    switch (what_.kind) {
      case JobKind::kMatrix:
        return device_.Matrix(stream_, what_.units, what_.us);
      case JobKind::kLayerHead:
        return device_.LayerHead(stream_);
      case JobKind::kPrefillLayer:
        return device_.PrefillLayer(stream_);
    }
  }
  void AwaitJobs(double came_us) {
    Require(aclrtSynchronizeStream(stream_), "aclrtSynchronizeStream");
    outcome_.end_us = Now();
    outcome_.latencies_us.push_back(outcome_.end_us - came_us);
  }

  void PlayLoop() {
    while (Now() < what_.until_us && outcome_.jobs < what_.jobs_max) {
      const double came_us = Now();
      for (int i = 0; i < what_.jobs_at_once; ++i) LaunchJob();
      outcome_.jobs += what_.jobs_at_once;
      AwaitJobs(came_us);
    }
  }

  // A job that comes while the last one is not done waits for it.
  void PlayArrivals() {
    std::mt19937_64 random(load_.seed);
    std::exponential_distribution<double> gap(what_.rate / 1e6);
    double came_us = what_.start_us;
    while (came_us < what_.until_us && outcome_.jobs < what_.jobs_max) {
      AdvanceTo(came_us);
      LaunchJob();
      ++outcome_.jobs;
      AwaitJobs(came_us);
      came_us += gap(random);
    }
  }

  const Device& device_;
  const Load& load_;
  const StreamLoad& what_;
  aclrtStream stream_ = nullptr;
  uint64_t begin_ps_ = 0;
  StreamOutcome outcome_;
};

}  // namespace

int PlayLoad(const std::string& text) {
  const Load load = nlohmann::json::parse(text).get<Load>();
  const Device device;
  std::vector<Player> players;
  for (const StreamLoad& stream : load.streams) {
    players.emplace_back(device, load, stream);
  }
  aclrtUtilizationInfo use = {};
  Require(aclrtGetDeviceUtilizationRate(0, &use),
          "aclrtGetDeviceUtilizationRate");
  Outcome outcome;
  outcome.streams.resize(players.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < players.size(); ++i) {
    threads.emplace_back([&, i] { outcome.streams[i] = players[i].Play(); });
  }
  for (std::thread& thread : threads) thread.join();
  Require(aclrtGetDeviceUtilizationRate(0, &use),
          "aclrtGetDeviceUtilizationRate");
  outcome.cube_percent = use.cubeUtilization;
  std::printf("%s\n", nlohmann::json(outcome).dump().c_str());
  return 0;
}

int PlaySweep() {
  const Device device;
  aclrtStream stream = nullptr;
  aclrtEvent events[2] = {};
  Require(aclrtCreateStream(&stream), "aclrtCreateStream");
  for (aclrtEvent& event : events) {
    Require(aclrtCreateEventExWithFlag(&event, ACL_EVENT_TIME_LINE),
            "aclrtCreateEventExWithFlag");
  }
  // Between two records, of which the second one takes a microsecond.
  const auto time_of = [&](auto launch) {
    Require(aclrtRecordEvent(events[0], stream), "aclrtRecordEvent");
    launch();
    Require(aclrtRecordEvent(events[1], stream), "aclrtRecordEvent");
    Require(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    float milliseconds = 0;
    Require(aclrtEventElapsedTime(&milliseconds, events[0], events[1]),
            "aclrtEventElapsedTime");
    return double{milliseconds} * 1000 - 1;
  };
  std::vector<std::vector<std::string>> rows = {
      {"batch", "attention us", "to batch 1", "projection us", "to batch 1"}};
  double first[2] = {};
  for (int64_t batch = 1; batch <= 64; batch *= 2) {
    const double us[] = {
        time_of([&] { device.Attention(stream, 1, 2048, 32, batch); }),
        time_of([&] { device.Matmul(stream, 32, batch * 16, 1280, 8192); })};
    if (batch == 1) std::copy(us, us + 2, first);
    rows.push_back({absl::StrCat(batch), absl::StrFormat("%.1f", us[0]),
                    absl::StrFormat("%.2f", us[0] / first[0]),
                    absl::StrFormat("%.1f", us[1]),
                    absl::StrFormat("%.2f", us[1] / first[1])});
  }
  std::printf("%s", client::FormatTable(rows).c_str());
  return 0;
}

int PlayCosts() {
  const Device device;
  std::vector<std::vector<std::string>> rows = {
      {"stream flags", "launch us", "wake after a wait us"}};
  const std::pair<const char*, uint32_t> kinds[] = {
      {"none", 0},
      {"FAST_LAUNCH", ACL_STREAM_FAST_LAUNCH},
      {"FAST_SYNC", ACL_STREAM_FAST_SYNC},
      {"FAST_LAUNCH | FAST_SYNC",
       ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC}};
  for (const auto& [name, flags] : kinds) {
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    Require(aclrtCreateStreamWithConfig(&stream, 0, flags),
            "aclrtCreateStreamWithConfig");
    Require(aclrtCreateEventExWithFlag(&event, ACL_EVENT_TIME_LINE),
            "aclrtCreateEventExWithFlag");
    const uint64_t before = Player::Clock();
    device.Matrix(stream, 8, 500);
    const uint64_t launched = Player::Clock();
    Require(aclrtRecordEvent(event, stream), "aclrtRecordEvent");
    Require(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    const uint64_t woken = Player::Clock();
    uint64_t recorded_us = 0;
    Require(aclrtEventGetTimestamp(event, &recorded_us),
            "aclrtEventGetTimestamp");
    rows.push_back(
        {name,
         absl::StrFormat("%.1f", static_cast<double>(launched - before) / 1e6),
         absl::StrFormat("%.0f", static_cast<double>(woken) / 1e6 -
                                     static_cast<double>(recorded_us))});
  }
  std::printf("%s", client::FormatTable(rows).c_str());
  return 0;
}

int PlayLayout(const std::string& policy) {
  constexpr size_t kTensorBytes = size_t{4} << 20;
  constexpr int kCopies = 64;
  Require(aclInit(nullptr), "aclInit");
  Require(aclrtSetDevice(0), "aclrtSetDevice");
  std::vector<void*> tensors(4);
  for (void*& tensor : tensors) {
    Require(aclrtMalloc(&tensor, kTensorBytes,
                        policy == "huge-first" ? ACL_MEM_MALLOC_HUGE_FIRST
                                               : ACL_MEM_MALLOC_NORMAL_ONLY),
            "aclrtMalloc");
  }
  aclrtStream stream = nullptr;
  aclrtEvent events[2] = {};
  Require(aclrtCreateStream(&stream), "aclrtCreateStream");
  for (aclrtEvent& event : events) {
    Require(aclrtCreateEventExWithFlag(&event, ACL_EVENT_TIME_LINE),
            "aclrtCreateEventExWithFlag");
  }
  Require(aclrtRecordEvent(events[0], stream), "aclrtRecordEvent");
  for (int i = 0; i < kCopies; ++i) {
    const size_t source = static_cast<size_t>(i) % tensors.size();
    Require(aclrtMemcpyAsync(tensors[(source + 1) % tensors.size()],
                             kTensorBytes, tensors[source], kTensorBytes,
                             ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
            "aclrtMemcpyAsync");
  }
  Require(aclrtRecordEvent(events[1], stream), "aclrtRecordEvent");
  Require(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
  float milliseconds = 0;
  Require(aclrtEventElapsedTime(&milliseconds, events[0], events[1]),
          "aclrtEventElapsedTime");
  std::printf("%.3f\n", kCopies * double{kTensorBytes} /
                            (static_cast<double>(milliseconds) * 1e6));
  return 0;
}

}  // namespace ascend::load
