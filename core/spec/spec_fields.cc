#include "core/spec/spec_fields.h"

#include <cmath>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ascend::core {
namespace {

// Bounds that keep the model's arithmetic far from its ends, and are far beyond
// any chip.
constexpr double kUnitsMax = 256;
constexpr double kCoresMax = 65536;
constexpr double kMemoryMax = 1099511627776;  // 1 TiB, a device's window
constexpr double kHugePage = 2097152;         // 2 MiB
constexpr double kTileMax = 1073741824;       // 1 GiB
constexpr double kNsMin = 0.001;              // one tick
constexpr double kNsMax = 1e9;
// Of what is charged once per extent or row: a copy has up to 2^24 of them.
constexpr double kExtentNsMax = 1e6;
constexpr double kRateMin = 1e6;  // of bytes or FLOP, in a second
constexpr double kByteRateMax = 1e15;
constexpr double kFlopRateMax = 1e18;
constexpr double kObjectsMax = 65536;

using S = DeviceSpec;

constexpr SpecField kFields[] = {
    {"arch", &S::arch, 1, 65535},
    {"cube_units", &S::cube_units, 1, kUnitsMax},
    {"aiv_units", &S::aiv_units, 1, kUnitsMax},
    {"dma_units", &S::dma_units, 1, kUnitsMax},
    {"cores_per_unit", &S::cores_per_unit, 1, kUnitsMax},
    {"ai_cores", &S::ai_cores, 1, kCoresMax},
    {"cube_cores", &S::cube_cores, 1, kCoresMax},
    {"vector_cores", &S::vector_cores, 1, kCoresMax},
    {"ai_cpus", &S::ai_cpus, 0, kCoresMax},

    {"hbm_bytes", &S::hbm_bytes, kHugePage, kMemoryMax},
    {"hbm_banks", &S::hbm_banks, 1, 4096},
    {"l2_bytes", &S::l2_bytes, 1, kMemoryMax},

    {"tail_aiv_units", &S::tail_aiv_units, 1, kUnitsMax},
    {"slice_bytes", &S::slice_bytes, 1, kMemoryMax},
    {"slice_ns", &S::slice_ticks, kNsMin, kNsMax},

    {"hbm_bytes_per_second", &S::hbm_bytes_per_second, kRateMin, kByteRateMax},
    {"unit_hbm_bytes_per_second", &S::unit_hbm_bytes_per_second, kRateMin,
     kByteRateMax},
    {"unit_l2_bytes_per_second", &S::unit_l2_bytes_per_second, kRateMin,
     kByteRateMax},
    {"unit_flops_per_second", &S::unit_flops_per_second, kRateMin,
     kFlopRateMax},
    {"fp32_flops_share", &S::fp32_flops_share, 0.001, 1},
    {"vector_unit_flops_per_second", &S::vector_unit_flops_per_second, kRateMin,
     kFlopRateMax},
    {"dma_host_bytes_per_second", &S::dma_host_bytes_per_second, kRateMin,
     kByteRateMax},
    {"dma_device_bytes_per_second", &S::dma_device_bytes_per_second, kRateMin,
     kByteRateMax},
    {"cpu_copy_bytes_per_second", &S::cpu_copy_bytes_per_second, kRateMin,
     kByteRateMax},

    {"kernel_ramp_ns", &S::kernel_ramp_ticks, 0, kNsMax},
    {"vector_kernel_ns", &S::vector_kernel_ticks, 0, kNsMax},
    {"matmul_epilogue_ns", &S::matmul_epilogue_ticks, 0, kNsMax},
    {"attention_tail_ns", &S::attention_tail_ticks, 0, kNsMax},
    {"core_tile_bytes", &S::core_tile_bytes, 1, kTileMax},
    {"core_descriptor_ns", &S::core_descriptor_ticks, 0, kExtentNsMax},
    {"collective_ns", &S::collective_ticks, 0, kNsMax},
    {"collective_jitter", &S::collective_jitter, 0, 1},
    {"dispatch_ns", &S::dispatch_ticks, 0, kNsMax},
    {"dispatch_jitter", &S::dispatch_jitter, 0, 1},
    {"dma_host_setup_ns", &S::dma_host_setup_ticks, 0, kNsMax},
    {"dma_device_setup_ns", &S::dma_device_setup_ticks, 0, kNsMax},
    {"cpu_copy_setup_ns", &S::cpu_copy_setup_ticks, 0, kNsMax},
    {"dma_descriptor_ns", &S::dma_descriptor_ticks, 0, kExtentNsMax},
    {"dma_chained_ns", &S::dma_chained_ticks, 0, kExtentNsMax},
    {"event_record_ns", &S::event_record_ticks, 0, kNsMax},
    {"event_wait_ns", &S::event_wait_ticks, 0, kNsMax},

    {"host_launch_ns", &S::host_launch_ticks, 0, kNsMax},
    {"host_launch_fast_ns", &S::host_launch_fast_ticks, 0, kNsMax},
    {"host_alloc_ns", &S::host_alloc_ticks, 0, kNsMax},
    {"host_poll_ns", &S::host_poll_ticks, 0, kNsMax},
    {"host_sync_wake_ns", &S::host_sync_wake_ticks, 0, kNsMax},
    {"host_sync_wake_fast_ns", &S::host_sync_wake_fast_ticks, 0, kNsMax},
    {"host_lookahead_ns", &S::host_lookahead_ticks, kNsMin, kNsMax},

    {"streams_max", &S::streams_max, 1, kObjectsMax},
    {"stream_depth", &S::stream_depth, 1, kObjectsMax},
    {"events_max", &S::events_max, 1, 4 * kObjectsMax},
    {"notifies_max", &S::notifies_max, 1, kObjectsMax},
};

}  // namespace

std::span<const SpecField> SpecFields() { return kFields; }

double ValueOf(const DeviceSpec& spec, const SpecField& field) {
  if (const auto* ticks = std::get_if<Tick DeviceSpec::*>(&field.member)) {
    return NanosecondsOf(spec.**ticks);
  }
  return std::visit(
      [&](auto member) { return static_cast<double>(spec.*member); },
      field.member);
}

void SetValue(const SpecField& field, double value, DeviceSpec* spec) {
  if (const auto* ticks = std::get_if<Tick DeviceSpec::*>(&field.member)) {
    spec->** ticks = std::llround(value * double{kTicksPerNanosecond});
    return;
  }
  std::visit(
      [&](auto member) {
        spec->*member =
            static_cast<std::decay_t<decltype(spec->*member)>>(value);
      },
      field.member);
}

std::string NumberText(double value) {
  constexpr double kExactMax = 1e15;
  if (std::abs(value) < kExactMax && value == std::floor(value)) {
    return absl::StrCat(static_cast<int64_t>(value));
  }
  return absl::StrFormat("%.12g", value);
}

std::optional<std::string> WhyOutOfRange(const SpecField& field, double value) {
  if (value >= field.least && value <= field.most) return std::nullopt;
  return absl::StrCat("field '", field.name, "' is ", NumberText(value),
                      ", but it must lie between ", NumberText(field.least),
                      " and ", NumberText(field.most));
}

}  // namespace ascend::core
