#include "core/spec/device_spec.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "core/spec/spec_fields.h"

namespace ascend::core {
namespace {

constexpr double kGiga = 1e9;
constexpr uint64_t kGibibyte = uint64_t{1} << 30;

constexpr uint64_t kHugePageBytes = uint64_t{2} << 20;
// Tasks of all devices have names of 32 bits.
constexpr uint64_t kTasksPerDeviceMax = uint64_t{1} << 24;

// Names go into messages, tables and C strings of others.
std::optional<SpecFault> FaultOfName(absl::string_view field,
                                     absl::string_view name) {
  constexpr size_t kLengthMax = 64;
  const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
           c == '-' || c == '.';
  });
  if (is_plain && !name.empty() && name.size() <= kLengthMax) {
    return std::nullopt;
  }
  return SpecFault{field,
                   absl::StrCat("field '", field, "' is '",
                                absl::CHexEscape(name.substr(0, kLengthMax)),
                                "', but it must be 1 to ", kLengthMax,
                                " letters, digits, '_', '-' and '.'")};
}

// Units are made of whole cores.
std::optional<SpecFault> FaultOfUnits(const DeviceSpec& s) {
  struct Kind {
    const char* units_field;
    uint32_t units;
    const char* cores_field;
    uint32_t cores;
  };
  for (const Kind& kind :
       {Kind{"cube_units", s.cube_units, "cube_cores", s.cube_cores},
        Kind{"aiv_units", s.aiv_units, "vector_cores", s.vector_cores}}) {
    const uint32_t most = kind.cores / s.cores_per_unit;
    if (kind.units <= most) continue;
    return SpecFault{
        kind.units_field,
        absl::StrCat("field '", kind.units_field, "' is ", kind.units, ", but ",
                     kind.cores, " ", kind.cores_field, " make ", most,
                     " units of ", s.cores_per_unit, " cores")};
  }
  if (s.tail_aiv_units <= s.aiv_units) return std::nullopt;
  return SpecFault{"tail_aiv_units",
                   absl::StrCat("field 'tail_aiv_units' is ", s.tail_aiv_units,
                                ", but there are ", s.aiv_units, " aiv_units")};
}

std::optional<SpecFault> FaultOfTogether(const DeviceSpec& s) {
  if (s.hbm_bytes % (s.hbm_banks * kHugePageBytes) != 0) {
    return SpecFault{
        "hbm_bytes",
        absl::StrCat("field 'hbm_bytes' is ", s.hbm_bytes, ", but each of ",
                     s.hbm_banks, " hbm_banks must hold whole 2 MiB pages")};
  }
  const std::pair<const char*, Tick> costs[] = {
      {"host_launch_ns", s.host_launch_ticks},
      {"host_launch_fast_ns", s.host_launch_fast_ticks},
      {"host_alloc_ns", s.host_alloc_ticks},
      {"host_poll_ns", s.host_poll_ticks}};
  for (const auto& [field, ticks] : costs) {
    if (s.host_lookahead_ticks <= ticks) continue;
    return SpecFault{
        "host_lookahead_ns",
        absl::StrCat("field 'host_lookahead_ns' is ",
                     NumberText(NanosecondsOf(s.host_lookahead_ticks)),
                     ", but ", field, " is ", NumberText(NanosecondsOf(ticks)),
                     ", and no call may cost less")};
  }
  if (uint64_t{s.streams_max} * s.stream_depth > kTasksPerDeviceMax) {
    return SpecFault{
        "stream_depth",
        absl::StrCat("field 'stream_depth' is ", s.stream_depth, ", but ",
                     s.streams_max, " streams of it make more than ",
                     kTasksPerDeviceMax, " tasks")};
  }
  return std::nullopt;
}

}  // namespace

absl::string_view NameOf(HoldMode hold) {
  switch (hold) {
    case HoldMode::kGang:
      return "gang";
    case HoldMode::kSplit:
      return "split";
    case HoldMode::kBlock:
      return "block";
  }
  return "";
}

