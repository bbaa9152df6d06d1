// DeviceSpec: the profile of a simulated chip: units, memory, rates, latencies.
//
// Every number of the timing model is here and none is in code. A rate is in
// bytes per second or FLOP per second, a latency in Ticks. Cores are what the
// AscendCL interface reports; units are what the scheduler hands out, and one
// unit is `cores_per_unit` cores of its kind.
//
// The default profile `ascend910` has the timing constants of an Ascend 910A
// rank as calibrated in the timing model, and the API semantics of the A2
// generation: stream priorities exist, though a real 910A has none.
//
// Threading: immutable once made. Ownership: value type.
#ifndef ASCEND_CORE_SPEC_DEVICE_SPEC_H_
#define ASCEND_CORE_SPEC_DEVICE_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/sim/tick.h"

namespace ascend::core {

// How a kernel holds units (timing model, section 3).
//   gang   as many AIV as CUBE units from start to end: cores whose matrix and
//          vector parts are not scheduled apart
//   split  CUBE units while the body runs, AIV units for the vector tail alone
//   block  split, and CUBE units are handed out one by one, for a slice of the
//          body each
enum class HoldMode : uint8_t { kGang, kSplit, kBlock };

// "gang", "split" or "block".
absl::string_view NameOf(HoldMode hold);

struct DeviceSpec {
  std::string profile;   // "ascend910"
  std::string soc_name;  // what aclrtGetSocName answers: "Ascend910A"
  uint32_t arch = 0;     // ACL_DEV_ATTR arch number: 2201 for the A2 family

  // Units (schedulable) and cores (reported).
  uint32_t cube_units = 0;
  uint32_t aiv_units = 0;
  uint32_t dma_units = 0;
  uint32_t cores_per_unit = 0;
  uint32_t ai_cores = 0;
  uint32_t cube_cores = 0;
  uint32_t vector_cores = 0;
  uint32_t ai_cpus = 0;

  // Memory.
  uint64_t hbm_bytes = 0;
  uint32_t hbm_banks = 0;  // hbm_bytes is a multiple of it
  uint64_t l2_bytes = 0;

  // How kernels hold units, unless the daemon is told otherwise.
  HoldMode hold = HoldMode::kGang;
  uint32_t tail_aiv_units = 0;  // of a vector tail of its own, at most
  uint64_t slice_bytes = 0;     // memory traffic of a slice, at most about
  Tick slice_ticks = 0;         // compute time of a slice, at most about

  // Rates.
  double hbm_bytes_per_second = 0;       // after streaming efficiency
  double unit_hbm_bytes_per_second = 0;  // what one unit can pull
  double unit_l2_bytes_per_second = 0;
  double unit_flops_per_second = 0;  // after MMA efficiency
  double fp32_flops_share = 0;  // of unit_flops_per_second, for fp32 operands
  double vector_unit_flops_per_second = 0;  // one AIV unit, fp32 lanes
  double dma_host_bytes_per_second = 0;     // host <-> device, one engine
  double dma_device_bytes_per_second = 0;   // device <-> device, one engine
  double cpu_copy_bytes_per_second = 0;     // a host CPU storing to the device

  // Latencies of the device.
  Tick kernel_ramp_ticks = 0;      // units held, no traffic yet
  Tick vector_kernel_ticks = 0;    // least vector work of a vector kernel
  Tick matmul_epilogue_ticks = 0;  // vector tail of a matrix product
  Tick attention_tail_ticks = 0;   // vector tail of flash attention
  uint64_t core_tile_bytes = 0;    // what a core moves with one descriptor
  Tick core_descriptor_ticks = 0;  // one per extent of a tile
  Tick collective_ticks = 0;       // a small all-reduce among all ranks
  double collective_jitter = 0;    // +- share of collective_ticks, uniform
  Tick dispatch_ticks = 0;         // gap between dependent tasks of a stream
  double dispatch_jitter = 0;      // +- share of dispatch_ticks, uniform
  Tick dma_host_setup_ticks = 0;
  Tick dma_device_setup_ticks = 0;
  Tick cpu_copy_setup_ticks = 0;
  Tick dma_descriptor_ticks = 0;  // one per extent
  Tick dma_chained_ticks = 0;     // one per extent in the bank of the last
  Tick event_record_ticks = 0;
  Tick event_wait_ticks = 0;

  // Costs that calls charge to the lane's simulated clock.
  Tick host_launch_ticks = 0;
  Tick host_launch_fast_ticks = 0;  // on a FAST_LAUNCH stream
  Tick host_alloc_ticks = 0;
  Tick host_poll_ticks = 0;
  Tick host_sync_wake_ticks = 0;
  Tick host_sync_wake_fast_ticks = 0;  // FAST_SYNC: polling
  Tick host_lookahead_ticks = 0;       // least host cost of any submission

  // Limits, told to the client at hello.
  uint32_t streams_max = 0;   // per device
  uint32_t stream_depth = 0;  // tasks in flight per stream
  uint32_t events_max = 0;    // per device
  uint32_t notifies_max = 0;  // per device

  friend bool operator==(const DeviceSpec&, const DeviceSpec&) = default;
};

// The default profile. Sources of its numbers stand beside them. A daemon reads
// the same numbers from deploy/soc/ascend910.textproto.
DeviceSpec Ascend910Spec();

// A field that no device could have, or whose size the arithmetic of the model
// cannot bear.
struct SpecFault {
  absl::string_view field;  // as SpecField::name, "profile" or "soc_name"
  std::string sentence;     // with field, value and what is allowed
};

// The first fault of `spec`: a number out of the range of spec_fields.h, a name
// that is none, or fields that do not fit together, such as banks that do not
// divide the memory.
std::optional<SpecFault> FindSpecFault(const DeviceSpec& spec);

// The same as a Status.
absl::Status ValidateSpec(const DeviceSpec& spec);

}  // namespace ascend::core

#endif  // ASCEND_CORE_SPEC_DEVICE_SPEC_H_
