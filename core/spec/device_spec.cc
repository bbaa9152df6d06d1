#include "core/spec/device_spec.h"

#include "absl/strings/str_cat.h"
#include "core/base/error.h"

namespace ascend::core {
namespace {

constexpr double kGiga = 1e9;
constexpr uint64_t kGibibyte = uint64_t{1} << 30;

absl::Status Refuse(absl::string_view field, double value,
                    absl::string_view why) {
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat("device profile field '", field, "' is ", value,
                                ", but ", why));
}

}  // namespace

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

  s.hbm_bytes_per_second = 1200 * 0.85 * kGiga;  // nominal x efficiency
  s.unit_hbm_bytes_per_second = 4 * 32 * kGiga;  // 32 B/clk/core at 1 GHz
  s.unit_l2_bytes_per_second = 4 * 110 * kGiga;  // 110 B/clk/core
  s.unit_flops_per_second = 4 * 4096 * 2 * 0.65 * kGiga;  // MACs x efficiency
  s.fp32_flops_share = 0.25;  // one fp32 product takes four half-width passes
  s.vector_unit_flops_per_second = 4 * 128 * kGiga;  // 128 half lanes/clk/core
  s.dma_host_bytes_per_second = 25 * kGiga;          // PCIe 4.0 x16, effective
  s.dma_device_bytes_per_second = 256 * kGiga;       // one system DMA channel

  s.kernel_ramp_ticks = Nanoseconds(1500);
  s.vector_kernel_ticks = Microseconds(3);
  s.matmul_epilogue_ticks = Microseconds(1);
  s.attention_tail_ticks = Microseconds(5);
  s.dispatch_ticks = Microseconds(10);
  s.dispatch_jitter = 0.10;
  s.dma_host_setup_ticks = Microseconds(10);
  s.dma_device_setup_ticks = Microseconds(1);
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

absl::Status ValidateSpec(const DeviceSpec& s) {
  struct Positive {
    const char* field;
    double value;
  };
  const Positive positives[] = {
      {"cube_units", double(s.cube_units)},
      {"aiv_units", double(s.aiv_units)},
      {"dma_units", double(s.dma_units)},
      {"cores_per_unit", double(s.cores_per_unit)},
      {"hbm_bytes", double(s.hbm_bytes)},
      {"hbm_banks", double(s.hbm_banks)},
      {"hbm_bytes_per_second", s.hbm_bytes_per_second},
      {"unit_hbm_bytes_per_second", s.unit_hbm_bytes_per_second},
      {"unit_l2_bytes_per_second", s.unit_l2_bytes_per_second},
      {"unit_flops_per_second", s.unit_flops_per_second},
      {"fp32_flops_share", s.fp32_flops_share},
      {"vector_unit_flops_per_second", s.vector_unit_flops_per_second},
      {"dma_host_bytes_per_second", s.dma_host_bytes_per_second},
      {"dma_device_bytes_per_second", s.dma_device_bytes_per_second},
      {"host_lookahead_ticks", double(s.host_lookahead_ticks)},
      {"streams_max", double(s.streams_max)},
      {"stream_depth", double(s.stream_depth)},
      {"events_max", double(s.events_max)},
      {"notifies_max", double(s.notifies_max)},
  };
  for (const Positive& p : positives) {
    if (!(p.value > 0)) {
      return Refuse(p.field, p.value, "it must be greater than zero");
    }
  }
  const Positive latencies[] = {
      {"kernel_ramp_ticks", double(s.kernel_ramp_ticks)},
      {"vector_kernel_ticks", double(s.vector_kernel_ticks)},
      {"matmul_epilogue_ticks", double(s.matmul_epilogue_ticks)},
      {"attention_tail_ticks", double(s.attention_tail_ticks)},
      {"dispatch_ticks", double(s.dispatch_ticks)},
      {"dma_host_setup_ticks", double(s.dma_host_setup_ticks)},
      {"dma_device_setup_ticks", double(s.dma_device_setup_ticks)},
      {"dma_descriptor_ticks", double(s.dma_descriptor_ticks)},
      {"dma_chained_ticks", double(s.dma_chained_ticks)},
      {"event_record_ticks", double(s.event_record_ticks)},
      {"event_wait_ticks", double(s.event_wait_ticks)},
      {"host_launch_ticks", double(s.host_launch_ticks)},
      {"host_launch_fast_ticks", double(s.host_launch_fast_ticks)},
      {"host_alloc_ticks", double(s.host_alloc_ticks)},
      {"host_poll_ticks", double(s.host_poll_ticks)},
      {"host_sync_wake_ticks", double(s.host_sync_wake_ticks)},
      {"host_sync_wake_fast_ticks", double(s.host_sync_wake_fast_ticks)},
  };
  for (const Positive& p : latencies) {
    if (p.value < 0) return Refuse(p.field, p.value, "time is not negative");
  }
  if (!(s.dispatch_jitter >= 0 && s.dispatch_jitter < 1)) {
    return Refuse("dispatch_jitter", s.dispatch_jitter,
                  "a share lies in [0, 1)");
  }
  constexpr uint64_t kHugePage = uint64_t{2} << 20;
  if (s.hbm_bytes % (uint64_t{s.hbm_banks} * kHugePage) != 0) {
    return Refuse("hbm_bytes", double(s.hbm_bytes),
                  "banks must hold whole 2 MiB pages");
  }
  return absl::OkStatus();
}

}  // namespace ascend::core
