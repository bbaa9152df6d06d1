#include "tests/bench/ladder/calls.h"

#include <optional>
#include <string>
#include <vector>

#include "tests/bench/ladder/program.h"
#include "tests/bench/ladder/timing.h"

namespace ascend::ladder {
namespace {

constexpr int kLaunches = 20'000;
constexpr int kRounds = 5;
constexpr int kRoundTrips = 2'000;

// End to end: until all are synchronised.
double LaunchesPerSecond(Program& program) {
  std::vector<double> rates;
  for (int round = 0; round < kRounds; ++round) {
    const double us = MicrosecondsOf([&] {
      for (int i = 0; i < kLaunches; ++i) program.Launch();
      program.Synchronize();
    });
    rates.push_back(kLaunches / us * 1e6);
  }
  return MedianOf(rates);
}

void MeasureLaunches(Program& program, Report* report) {
  std::vector<double> returns_us;
  for (int i = 0; i < kLaunches; ++i) {
    returns_us.push_back(MicrosecondsOf([&] { program.Launch(); }));
  }
  program.Synchronize();
  report->Add({.name = "launch returns after, p50",
               .unit = "us",
               .value = MedianOf(returns_us),
               .target = 1.5});
  report->Add({.name = "launch returns after, p99",
               .unit = "us",
               .value = QuantileOf(returns_us, 0.99)});
  report->Add({.name = "executed empty kernels",
               .unit = "1/s",
               .value = LaunchesPerSecond(program),
               .target = 0.2e6,
               .more_is_better = true});
  program.SetTimingOnly(true);
  report->Add({.name = "timing-only launches",
               .unit = "1/s",
               .value = LaunchesPerSecond(program),
               .target = 0.5e6,
               .more_is_better = true});
  program.SetTimingOnly(false);
}

void MeasureRoundTrips(Program& program, double ping_pong_us, Report* report) {
  const std::vector<double> times = RoundTripMicroseconds(program, kRoundTrips);
  // The target of 1.3 is for launches that are only timed.
  report->Add({.name = "executed launch + synchronise, p50",
               .unit = "us",
               .value = MedianOf(times),
               .floor = ping_pong_us});
  report->Add({.name = "executed launch + synchronise, p99",
               .unit = "us",
               .value = QuantileOf(times, 0.99)});
  program.SetTimingOnly(true);
  report->Add({.name = "timing-only launch + synchronise, p50",
               .unit = "us",
               .value = MedianOf(RoundTripMicroseconds(program, kRoundTrips)),
               .floor = ping_pong_us,
               .target = 1.3});
  program.SetTimingOnly(false);
}

struct CopyRung {
  const char* name;
  size_t bytes;
  bool upload;
  std::optional<double> floor_gbs;
  std::optional<double> target;
};

void MeasureCopy(Program& program, const CopyRung& rung, Report* report) {
  std::string host(rung.bytes, 'x');
  const int runs = rung.bytes > (16 << 20) ? 16
                   : rung.bytes > 65536    ? 200
                                           : 1000;
  std::vector<double> rates;
  for (int i = 0; i < runs; ++i) {
    const double us = MicrosecondsOf([&] {
      if (rung.upload) {
        program.Upload(host.data(), rung.bytes);
      } else {
        program.Download(host.data(), rung.bytes);
      }
    });
    rates.push_back(static_cast<double>(rung.bytes) / us / 1e3);
  }
  report->Add({.name = rung.name,
               .unit = "GB/s",
               .value = MedianOf(rates),
               .floor = rung.floor_gbs,
               .target = rung.target,
               .more_is_better = true});
}

}  // namespace

void MeasureCalls(const FloorValues& floors, Report* report) {
  Program program;
  program.Launch();
  program.Synchronize();
  MeasureLaunches(program, report);
  MeasureRoundTrips(program, floors.ping_pong_us, report);
  const CopyRung copies[] = {
      {"upload 4 KiB", 4096, true, std::nullopt, 0.05},
      {"download 4 KiB", 4096, false, std::nullopt, 0.05},
      {"upload 1 MiB", 1 << 20, true, floors.upload_1m_gbs, 0.8},
      {"download 1 MiB", 1 << 20, false, floors.download_1m_gbs, 0.8},
      {"upload 64 MiB", 64 << 20, true, floors.upload_64m_gbs, 0.8},
      {"download 64 MiB", 64 << 20, false, floors.download_64m_gbs, 0.8},
  };
  for (const CopyRung& rung : copies) MeasureCopy(program, rung, report);
}

}  // namespace ascend::ladder
