// HbmGeometry: how the memory of a device divides.
//
// HBM is `bank_count` banks of `bank_bytes` each, one after the other. A frame
// is 4 KiB. Frames are handed out in runs of 64 KiB (what the default policy
// scatters) and blocks of 2 MiB (what the huge policies take). A *bank group*
// is the neighbouring banks that allocations which belong together stay in: at
// least two, and enough to hold 1 GiB (ascend910: banks 2k and 2k + 1).
//
// Threading: value types.
#ifndef ASCEND_CORE_MEM_HBM_GEOMETRY_H_
#define ASCEND_CORE_MEM_HBM_GEOMETRY_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/mem/page_policy.h"
#include "core/spec/device_spec.h"

namespace ascend::core {

inline constexpr uint64_t kGranuleBytes = 128;
inline constexpr uint64_t kFrameBytes = uint64_t{4} << 10;
inline constexpr uint64_t kRunBytes = uint64_t{64} << 10;
inline constexpr uint64_t kBlockBytes = uint64_t{2} << 20;
inline constexpr uint64_t kGigaBytes = uint64_t{1} << 30;
inline constexpr uint32_t kRunsPerBlock = 32;
inline constexpr uint32_t kBlocksPerGiga = 512;

constexpr uint64_t RoundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

struct HbmGeometry {
  uint64_t total_bytes = 0;
  uint64_t bank_bytes = 0;
  uint32_t bank_count = 0;
  uint32_t blocks_per_bank = 0;
  uint32_t block_count = 0;
  uint32_t blocks_per_group = 0;

  static HbmGeometry FromSpec(const DeviceSpec& spec) {
    HbmGeometry g;
    g.total_bytes = spec.hbm_bytes;
    g.bank_count = spec.hbm_banks;
    g.bank_bytes = spec.hbm_bytes / spec.hbm_banks;
    g.blocks_per_bank = static_cast<uint32_t>(g.bank_bytes / kBlockBytes);
    g.block_count = g.blocks_per_bank * g.bank_count;
    uint32_t banks = 2;
    while (banks < g.bank_count && banks * g.bank_bytes < kGigaBytes) {
      banks *= 2;
    }
    g.blocks_per_group = std::min(banks, g.bank_count) * g.blocks_per_bank;
    return g;
  }
};

// What an allocation of `bytes` takes: rounded to 32, 32 more when padded, a
// whole number of granules; whole pages of 1 GiB under that placement. Nothing
// when it exceeds 2^48, more than any device window.
constexpr std::optional<uint64_t> ReserveBytes(uint64_t bytes, bool is_padded,
                                               Placement placement) {
  if (bytes > (uint64_t{1} << 48)) return std::nullopt;
  if (placement == Placement::kGiga) return RoundUp(bytes, kGigaBytes);
  return RoundUp(RoundUp(bytes, 32) + (is_padded ? 32 : 0), kGranuleBytes);
}

}  // namespace ascend::core

#endif  // ASCEND_CORE_MEM_HBM_GEOMETRY_H_