DeviceSpec Ascend910Spec() {
  DeviceSpec s;
  s.profile = "ascend910";
  s.soc_name = "Ascend910A";
  s.arch = 2201;  // semantics of the A2 generation

  s.cube_units = 8;  // units as in the source article: 8 CUBE, 8 AIV, 4 DMA
  s.aiv_units = 8;
  s.dma_units = 4;
  s.cores_per_unit = 4;  // 32 Da Vinci cores of the 910A, in 8 units
  s.ai_cores = 32;
  s.cube_cores = 32;
  s.vector_cores = 32;
  s.ai_cpus = 4;

  s.hbm_bytes = 32 * kGibibyte;
  s.hbm_banks = 32;  // 4 stacks of 8 channels
  s.l2_bytes = uint64_t{32} << 20;

  s.hold = HoldMode::kGang;  // matrix and vector parts share a core
  s.tail_aiv_units = 2;
  s.slice_bytes = 2'000'000;  // about 16 us at the rate of a unit
  s.slice_ticks = Microseconds(20);

  s.hbm_bytes_per_second = 1200 * 0.85 * kGiga;  // nominal x efficiency
  s.unit_hbm_bytes_per_second = 4 * 32 * kGiga;  // 32 B/clk/core at 1 GHz
  s.unit_l2_bytes_per_second = 4 * 110 * kGiga;  // 110 B/clk/core
  s.unit_flops_per_second = 4 * 4096 * 2 * 0.65 * kGiga;  // MACs x efficiency
  s.fp32_flops_share = 0.25;  // one fp32 product takes four half-width passes
  s.vector_unit_flops_per_second = 4 * 128 * kGiga;  // 128 half lanes/clk/core
  s.dma_host_bytes_per_second = 25 * kGiga;          // PCIe 4.0 x16, effective
  s.dma_device_bytes_per_second = 256 * kGiga;       // one system DMA channel
  s.cpu_copy_bytes_per_second = 2.5 * kGiga;         // write-combined stores

  s.kernel_ramp_ticks = Nanoseconds(1500);
  s.vector_kernel_ticks = Microseconds(3);
  s.matmul_epilogue_ticks = Microseconds(1);
  s.attention_tail_ticks = Microseconds(5);
  s.core_tile_bytes = 16384;
  s.core_descriptor_ticks = Nanoseconds(46);  // 46 cycles at 1 GHz
  s.collective_ticks = Microseconds(40);      // 16 KiB over 8 ranks: latency
  s.collective_jitter = 0.10;
  s.dispatch_ticks = Microseconds(10);
  s.dispatch_jitter = 0.10;
  s.dma_host_setup_ticks = Microseconds(10);
  s.dma_device_setup_ticks = Microseconds(1);
  s.cpu_copy_setup_ticks = Microseconds(1);
  s.dma_descriptor_ticks = Nanoseconds(64);
  s.dma_chained_ticks = Nanoseconds(16);
  s.event_record_ticks = Microseconds(1);
  s.event_wait_ticks = Microseconds(1);

  s.host_launch_ticks = Microseconds(6);
  s.host_launch_fast_ticks = Microseconds(3);
  s.host_alloc_ticks = Microseconds(5);
  s.host_poll_ticks = Microseconds(1);
  s.host_sync_wake_ticks = Microseconds(30);
  s.host_sync_wake_fast_ticks = Microseconds(5);
  s.host_lookahead_ticks = Microseconds(1);

  s.streams_max = 1984;
  s.stream_depth = 2048;
  s.events_max = 65536;
  s.notifies_max = 8192;
  return s;
}

std::optional<SpecFault> FindSpecFault(const DeviceSpec& spec) {
  for (const auto& [field, name] : {std::pair{"profile", &spec.profile},
                                    std::pair{"soc_name", &spec.soc_name}}) {
    if (auto fault = FaultOfName(field, *name)) return fault;
  }
  for (const SpecField& field : SpecFields()) {
    if (auto why = WhyOutOfRange(field, ValueOf(spec, field))) {
      return SpecFault{field.name, *std::move(why)};
    }
  }
  if (auto fault = FaultOfUnits(spec)) return fault;
  return FaultOfTogether(spec);
}

absl::Status ValidateSpec(const DeviceSpec& spec) {
  const std::optional<SpecFault> fault = FindSpecFault(spec);
  if (!fault.has_value()) return absl::OkStatus();
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat("device profile: ", fault->sentence));
}

}  // namespace ascend::core
