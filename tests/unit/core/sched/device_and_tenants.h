// The device and the tenants of the tests of this directory.
//
// Threading: constants.
#ifndef ASCEND_TESTS_UNIT_CORE_SCHED_DEVICE_AND_TENANTS_H_
#define ASCEND_TESTS_UNIT_CORE_SCHED_DEVICE_AND_TENANTS_H_

#include "core/base/ids.h"
#include "core/sched/claim.h"

namespace ascend::core {

inline constexpr Claim kDevice = {.cube = 8, .aiv = 8, .dma = 4};
inline constexpr TenantId kA{1}, kB{2}, kC{3};

}  // namespace ascend::core

#endif  // ASCEND_TESTS_UNIT_CORE_SCHED_DEVICE_AND_TENANTS_H_
