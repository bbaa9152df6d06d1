// Which device addresses belong to which device.
//
// Device d has the window [base + d * 1 TiB, base + (d + 1) * 1 TiB), in every
// session alike, so an address tells its device but not its session. Workers
// and clients map segments at these very addresses, hence the base must be
// free in any process: 0x120000000000 clears ASan's shadow. ThreadSanitizer
// refuses it; its builds define ASCEND_RTD_DEVICE_WINDOW_BASE otherwise.
//
// Threading: constants.
#ifndef ASCEND_CORE_MEM_DEVICE_WINDOW_H_
#define ASCEND_CORE_MEM_DEVICE_WINDOW_H_

#include <cstdint>
#include <optional>

#include "core/base/ids.h"

#ifndef ASCEND_RTD_DEVICE_WINDOW_BASE
#define ASCEND_RTD_DEVICE_WINDOW_BASE 0x120000000000
#endif

namespace ascend::core {

inline constexpr uint64_t kDeviceWindowBase = ASCEND_RTD_DEVICE_WINDOW_BASE;
inline constexpr uint32_t kDeviceWindowShift = 40;
inline constexpr uint64_t kDeviceWindowBytes = uint64_t{1}
                                               << kDeviceWindowShift;

constexpr uint64_t DeviceWindowVa(DeviceId device) {
  return kDeviceWindowBase + (uint64_t{device.value()} << kDeviceWindowShift);
}

// The device whose window of `device_count` windows holds `va`, if any.
constexpr std::optional<DeviceId> DeviceOfVa(uint64_t va,
                                             uint32_t device_count) {
  if (va < kDeviceWindowBase) return std::nullopt;
  const uint64_t index = (va - kDeviceWindowBase) >> kDeviceWindowShift;
  if (index >= device_count) return std::nullopt;
  return DeviceId(static_cast<uint32_t>(index));
}

}  // namespace ascend::core

#endif  // ASCEND_CORE_MEM_DEVICE_WINDOW_H_
